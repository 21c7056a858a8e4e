"""One search for the whole house: a round's number, label or uuid, a slip, a table, a dealer, a patron, an amount, cards as they lie.

Names that have an index are looked for everywhere; patrons, amounts and cards among the last `DAYS` gaming days of one's pits. At most
`MOST` of each kind are shown: a search is a way to a page, lists and reports are for counting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext

from casino import roles, shown
from casino.models import User
from casino.money import parse_amount
from casino.words import word
from tables.bet_words import bet_word
from tables.engine.cards import CODES, split_cards
from tables.engine.game import Game, games
from tables.models import ChipMovement, ChipSlip, Dealer, Property, Round, Table, TableSession, Wager
from tables.models.chip_slips import SLIP_KINDS
from tables.selectors import rounds_for, slips_for

MOST = 20
DAYS = 7
LONGEST = 60
SIGNS = ("+", "-", "−")
"""What stands before an amount on a page; a search asks how much, whoever got it."""


@dataclass(frozen=True)
class Hit:
    """One thing that was found: what it is called, what tells it from others, where it is."""

    name: str
    detail: str
    link: str


@dataclass(frozen=True)
class Group:
    """The hits of one kind; `more` where there are more than are shown."""

    title: str
    hits: Sequence[Hit]
    more: bool = False


def search(user: User, text: str, *, today: date) -> list[Group]:
    """Return what `text` names, of what `user` may see, best known first; nothing for an empty text. At most a dozen queries.

    `today`: the gaming day from which patrons, amounts and cards are looked for backwards.
    """
    term = text.strip()[:LONGEST]
    if not term:
        return []
    groups = [*_named(user, term), *_recent(user, term, today)]
    return [group for group in groups if group.hits]


def _named(user: User, term: str) -> Iterator[Group]:
    if roles.may(user.roles, "read_rounds"):
        yield _group(gettext("Rounds"), [_round(played) for played in _rounds_named(rounds_for(user), term)[: MOST + 1]])
    if roles.may(user.roles, "read_reports"):
        yield _group(gettext("Tables"), [_table(table) for table in _tables(user).filter(code__istartswith=term)[: MOST + 1]])
        yield _group(
            gettext("Dealers"), [_dealer(dealer) for dealer in Dealer.objects.filter(Q(code__iexact=term) | Q(name__iexact=term))[: MOST + 1]]
        )
    if roles.may(user.roles, "read_chips") and (named := _slips_named(slips_for(user), term)) is not None:
        yield _group(gettext("Slips"), [_slip(slip) for slip in named.order_by("-id")[: MOST + 1]])


def _recent(user: User, term: str, today: date) -> Iterator[Group]:
    if not roles.may(user.roles, "read_rounds"):
        return
    since = today - timedelta(days=DAYS)
    sessions = _sessions_since(user, since)
    wagers = Wager.objects.filter(gaming_day__gte=since, round__session__in=sessions).select_related("round__session__table__property")
    yield _group(gettext("Patrons"), [_wager(wager) for wager in wagers.filter(patron__iexact=term).order_by("-id")[: MOST + 1]])
    movements = ChipMovement.objects.filter(session__in=sessions).select_related("session__table__property")
    yield _group(
        gettext("Patrons' buy-ins and markers"), [_movement(moved) for moved in movements.filter(patron__iexact=term).order_by("-id")[: MOST + 1]]
    )
    cards = split_cards(term)
    if cards and all(card in CODES for card in cards) and len({CODES[card] for card in cards}) == len(cards):
        yield _group(
            gettext("Rounds with %(cards)s") % {"cards": " ".join(cards)},
            [_round(played) for played in _with_cards(user, sessions, cards)[: MOST + 1]],
        )
    amount = _amount(term)
    if amount:
        paid = wagers.filter(Q(paid=amount) | Q(stake=amount)).order_by("-id")
        yield _group(gettext("Wagers of that amount"), [_wager(wager) for wager in paid[: MOST + 1]])
        yield _group(gettext("Chips of that amount"), [_movement(moved) for moved in movements.filter(amount=amount).order_by("-id")[: MOST + 1]])


def _group(title: str, hits: list[Hit]) -> Group:
    return Group(title, hits[:MOST], len(hits) > MOST)


def _rounds_named(rounds: QuerySet[Round], term: str) -> QuerySet[Round]:
    """Return the rounds that `term` names: uuid, "UTH-01 412", "UTH-01 · round 412", number, or label. Each has its index."""
    try:
        return rounds.filter(uuid=UUID(term))
    except ValueError:
        pass
    before, _, number = term.replace("·", " ").rpartition(" ")
    if (names := before.split()) and (found := _number(number)) is not None:
        table = " ".join(names[:-1] if len(names) > 1 and names[-1].casefold() in ("round", word("round").casefold()) else names)
        return rounds.filter(number=found, session__table__code__iexact=table).order_by("-id")
    if (found := _number(term)) is not None:
        return rounds.filter(Q(number=found) | Q(label=term)).order_by("-id")
    return rounds.filter(label=term).order_by("-id")


def _slips_named(slips: QuerySet[ChipSlip], term: str) -> QuerySet[ChipSlip] | None:
    """Return the slips that `term` names: "412", "#412", or as pages call it, "fill 412"; None where it names no slip."""
    kind, _, number = term.rpartition(" ")
    found = _number(number.lstrip("#"))
    if found is None or not kind.strip():
        return None if found is None else slips.filter(number=found)
    called = " ".join(kind.split()).casefold()
    kinds = [code for code in SLIP_KINDS if called in (code.replace("_", " "), word(code).casefold())]
    return slips.filter(number=found, kind__in=kinds) if kinds else None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _amount(text: str) -> int | None:
    """Return minor units of the house's currency where `text` is an amount in its notation, as pages show it with its sign or none; else None."""
    house = Property.objects.order_by("code").first()
    if house is None:
        return None
    try:
        return parse_amount(text[1:] if text[:1] in SIGNS else text, house.notation)
    except ValueError:
        return None


