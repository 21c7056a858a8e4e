"""Modules that are marked pure load without Django, each looked at in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAIN = ["casino.money", "casino.odds", "casino.errors", "casino.gaming_day", "casino.canonical", "casino.embedded"]
ENGINE = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "tables" / "engine").rglob("*.py") if path.name != "__init__.py"
)
OTHERS = [
    "tables.posting",
    "tables.slips",
    "tables.due_and_done",
    "casino.shown",
    "casino.wall_clock",
    "tables.fault_words",
    "tables.round_form",
    "tables.round_keys",
    "tables.corrections",
    "tables.correction_slips",
    "tables.round_again",
    "tables.round_screen",
    "tables.edges",
    "tables.edge_record",
    "tables.edge_warnings",
    "tables.paytable_diff",
    "tables.paytable_words",
    "tables.replay",
    "tables.short_code",
    "tables.paytable_files",
    "ledger.drafts",
    "ledger.leaves",
    "ledger.merkle",
    "ledger.notes",
    "ledger.stranger.outcome",
    "ledger.stranger.ed25519",
    "ledger.stranger.leaves",
    "ledger.stranger.notes",
    "ledger.stranger.facts",
    "ledger.stranger.work",
    "ledger.stranger.bundle",
    "ledger.stranger.changed",
    "ledger.stranger.texts",
    "ledger.stranger.check",
    "ledger.stranger.proof",
    "ledger.stranger.command",
    "audit.compare",
    "audit.reconcile",
    "audit.ageing",
    "audit.binomial",
    "audit.causes",
    "audit.draw",
    "audit.error_kinds",
    "audit.grades",
    "audit.limits",
    "audit.second_opinion",
    "audit.spans",
    "audit.statistics",
    "audit.variances",
    "audit.reports.report",
    "audit.exports",
]
WEB = ("django", "rest_framework", "celery", "redis", "psycopg")
NUMPY_MAY_BE_IN = ("batch", "edge", "bit_planes", "hand_tables")


def loaded_by(module: str) -> set[str]:
    """Return the top names of everything that importing `module` loads."""
    look = f"import sys, {module}; print(' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", PLAIN + ENGINE + OTHERS)
def test_it_loads_without_django(module: str) -> None:
    loaded = loaded_by(module)
    assert not loaded & set(WEB)
    if module in PLAIN or not module.rpartition(".")[2].startswith(NUMPY_MAY_BE_IN):
        assert module in OTHERS or "numpy" not in loaded


def test_the_settle_command_imports_neither_numpy_nor_a_driver() -> None:
    """It settles from a pipe: starting up is part of what a person waits for."""
    loaded = loaded_by("tables.engine.settle")
    assert not loaded & {"numpy", "psycopg", "django"}
