"""What was due and what the dealer did, put side by side for every wager of a round. Pure.

Source: spec/rounds.md, "A recorded round".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from operator import attrgetter
from typing import NamedTuple

from casino.errors import Fault, InvalidSlip
from casino.money import CEILING, Minor
from casino.words import gettext, word
from tables.engine.game import Stake, WagerDue
from tables.slips import Done, Mispaid, RoundSlip

POT = "pot"
_seat_of = attrgetter("seat")


class KeptWager(NamedTuple):
    """One wager as it is kept: minor units; `collect` and `pay` are None where due is unknown (an irregular round)."""

    seat: int
    kind: str
    stake: Minor
    collect: Minor | None
    pay: Minor | None
    collected: Minor
    paid: Minor
    why: str = ""
    row: str = ""
    breakage: str = ""
    uncapped: int | None = None
    mispaid: str = ""
    first: Done | None = None
    note: str = ""
    patron: str = ""
    fund: str = "chips"
    for_dealer: bool = False

    @property
    def first_collected(self) -> int | None:
        """Return what was collected first, None where nothing was corrected."""
        return None if self.first is None else self.first.collected

    @property
    def first_paid(self) -> int | None:
        """Return what was paid first, None where nothing was corrected."""
        return None if self.first is None else self.first.paid

    @property
    def payout_variance(self) -> int | None:
        """Return (collected - paid) - (collect - pay), from the house's side; None where due is unknown."""
        if self.collect is None or self.pay is None:
            return None
        return (self.collected - self.paid) - (self.collect - self.pay)


def side_by_side(slip: RoundSlip, stakes: Sequence[Stake], dues: Sequence[WagerDue] | None, *, is_pot_game: bool) -> list[KeptWager]:
    """Return every wager of the round with due and done; `dues` is None for an irregular round, whose due is unknown.

    A wager that the slip leaves out was done as due; of an irregular round each wager must say what was done. In a pot game any seat of
    the round may have been paid from the pot, rightly or not. Raises InvalidSlip naming the place under `done`, `mispaid` or `patrons`.
    """
    if dues is not None and is_as_due(slip, is_pot_game=is_pot_game):
        return _all_as_due(slip, dues)
    spots = _spots(stakes, dues, slip, is_pot_game=is_pot_game)
    faults = _strangers(slip, spots) + (_no_pot_funds(slip) if is_pot_game else [])
    kept = []
    for (seat, kind), (stake, due) in spots.items():
        done = slip.done.get((seat, kind), Done())
        faults += _faults_of(done, stake, due, f"done.{seat}.{kind}")
        mispaid = next((said for said in slip.mispaid if (said.seat, said.wager) == (seat, kind)), None)
        wager = _keep(seat, kind, stake, due, done, mispaid, slip.patrons.get(seat, ""))
        if (seat, kind) in slip.funds or (seat, kind) in slip.for_dealer:
            wager = wager._replace(fund=slip.funds.get((seat, kind), "chips"), for_dealer=(seat, kind) in slip.for_dealer)
        kept.append(wager)
    faults += _contradictions(slip, kept) + _too_much(kept)
    if faults:
        raise InvalidSlip.of(faults)
    return kept


def is_as_due(slip: RoundSlip, *, is_pot_game: bool) -> bool:
    """Return whether the slip of a regular round says no more than the cards and whose they were: every wager was done as due."""
    return not (is_pot_game or slip.done or slip.mispaid or slip.funds or slip.for_dealer)


def as_due(due: WagerDue, patron: str) -> KeptWager:
    """Return a wager that was done as due."""
    return KeptWager(
        due.seat,
        due.kind,
        due.stake,
        due.collect,
        due.pay,
        due.collect,
        due.pay,
        due.why,
        due.row or "",
        "" if due.breakage is None else str(due.breakage),
        due.uncapped,
        patron=patron,
    )


def _all_as_due(slip: RoundSlip, dues: Sequence[WagerDue]) -> list[KeptWager]:
    """Return every wager of a round of which the slip says no more than the cards: what most rounds are, in a third of the time."""
    patrons = slip.patrons
    kept = [as_due(due, patrons.get(due.seat, "")) for due in sorted(dues, key=_seat_of)]
    faults = _patrons_elsewhere(slip, {wager.seat for wager in kept}) + _too_much(kept)
    if faults:
        raise InvalidSlip.of(faults)
    return kept


def _patrons_elsewhere(slip: RoundSlip, seats: Set[int]) -> list[Fault]:
    return [
        Fault("bad_seat", gettext("Seat %(seat)s is not in the round.") % {"seat": seat}, f"patrons.{seat}")
        for seat in slip.patrons
        if seat not in seats
    ]


def _no_pot_funds(slip: RoundSlip) -> list[Fault]:
    """Return a fault for every stake that is not chips: into a pot that patrons share nobody puts cash or a coupon."""
    return [
        Fault("bad_fund", gettext("A pot takes chips alone."), f"funds.{seat}.{kind}") for (seat, kind), fund in slip.funds.items() if fund != "chips"
    ]


