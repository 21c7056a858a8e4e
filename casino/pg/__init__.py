"""PostgreSQL as Django's own backend knows it, with the embedded server started at the first connection. Imports no app.

`casino` alone would be no name for an engine: Django wants a package with a module `base`.
"""
