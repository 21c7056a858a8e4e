"""The floor's doors for people: the page where a round is entered, and everything else to look at. One file a thing."""

from tables.admin import books, boxes, cash_outs, chips, floor, imports, paytables, proposals, recounts, rounds, slips

__all__ = ["books", "boxes", "cash_outs", "chips", "floor", "imports", "paytables", "proposals", "recounts", "rounds", "slips"]
