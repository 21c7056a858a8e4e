"""One document, set in a process of its own: JSON in, PDF out, and the memory goes back. Loads without Django. See audit/export_pdf.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from audit.reports.glyphs import FONTS
from casino.errors import BrokenBooks, Unavailable
from casino.words import gettext

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "audit" / "reports" / "report.typ"
TIME_LIMIT = 120
MEMORY_LIMIT = 4 * 2**30


def typeset(document: dict[str, Any]) -> bytes:
    """Return the PDF of `document` (the shape that report.typ reads), set in a child process.

    Raises Unavailable("report_too_slow") after `TIME_LIMIT` seconds, BrokenBooks("report_not_set") where Typst refuses its own template.
    """
    words = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    command = [sys.executable, "-m", "audit.export_typst"]
    try:
        child = subprocess.run(command, input=words, capture_output=True, timeout=TIME_LIMIT, cwd=ROOT, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise Unavailable("report_too_slow", gettext("The PDF took too long. Narrow the filters, or take the XLSX."), seconds=TIME_LIMIT) from error
    if child.returncode:
        raise BrokenBooks("report_not_set", "The PDF could not be set.", says=child.stderr.decode(errors="replace")[-2000:])
    return child.stdout


def compile_template(words: str) -> bytes:
    """Return the PDF of the JSON text `words`, set in this process."""
    import typst

    return typst.compile(
        str(TEMPLATE), root=str(TEMPLATE.parent), font_paths=[str(FONTS)], ignore_system_fonts=True, sys_inputs={"data": words}, pdf_tags=False
    )


def main() -> None:
    """Read the document from standard input, write its PDF to standard output."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    sys.stdout.buffer.write(compile_template(sys.stdin.buffer.read().decode()))


if __name__ == "__main__":
    main()
