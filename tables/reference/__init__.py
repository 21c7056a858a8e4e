"""One brute-force settler a game: the audit's second opinion. Standard library only; shares nothing with tables.engine."""
