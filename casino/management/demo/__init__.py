"""The demo: rounds as they fall from shuffled decks among sensible patrons, and dealers' errors planted in them for the audit to find.

`players`, `uth_strategy`, `payroll_table` and `faults` are pure: no Django, no clock, no files, chance is handed in.
"""
