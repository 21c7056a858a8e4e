"""verify.py as strangers get it: the parts of `ledger.stranger` in one file, with every game's reference settler put in."""

from __future__ import annotations

import ast
import hashlib
import importlib
import pkgutil
from functools import cache
from pathlib import Path

from ledger import stranger


def checker_sha256() -> str:
    """Return the SHA-256 (64 hex digits) of verify.py, by which a reader knows it whoever handed it over."""
    return hashlib.sha256(checker().encode()).hexdigest()


@cache
def checker() -> str:
    """Return the text of verify.py: one file that needs nothing but the standard library."""
    folder = Path(stranger.__path__[0])
    parts = [(name, _Part((folder / f"{name}.py").read_text(encoding="utf-8"))) for name in stranger.PARTS]
    imports = sorted({line for _, part in parts for line in part.imports}, key=lambda line: (line.startswith("from"), line))
    *_, (_, command) = parts
    return "\n".join(
        [
            f'"""{command.docstring}"""\n\nfrom __future__ import annotations\n',
            _ALONE,
            *imports,
            *(f"\n\n# ---- {name}: {'the command' if part is command else part.docstring} ----\n\n{part.body}" for name, part in parts),
            *_settlers(),
            '\n\nif __name__ == "__main__":\n    raise SystemExit(main())\n',
        ]
    )


_ALONE = """import sys

if __name__ == "__main__" and not sys.flags.isolated and not getattr(sys.flags, "safe_path", False):
    del sys.path[0]  # the folder that is checked: nothing of it may stand in for the standard library
"""


class _Part:
    """A part of the checker: its docstring, what it imports of the standard library, and all the rest as it is written."""

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        lines = text.splitlines()
        self.docstring = ast.get_docstring(tree, clean=False) or ""
        self.imports = []
        begins = tree.body[0].end_lineno or 0
        for node in tree.body[1:]:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                break
            begins = node.end_lineno or 0
            is_ours = isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("ledger", "__future__")
            if not is_ours:
                self.imports += lines[node.lineno - 1 : node.end_lineno]
        self.body = "\n".join(lines[begins:]).strip("\n")


def _settlers() -> list[str]:
    """Return each game's reference settler as it is written, and the line that makes it known by its game's code."""
    package = importlib.import_module("tables.reference")
    folder = Path(package.__path__[0])
    found = []
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        text = (folder / f"{info.name}.py").read_text(encoding="utf-8")
        if "GAME_CODE" in text:
            found.append(f"\n\n# ---- {info.name} ----\n\n{text}\nSETTLERS[GAME_CODE] = (settle_reference, rake_reference)")
    return found
