"""Who may do what: spec/night.md's table as data. What is in no row is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy

from casino.errors import Refused
from casino.words import word

if TYPE_CHECKING:
    from casino.models import User

ROLES = (
    "supervisor",
    "pit_boss",
    "shift_manager",
    "cage",
    "count_team",
    "surveillance",
    "auditor",
    "games_manager",
    "administrator",
)
CHOICES = [(role, gettext_lazy(role.replace("_", " "))) for role in ROLES]
APPROVING = frozenset({"pit_boss", "shift_manager", "auditor"})
"""Roles that approve: a grant takes effect when an auditor has reviewed it."""

_ON_THE_FLOOR = {"supervisor", "pit_boss", "shift_manager", "cage", "count_team"}
EXCLUSIVE: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (frozenset({"administrator"}), frozenset(ROLES) - {"administrator"}),
    (frozenset({"auditor"}), frozenset(_ON_THE_FLOOR | {"games_manager"})),
    (frozenset({"count_team"}), frozenset(_ON_THE_FLOOR - {"count_team"})),
    (frozenset({"cage"}), frozenset(_ON_THE_FLOOR - {"cage"})),
)
"""Roles that nobody holds together: who enters does not count, who approves does not propose, the administrator does nothing else."""

Pits = tuple[str, ...] | None
Effective = Mapping[str, Pits]

_FLOOR = {"supervisor", "pit_boss"}
_LOOKS = {"surveillance", "auditor"}
ACTIONS: Mapping[str, frozenset[str]] = {
    action: frozenset(allowed)
    for action, allowed in {
        "enter_rounds": _FLOOR,
        "read_rounds": _FLOOR | _LOOKS | {"shift_manager"},
        "record_irregular": _FLOOR,
        "rule_irregular": {"auditor"},
        "propose_correction": {"supervisor"},
        "approve_correction": {"pit_boss", "shift_manager"},
        "propose_late_correction": {"pit_boss", "shift_manager"},
        "approve_late_correction": {"auditor"},
        "record_buy_in": _FLOOR,
        "record_marker": _FLOOR,
        "cash_out": {"cage"},
        "attest_count": _FLOOR | {"shift_manager"},
        "run_session": _FLOOR | {"shift_manager"},
        "read_counts": _FLOOR | _LOOKS | {"shift_manager", "count_team"},
        "request_chips": _FLOOR,
        "issue_chips": {"cage"},
        "read_all_slips": _LOOKS | {"shift_manager", "cage"},
        "void_slip": {"cage"},
        "witness_void": _FLOOR | {"shift_manager", "cage"},
        "read_chips": _FLOOR | _LOOKS | {"shift_manager", "cage"},
        "count_drop": {"count_team"},
        "set_dealer_pin": {"shift_manager"},
        "propose_recount": {"shift_manager"},
        "approve_recount": {"auditor"},
        "read_recounts": _LOOKS | {"shift_manager"},
        "read_boxes": _FLOOR | _LOOKS | {"shift_manager", "count_team"},
        "read_cash_outs": _LOOKS | {"shift_manager", "cage"},
        "carry_box": _FLOOR | {"count_team"},
        "see_expected": _LOOKS,
        "see_findings": _FLOOR | _LOOKS | {"shift_manager"},
        "answer_findings": _FLOOR | {"shift_manager"},
        "add_evidence": _LOOKS,
        "assign_findings": {"auditor"},
        "review_findings": {"auditor"},
        "close_findings": {"auditor"},
        "explain_variance": {"pit_boss"},
        "sign_reconciliation": {"shift_manager", "auditor"},
        "read_statistics": _LOOKS | {"shift_manager"},
        "read_draw": _LOOKS,
        "reveal_draw": {"auditor"},
        "check_drawn": _LOOKS,
        "see_floor": _FLOOR | _LOOKS | {"shift_manager", "games_manager", "cage"},
        "propose_limits": {"games_manager"},
        "approve_limits": {"auditor"},
        "read_reports": _FLOOR | _LOOKS | {"shift_manager"},
        "read_game_reports": _FLOOR | _LOOKS | {"shift_manager", "games_manager"},
        "open_reports": _FLOOR | _LOOKS | {"shift_manager", "games_manager", "cage", "count_team"},
        "end_shift": {"shift_manager"},
        "note_shift": _FLOOR | {"shift_manager"},
        "open_shift": {"shift_manager"},
        "reconcile": {"shift_manager", "auditor"},
        "read_ledger": _LOOKS | {"shift_manager"},
        "acknowledge_checkpoint": {"shift_manager", "auditor"},
        "rotate_seal_key": {"auditor"},
        "erase_texts": {"auditor"},
        "see_wrong_passwords": _LOOKS | {"administrator"},
        "read_own_accounts": {"cage"},
        "read_round_entries": {"pit_boss"},
        "see_accounts": _LOOKS | {"shift_manager", "cage"},
        "see_entries": _LOOKS | {"shift_manager", "cage", "pit_boss"},
        "read_imports": {"pit_boss", "shift_manager", "auditor"},
        "read_paytables": _FLOOR | _LOOKS | {"shift_manager", "games_manager"},
        "propose_paytable": {"games_manager"},
        "replay": {"shift_manager", "auditor", "games_manager"},
        "lay_out_floor": {"games_manager"},
        "approve_paytable": {"auditor"},
        "see_workshop": {"games_manager", "auditor"},
        "import": {"pit_boss", "shift_manager"},
        "acknowledge_alarms": _FLOOR | _LOOKS | {"shift_manager", "cage"},
        "see_own_jobs": set(ROLES),
        "see_all_jobs": {"administrator"},
        "manage_users": {"administrator"},
        "review_users": {"auditor"},
        "manage_tokens": {"administrator"},
        "read_tokens": {"administrator", "auditor"},
    }.items()
}

_PERMS: Mapping[str, str] = {
    **{f"tables.view_{model}": "read_rounds" for model in ("round", "wager")},
    "tables.add_round": "enter_rounds",
    "tables.view_roundproposal": "read_rounds",
    "tables.add_tablesession": "run_session",
    "tables.add_shift": "open_shift",
    **{f"tables.view_{model}": "read_reports" for model in ("shift", "tablesession", "dealer")},
    **{f"tables.view_{model}": "see_floor" for model in ("pit", "table", "property")},
    "tables.view_traycount": "read_counts",
    "tables.view_dropcount": "read_counts",
    "tables.view_chipmovement": "read_chips",
    "tables.view_chipslip": "read_chips",
    "tables.view_boxpull": "read_boxes",
    "tables.view_countreopening": "read_recounts",
    "tables.view_cashout": "read_cash_outs",
    "tables.view_paytableversion": "read_paytables",
    "tables.view_paytabledraft": "see_workshop",
    "ledger.view_account": "see_accounts",
    "ledger.view_entry": "see_entries",
    "ledger.view_transfer": "read_ledger",
    "tables.view_roundimport": "read_imports",
    **{f"ledger.view_{model}": "read_ledger" for model in ("segment", "checkpointalarm")},
    "tables.add_roundimport": "import",
    **{f"audit.view_{model}": "see_findings" for model in ("finding",)},
    **{f"audit.view_{model}": "read_reports" for model in ("shiftreconciliation", "sessionreconciliation", "reportfile")},
    "audit.view_report": "open_reports",
    "audit.view_statisticrun": "read_statistics",
    "tables.view_tablelimit": "read_reports",
    "casino.view_job": "see_own_jobs",
    "casino.view_alarm": "acknowledge_alarms",
    "casino.view_stepupfailure": "see_wrong_passwords",
    "casino.view_user": "review_or_manage_users",
    "casino.add_user": "manage_users",
    "casino.change_user": "manage_users",
    "casino.view_roleevent": "review_or_manage_users",
}


def clash(held: Iterable[str], role: str) -> str | None:
    """Return a role among `held` that nobody may hold together with `role`, None where there is none."""
    for some, others in EXCLUSIVE:
        for mine, theirs in ((some, others), (others, some)):
            if role in mine and (found := sorted(theirs & set(held))):
                return found[0]
    return None


def in_effect(events: Iterable[tuple[str, str, Pits]]) -> dict[str, Pits]:
    """Return the roles in effect after `events` (role, action, pits) in their order: approving roles count once reviewed."""
    held: dict[str, Pits] = {}
    granted: dict[str, Pits] = {}
    for role, action, pits in events:
        if action == "grant":
            granted[role] = pits
            if role not in APPROVING:
                held[role] = pits
        elif action == "review" and role in granted:
            held[role] = granted[role]
        elif action == "withdraw":
            held.pop(role, None)
            granted.pop(role, None)
    return held


def may(held: Effective, action: str, pit: str | None = None) -> bool:
    """Return whether roles `held` allow `action`, at `pit` where one is named."""
    return any(pit is None or pits is None or pit in pits for role, pits in held.items() if role in ACTIONS[action])


def require(user: User, action: str, pit: str | None = None) -> None:
    """Raise Refused (`not_allowed`, `not_your_pit`, `left`) unless `user` works here and may do `action` at `pit`."""
    if not user.is_active:
        raise Refused("left", gettext("%(user)s does not work here any more.") % {"user": user})
    if not may(user.roles, action):
        raise Refused("not_allowed", gettext("%(user)s may not do this (%(action)s).") % {"user": user, "action": word(action)}, action=action)
    if not may(user.roles, action, pit):
        raise Refused("not_your_pit", gettext("%(user)s does not work in pit %(pit)s.") % {"user": user, "pit": pit}, action=action, pit=pit)


def pits_for(user: User, action: str) -> Pits:
    """Return the codes of the pits where `user` may do `action`: None for all, () for none."""
    granted = [pits for role, pits in user.roles.items() if role in ACTIONS[action]]
    if any(pits is None for pits in granted):
        return None
    return tuple(sorted({pit for pits in granted if pits for pit in pits}))


def has_perm(held: Effective, perm: str) -> bool:
    """Return whether roles `held` give Django's permission; what is not listed is refused."""
    action = _PERMS.get(perm)
    if action == "review_or_manage_users":
        return may(held, "manage_users") or may(held, "review_users")
    return action is not None and may(held, action)


def has_module_perms(held: Effective, app_label: str) -> bool:
    """Return whether roles `held` give any permission of the app."""
    return any(has_perm(held, perm) for perm in _PERMS if perm.startswith(f"{app_label}."))
