"""The commands of paytables: out as JSON and as a sheet, in as a draft, two side by side, a shift again; and the sheet's words."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pypdf import PdfReader

from tables.models import PaytableDraft, PaytableProposal, Round
from tables.paytable_files import published
from tables.paytable_sheet import qr_of, sheet, words_of
from tables.short_code import short_code
from tests.builders import DAY, House, end_night, play

pytestmark = pytest.mark.django_db
SEED = published()["uth-seed@1"]


def say(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def file(folder: Path, flush: str = "1:1") -> str:
    content = json.loads(SEED.canonical)
    content["odds"]["blind"]["flush"] = flush
    path = folder / "house.json"
    path.write_text(json.dumps({**content, "name": "house"}))
    return str(path)


def test_a_version_goes_out_as_json_of_which_the_hash_is_taken(house: House, tmp_path: Path) -> None:
    assert hashlib.sha256(say("export_paytable", "uth-seed@1", "--canonical").encode()).hexdigest() == SEED.sha256
    assert json.loads(say("export_paytable", "uth-seed@1")) == json.loads(SEED.canonical)
    say("export_paytable", "uth-seed@1", "--sheet", "--out", str(tmp_path / "sheet.pdf"))
    text = PdfReader(tmp_path / "sheet.pdf").pages[0].extract_text()
    for words in ("Ultimate Texas Hold'em", "uth-seed@1", " ".join(short_code(SEED.sha256)), SEED.sha256, "500:1", "TEST-1"):
        assert words in text
    with pytest.raises(CommandError, match="no paytable version"):
        say("export_paytable", "nope@1")


def test_the_sheet_is_the_same_bytes_and_its_qr_holds_the_hash() -> None:
    assert sheet(SEED) == sheet(SEED)
    words = words_of(SEED, {})
    assert (words["odds"][0], words["code"]) == (("Royal flush", ["500:1", "50:1"]), short_code(SEED.sha256))
    assert ("Play multiples", "preflop 3 or 4, flop 2, river 1") in words["rules"]
    assert qr_of(SEED.sha256).startswith("<svg")
    assert qr_of(SEED.sha256) != qr_of("0" * 64)


def test_a_file_comes_in_as_a_draft_with_its_edges(house: House, tmp_path: Path) -> None:
    found = json.loads(say("import_paytable", file(tmp_path, "2:1"), "--by", "GM-1", "--property", "CASINO", "--propose", "tighter"))
    assert (found["paytable"], found["needs_solve"], found["warnings"]) == ("house@1", False, [])
    assert PaytableDraft.objects.get(uuid=found["draft"]).property == house.property
    assert PaytableProposal.objects.get(name="house").note == "tighter"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--by", "AU-1"], "may not"), (["--by", "X-1"], "no X-1"), (["--by", "GM-1", "--property", "NOWHERE"], "no NOWHERE")],
)
def test_who_may_not_hand_a_file_in(house: House, tmp_path: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        say("import_paytable", file(tmp_path), *arguments)
    assert not PaytableDraft.objects.filter(name="house").exists()


def test_a_bad_file_names_its_fields(house: House, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"odds\.blind\.flush"):
        say("import_paytable", file(tmp_path, "one"), "--by", "GM-1")
    with pytest.raises(CommandError, match="No such file"):
        say("import_paytable", str(tmp_path / "none.json"), "--by", "GM-1")


def test_two_versions_side_by_side_with_a_months_payouts(house: House, tmp_path: Path) -> None:
    play(house)
    end_night(house)
    found = json.loads(say("diff_paytables", "uth-seed@1", file(tmp_path), "--property", "CASINO", "--month", DAY.strftime("%Y-%m"), "--json"))
    assert found["odds"] == [{"wager": "blind", "row": "flush", "before": "3:2", "after": "1:1"}]
    assert [(win["bet"], win["stake"]) for win in found["theoretical_win"]] == [("trips", 500), ("main", 2000)]
    assert (found["replayed"]["rounds"], found["replayed"]["total"]["difference"]) == (1, 0)
    page = say("diff_paytables", "uth-seed@1", file(tmp_path))
    assert "blind flush: 3:2 → 1:1" in page
    assert "main, house's edge per base bet (ante): 2.18497138 % → 3.47072107 % (1.28574969)" in page
    for arguments in (["--month", "2026-03"], ["--property", "CASINO", "--month", "March"], ["--property", "X", "--month", "2026-03"]):
        with pytest.raises(CommandError):
            say("diff_paytables", "uth-seed@1", "uth-seed@1", *arguments)


def test_a_shift_again_in_a_sandbox(house: House, tmp_path: Path) -> None:
    play(house)
    shift = ("replay_shift", "CASINO", DAY.isoformat(), "swing", "--by", "SM-1")
    with pytest.raises(CommandError, match="has not ended"):
        say(*shift)
    end_night(house)
    assert json.loads(say(*shift))["total"]["difference"] == 0
    assert json.loads(say(*shift, "--paytable", file(tmp_path)))["under"]["paytable"] == "house@1"
    assert json.loads(say(*shift, "--rule", 'trips_on_fold="forfeits"'))["under"] == {"rules": {"trips_on_fold": "forfeits"}}
    assert Round.objects.count() == 1
    with pytest.raises(CommandError, match="NAME=JSON"):
        say(*shift, "--rule", "trips_on_fold=forfeits")
