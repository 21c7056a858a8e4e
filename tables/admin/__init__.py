"""The floor's doors for people: the page where a round is entered, and everything else to look at. One file a thing."""

from tables.admin import books, chips, floor, imports, paytables, rounds

__all__ = ["books", "chips", "floor", "imports", "paytables", "rounds"]