def _contradictions(slip: RoundSlip, kept: Sequence[KeptWager]) -> list[Fault]:
    """Return a fault for every mistake whose status is not what its figures say. Where due is unknown, nobody can tell."""
    known = {(wager.seat, wager.kind): wager for wager in kept if wager.payout_variance is not None}
    faults = []
    for position, said in enumerate(slip.mispaid):
        wager, where = known.get((said.seat, said.wager)), f"mispaid[{position}]"
        if wager is None:
            continue
        if said.status == "corrected" and wager.payout_variance:
            faults.append(Fault("still_off", gettext("What was corrected at the table was done as due in the end."), f"{where}.status"))
        if said.status == "not_recovered" and not wager.payout_variance:
            faults.append(Fault("nothing_off", gettext("This wager was done as due: there is nothing to recover."), f"{where}.status"))
        if said.first and said.first.collected is not None and said.first.collected > wager.stake:
            faults.append(
                Fault(
                    "bad_amount",
                    gettext("The house cannot take more than the stake of %(stake)s.") % {"stake": wager.stake},
                    f"{where}.first.collected",
                )
            )
    return faults


def _too_much(kept: Sequence[KeptWager]) -> list[Fault]:
    """Return a fault where a round's stakes, takings or payments are together more than any amount may be."""
    sums = {
        "stake": sum([wager.stake for wager in kept]),
        "collected": sum([wager.collected for wager in kept]),
        "paid": sum([wager.paid for wager in kept]),
    }
    places = {"stake": "round.seats", "collected": "done", "paid": "done"}
    return [
        Fault(
            "bad_amount",
            gettext("All that was %(name)s in the round is 10^15 or more.") % {"name": word("put down" if name == "stake" else name)},
            places[name],
        )
        for name, total in sums.items()
        if total >= CEILING
    ]


_Spots = Mapping[tuple[int, str], tuple[Minor, WagerDue | None]]


def _spots(stakes: Sequence[Stake], dues: Sequence[WagerDue] | None, slip: RoundSlip, *, is_pot_game: bool) -> _Spots:
    """Return stake and due by (seat, kind): all that the rules know, then pots that were paid where none was due."""
    spots: dict[tuple[int, str], tuple[Minor, WagerDue | None]] = {}
    if dues is None:
        spots = {(stake.seat, stake.kind): (stake.stake, None) for stake in stakes}
    else:
        spots = {(due.seat, due.kind): (due.stake, due) for due in dues}
    if is_pot_game:
        seats = {stake.seat for stake in stakes}
        for seat, kind in slip.done:
            if kind == POT and seat in seats:
                nothing = WagerDue(seat, POT, Minor(0), Minor(0), Minor(0), "lose", "No share of the pot is due.")
                spots.setdefault((seat, kind), (Minor(0), nothing if dues is not None else None))
    return dict(sorted(spots.items(), key=lambda spot: spot[0][0]))


def _strangers(slip: RoundSlip, spots: _Spots) -> list[Fault]:
    """Return a fault for everything that the slip says of a wager or seat that is not in the round."""
    seats = {seat for seat, _ in spots}
    faults = [
        Fault("unknown_field", gettext("Seat %(seat)s has no wager “%(kind)s”.") % {"seat": seat, "kind": kind}, f"done.{seat}.{kind}")
        for seat, kind in slip.done
        if (seat, kind) not in spots
    ]
    for name, spots_said in (("funds", slip.funds), ("for_dealer", sorted(slip.for_dealer))):
        faults += [
            Fault("unknown_field", gettext("Seat %(seat)s has no wager “%(kind)s”.") % {"seat": seat, "kind": kind}, f"{name}.{seat}.{kind}")
            for seat, kind in spots_said
            if (seat, kind) not in spots
        ]
    said: set[tuple[int, str]] = set()
    for position, one in enumerate(slip.mispaid):
        where = f"mispaid[{position}]"
        if (one.seat, one.wager) not in spots:
            faults.append(
                Fault("unknown_field", gettext("Seat %(seat)s has no wager “%(kind)s”.") % {"seat": one.seat, "kind": one.wager}, f"{where}.wager")
            )
        elif (one.seat, one.wager) in said:
            faults.append(Fault("duplicate_wager", gettext("This wager's mistake is said twice."), where))
        if one.status == "corrected" and (one.first is None or one.first.collected is None or one.first.paid is None):
            faults.append(Fault("missing_field", gettext("A corrected mistake says what was done first: {collected, paid}."), f"{where}.first"))
        said.add((one.seat, one.wager))
    return faults + _patrons_elsewhere(slip, seats)


def _faults_of(done: Done, stake: Minor, due: WagerDue | None, where: str) -> list[Fault]:
    if due is None:
        missing = [name for name in ("collected", "paid") if getattr(done, name) is None]
        if missing:
            return [
                Fault("missing_field", gettext("Of an irregular round, say what was done on every wager."), f"{where}.{name}") for name in missing
            ]
    if done.collected is not None and done.collected > stake:
        return [
            Fault(
                "bad_amount",
                gettext("The house cannot take %(collect)s of a stake of %(stake)s.") % {"collect": done.collected, "stake": stake},
                f"{where}.collected",
                {"stake": stake},
            )
        ]
    return []


def _keep(seat: int, kind: str, stake: Minor, due: WagerDue | None, done: Done, mispaid: Mispaid | None, patron: str) -> KeptWager:
    collected = done.collected if done.collected is not None else due.collect if due else Minor(0)
    paid = done.paid if done.paid is not None else due.pay if due else Minor(0)
    return KeptWager(
        seat=seat,
        kind=kind,
        stake=stake,
        collect=due.collect if due else None,
        pay=due.pay if due else None,
        collected=collected,
        paid=paid,
        why=due.why if due else "",
        row=(due.row or "") if due else "",
        breakage="" if due is None or due.breakage is None else str(due.breakage),
        uncapped=due.uncapped if due else None,
        mispaid=mispaid.status if mispaid else "",
        first=mispaid.first if mispaid else None,
        note=mispaid.note if mispaid else "",
        patron=patron,
    )
