"""The catalogue of reports: found, not listed. A module of `audit.reports.house` with a `REPORT` is in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from django.utils.translation import gettext, override

from audit.reports import house
from audit.reports.report import Report, Section
from audit.reports.scope import Scope
from casino import roles
from casino.errors import NotFound
from casino.models import User

FILTERS = ("day_from", "day_to", "pit", "table", "game", "dealer")


@dataclass(frozen=True)
class Catalogued:
    """One report: `key` in the address, `action` of casino/roles.py says who reads it, `filters` what it is narrowed by, `build` makes it."""

    key: str
    title: str
    what: str
    build: Callable[[Scope], Sequence[Section]]
    action: str = "read_reports"
    filters: tuple[str, ...] = FILTERS

    @override("en")
    def report(self, scope: Scope) -> Report:
        """Return the report of `scope`: its sections under the house's head. A report is one document, in one language."""
        return Report(
            title=self.title,
            subtitle=f"{scope.house.name} · {scope.first} – {scope.last}",
            facts=scope.facts,
            sections=tuple(self.build(scope)),
            currency=scope.house.currency,
            notation=scope.house.notation,
            zone=scope.house.zone,
            identity=f"{self.key}/{scope.identity}",
            made_from="recorded rows",
        )


@cache
def catalogue() -> Mapping[str, Catalogued]:
    """Return every report by its key, in the order of their titles."""
    modules = (import_module(f"{house.__name__}.{found.name}") for found in iter_modules(house.__path__))
    reports = [module.REPORT for module in modules]
    return {report.key: report for report in sorted(reports, key=lambda report: report.title)}


def reports_for(user: User) -> list[Catalogued]:
    """Return the reports that `user` may read."""
    return [report for report in catalogue().values() if roles.may(user.roles, report.action)]


def report_for(user: User, key: str) -> Catalogued:
    """Return the report of `key`. Raises NotFound (`no_report`), Refused (`not_allowed`)."""
    found = catalogue().get(key)
    if found is None:
        raise NotFound("no_report", gettext("There is no such report."))
    roles.require(user, found.action)
    return found
