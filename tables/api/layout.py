"""The floor laid out by machine: properties, pits, tables, dealers; chips for the cage and a table's bankroll."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.response import Response

from casino import roles
from casino.errors import NotFound
from ledger.models import Entry
from tables import selectors
from tables.api import layout_schema as shapes
from tables.api.door import FloorView, verb
from tables.engine.game import games
from tables.floor_bodies import Body
from tables.models import Pit, Property, Table
from tables.services import chips, floor, layout

MOST_DECIMALS = 4


@contextmanager
def fields_refuse() -> Iterator[None]:
    """Raise what a model's fields refuse as a 400 that names them."""
    try:
        yield
    except ValidationError as error:
        raise layout.as_slip(error) from error


class PropertiesView(FloorView):
    """`POST` makes a property."""

    queryset = Property.objects.none()
    serializer_class = shapes.PropertyAnswer

    @verb("properties_make", shapes.PropertyAnswer, shapes.PropertyBody, 201)
    def post(self, request: Request) -> Response:
        """Make a property with its house accounts; its settings are the usual ones until two people change them."""
        body, by = Body(request.data, "code", "name", "zone", "currency", "exponent", "writes", "rollover"), self.person
        roles.require(by, "lay_out_floor")
        code, name, zone = body.text("code", most=20), body.text("name", most=120), body.text("zone", most=60)
        currency, exponent, rollover = body.text("currency", most=3), body.whole("exponent", 0, MOST_DECIMALS), body.clock("rollover")
        writes = body.choice("writes", Property.Writes.values) if body.has("writes") else Property.Writes.POINT
        body.check()
        begins = rollover or floor.ROLLOVER
        with fields_refuse():
            house = floor.make_property(code, name, zone=zone, currency=currency, exponent=exponent, writes=writes, by=by, rollover=begins)
        return Response(_property(house), status=201)


def _property(house: Property) -> dict[str, Any]:
    return {
        "uuid": str(house.uuid),
        "code": house.code,
        "name": house.name,
        "zone": house.zone,
        "currency": house.currency,
        "exponent": house.exponent,
        "writes": house.writes,
        "rollover": house.rollover.isoformat("minutes"),
    }


class PitsView(FloorView):
    """`POST` makes a pit."""

    queryset = Pit.objects.none()
    serializer_class = shapes.NamedAnswer

    @verb("pits_make", shapes.NamedAnswer, shapes.NamedBody, 201)
    def post(self, request: Request, code: str) -> Response:
        """Make a pit of the property."""
        body, by = Body(request.data, "code", "name"), self.person
        roles.require(by, "lay_out_floor")
        pit_code, name = body.text("code", most=20), body.text("name", most=120)
        body.check()
        with fields_refuse():
            pit = layout.make_pit(selectors.house_of(code), pit_code, name, by=by)
        return Response({"property": code, "code": pit.code, "name": pit.name}, status=201)


class DealersView(FloorView):
    """`POST` makes a dealer."""

    queryset = Pit.objects.none()
    serializer_class = shapes.NamedAnswer

    @verb("dealers_make", shapes.NamedAnswer, shapes.NamedBody, 201)
    def post(self, request: Request, code: str) -> Response:
        """Make a dealer of the property, by staff number."""
        body, by = Body(request.data, "code", "name"), self.person
        roles.require(by, "lay_out_floor")
        number, name = body.text("code", most=20), body.text("name", most=120, required=False)
        body.check()
        with fields_refuse():
            dealer = layout.make_dealer(selectors.house_of(code), number, name, by=by)
        return Response({"property": code, "code": dealer.code, "name": dealer.name}, status=201)


class TablesView(FloorView):
    """`POST` makes a table."""

    queryset = Table.objects.none()
    serializer_class = shapes.TableAnswer

    @verb("tables_make", shapes.TableAnswer, shapes.TableBody, 201)
    def post(self, request: Request, code: str) -> Response:
        """Make a table of a pit of the property, with its accounts."""
        body, by = Body(request.data, "pit", "code", "game"), self.person
        roles.require(by, "lay_out_floor")
        pit_code, table_code, game = body.text("pit", most=20), body.text("code", most=20), body.choice("game", sorted(games()))
        body.check()
        pit = Pit.objects.select_related("property").filter(property=selectors.house_of(code), code=pit_code).first()
        if pit is None:
            raise NotFound("no_pit", gettext("There is no pit %(pit_code)s here.") % {"pit_code": pit_code}, where="pit")
        with fields_refuse():
            table = floor.make_table(pit, table_code, game, by=by)
        return Response({"uuid": str(table.uuid), "pit": pit.code, "code": table.code, "game": table.game}, status=201)


class ChipsView(FloorView):
    """`POST` brings new chips into the cage."""

    queryset = Property.objects.none()
    serializer_class = shapes.EntryAnswer

    @verb("chips_issue", shapes.EntryAnswer, shapes.IssueBody, 201)
    def post(self, request: Request, code: str) -> Response:
        """Bring new chips into the cage. The same uuid again is the same issue."""
        body, by = Body(request.data, "uuid", "amount"), self.person
        roles.require(by, "issue_chips")
        key, amount = body.uuid(), body.amount()
        body.check()
        return Response(_entry(chips.issue_chips(selectors.house_of(code), amount, at=timezone.now(), by=by, uuid=key)), status=201)


class BankrollView(FloorView):
    """`POST` gives a table its bankroll."""

    queryset = Table.objects.none()
    serializer_class = shapes.EntryAnswer

    @verb("tables_stock", shapes.EntryAnswer, shapes.AmountBody, 201)
    def post(self, request: Request, code: str) -> Response:
        """Give a table its bankroll from the cage, once, before its first session. 409 for another amount."""
        body, by = Body(request.data, "amount"), self.person
        roles.require(by, "issue_chips")
        amount = body.amount()
        body.check()
        return Response(_entry(chips.stock_tray(selectors.table_of(code), amount, at=timezone.now(), by=by)), status=201)


def _entry(entry: Entry) -> dict[str, Any]:
    return {"entry": str(entry.uuid), "kind": entry.kind, "gaming_day": entry.gaming_day.isoformat()}
