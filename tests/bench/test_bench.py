"""Every section of the measurements runs, on tiny sizes; a peer that is not installed is said to be absent and skipped."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from bench import __main__, edges, hands, peers, rounds
from bench.lines import Line, interleaved
from tables.engine.poker import CLASSES


def test_hands_stand_beside_every_peer() -> None:
    lines = hands.measure(single=40, many=2000, times=1)
    assert {line.peer for line in lines if line.what == "one hand, from names"} == set(peers.PEERS)
    assert [line.met for line in lines if line.goal] != []
    assert all(line.figure > 0 for line in lines)


def test_without_peers_the_figures_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def absent(name: str, *more: Any) -> Any:
        if name in {*peers.PEERS, "poker_equity"}:
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", absent)
    lines = hands.measure(single=20, many=500, times=1)
    beside = [line for line in lines if line.peer]
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
    lines = rounds.measure(single=5, many=200, lines=30, times=1)
    assert [line.unit for line in lines] == ["rounds/s", "rounds/s", "M/s", "rounds/s"]
    assert lines[-1].goal and lines[-1].met is False


def test_edges_are_measured_and_a_part_of_the_solve_reckoned() -> None:
    lines = edges.measure(portions=1, times=1)
    assert "reckoned from 9 flops" in lines[1].what
    assert lines[0].figure > 0


def test_a_section_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    line = Line("one thing", 12345.6, "s", "its peer", 2.5, 2.0, "at least 3×", False)
    monkeypatch.setattr(__main__, "QUICK", {"hands": lambda: [line], "edges": lambda: [Line("another", 0.5, "ms")]})
    __main__.main(["--quick", "hands"])
    page = capsys.readouterr().out
    assert page.splitlines()[0] == "A hand of seven cards"
    for words in ("one thing", "12,346 s", "its peer 2.50", "2.0×", "at least 3×", "NOT MET"):
        assert words in page
    assert "another" not in page


def test_works_take_turns_and_the_median_counts() -> None:
    seen, ticks = [], iter([0, 1, 1, 3, 3, 6, 6, 16, 16, 18, 18, 19])
    found = interleaved({"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}, times=2, clock=lambda: next(ticks))
    assert seen == ["a", "b"] * 3
    assert found.keys() == {"a", "b"}


def test_every_section_has_a_quick_size_and_a_title() -> None:
    assert __main__.WHOLE.keys() == __main__.QUICK.keys() == __main__.TITLES.keys()
