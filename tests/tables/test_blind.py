"""Nobody who may count a tray sees, on any page or through any address, what it should hold, what the table won, or what was collected and paid.

Walked by role over every page that the admin has and every address of the API. Source: spec/night.md, "Life of a table", 4.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.db.models import Sum
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from casino.money import Notation, format_amount
from ledger.models import Account
from ledger.selectors import balances
from tables.models import ChipMovement, Round
from tables.services import chips
from tables.slips import CountSlip
from tests.builders import UTH_ROUND, House, chip_credit, fill, play

pytestmark = pytest.mark.django_db
COUNTERS = ("FS-1", "PB-1", "PB-2", "SM-1", "CG-1", "CT-1", "GM-1", "AD-1")
OF_EACH = 2


def night(house: House) -> dict[str, int]:
    """Play a night whose sums are like no other figure of it, and return what is counted blind."""
    uth, people = house.sessions["UTH-01"], house.people
    chips.buy_in(uth, 31_700, at=house.tick(), by=people["FS-1"], patron="P-1")
    who = {"requested_by": people["FS-1"], "received_by": people["PB-1"]}
    fill(uth, CountSlip({2500: 7}), at=house.tick(), issued_by=people["CG-1"], **who)
    chip_credit(uth, CountSlip({500: 11}), at=house.tick(), requested_by=people["FS-1"], sent_by=people["PB-1"], received_by=people["CG-1"])
    for ante in (1_237, 1_511, 2_903):
        seats = [
            {**UTH_ROUND["seats"][0], "ante": ante, "blind": ante, "play": 4 * ante, "trips": 613},
            {**UTH_ROUND["seats"][1], "ante": 2 * ante, "blind": 2 * ante},
        ]
        play(house, facts={**UTH_ROUND, "seats": seats})
    sums = Round.objects.filter(session=uth).aggregate(collected=Sum("collected"), paid=Sum("paid"))
    tray = Account.objects.get(property=house.property.uuid, code="tray:UTH-01")
    patrons = Account.objects.get(property=house.property.uuid, code="patrons:chips")
    held = balances([tray, patrons])
    return {
        "expected closer": held[tray.pk],
        "win by play": sums["collected"] - sums["paid"],
        "collected": sums["collected"],
        "paid": sums["paid"],
        "chips of patrons": held[patrons.pk],
    }


def pages(house: House) -> Iterator[str]:
    """Yield every address of the admin: lists, rows, acts; and of the API."""
    yield from (reverse("admin:index"), "/admin/?part=board", "/admin/tables/tablesession/open/")
    for model, site in admin.site._registry.items():
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"admin:{name}_changelist")
        yield from (reverse(f"admin:{name}_add"),)
        keys = list(model._default_manager.order_by("-pk").values_list("pk", flat=True)[:OF_EACH])
        for key in keys:
            yield reverse(f"admin:{name}_change", args=[key])
            yield from _more(site.get_urls(), key)
    yield from api(get_resolver().url_patterns, house)


def _more(patterns: list[URLPattern], key: object) -> Iterator[str]:
    """Yield the addresses of one row that the house added to Django's."""
    from tables.admin.session_acts import ACTS

    for pattern in patterns:
        if not isinstance(pattern, URLPattern) or not pattern.name or "pk" not in pattern.pattern.converters:
            continue
        for more in ([{"verb": verb} for verb in (*ACTS, "issue", "receive", "void", "count")], [{"fmt": "json"}, {"fmt": "csv"}], [{}]):
            for extra in more:
                try:
                    yield reverse(f"admin:{pattern.name}", kwargs={"pk": key, **extra})
                except NoReverseMatch:
                    continue


def _names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for found in patterns:
        if isinstance(found, URLResolver):
            yield from _names(found.url_patterns)
        elif found.name:
            yield found.name


def api(patterns: list[URLPattern | URLResolver], house: House) -> Iterator[str]:
    """Yield every address of the API with the things of this night."""
    uuids = [house.sessions["UTH-01"].uuid, house.shift.uuid, Round.objects.latest("pk").uuid, ChipMovement.objects.latest("pk").uuid]
    names = set(_names([r for r in patterns if isinstance(r, URLResolver) and str(r.pattern) == "api/v1/"]))
    for name in names:
        for kwargs in ({}, {"code": "CASINO"}, *({"uuid": uuid} for uuid in uuids)):
            try:
                yield reverse(name, kwargs=kwargs)
            except NoReverseMatch:
                continue


@pytest.mark.parametrize("who", [COUNTERS[0], *(pytest.param(who, marks=[pytest.mark.slow, pytest.mark.long]) for who in COUNTERS[1:])])
def test_whoever_may_count_reads_it_nowhere(house: House, client: Client, who: str) -> None:
    secrets = night(house)
    words = {text: name for name, amount in secrets.items() for text in (format_amount(abs(amount), Notation(2)), str(abs(amount)))}
    client.force_login(house.people[who])
    client.raise_request_exception = False
    addresses = sorted(set(pages(house)))
    opened = 0
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code < 500, address
        if answer.status_code != 200:
            continue
        opened += 1
        text = answer.content.decode(errors="replace")
        assert not [name for word, name in words.items() if word in text], (who, address, [w for w in words if w in text])
    assert opened >= 3
    assert len(addresses) > 60


def test_surveillance_and_audit_read_it_on_the_board(house: House, client: Client) -> None:
    """The walk would find it: those who see it find it."""
    expected = format_amount(night(house)["expected closer"], Notation(2))
    for who in ("SV-1", "AU-1"):
        client.force_login(house.people[who])
        assert expected in client.get("/admin/").content.decode()
