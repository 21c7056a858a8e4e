"""The demo's pure half: rounds as they fall from shuffled decks among sensible patrons, and dealers' errors to be found in them.

No Django, no clock, no files: chance is handed in. `players` deals rounds, `faults` plants errors in what was done.
"""