def _tables(user: User) -> QuerySet[Table]:
    tables = Table.objects.select_related("pit").order_by("code")
    pits = roles.pits_for(user, "read_reports")
    return tables if pits is None else tables.filter(pit__code__in=pits)


def _sessions_since(user: User, since: date) -> list[int]:
    sessions = TableSession.objects.filter(shift__gaming_day__gte=since)
    pits = roles.pits_for(user, "read_rounds")
    return list((sessions if pits is None else sessions.filter(table__pit__code__in=pits)).values_list("pk", flat=True))


def _with_cards(user: User, sessions: list[int], cards: Sequence[str]) -> QuerySet[Round]:
    """Return the rounds of `sessions` in which every one of `cards` fell, of games that are dealt with cards."""
    dealt = [code for code, game in games().items() if _has_cards(game)]
    rounds = rounds_for(user).filter(session__in=sessions, game__in=dealt).order_by("-id")
    for card in cards[:10]:
        rounds = rounds.extra(where=["position(%s in tables_round.cards) > 0"], params=[bytes([CODES[card]])])
    return rounds


def _has_cards(game: Game) -> bool:
    return any(field.kind == "cards" for field in (*game.layout.round_fields, *game.layout.seat_fields))


def _round(played: Round) -> Hit:
    house = played.session.table.property
    detail = f"{played.label} · {shown.stamp(played.occurred_at, house)} · {played.dealer.code}"
    return Hit(f"{played.session.table.code} · {played.number}", detail, reverse("admin:tables_round_change", args=[played.pk]))


def _wager(wager: Wager) -> Hit:
    played, house = wager.round, wager.round.session.table.property
    figures = gettext("stake %(stake)s, paid %(paid)s") % {"stake": shown.money(wager.stake, house), "paid": shown.money(wager.paid, house)}
    detail = f"{gettext('seat %(number)s') % {'number': wager.seat}} {bet_word(wager.kind)} · {figures}{f' · {wager.patron}' if wager.patron else ''}"
    return Hit(f"{played.session.table.code} · {played.number}", detail, reverse("admin:tables_round_change", args=[played.pk]))


def _movement(moved: ChipMovement) -> Hit:
    house = moved.session.table.property
    detail = f"{shown.money(moved.amount, house)} · {shown.stamp(moved.occurred_at, house)}{f' · {moved.patron}' if moved.patron else ''}"
    return Hit(f"{moved.session.table.code} · {moved}", detail, reverse("admin:tables_chipmovement_change", args=[moved.pk]))


def _slip(slip: ChipSlip) -> Hit:
    detail = f"{slip.session.table.code} · {word(getattr(slip, 'state', ''))}"
    return Hit(f"{word(slip.kind)} {slip.number}", detail, reverse("admin:tables_chipslip_change", args=[slip.pk]))


def _table(table: Table) -> Hit:
    return Hit(
        table.code,
        f"{gettext('pit %(code)s') % {'code': table.pit.code}} · {games()[table.game].name}",
        f"{reverse('admin:tables_round_changelist')}?table={table.code}",
    )


def _dealer(dealer: Dealer) -> Hit:
    return Hit(dealer.code, dealer.name or gettext("rounds dealt"), f"{reverse('admin:tables_round_changelist')}?q={dealer.code}")
