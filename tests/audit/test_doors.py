"""Each step is one service with a door in the admin and one in the API: read from the code itself, so that a step without a door is seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("tables/services/*.py", "audit/*.py")
PAGES = ("tables/admin/*.py", "audit/*admin*.py", "audit/*page*.py", "audit/*view*.py", "audit/*form*.py", "audit/*panel*.py")
API = ("tables/api/*.py", "audit/api/*.py")
JOBS = ("tables/tasks.py", "audit/tasks.py")
BY_THEMSELVES = {
    "audit_payouts": "the job `close_shift` does it, which the end of a shift announces and `ask_reconciliation` again",
    "audit_round": "`look_at_change` and `look_at_ruling` do it",
    "reconcile_shift": "the job `reconcile_shift` does it, after `close_shift`",
    "keep_moments": "the job `shift_statistics` does it, after each reconciliation",
    "look": "the job `shift_statistics` does it, after each reconciliation",
    "look_at_change": "the job of its name does it, which an approval announces",
    "look_at_ruling": "the job of its name does it, which a ruling announces",
    "commit_seeds": "beat's minute does it: nobody chooses when",
    "import_rounds": "the job of its name does it, which `ask_import` announces",
    "post_variances": "the second signature does it (`audit.signing.sign`)",
}
"""What happens of itself: no person takes this step, so it has no door. Each is held to be called from a job, the minute or another service."""
IN_ONE_STEP = {
    "publish_paytable": ("propose", "approve"),
    "put_in_force": ("propose_in_force", "approve_in_force"),
}
"""Both of two people's steps at once, for set-up and tests: each step by itself has its doors."""


def _modules(patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(ROOT.glob(pattern))


def services() -> dict[str, str]:
    """Return every public function that changes something in one transaction, its own or a private one's, with the name of its module."""
    found = {}
    for path in _modules(SERVICES):
        functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
        whole = {node.name for node in functions if "in_transaction" in map(ast.unparse, node.decorator_list)}
        for node in functions:
            called = {one.func.id for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
            if not node.name.startswith("_") and (node.name in whole or any(name.startswith("_") for name in called & whole)):
                found[node.name] = path.stem
    return found


@cache
def _read(path: Path) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return what a module imports, the last parts of where from, and every name that it uses."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    imported = {alias.name for node in froms for alias in node.names}
    sources = {(node.module or "").rpartition(".")[2] for node in froms}
    named = {node.attr for node in nodes if isinstance(node, ast.Attribute)} | {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(imported), frozenset(sources), frozenset(named)


def calls(path: Path, name: str, module: str) -> bool:
    """Return whether the module at `path` imports the service's module, or the function from it, and names the function."""
    imported, sources, named = _read(path)
    through = "paytables" in imported | sources and module.startswith("paytable")  # the one door to the life of a paytable
    return name in named and (module in imported or through or (module in sources and name in imported))


def doors(name: str, module: str, where: tuple[str, ...]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in _modules(where) if calls(path, name, module)]


STEPS = {name: module for name, module in services().items() if name not in BY_THEMSELVES and name not in IN_ONE_STEP}


def test_the_steps_of_the_night_are_among_them() -> None:
    expected = {
        "open_shift", "end_shift", "open_session", "begin_turn", "close_session", "record_round", "buy_in", "issue_marker", "redeem_marker",
        "cash_out", "request_fill", "request_chip_credit", "issue_fill", "send_chip_credit", "receive_slip", "void_slip", "pull_box", "count_drop",
        "propose_recount", "approve_recount", "recount_tray", "propose_void", "propose_correction", "approve_proposal", "rule_irregular", "explain",
        "sign", "assign", "answer", "review", "close", "add_evidence", "reveal", "keep_outcome", "set_table_limit", "set_edge_limits",
        "change_setting", "ask_replay", "ask_month", "ask_solve", "ask_import", "ask_reconciliation", "subscribe", "unsubscribe", "set_pin",
        "make_property", "make_pit", "make_table", "make_dealer", "issue_chips", "stock_tray", "draft_paytable", "propose", "approve",
    }  # fmt: skip
    assert expected - set(STEPS) == set()
    assert len(STEPS) >= len(expected)


@pytest.mark.parametrize("name", sorted(STEPS))
def test_each_step_has_a_page_and_an_address(name: str) -> None:
    assert doors(name, STEPS[name], PAGES), f"{name} has no door in the admin"
    assert doors(name, STEPS[name], API), f"{name} has no door in the API"


@pytest.mark.parametrize("name", sorted(set(BY_THEMSELVES) & set(services())))
def test_what_happens_of_itself_is_called_by_a_job_or_a_service(name: str) -> None:
    module = services()[name]
    callers = [path for path in doors(name, module, (*JOBS, *SERVICES)) if Path(path).stem != module]
    assert callers, f"nobody calls {name}"
    assert doors(name, module, API) == []


def test_no_reason_is_left_over() -> None:
    known = services()
    assert [name for name in BY_THEMSELVES if name not in known] == []
    assert all(step in STEPS for steps in IN_ONE_STEP.values() for step in steps)
