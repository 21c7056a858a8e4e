"""A chart of a report's section: one drawing, for the page and for paper. Pure: values in, SVG out.

A bar is a line of its own, with its label before and its figure behind it, so that the numbers always stand beside the drawing. Where a bar
has an interval, that is a thin line, what was expected is a tick on it, and what happened a dot; without one it is a block from zero.
What is drawn is in the section's rows already: the chart is no part of a report's content hash. Colours are attributes, for paper; the
page's style sheet overrides them by class. No style attribute anywhere: the pages' content security policy allows none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from casino.money import Notation, format_amount

MOST_BARS = 60
WIDTH, ROW, LEFT, RIGHT, TOP, BOTTOM = 900, 20, 176, 110, 26, 24
INK, DIM, FAINT, ACCENT, BAD = "#171a1d", "#6b7075", "#dcdcd7", "#0c6f67", "#b3261e"
LONGEST_LABEL = 26


@dataclass(frozen=True, slots=True)
class Bar:
    """One line: whole units of the chart's kind. `loud`: it stands out. Without `low` and `high` there is no interval."""

    label: str
    value: int
    low: int | None = None
    high: int | None = None
    expected: int | None = None
    loud: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars under a title. `notation` of the values: the house's, with two decimals for a rate in hundredths. `said`: what it shows, in words."""

    title: str
    bars: tuple[Bar, ...]
    notation: Notation
    said: str
    value_word: str = "what happened"
    interval_word: str = "95 % interval"
    expected_word: str = "expected"

    @property
    def is_drawn(self) -> bool:
        """Return whether there is something to compare, and not too much to see."""
        return 1 <= len(self.bars) <= MOST_BARS


def svg(chart: Chart, key: str) -> str:
    """Return the chart as one SVG element, its title and description bound by ids that begin with `key`."""
    least, most = _range(chart)
    height = TOP + ROW * len(chart.bars) + BOTTOM

    def across(value: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (value - least) / ((most - least) or 1), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="report-chart" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-labelledby={quoteattr(f"{key}-title {key}-desc")} font-family="IBM Plex Sans" font-size="11">',
        f"<title id={quoteattr(f'{key}-title')}>{escape(chart.title)}</title>",
        f"<desc id={quoteattr(f'{key}-desc')}>{escape(_in_words(chart))}</desc>",
        _text(LEFT, 12, _figure(least, chart), "dim", DIM),
        _text(WIDTH - RIGHT, 12, _figure(most, chart), "dim", DIM, "end"),
        f'<line class="axis" x1="{across(0)}" x2="{across(0)}" y1="{TOP - 8}" y2="{height - BOTTOM + 2}" stroke="{FAINT}"/>',
    ]
    for index, bar in enumerate(chart.bars):
        parts += _bar(bar, TOP + ROW * index + ROW // 2, across, chart)
    parts += _legend(chart, height - 7)
    return "".join([*parts, "</svg>"])


def _range(chart: Chart) -> tuple[int, int]:
    values = [0, *(value for bar in chart.bars for value in (bar.value, bar.low, bar.high, bar.expected) if value is not None)]
    return min(values), max(values)


def _bar(bar: Bar, y: int, across: Callable[[int], float], chart: Chart) -> list[str]:
    colour, tone = (BAD, "bad") if bar.loud else (ACCENT, "value")
    drawn = [f"<g><title>{escape(_said(bar, chart))}</title>", _text(LEFT - 10, y + 4, _short(bar.label), "name", INK, "end")]
    if bar.low is None or bar.high is None:
        start, end = sorted((across(0), across(bar.value)))
        drawn.append(f'<rect class="{tone}" x="{start}" y="{y - 5}" width="{max(round(end - start, 1), 0.8)}" height="10" fill="{colour}"/>')
    else:
        drawn.append(f'<line class="interval" x1="{across(bar.low)}" x2="{across(bar.high)}" y1="{y}" y2="{y}" stroke="{DIM}" stroke-width="2"/>')
        if bar.expected is not None:
            at = across(bar.expected)
            drawn.append(f'<line class="expected" x1="{at}" x2="{at}" y1="{y - 5}" y2="{y + 5}" stroke="{INK}" stroke-width="1.5"/>')
        drawn.append(f'<circle class="{tone}" cx="{across(bar.value)}" cy="{y}" r="4" fill="{colour}"/>')
    weight = "bad" if bar.loud else "figure"
    return [*drawn, _text(WIDTH - 4, y + 4, _figure(bar.value, chart), weight, BAD if bar.loud else INK, "end"), "</g>"]


def _legend(chart: Chart, y: int) -> list[str]:
    has_intervals = any(bar.low is not None for bar in chart.bars)
    if not has_intervals:
        return [
            f'<rect class="value" x="{LEFT}" y="{y - 8}" width="14" height="8" fill="{ACCENT}"/>',
            _text(LEFT + 20, y, chart.value_word, "dim", DIM),
        ]
    drawn = [f'<circle class="value" cx="{LEFT + 5}" cy="{y - 4}" r="4" fill="{ACCENT}"/>', _text(LEFT + 15, y, chart.value_word, "dim", DIM)]
    drawn.append(f'<line class="interval" x1="{LEFT + 190}" x2="{LEFT + 214}" y1="{y - 4}" y2="{y - 4}" stroke="{DIM}" stroke-width="2"/>')
    drawn.append(_text(LEFT + 222, y, chart.interval_word, "dim", DIM))
    if any(bar.expected is not None for bar in chart.bars):
        drawn.append(f'<line class="expected" x1="{LEFT + 342}" x2="{LEFT + 342}" y1="{y - 9}" y2="{y + 1}" stroke="{INK}" stroke-width="1.5"/>')
        drawn.append(_text(LEFT + 350, y, chart.expected_word, "dim", DIM))
    return drawn


def _text(x: float, y: float, words: str, kind: str, fill: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" fill="{fill}" text-anchor="{anchor}">{escape(words)}</text>'


def _figure(value: int, chart: Chart) -> str:
    return format_amount(value, chart.notation)


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


def _said(bar: Bar, chart: Chart) -> str:
    said = f"{bar.label}: {_figure(bar.value, chart)}"
    if bar.low is not None and bar.high is not None:
        said += f"; {chart.interval_word} from {_figure(bar.low, chart)} to {_figure(bar.high, chart)}"
    if bar.expected is not None:
        said += f"; {chart.expected_word} {_figure(bar.expected, chart)}"
    return said


def _in_words(chart: Chart) -> str:
    """Return the whole chart for who hears it: what it shows, then every bar."""
    return " ".join([chart.said, *(f"{_said(bar, chart)}." for bar in chart.bars)])
