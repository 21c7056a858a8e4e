"""The stranger's check, in parts that audit/bundles.py puts together into the one file `verify.py`.

Each part runs with Python 3.9 and the standard library, and imports nothing but that and the parts before it; a name at module level is in one part
only. Nothing of it is shared with the code that seals. Source: spec/books.md, "The stranger's check".
"""

PARTS = ("outcome", "ed25519", "leaves", "notes", "facts", "work", "bundle", "changed", "texts", "check", "proof", "command")
"""The parts in the order in which they are put together."""
