"""Committing a seed before a shift, revealing it after, drawing with it, and keeping what the video showed.

The seed is random and nobody sees it before the end: its hash stands in the database with the database's clock, the seed itself beside it,
encrypted under the house's secret. Source: spec/night.md, "Payout audit".
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import median_low
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db.models import Count
from django.utils.translation import gettext

from audit.draw import ROUNDS, SESSIONS, Risk, Traits, draw, population_hash, riskiest, seed_hash
from audit.models import Draw, DrawCommitment, DrawnItem, DrawOutcome
from casino import roles
from casino.errors import BrokenBooks, Conflict, InvalidSlip, Refused
from casino.gaming_day import gaming_day
from casino.models import User
from casino.transactions import in_transaction, wait_turn
from tables.models import Property, Round, Shift, ShiftEvent, Wager
from tables.selectors import shift_state

DAYS_AHEAD = 2


@in_transaction
def commit_seeds(house: Property, *, at: datetime) -> list[DrawCommitment]:
    """Return the commitments that were made: for every shift of the next gaming days that has none yet, so before any of them can begin."""
    wait_turn(f"draw:{house.uuid}")
    today = gaming_day(at, house.zone, house.rollover)
    days = [today + timedelta(days=ahead) for ahead in range(1, DAYS_AHEAD + 1)]
    known = set(DrawCommitment.objects.filter(property=house, gaming_day__in=days).values_list("gaming_day", "kind"))
    return [commit_seed(house, day, kind) for day in days for kind in Shift.Kind.values if (day, kind) not in known]


def commit_seed(house: Property, day: date, kind: str) -> DrawCommitment:
    """Return the commitment to a new seed for the shift of `kind` on gaming day `day`."""
    seed = secrets.token_bytes(32)
    return DrawCommitment.objects.create(property=house, gaming_day=day, kind=kind, seed_sha256=seed_hash(seed), sealed_seed=_cipher().encrypt(seed))


def _cipher() -> Fernet:
    """Return the cipher of seeds, from the house's secret key."""
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"pitbook draw seed\x00" + settings.SECRET_KEY.encode()).digest()))


@in_transaction
def reveal(shift: Shift, *, by: User | None = None) -> Draw:
    """Return the draw of an ended shift with its revealed seed; a second time the same. `by` None: the job that looks for ended shifts.

    Raises Refused (`not_allowed`), Conflict (`shift_open`, `not_committed`: no seed was committed before the shift began), BrokenBooks where
    the seed cannot be opened.
    """
    if by is not None:
        roles.require(by, "reveal_draw")
    wait_turn(f"draw:{shift.uuid}")
    kept = Draw.objects.filter(shift=shift).first()
    if kept is not None:
        return kept
    if shift_state(shift) != ShiftEvent.State.ENDED:
        raise Conflict("shift_open", gettext("The %(shift)s has not ended: its seed stays closed.") % {"shift": shift})
    commitment = commitment_of(shift)
    if commitment is None:
        raise Conflict("not_committed", gettext("No seed was committed before the %(shift)s began.") % {"shift": shift})
    return _draw(shift, commitment, by)


def commitment_of(shift: Shift) -> DrawCommitment | None:
    """Return the commitment that was made before `shift` began, None where there is none. One query."""
    made = DrawCommitment.objects.filter(property=shift.property_id, gaming_day=shift.gaming_day, kind=shift.kind)
    return made.filter(recorded_at__lt=shift.starts_at).first()


def _draw(shift: Shift, commitment: DrawCommitment, by: User | None) -> Draw:
    seed = open_seed(commitment)
    rounds, sessions = population(shift)
    kept = Draw.objects.create(
        commitment=commitment,
        shift=shift,
        seed=seed,
        rounds=len(rounds),
        sessions=len(sessions),
        population_sha256=population_hash([*rounds, *sessions]),
        by=by,
    )
    items = [DrawnItem(draw=kept, place=one.place, round_id=rounds[one.thing], score=one.score) for one in draw(seed, shift.uuid, rounds, ROUNDS)]
    items += [
        DrawnItem(draw=kept, place=one.place, session_id=sessions[one.thing], score=one.score) for one in draw(seed, shift.uuid, sessions, SESSIONS)
    ]
    DrawnItem.objects.bulk_create(items)
    return kept


def open_seed(commitment: DrawCommitment) -> bytes:
    """Return the seed of a commitment. Raises BrokenBooks where it is not what was committed, or the house's secret is another one."""
    try:
        seed = _cipher().decrypt(bytes(commitment.sealed_seed))
    except InvalidToken as error:
        raise BrokenBooks("sealed_seed", f"The {commitment} cannot be opened: the house's secret is not the one it was sealed with.") from error
    if seed_hash(seed) != commitment.seed_sha256:
        raise BrokenBooks("sealed_seed", f"The {commitment} is not the one that was committed.")
    return seed


def population(shift: Shift) -> tuple[Mapping[UUID, int], Mapping[UUID, int]]:
    """Return the shift's rounds and sessions by UUID, each with its key; late rounds came after the draw and are not among them. Two queries."""
    rounds = dict(Round.objects.filter(session__shift=shift, late=False).values_list("uuid", "pk"))
    return rounds, dict(shift.sessions.values_list("uuid", "pk"))


