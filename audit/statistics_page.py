"""A run of statistics for a page: the results that the address asks for, with their chart. Reads, decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit.flags import per_thousand
from audit.interval_chart import IntervalChart, interval_chart
from audit.models import StatisticResult, StatisticRun
from audit.spans import SPANS
from casino import shown

RULES = dict(StatisticResult.Rule.choices)
SCOPES = {"table": _("Tables"), "game": _("Games"), "dealer": _("Dealers"), "shift": _("Shifts"), "house": _("House")}


class StatisticsPage:
    """One rule, scope and span of a run; what the address leaves out or gets wrong is the first that there is."""

    def __init__(self, run: StatisticRun, asked: Mapping[str, str]) -> None:
        self.run, self.house = run, run.property
        self.rule = asked.get("rule") if asked.get("rule") in RULES else "win"
        rows = list(run.results.filter(rule=self.rule))
        self.scopes = [scope for scope in SCOPES if any(row.scope == scope for row in rows)]
        self.scope = asked.get("scope") if asked.get("scope") in self.scopes else next(iter(self.scopes), "")
        rows = [row for row in rows if row.scope == self.scope]
        self.spans = [span for span in SPANS if any(row.span == span for row in rows)]
        self.span = asked.get("span") if asked.get("span") in self.spans else next(iter(self.spans), "")
        self.results: Sequence[StatisticResult] = [row for row in rows if row.span == self.span]

    @property
    def write(self) -> Callable[[int | None], str]:
        """Return what says a value of the rule: money, errors in 1,000 rounds, rounds an hour."""
        if self.rule == "win":
            return lambda value: shown.money(value, self.house)
        if self.rule == "errors":
            return lambda value: shown.NOTHING if value is None else per_thousand(value)
        return lambda value: shown.NOTHING if value is None else f"{value / 100:.1f}"

    @property
    def chart(self) -> IntervalChart | None:
        """Return the intervals."""
        return interval_chart(self.results, self.write, lambda result: result.subject)

    @property
    def rows(self) -> list[tuple[StatisticResult, str, str, str, str, str]]:
        """Return each result with its value, what was expected, the interval, what was taken out and its adjusted p, as a person reads them."""
        rows = []
        for one in self.results:
            interval = f"{self.write(one.low)} – {self.write(one.high)}"
            adjusted = shown.NOTHING if one.adjusted is None else f"{one.adjusted / 1_000_000:.4f}"
            taken_out = shown.money(one.taken_out, self.house) if self.rule == "win" else shown.NOTHING
            rows.append((one, self.write(one.value), self.write(one.expected), interval, taken_out, adjusted))
        return rows

    @property
    def choices(self) -> list[tuple[str, list[tuple[str, str, bool]]]]:
        """Return the ways to narrow it: a name, and for each choice its words, address and whether it is chosen."""
        return [
            (gettext("Rule"), [(str(words), self._at(rule=code), code == self.rule) for code, words in RULES.items()]),
            (gettext("Of"), [(str(SCOPES[code]), self._at(scope=code), code == self.scope) for code in self.scopes]),
            (gettext("Over"), [(gettext(SPANS[code]), self._at(span=code), code == self.span) for code in self.spans]),
        ]

    def _at(self, **changes: str) -> str:
        return "?" + urlencode({"rule": self.rule, "scope": self.scope, "span": self.span, **changes})
