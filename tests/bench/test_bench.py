"""Every section of the measurements runs, on tiny sizes; a peer that is not installed is said to be absent and skipped."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from bench import __main__, edges, hands, lines, pace, peers, rounds
from bench.lines import Line, interleaved, least, most
from tables.engine.poker import CLASSES


def test_hands_stand_beside_every_peer() -> None:
    measured = hands.measure(single=40, many=2000, times=1)
    assert {line.peer for line in measured if line.what == "one hand, from names"} == set(peers.PEERS)
    assert [line.met for line in measured if line.goal] != []
    assert all(line.figure > 0 for line in measured)


def test_without_peers_the_figures_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def absent(name: str, *more: Any) -> Any:
        if name in {*peers.PEERS, "poker_equity"}:
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", absent)
    assert pace.pace() is None
    measured = hands.measure(single=20, many=500, times=1)
    beside = [line for line in measured if line.peer]
    assert beside and all(line.peer_figure is None and line.ratio is None and line.met is None for line in beside)
    assert all("not installed" in str(line) for line in beside)


@pytest.mark.parametrize("name", list(peers.PEERS))
def test_a_peer_that_is_installed_ranks_hands_as_we_do(name: str) -> None:
    pytest.importorskip(name)
    evaluate = peers.peers()[name]
    assert evaluate is not None
    aces, kings, again = (evaluate(cards.split()) for cards in ("As Ad 2c 7d 9h Js 3c", "Ks Kd 2c 7d 9h Js 3c", "Ah Ac 2d 7c 9s Jd 3h"))
    assert aces == again != kings
    assert len(CLASSES) == 10


def test_rounds_are_measured_and_the_command_too() -> None:
    measured = rounds.measure(single=5, many=200, lines=30, times=1)
    assert [line.unit for line in measured] == ["rounds/s", "rounds/s", "M/s", "rounds/s"]
    assert measured[-1].goal and measured[-1].met is False


def test_edges_are_measured_and_a_part_of_the_solve_reckoned() -> None:
    measured = edges.measure(portions=1, times=1)
    assert "reckoned from 9 flops" in measured[1].what
    assert measured[0].figure > 0


def test_a_section_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    line = Line("one thing", 12345.6, "s", "its peer", 2.5, 2.0, "at least 3×", False)
    monkeypatch.setattr(__main__, "QUICK", {"hands": lambda: [line], "edges": lambda: [Line("another", 0.5, "ms")]})
    __main__.main(["--quick", "hands"])
    page = capsys.readouterr().out
    assert "A hand of seven cards" in page.splitlines()
    for words in ("one thing", "12,346 s", "its peer 2.50", "2.0×", "at least 3×", "NOT MET"):
        assert words in page
    assert "another" not in page


def test_works_take_turns_and_the_median_counts() -> None:
    seen, ticks = [], iter([0, 1, 1, 3, 3, 6, 6, 16, 16, 18, 18, 19])
    found = interleaved({"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}, times=2, clock=lambda: next(ticks))
    assert seen == ["a", "b"] * 3
    assert found.keys() == {"a", "b"}


def test_an_absolute_goal_is_judged_here_and_at_the_pages_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "pace", lambda processes: 2.0)
    slow, slower = least("a speed", 60, "M/s", 100, "at least 100"), least("a speed", 40, "M/s", 100, "at least 100")
    assert (slow.met, slow.at_pace, slow.met_at_pace) == (False, 120, True)
    assert "not met here; at the page's pace 120.00: met" in str(slow)
    assert "at the page's pace 80.00: NOT MET" in str(slower)
    assert (most("a time", 9, "s", 5, "").met_at_pace, most("a time", 11, "s", 5, "").met_at_pace) == (True, False)
    assert str(most("a time", 4, "s", 5, "under 5")).endswith("met") and "pace" not in str(most("a time", 4, "s", 5, ""))


def test_without_a_yardstick_only_what_was_measured_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "pace", lambda processes: None)
    line = most("a time", 9, "s", 5, "under 5 s")
    assert (line.met, line.at_pace, line.met_at_pace) == (False, None, False)
    assert str(line).endswith("NOT MET")


def test_the_pace_is_the_median_of_the_peers() -> None:
    pytest.importorskip("phevaluator")
    alone, together = pace.pace(), pace.pace(2)
    assert alone is not None and 0.05 < alone < 100
    assert together is not None and 0.05 < together < 200


def test_every_section_has_a_quick_size_and_a_title() -> None:
    assert __main__.WHOLE.keys() == __main__.QUICK.keys() == __main__.TITLES.keys()
