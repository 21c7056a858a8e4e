"""`paytable_edge` answers a person and a program, from a name or a file."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tables.engine import edge
from tables.paytable_files import FOLDER, published

SEED = json.loads((FOLDER / "uth-seed@1.json").read_text())


def answer(*arguments: str) -> str:
    out = StringIO()
    call_command("paytable_edge", *arguments, stdout=out)
    return out.getvalue()


def draft(folder: Path, **rules: Any) -> str:
    """A file that holds the seed with some rules changed."""
    path = folder / "draft.json"
    path.write_text(json.dumps({**SEED, "name": "draft", "rules": {**SEED["rules"], **rules}}))
    return str(path)


def test_a_program_gets_the_object_of_the_contract():
    assert json.loads(answer("uth-seed@1", "--json")) == edge.edges(published()["uth-seed@1"]).as_json()


def test_a_person_gets_every_figure():
    page = answer("uth-seed@1")
    for words in ("-50643648973/2317817502000", "2.18497138 % of the ante", "1.90404932 % of the trips", "0.52621363 % of all that is staked"):
        assert words in page


def test_a_game_without_odds_says_its_rake():
    assert json.loads(answer("payroll-seed@1", "--json"))["bets"] == {}
    page = answer("payroll-seed@1").splitlines()
    assert page[1:] == ["  rake bps            0", "  rake cap            none", "  No bet of this game has odds."]


def test_a_file_is_read_as_a_version(tmp_path):
    found = json.loads(answer(draft(tmp_path, trips_on_fold="forfeits"), "--json"))
    assert (found["paytable"], round(found["bets"]["trips"]["edge_percent"], 3)) == ("draft@1", 3.656)


@pytest.mark.parametrize("asked", [["--solve"], []])
def test_what_is_not_known_or_asked_for_is_solved(asked, tmp_path, monkeypatch):
    solved = []
    monkeypatch.setattr(edge, "solve", lambda paytable, report: solved.append(paytable.reference) or edge.Edges(paytable, {}))
    rules = {} if asked else {"play_multiples": {"preflop": [3], "flop": [2], "river": [1]}}
    answer(draft(tmp_path, **rules), *asked)
    assert solved == ["draft@1"]


def test_what_is_neither_is_refused(tmp_path):
    (tmp_path / "bad.json").write_text('{"game":"uth","name":"bad"}')
    for name, words in (("nope@1", "no published version"), (str(tmp_path / "bad.json"), "version")):
        with pytest.raises(CommandError, match=words):
            answer(name)
