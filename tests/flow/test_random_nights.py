"""Nights made at random against a small model in memory: after every step the books balance, the pot is empty, each tray holds what the model says.

Whatever the order, every night is brought to its end: counted, reconciled, explained, signed, sealed; then `verify_books` is clean, the shift
is frozen, and a late fact moves no chip.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from audit.books_check import check_books
from audit.models import Finding
from audit.selectors import latest_reconciliation
from audit.signing import sign
from casino import jobs
from casino.errors import CasinoError, Stale
from casino.models import Job
from casino.money import Minor
from ledger.models import Account, Entry, Segment
from ledger.selectors import balances
from tables.models import Round, TableSession
from tables.services import chips, floor
from tables.services.correction_decisions import approve_proposal
from tables.slips import CountSlip
from tests.audit.signing import explain_all, hire, print_of, run_jobs
from tests.builders import BANKROLL, chip_credit, drop, fill, open_table, play, standing_house
from tests.corrections import correct, deal, propose, void
from tests.flow.late_facts import LateFacts

pytestmark = pytest.mark.django_db
TABLES, FIRST_PIT = ("UTH-01", "UTH-02", "PAY-01"), ("UTH-01", "PAY-01")
POT = 1_300
"""What the builders' round of Payroll has in its pot."""
tables, near = st.sampled_from(TABLES), st.sampled_from(FIRST_PIT)


@dataclass
class Dealt:
    """A round: what it did to the tray, and what the dealer paid too much."""

    row: Round
    change: int
    excess: int = 0


@dataclass
class Sitting:
    """A session of a table, as the model knows it; `closer` and `boxed` are what was counted."""

    row: TableSession
    opener: int
    moved: int = 0
    bought: int = 0
    closer: int | None = None
    boxed: int = 0
    rounds: list[Dealt] = field(default_factory=list)

    @property
    def change(self) -> int:
        return self.moved + sum(dealt.change for dealt in self.rounds)


class _Crash(Exception):
    """The process ends before the commit."""


