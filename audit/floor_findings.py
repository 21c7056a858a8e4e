"""What is odd about counts and slips apart from their sums: openers without a closer, broken seals, recounts, missing numbers. Pure.

Source: spec/night.md, "Life of a table".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.compare import FindingDraft
from casino.money import Notation, format_amount


@dataclass(frozen=True)
class Counted:
    """A count: its total in minor units, how many pieces of each value, and its note."""

    total: int
    denominations: Mapping[str, int]
    note: str = ""


def opener_findings(opener: Counted, closer: Counted | None, stocked: int | None, *, major_over: int, notation: Notation) -> Sequence[FindingDraft]:
    """Return a draft where an opener is not the last `closer`, or, where there was none, not what the cage had stocked the table with."""
    before = closer.total if closer else stocked
    note = {"note": opener.note} if opener.note else {}
    if before is None:
        why = "No closer was counted here that this opener is made from."
        return [FindingDraft("count_variance", "minor", 0, why, wager="opener", done=opener.total, facts=note)]
    gap = opener.total - before
    if gap:
        said = " − ".join(format_amount(amount, notation) for amount in (opener.total, before))
        whose = "the last closer" if closer else "what the cage stocked the table with"
        why = f"The counted opener is not {whose}: {said} = {format_amount(gap, notation)}."
        severity = "major" if abs(gap) >= major_over else "minor"
        return [FindingDraft("count_variance", severity, gap, why, wager="opener", due=before, done=opener.total, facts=note)]
    if closer is not None and _pieces(closer) != _pieces(opener):
        why = "The counted opener is worth what the last closer was, in other pieces."
        return [FindingDraft("count_variance", "note", 0, why, wager="opener", due=before, done=opener.total, facts=note)]
    return []


def _pieces(count: Counted) -> dict[str, int]:
    return {value: number for value, number in count.denominations.items() if number}


def seal_findings(pulled: tuple[str, str], counted: tuple[str, str], note: str) -> Sequence[FindingDraft]:
    """Return a draft where a box was counted under another number or seal than it was pulled with: each as (box, seal)."""
    if pulled == counted:
        return []
    why = f"Box {pulled[0]} was pulled under seal {pulled[1]}; box {counted[0]} was counted under seal {counted[1]}."
    return [FindingDraft("seal_mismatch", "major", 0, why, wager="drop", facts={"note": note})]


def recount_finding(count: str, before: int, after: int, reason: str, *, notation: Notation) -> FindingDraft:
    """Return the draft that says a count was taken once more: what it was, what it is, and why. Minor units."""
    amounts = f"{format_amount(before, notation)}, then {format_amount(after, notation)}"
    why = f"The {count} was counted once more, as a shift manager proposed and an auditor approved: {amounts}."
    return FindingDraft("recounted", "note", 0, why, wager=count, due=before, done=after, facts={"reason": reason})


def gap_finding(kind: str, number: int) -> FindingDraft:
    """Return the draft for a slip number that was skipped."""
    why = f"There is no {kind.replace('_', ' ')} {number}, and there are later ones."
    return FindingDraft("slip_gap", "major", 0, why, wager=kind, facts={"slip": kind, "number": number})
