"""What was due against what the dealer did, wager by wager. Pure: values in, finding drafts out.

Source: spec/night.md, "Payout audit". A difference is a finding, not an exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from casino.odds import format_odds
from tables.engine.game import WagerDue

POT = "pot"


@dataclass(frozen=True)
class WagerDone:
    """What the dealer did on one wager, minor units; `first_*` is the first payment of a mistake corrected at the table."""

    seat: int
    kind: str
    stake: int
    collected: int
    paid: int
    mispaid: str = ""
    first_collected: int | None = None
    first_paid: int | None = None
    note: str = ""


@dataclass(frozen=True)
class FindingDraft:
    """Something to be kept as a finding. `effect`: minor units from the house's side; `due`, `done`: the patron's net."""

    kind: str
    severity: str
    effect: int
    why: str
    seat: int | None = None
    wager: str = ""
    due: int | None = None
    done: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    flag: bool = False

    def key(self, thing: str) -> str:
        """Return what makes the finding one of its kind: the round or session `thing`, seat, wager and kind."""
        return ":".join([thing, str(self.seat or ""), self.wager, self.kind])


def compare_round(
    dues: Sequence[WagerDue],
    done: Sequence[WagerDone],
    odds: Mapping[str, Mapping[str, Fraction]],
    *,
    is_pot_game: bool,
    major_over: int,
) -> list[FindingDraft]:
    """Return a draft for every wager whose done is not its due; `odds` are those that may be read, by wager, then row.

    An effect of `major_over` minor units or more is major. A mistake that was corrected at the table is a note, and counts in the
    dealer's error rate. In a pot game a pot that was divided otherwise is one finding of the round.
    """
    due_of = {(due.seat, due.kind): due for due in dues}
    drafts: list[FindingDraft] = []
    for wager in done:
        due = due_of.get((wager.seat, wager.kind)) or _nothing_due(wager)
        if is_pot_game and wager.kind == POT:
            continue
        drafts += _of_wager(due, wager, odds.get(wager.kind, {}), major_over)
    return drafts + (_of_pot(due_of, done, major_over) if is_pot_game else [])


def compare_ruled(done: Sequence[WagerDone], due: Mapping[tuple[int, str], tuple[int, int]], *, reason: str, major_over: int) -> list[FindingDraft]:
    """Return a draft for every wager whose done is not what was ruled to be due: (collect, pay) by seat and kind."""
    drafts = []
    for wager in done:
        collect, pay = due[wager.seat, wager.kind]
        effect = (wager.collected - wager.paid) - (collect - pay)
        if (wager.collected, wager.paid) == (collect, pay):
            continue
        drafts.append(
            FindingDraft(
                kind="overpaid" if effect < 0 else "underpaid",
                severity="major" if abs(effect) >= major_over else "minor",
                effect=effect,
                why=f"Irregular; as ruled: {reason}",
                seat=wager.seat,
                wager=wager.kind,
                due=pay - collect,
                done=wager.paid - wager.collected,
                facts={"due": {"collect": collect, "pay": pay}, "done": {"collected": wager.collected, "paid": wager.paid}, "reason": reason},
            )
        )
    return drafts


def _nothing_due(wager: WagerDone) -> WagerDue:
    return WagerDue(wager.seat, wager.kind, wager.stake, 0, 0, "push", "Nothing is due on it.")  # type: ignore[arg-type]


def _of_wager(due: WagerDue, wager: WagerDone, rows: Mapping[str, Fraction], major_over: int) -> Iterable[FindingDraft]:
    if wager.mispaid == "corrected" and wager.first_collected is not None and wager.first_paid is not None:
        yield from _draft(due, wager, wager.first_collected, wager.first_paid, rows, major_over, corrected=True)
    yield from _draft(due, wager, wager.collected, wager.paid, rows, major_over, corrected=False)


def _draft(
    due: WagerDue, wager: WagerDone, collected: int, paid: int, rows: Mapping[str, Fraction], major_over: int, *, corrected: bool
) -> Iterable[FindingDraft]:
    kind, facts = classify(due, collected, paid, rows)
    if not kind:
        return
    effect = (collected - paid) - (due.collect - due.pay)
    facts = {**facts, "due": {"collect": due.collect, "pay": due.pay}, "done": {"collected": collected, "paid": paid}}
    if wager.mispaid:
        facts = {**facts, "mispaid": wager.mispaid, "note": wager.note}
    yield FindingDraft(
        kind=kind + ("_corrected" if corrected else ""),
        severity="note" if corrected else "major" if abs(effect) >= major_over else "minor",
        effect=0 if corrected else effect,
        why=due.why,
        seat=wager.seat,
        wager=wager.kind,
        due=due.net,
        done=paid - collected,
        facts=facts,
    )


def classify(due: WagerDue, collected: int, paid: int, rows: Mapping[str, Fraction]) -> tuple[str, dict[str, Any]]:
    """Return the kind of difference between due and done and what helps to see it; ("", {}) where there is none."""
    if (collected, paid) == (due.collect, due.pay):
        return "", {}
    if due.result == "lose":
        return ("paid_a_loser" if paid else "loser_left"), {}
    if due.result == "push":
        return ("push_taken" if collected else "push_paid"), {}
    if collected:
        return "took_a_winner", {}
    return _wrong_payment(due, paid, rows)


def _wrong_payment(due: WagerDue, paid: int, rows: Mapping[str, Fraction]) -> tuple[str, dict[str, Any]]:
    """Name the row of the paytable that was probably read, where one pays what was paid; else how much it was."""
    base = due.stake if due.base is None else due.base
    read = Fraction(paid, base) if base else Fraction(0)
    facts: dict[str, Any] = {"paid_odds": format_odds(read)}
    if due.odds is not None:
        facts["due_odds"] = format_odds(due.odds)
    for row, odds in rows.items():
        if odds == read and row != due.row:
            return "wrong_odds", {**facts, "row_read": row, "row_due": due.row}
    return ("overpaid" if paid > due.pay else "underpaid"), facts


def _of_pot(due_of: Mapping[tuple[int, str], WagerDue], done: Sequence[WagerDone], major_over: int) -> list[FindingDraft]:
    """Return the one finding of a pot that was not divided as due, with every share."""
    paid = {wager.seat: wager.paid for wager in done if wager.kind == POT}
    shares = {seat: due.pay for (seat, kind), due in due_of.items() if kind == POT}
    off = {seat: paid.get(seat, 0) - shares.get(seat, 0) for seat in sorted({*paid, *shares}) if paid.get(seat, 0) != shares.get(seat, 0)}
    if not off:
        return []
    moved = sum(abs(amount) for amount in off.values())
    why = " ".join(due.why for (_, kind), due in sorted(due_of.items()) if kind == POT)
    return [
        FindingDraft(
            kind="pot_split",
            severity="major" if moved >= major_over else "minor",
            effect=-sum(off.values()),
            why=why,
            wager=POT,
            due=sum(shares.values()),
            done=sum(paid.values()),
            facts={"shares": {str(seat): {"due": shares.get(seat, 0), "done": paid.get(seat, 0)} for seat in off}},
        )
    ]