class RandomNight(LateFacts, RuleBasedStateMachine):
    """A swing shift of three tables, from the standing house to the sealed book."""

    folder: Path
    nights = count(1)

    def __init__(self) -> None:
        super().__init__()
        place = self.folder / str(next(self.nights))
        self.own = override_settings(CHECKPOINTS=place / "checkpoints.ndjson", SEAL_KEY=place / "key.pem")
        self.own.enable()
        self.undone = transaction.atomic()
        self.undone.__enter__()
        self.house = standing_house()
        for number, role in (("SM-2", "shift_manager"), ("AU-2", "auditor")):
            hire(self.house, number, role)
        self.phase, self.seals, self.sound = "open", count(1), True
        self.trays, self.boxes = dict.fromkeys(TABLES, 510_000), dict.fromkeys(TABLES, 0)
        self.at = {code: Sitting(row, 510_000) for code, row in self.house.sessions.items()}
        self.over: list[Sitting] = []
        self.found: set[tuple[int, str]] = set()
        self.reconciled = False

    def teardown(self) -> None:
        try:
            if self.sound:
                self.finish()
        finally:
            transaction.set_rollback(True)
            self.undone.__exit__(None, None, None)
            self.own.disable()

    # ---- the night ----

    def is_open(self, code: str) -> bool:
        return self.phase == "open" and self.at[code].closer is None

    def step(self, verb: Callable[[], Any]) -> Any:
        """Do it; whatever it raises is a failure, and the night is not brought to its end."""
        self.sound = False
        with transaction.atomic():
            return verb()

    def moves(self, code: str, tray: int, box: int = 0) -> None:
        self.trays[code] += tray
        self.boxes[code] += box
        self.at[code].bought += box

    @precondition(lambda self: self.phase == "open")
    @rule(
        code=tables,
        ante=st.integers(1, 50),
        trips=st.sampled_from([0, 500]),
        folded=st.integers(1, 50),
        wrong=st.sampled_from([0, 0, 0, 100, -100, 700]),
    )
    def play_a_round(self, code: str, ante: int, trips: int, folded: int, wrong: int) -> None:
        """A pair of aces wins ante and play and loses trips beside a seat that folded; or the pot of Payroll. Paid `wrong` too much."""
        if self.is_open(code):
            dealt = self.step(lambda: self.deal(code, ante * 100, trips, folded * 100, wrong))
            self.at[code].rounds.append(dealt)
            self.trays[code] += dealt.change

    def deal(self, code: str, ante: int, trips: int, folded: int, wrong: int) -> Dealt:
        more: dict[str, Any] = {}
        if code == "PAY-01":
            due, more = 0, {"done": {"1": {"pot": {"paid": POT + wrong}}}} if wrong else {}
        else:
            due = trips + 2 * folded - 5 * ante
            pair = {"seat": 1, "cards": ["As", "Ad"], "ante": ante, "blind": ante, "trips": trips, "play": 4 * ante, "street": "preflop"}
            seats = [pair, {"seat": 2, "ante": folded, "blind": folded, "folded": True}]
            more["facts"] = {"community": ["2h", "9s", "9d", "Jc", "Qh"], "dealer": ["Kc", "7d"], "seats": seats}
            if wrong:
                more["done"] = {"1": {"ante": {"paid": ante + wrong}}}
        row = deal(self.house, code, **more) if code in FIRST_PIT else play(self.house, code, **more)
        return Dealt(row, due - wrong, wrong)

    @precondition(lambda self: self.phase == "open")
    @rule(code=tables, hundreds=st.integers(1, 400))
    def buy_in(self, code: str, hundreds: int) -> None:
        if self.is_open(code):
            self.step(lambda: self.bought(code, hundreds * 100))
            self.at[code].moved -= hundreds * 100
            self.moves(code, -hundreds * 100, hundreds * 100)

    def bought(self, code: str, amount: int) -> None:
        by = self.house.people["PB-2" if code == "UTH-02" else "FS-1"]
        chips.buy_in(self.at[code].row, Minor(amount), at=self.house.tick(), by=by)

    @precondition(lambda self: self.phase == "open")
    @rule(code=near, pieces=st.integers(1, 9), away=st.booleans())
    def fill_or_credit(self, code: str, pieces: int, away: bool) -> None:
        if self.is_open(code):
            self.step(lambda: self.slip(code, CountSlip({100_00: pieces}), away))
            amount = pieces * 100_00 * (-1 if away else 1)
            self.at[code].moved += amount
            self.moves(code, amount)

    def slip(self, code: str, pieces: CountSlip, away: bool) -> None:
        staff, session, at = self.house.people, self.at[code].row, self.house.tick()
        if away:
            chip_credit(session, pieces, at=at, requested_by=staff["FS-1"], sent_by=staff["PB-1"], received_by=staff["CG-1"])
        else:
            fill(session, pieces, at=at, requested_by=staff["FS-1"], issued_by=staff["CG-1"], received_by=staff["PB-1"])

    @precondition(lambda self: self.phase == "open")
    @rule(code=near, which=st.integers(0, 1_000))
    def void_a_round(self, code: str, which: int) -> None:
        if self.is_open(code) and self.at[code].rounds:
            dealt = self.pick(code, which)
            self.step(lambda: void(self.house, dealt.row, approver="PB-1"))  # SM-1 may have approved it as a correction
            self.gone(code, dealt)

    def pick(self, code: str, which: int) -> Dealt:
        rounds = self.at[code].rounds
        return rounds[which % len(rounds)]

    def gone(self, code: str, dealt: Dealt) -> None:
        self.at[code].rounds.remove(dealt)
        self.trays[code] -= dealt.change

    @precondition(lambda self: self.phase == "open")
    @rule(code=near)
    def correct_what_was_entered_wrongly(self, code: str) -> None:
        wrong = [dealt for dealt in self.at[code].rounds if dealt.excess]
        if self.is_open(code) and wrong:
            dealt = wrong[-1]
            dealt.row = self.step(lambda: correct(self.house, dealt.row, done={}))
            self.trays[code] += dealt.excess
            dealt.change, dealt.excess = dealt.change + dealt.excess, 0

    @precondition(lambda self: self.phase == "open")
    @rule(code=tables, what=st.sampled_from(["round", "buy_in", "close"]))
    def crash(self, code: str, what: str) -> None:
        """Everything was done but the commit: nothing of it is there."""
        if not self.is_open(code):
            return
        verbs = {
            "round": lambda: self.deal(code, 1_000, 0, 1_000, 0),
            "buy_in": lambda: self.bought(code, 5_000),
            "close": lambda: self.shut(code, 0, 0),
        }
        with pytest.raises(_Crash):
            self.step(lambda: (verbs[what](), self.die()))

    @staticmethod
    def die() -> None:
        raise _Crash

    # ---- the close ----

    @precondition(lambda self: self.phase == "open")
    @rule(code=tables, off=st.sampled_from([0, 0, -5_000, 2_500]), box=st.sampled_from([0, 0, 100]))
    def close(self, code: str, off: int, box: int) -> None:
        if self.is_open(code):
            self.closed(code, off, box)

    def closed(self, code: str, off: int, box: int) -> None:
        sitting = self.at[code]
        self.step(lambda: self.shut(code, off, box))
        sitting.closer, sitting.boxed = sitting.opener + sitting.change + off, sitting.bought + box
        self.over.append(sitting)

    def shut(self, code: str, off: int, box: int) -> None:
        sitting, staff = self.at[code], self.house.people
        by = staff["PB-2" if code == "UTH-02" else "PB-1"]
        closer = CountSlip({1: sitting.opener + sitting.change + off})
        floor.close_session(sitting.row, closer, at=self.house.tick(), by=by, witness=staff["SM-1"])
        number = f"{code}-{next(self.seals)}"
        drop(sitting.row, self.house, CountSlip({1: sitting.bought + box}), box=f"B-{number}", seal=f"S-{number}")

    @precondition(lambda self: self.phase == "open")
    @rule(code=tables)
    def open_again(self, code: str) -> None:
        """The next session's opener is the last one's closer."""
        sitting = self.at[code]
        if sitting.closer is not None and len(self.over) < 6:
            opener = {1: sitting.closer}
            row = self.step(lambda: open_table(self.house.shift, self.house.tables[code], self.house.people, opener, at=self.house.tick()))
            self.house.sessions[code] = row
            self.at[code] = Sitting(row, sitting.closer)

    @precondition(lambda self: self.phase == "open" and len(self.over) > 1)
    @rule()
    def end(self) -> None:
        for code in TABLES:
            if self.is_open(code):
                self.closed(code, 0, 0)
        self.step(lambda: floor.end_shift(self.house.shift, at=self.house.tick(), by=self.house.people["SM-1"]))
        self.phase = "ended"

    # ---- the office ----

    @precondition(lambda self: self.phase == "ended")
    @rule(again=st.booleans())
    def reconcile(self, again: bool) -> None:
        """By its jobs; one of them is run once more, as after a crash that nobody noticed."""
        args = {"shift": str(self.house.shift.uuid)}
        for _ in range(1 + again):
            self.step(lambda: jobs.announce("close_shift", f"again:{next(self.seals)}", args))
            self.step(lambda: run_jobs("close_shift", "reconcile_shift"))
        self.found |= {(dealt.row.pk, self.finding_of(one, dealt)) for one in self.over for dealt in one.rounds if dealt.excess}
        self.reconciled = True
        kept = latest_reconciliation(self.house.shift)
        assert kept is not None
        lines = {line.session_id: (line.tray_variance, line.drop_variance, line.book_variance) for line in kept.lines.all()}
        assert lines == {one.row.pk: (one.closer - one.opener - one.change, one.boxed - one.bought, 0) for one in self.over}

    @staticmethod
    def finding_of(sitting: Sitting, dealt: Dealt) -> str:
        """Return the kind of finding that a wrong payment is; of a pot, all that went wrong is one."""
        if sitting.row.table.code == "PAY-01":
            return "pot_split"
        return "overpaid" if dealt.excess > 0 else "underpaid"

    @precondition(lambda self: self.phase == "ended")
    @rule(which=st.integers(0, 1_000))
    def void_after_the_close(self, which: int) -> None:
        """Others propose and approve; what was reconciled holds no more, and is not signed."""
        standing = [(one, dealt) for one in self.over for dealt in one.rounds if one.row.table.code in FIRST_PIT]
        if not standing:
            return
        sitting, dealt = standing[which % len(standing)]
        self.step(lambda: self.voided(dealt.row))
        sitting.rounds.remove(dealt)
        self.trays[sitting.row.table.code] -= dealt.change
        if self.reconciled and dealt.change:
            with pytest.raises(Stale):
                self.step(lambda: self.signs("SM-2"))
        self.reconciled = False

    def voided(self, played: Round) -> None:
        proposal = propose(self.house, played, "PB-1")
        approve_proposal(proposal, by=self.house.people["AU-2"], at=self.house.tick())

    def signs(self, who: str) -> None:
        kept = latest_reconciliation(self.house.shift)
        assert kept is not None
        sign(self.house.shift, fingerprint=print_of(kept), by=self.house.people[who], at=self.house.tick())

    @precondition(lambda self: self.phase == "ended" and self.reconciled)
    @rule()
    def explain_and_sign(self) -> None:
        """Afterwards trays hold what was counted, and boxes nothing."""
        self.step(lambda: explain_all(self.house, latest_reconciliation(self.house.shift)))
        for who in ("SM-2", "AU-1"):
            self.step(lambda who=who: self.signs(who))
        self.phase = "signed"
        self.trays = {code: self.at[code].closer for code in TABLES}
        self.boxes = dict.fromkeys(TABLES, 0)

    @precondition(lambda self: self.phase == "signed")
    @rule(lost=st.booleans())
    def seal(self, lost: bool) -> None:
        """By its job, in two parts; what a killed worker had of the first is lost."""
        job = Job.objects.get(kind="seal_shift")
        if lost:
            with pytest.raises(_Crash):
                self.step(lambda: (jobs.run(job.pk), self.die()))
            assert not Segment.objects.exists()
        for _ in range(2):
            self.step(lambda: jobs.run(job.pk))
        job.refresh_from_db()
        assert job.state == "done", job.error
        self.phase = "sealed"

    @precondition(lambda self: self.phase == "sealed")
    @rule(which=st.integers(0, 1_000))
    def find_out_late(self, which: int) -> None:
        """A round of the sealed night never was: posted tonight over the variance account, and no tray moves."""
        standing = [dealt for one in self.over for dealt in one.rounds if one.row.table.code in FIRST_PIT]
        if standing:
            self.step(self.tonight)
            dealt = standing[which % len(standing)]
            self.step(lambda: self.voided(dealt.row))
            for one in self.over:
                one.rounds = [kept for kept in one.rounds if kept is not dealt]

    def tonight(self) -> None:
        shift, house = self.house.shift, self.house
        house.clock = max(house.clock, shift.ends_at)
        if not shift.property.shifts.filter(kind="grave").exists():
            floor.open_shift(shift.property, shift.gaming_day, "grave", starts=time(4), ends=time(6), at=house.tick(), by=house.people["SM-1"])

    # ---- what always holds ----

    @invariant()
    def books_are_as_the_model_says(self) -> None:
        held = self.held()
        assert sum(held.values()) == 0
        assert held["pot:PAY-01"] == 0
        assert {code: held[f"tray:{code}"] for code in TABLES} == self.trays
        assert {code: held[f"drop:{code}"] for code in TABLES} == self.boxes
        kept = set(Finding.objects.filter(kind__in=["overpaid", "underpaid", "pot_split"]).values_list("round_id", "kind"))
        assert kept == self.found
        self.sound = True

    def held(self) -> dict[str, int]:
        accounts = list(Account.objects.filter(property=self.house.property.uuid))
        by_key = balances(accounts)
        return {account.code: by_key[account.pk] for account in accounts}

    def finish(self) -> None:
        """Bring the night to its end from wherever it is, and check what stays."""
        if self.phase == "open":
            self.end()
        if self.phase == "ended":
            self.reconcile(again=False)
            self.explain_and_sign()
        if self.phase == "signed":
            self.seal(lost=False)
        self.books_are_as_the_model_says()
        answer = check_books()
        assert answer.problems == ()
        self.frozen()
        self.late_facts()
        assert check_books().problems == ()

    def frozen(self) -> None:
        """Nothing more gets into the shift."""
        before = Entry.objects.filter(shift=self.house.shift.uuid).count()
        for verb in (lambda: self.deal("UTH-02", 1_000, 0, 1_000, 0), lambda: self.bought("UTH-01", 100)):
            with pytest.raises(CasinoError), transaction.atomic():
                verb()
        assert Entry.objects.filter(shift=self.house.shift.uuid).count() == before


def nights(folder: Path, *, examples: int, steps: int) -> None:
    """Have so many nights of so many steps at most; the same ones each time."""
    machine = type("Night", (RandomNight,), {"folder": folder})
    every = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=every)


def test_a_few_random_nights(db: None, tmp_path: Path) -> None:
    nights(tmp_path, examples=2, steps=12)


@pytest.mark.slow
@pytest.mark.long
def test_many_random_nights(db: None, tmp_path: Path) -> None:
    nights(tmp_path, examples=12, steps=30)


assert sum(value * pieces for value, pieces in BANKROLL.items()) == 510_000
