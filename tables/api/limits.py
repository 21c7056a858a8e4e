"""Limits by machine: what may be staked at a table, what a property allows as its edge, its settings. Each is set by two people."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.response import Response

from casino import roles
from casino.models import User
from tables import selectors
from tables.api import limit_schema as shapes
from tables.api.door import FloorView, second_in, verb
from tables.floor_bodies import Body
from tables.house_settings import as_kept, settings_on
from tables.models import EdgeLimit, PropertySetting, TableLimit
from tables.services.edge_limits import PPM, set_edge_limits
from tables.services.house_settings import change_setting
from tables.services.limits import set_table_limit


def _approver(body: Body, by: User) -> User:
    found = second_in(body, at=timezone.now(), beside=by)
    assert found is not None
    return found


class TableLimitsView(FloorView):
    """What may be staked on one wager at a table."""

    queryset = TableLimit.objects.none()
    serializer_class = shapes.TableLimitAnswer

    @verb("table_limits_list", shapes.TableLimitAnswer(many=True))
    def get(self, request: Request, code: str) -> Response:
        """List the table's limits, of each bet the newest first: the first that has begun counts."""
        roles.require(self.person, "see_floor")
        table = selectors.table_of(code)
        roles.require(self.person, "see_floor", table.pit.code)
        rows = table.limits.select_related("table", "proposed_by", "approved_by").order_by("bet", "-from_at")
        return Response([table_limit_answer(row) for row in rows])

    @verb("table_limits_set", shapes.TableLimitAnswer, shapes.TableLimitBody, 201)
    def post(self, request: Request, code: str) -> Response:
        """Set the least and the most on one wager of `bet` ("" for every bet without its own), from a moment on; an auditor signs as `second`."""
        body, by = Body(request.data, "bet", "least", "most", "from_at", "second"), self.person
        roles.require(by, "propose_limits")
        bet, least, most = body.text("bet", most=20, required=False), body.amount("least", least=0), body.amount("most", least=0)
        since = body.moment("from_at") or timezone.now()
        body.check()
        table = selectors.table_of(code)
        kept = set_table_limit(table, bet, least=least, most=most, from_at=since, by=by, approved_by=_approver(body, by))
        return Response(table_limit_answer(kept), status=201)


def table_limit_answer(row: TableLimit) -> dict[str, Any]:
    """Return a table's limit."""
    return {
        "table": row.table.code,
        "bet": row.bet,
        "least": row.least,
        "most": row.most,
        "from_at": row.from_at.isoformat(),
        "proposed_by": row.proposed_by.username,
        "approved_by": row.approved_by.username,
    }


class EdgeLimitsView(FloorView):
    """What a property allows as its edge on a bet's base stake."""

    queryset = EdgeLimit.objects.none()
    serializer_class = shapes.EdgeLimitAnswer

    @verb("edge_limits_list", shapes.EdgeLimitAnswer(many=True))
    def get(self, request: Request, code: str) -> Response:
        """List what was set, newest first: the first of a game's bet counts."""
        roles.require(self.person, "see_workshop")
        rows = EdgeLimit.objects.filter(property=selectors.house_of(code)).select_related("property", "proposed_by", "approved_by").order_by("-id")
        return Response([_edge_answer(row) for row in rows])

    @verb("edge_limits_set", shapes.EdgeLimitAnswer, shapes.EdgeLimitBody, 201)
    def post(self, request: Request, code: str) -> Response:
        """Set the least and the most edge of a game's bet, in millionths of the base stake; an auditor signs as `second`."""
        body, by = Body(request.data, "game", "bet", "least_ppm", "most_ppm", "second"), self.person
        roles.require(by, "propose_paytable")
        game, bet = body.text("game", most=20), body.text("bet", most=20, required=False)
        least, most = body.whole("least_ppm", -PPM, PPM), body.whole("most_ppm", -PPM, PPM)
        body.check()
        shares = {"least": Fraction(least, PPM), "most": Fraction(most, PPM)}
        kept = set_edge_limits(selectors.house_of(code), game, bet, **shares, by=by, approved_by=_approver(body, by))
        return Response(_edge_answer(kept), status=201)


def _edge_answer(row: EdgeLimit) -> dict[str, Any]:
    return {
        "property": row.property.code,
        "game": row.game,
        "bet": row.bet,
        "least_ppm": row.least_ppm,
        "most_ppm": row.most_ppm,
        "recorded_at": row.recorded_at.isoformat(),
        "proposed_by": row.proposed_by.username,
        "approved_by": row.approved_by.username,
    }


class SettingsView(FloorView):
    """A property's settings."""

    queryset = PropertySetting.objects.none()
    serializer_class = shapes.SettingsAnswer

    @verb("settings_read", shapes.SettingsAnswer)
    def get(self, request: Request, code: str) -> Response:
        """Read what holds on `?gaming_day=` (today where none is named), and every change with who made it."""
        roles.require(self.person, "see_floor")
        house = selectors.house_of(code)
        asked = Body(request.query_params.dict(), "gaming_day")
        day = asked.day("gaming_day") if asked.has("gaming_day") else selectors.gaming_day_now(timezone.now(), code)
        asked.check()
        held = settings_on(house, day)
        changes = PropertySetting.objects.filter(property=house).select_related("proposed_by", "approved_by").order_by("-id")
        values: Mapping[str, Any] = {name: as_kept(getattr(held, name)) for name in PropertySetting.Name.values}
        return Response({"property": house.code, "gaming_day": day.isoformat(), "settings": values, "changes": [_change(row) for row in changes]})

    @verb("settings_change", shapes.SettingAnswer, shapes.SettingBody, 201)
    def post(self, request: Request, code: str) -> Response:
        """Change a setting from a gaming day to come on; an auditor signs as `second`. 409 where a shift of such a day is open already."""
        body, by = Body(request.data, "name", "value", "from_day", "note", "second"), self.person
        roles.require(by, "propose_limits")
        name, day, note = body.choice("name", PropertySetting.Name.values), body.day("from_day"), body.text("note", required=False)
        if "value" not in body.raw:
            body.fault("missing_field", "value", gettext("“value” is missing."))
        body.check()
        house, at = selectors.house_of(code), timezone.now()
        kept = change_setting(house, name, body.raw["value"], from_day=day, at=at, by=by, approved_by=_approver(body, by), note=note)
        return Response(_change(kept), status=201)


def _change(row: PropertySetting) -> dict[str, Any]:
    return {
        "uuid": str(row.uuid),
        "name": row.name,
        "value": row.value,
        "from_day": row.from_day.isoformat(),
        "note": row.note,
        "proposed_by": row.proposed_by.username,
        "approved_by": row.approved_by.username,
        "recorded_at": row.recorded_at.isoformat(),
    }
