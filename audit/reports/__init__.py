"""One file a report: rows, not pages. A builder reads selectors and returns a `Report`; `audit/exports.py` alone makes files of it.

The modules here that every builder shares know no Django: `report` (the values), `reading` (one pass over them), `shown` (words for people).
"""
