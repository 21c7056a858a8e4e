"""What a random night finds out after its seal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ledger.models import Entry
from tables.models import Round, RoundProposal
from tables.services.correction_decisions import approve_proposal
from tables.services.corrections import propose_late_round
from tests.builders import House, slip
from tests.corrections import propose_mended


class LateFacts:
    """A part of RandomNight, which is sealed."""

    house: House
    over: list[Any]
    step: Callable[[Callable[[], Any]], Any]
    tonight: Callable[[], None]
    voided: Callable[[Round], None]
    held: Callable[[], dict[str, int]]
    books_are_as_the_model_says: Callable[[], None]

    def late_facts(self) -> None:
        """Find out after the seal: a forgotten round, its correction, the void of that, and the void of a round of the night.

        Each moves the variances of its tray and box, tonight, by what these would have had; no tray, no box and nothing of the sealed shift.
        """
        self.step(self.tonight)
        sealed = list(Entry.objects.filter(shift=self.house.shift.uuid).order_by("id").values_list("pk", flat=True))
        made = self.moves_late("UTH-01", -2_500, self.forgotten)
        mended = self.moves_late("UTH-01", -500, lambda: self.corrected(made, done={"1": {"ante": {"paid": 1_500}}}))
        self.moves_late("UTH-01", 3_000, lambda: self.voided(mended))
        for code in ("UTH-01", "PAY-01"):
            standing = [dealt for one in self.over if one.row.table.code == code for dealt in one.rounds]
            for dealt in standing[:1]:
                self.moves_late(code, -dealt.change, lambda dealt=dealt: self.voided(dealt.row), box=-dealt.boxed)
        assert list(Entry.objects.filter(shift=self.house.shift.uuid).order_by("id").values_list("pk", flat=True)) == sealed

    def moves_late(self, code: str, tray: int, verb: Callable[[], Any], *, box: int = 0) -> Any:
        """Do it, and see that of trays, boxes and their variances it moves this table's variances alone: the tray's, the box's."""
        before = self.held()
        made = self.step(verb)
        self.books_are_as_the_model_says()
        moved = {account: held - before[account] for account, held in self.held().items() if held != before[account]}
        told = {account: amount for account, amount in moved.items() if account.startswith(("tray:", "drop:", "variance:"))}
        assert told == {account: by for account, by in ((f"variance:tray:{code}", tray), (f"variance:drop:{code}", box)) if by}
        assert sum(moved.values()) == 0
        return made

    def forgotten(self) -> Round:
        """Return a round of the first session of UTH-01 that nobody had entered."""
        session = next(one.row for one in self.over if one.row.table.code == "UTH-01")
        raw = slip(self.house, occurred_at=(self.house.shift.starts_at + timedelta(seconds=1)).isoformat())
        proposal = propose_late_round(session, raw, reason="not_entered", by=self.house.people["PB-1"], at=self.house.tick())
        return self.approved(proposal, "AU-2")

    def corrected(self, played: Round, **changes: Any) -> Round:
        return self.approved(propose_mended(self.house, played, "PB-1", **changes), "AU-1")

    def approved(self, proposal: RoundProposal, by: str) -> Round:
        """Return what the proposal made; who approved a round looks at no change of it."""
        made = approve_proposal(proposal, by=self.house.people[by], at=self.house.tick()).made
        assert made is not None and made.late
        return made