def verify(kept: Draw) -> list[str]:
    """Return what is wrong with a kept draw, nothing where it is what its seed draws. Five queries."""
    rounds, sessions = population(kept.shift)
    wrong = []
    if seed_hash(bytes(kept.seed)) != kept.commitment.seed_sha256:
        wrong.append("The seed is not the one that was committed.")
    if kept.commitment.recorded_at >= kept.shift.starts_at:
        wrong.append("The seed was committed after the shift began.")
    if population_hash([*rounds, *sessions]) != kept.population_sha256:
        wrong.append("The rounds or sessions are not those that were drawn from.")
    uuids = {key: uuid for uuid, key in rounds.items()} | {}
    tables = {key: uuid for uuid, key in sessions.items()}
    for things, n, path, names in ((rounds, ROUNDS, "round_id", uuids), (sessions, SESSIONS, "session_id", tables)):
        expected = [(one.place, one.thing, one.score) for one in draw(bytes(kept.seed), kept.shift.uuid, things, n)]
        rows = kept.items.filter(**{f"{path}__isnull": False}).order_by("place")
        if [(row.place, names.get(getattr(row, path)), row.score) for row in rows] != expected:
            wrong.append(f"The {path.removesuffix('_id')}s that are kept are not those that the seed draws.")
    return wrong


@in_transaction
def keep_outcome(item: DrawnItem, outcome: str, *, by: User, camera: str = "", note: str = "") -> DrawOutcome:
    """Return what the video showed of a drawn thing. Raises Refused (`not_allowed`, `own_entry`), InvalidSlip (`bad_type`, `missing_field`)."""
    roles.require(by, "check_drawn")
    if item.round is not None and item.round.recorded_by_id == by.pk:
        raise Refused("own_entry", gettext("Nobody checks the round that they entered."))
    if outcome not in DrawOutcome.Outcome.values:
        raise InvalidSlip(
            "bad_type", gettext("An outcome is one of %(values)s.") % {"values": ", ".join(DrawOutcome.Outcome.values)}, where="outcome"
        )
    for where, text, most in (("camera", camera, 40), ("note", note, 1000)):
        if len(text) > most:
            raise InvalidSlip("bad_type", gettext("That is longer than %(most)s characters.") % {"most": most}, where=where)
    if outcome != DrawOutcome.Outcome.AS_RECORDED and not note.strip():
        raise InvalidSlip("missing_field", gettext("Say what differs, or why there is no video."), where="note")
    return DrawOutcome.objects.create(item=item, outcome=outcome, camera=camera.strip(), note=note.strip(), by=by)


def risky_rounds(shift: Shift, n: int = ROUNDS) -> list[tuple[Round, Risk]]:
    """Return the `n` rounds of the shift that are most worth a look, with the reasons; weights are those of `audit.draw.WEIGHTS`. Four queries."""
    traits = _traits(shift)
    found = riskiest(traits.values(), n)
    rounds = Round.objects.filter(uuid__in=[risk.thing for risk in found]).select_related("session__table__pit", "dealer")
    by_uuid = {played.uuid: played for played in rounds}
    return [(by_uuid[risk.thing], risk) for risk in found]


def _traits(shift: Shift) -> Mapping[int, Traits]:
    rounds = list(Round.objects.filter(session__shift=shift, late=False).values_list("pk", "uuid", "irregular", "dealer", "session"))
    wagers: dict[int, list[tuple[int, int, str, str, str]]] = defaultdict(list)
    stakes: dict[int, list[int]] = defaultdict(list)
    session_of = {pk: session for pk, _, _, _, session in rounds}
    for row in Wager.objects.filter(gaming_day=shift.gaming_day, round__session__shift=shift).values_list(
        "round", "stake", "paid", "row", "breakage", "mispaid"
    ):
        if row[0] in session_of:
            wagers[row[0]].append(row[1:])
            if row[1]:
                stakes[session_of[row[0]]].append(row[1])
    dealt = dict(Round.objects.filter(dealer__in={row[3] for row in rounds}).order_by().values_list("dealer").annotate(n=Count("pk")))
    usual = {session: median_low(amounts) for session, amounts in stakes.items()}
    return {
        pk: _trait(uuid, bool(irregular), wagers[pk], dealt.get(dealer, 0), usual.get(session, 0)) for pk, uuid, irregular, dealer, session in rounds
    }


def _trait(uuid: UUID, irregular: bool, wagers: Sequence[tuple[int, int, str, str, str]], dealt: int, usual: int) -> Traits:
    return Traits(
        thing=uuid,
        best_paid=max((paid // stake for stake, paid, *_ in wagers if stake), default=0),
        irregular=irregular,
        mispaid=any(mispaid for *_, mispaid in wagers),
        rows=frozenset(row for _, paid, row, *_ in wagers if row and paid),
        dealer_rounds=dealt,
        largest_stake=max((stake for stake, *_ in wagers), default=0),
        usual_stake=usual,
        rounded=any(breakage for _, _, _, breakage, _ in wagers),
    )
