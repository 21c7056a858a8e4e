"""A report as JSON: canonical (RFC 8785), so that equal reports are equal bytes. Pure; see audit/exports.py.

`{"format": "pitbook-report/1", "identity", "made_from", "title", "subtitle", "facts": [[label, value]], "currency", "exponent", "zone",
"code", "sections": [{"key", "title", "note", "empty", "columns": [{"key", "label", "kind", "total", "decimals"}],
"rows": [{"cells": {column key: value}, "emphasis"?, "on"?, "link"?, "links"?}], "totals": a row or null}],
"printed": {"by", "at", "reprint"}, "sha256"}`

Amounts are whole minor units of `currency`, which has `exponent` decimals; durations whole seconds; percents "numerator/denominator";
moments ISO 8601 with offset; whole numbers beyond 2^53 - 1 text. Without the keys `printed` and `sha256`, the file's canonical bytes are
what `sha256` is the hash of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from audit.reports.reading import Reading, Seen, head, tail
from audit.reports.report import Report
from casino.canonical import canonical_json


def write_json(report: Report, file: BinaryIO, progress: Callable[[int], object] | None = None) -> Seen:
    """Write `report` to `file` and return what was seen. Constant memory; the file is left open."""
    at = report.printed_at
    printed = {"at": at and at.astimezone(report.clock).isoformat(), "by": report.printed_by, "reprint": report.reprint}
    file.write(head(report) + b',"printed":' + canonical_json(printed))
    reading = Reading(report, copy=file.write, progress=progress)
    for _ in reading:
        pass
    file.write(b',"sha256":' + canonical_json(reading.seen.sha256) + tail(report))
    return reading.seen
