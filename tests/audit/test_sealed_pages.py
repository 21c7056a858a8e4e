"""The page of sealed shifts, their files, the alarm, and the API. Source: spec/night.md, "Who may do what" (ledger, bundles, proofs)."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from audit.checkpoints import checkpoint_words, qr_svg
from casino.models import StepUpFailure
from ledger import notes, published
from ledger.checks import books_are_current
from ledger.models import CheckpointAlarm, SignedCheckpoint
from tables.models import Round
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import published_elsewhere, seal

pytestmark = pytest.mark.django_db
LIST = "/admin/ledger/segment/"


@pytest.fixture
def sealed(house: House) -> House:
    play(house)
    end_night(house)
    seal(house.shift)
    return house


def test_the_list_and_the_page_show_the_checkpoint(sealed: House, client: Client) -> None:
    client.force_login(sealed.people["SM-1"])
    listed = client.get(LIST).content.decode()
    assert "Swing shift" in listed
    assert ">signed<" in listed
    assert "can read the key" in listed
    shown = client.get(f"{LIST}1/change/").content.decode()
    note = SignedCheckpoint.objects.get().note
    assert note.splitlines()[2] in shown
    assert "total USD patrons:chips" in shown
    assert 'src="data:image/svg+xml' in shown


def test_an_empty_list_says_what_will_be_here(house: House, client: Client) -> None:
    client.force_login(house.people["AU-1"])
    assert "Once a shift is signed by two people" in client.get(LIST).content.decode()


def test_the_list_costs_no_query_a_row(sealed: House, client: Client, django_assert_max_num_queries: object) -> None:
    client.force_login(sealed.people["AU-1"])
    with django_assert_max_num_queries(14):  # type: ignore[operator]
        client.get(LIST)


@pytest.mark.parametrize("who", ["PB-1", "CG-1", "GM-1", "AD-1"])
def test_who_reads_no_ledger_gets_no_bundle(sealed: House, client: Client, who: str) -> None:
    client.force_login(sealed.people[who])
    for address in (LIST, f"{LIST}1/change/", f"{LIST}1/bundle.zip", f"{LIST}1/checkpoint.txt"):
        assert client.get(address).status_code == 403, address
    assert client.get("/api/v1/sealed").status_code == 403


def test_the_bundle_comes_as_a_zip_that_its_own_checker_finds_clean(sealed: House, client: Client, tmp_path: object) -> None:
    from tests.audit.test_bundle import CLEAN, Handed, load

    client.force_login(sealed.people["AU-1"])
    answer = client.get(f"{LIST}1/bundle.zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as packed:
        packed.extractall(tmp_path)  # type: ignore[arg-type]
    folder = tmp_path / "pitbook-000001"  # type: ignore[operator]
    assert Handed(folder, "", load(folder / "verify.py"), []).check()[0] == CLEAN
    assert not (folder / "names.ndjson").exists()
    assert client.get(f"{LIST}7/bundle.zip").status_code == 404


def test_a_pit_boss_gets_the_proof_of_a_round_of_his_pit_only(sealed: House, client: Client) -> None:
    played = Round.objects.get()
    client.force_login(sealed.people["PB-1"])
    assert client.get(reverse("round-proof", args=[played.uuid])).json()["round"] == str(played.uuid)
    client.force_login(sealed.people["PB-2"])
    assert client.get(reverse("round-proof", args=[played.uuid])).status_code == 404


def test_the_api_lists_and_reads(sealed: House, client: Client) -> None:
    client.force_login(sealed.people["SV-1"])
    [line] = client.get("/api/v1/sealed").json()["results"]
    assert (line["number"], line["shift"], line["signed"]) == (1, str(sealed.shift.uuid), True)
    one = client.get(f"/api/v1/sealed/{sealed.shift.uuid}").json()
    assert one["checkpoint"] == SignedCheckpoint.objects.get().note
    assert client.get(f"/api/v1/sealed/{sealed.property.uuid}").status_code == 404


def test_a_report_can_print_the_checkpoint(sealed: House) -> None:
    words = checkpoint_words(sealed.shift)
    assert words == notes.short(SignedCheckpoint.objects.get().note)
    assert len(words.splitlines()) == 3
    assert qr_svg(words).startswith("<svg")


# ---- the alarm ----


@pytest.fixture
def behind(house: House) -> House:
    play(house)
    end_night(house)
    published_elsewhere(house)
    return house


def test_the_alarm_stands_on_the_page_in_checks_and_in_health(behind: House, client: Client) -> None:
    client.force_login(behind.people["SV-1"])
    shown = client.get(LIST).content.decode()
    assert 'role="alert"' in shown
    assert "A shift manager or an auditor acknowledges it." in shown
    assert [message.id for message in books_are_current(None)] == ["ledger.W001", "ledger.I001"]
    assert client.get("/healthz").json()["books"] == "behind"
    german = client.get(LIST, headers={"accept-language": "de"}).content.decode()
    assert "wurde veröffentlicht und steht nicht in den Büchern" in german
    assert "was published" not in german


def test_a_file_in_the_states_own_folder_is_said_to_lie_beside_the_books(house: House, client: Client, settings: Any) -> None:
    words = "The file of published checkpoints lies on this machine, with the books"
    client.force_login(house.people["SV-1"])
    assert words not in client.get(LIST).content.decode()
    settings.CHECKPOINTS = settings.STATE / "checkpoints-of-a-test.ndjson"
    assert words in client.get(LIST).content.decode()
    told = [[one.msg for one in books_are_current(None) if one.id == "ledger.I002"]]
    settings.CHECKPOINTS.touch()
    try:
        told.append([one.msg for one in books_are_current(None) if one.id == "ledger.I002"])
    finally:
        settings.CHECKPOINTS.unlink()
    assert told == [[], [f"{words}."]], "a house that published nothing yet is told nothing"


@pytest.fixture
def sign(behind: House, client: Client) -> dict[str, str]:
    """Sign the shift manager in, and return what they type again at an approval."""
    by = behind.people["SM-1"]
    by.set_password("of the shift manager")
    by.save()
    client.force_login(by)
    return {"password": "of the shift manager"}


def test_it_is_acknowledged_on_the_page_with_the_password_again(behind: House, client: Client, sign: dict[str, str]) -> None:
    empty = client.post(f"{LIST}acknowledge/", {"reason": " ", **sign})
    assert (empty.status_code, b'aria-invalid="true"' in empty.content, CheckpointAlarm.objects.count()) == (400, True, 0)
    for password, words in (("", "asks for your password again"), ("a guess", "This is not your password")):
        refused = client.post(f"{LIST}acknowledge/", {"reason": "the backup of Tuesday", "password": password})
        assert (refused.status_code, words in refused.content.decode(), CheckpointAlarm.objects.count()) == (400, True, 0)
    assert [failure.user.username for failure in StepUpFailure.objects.all()] == ["SM-1"]
    assert published.alarm() is not None
    done = client.post(f"{LIST}acknowledge/", {"reason": "the backup of Tuesday", **sign}, follow=True)
    assert "Posting goes on" in done.content.decode()
    assert published.alarm() is None
    assert "leaves lost, acknowledged" in done.content.decode()
    assert "the backup of Tuesday" in client.get(f"{LIST}1/change/").content.decode()
    again = client.post(f"{LIST}acknowledge/", {"reason": "again", **sign})
    assert "No published checkpoint is ahead" in again.content.decode()


def test_it_is_acknowledged_by_machine_with_the_password_again(behind: House, client: Client, sign: dict[str, str]) -> None:
    def post(body: dict[str, object]) -> tuple[int, str]:
        answer = client.post("/api/v1/sealed/alarm", body, content_type="application/json")
        return answer.status_code, answer.json()["error"]["code"] if answer.status_code >= 400 else answer.json()[0]["by"]

    assert client.get("/api/v1/sealed/alarm").json()["alarm"]["checkpoint"] == 1
    assert post({"reason": "restored"}) == (403, "password_required")
    assert post({"reason": "restored", "password": "a guess"}) == (403, "wrong_password")
    assert post({"reason": "", **sign}) == (400, "missing_field")
    assert (StepUpFailure.objects.count(), CheckpointAlarm.objects.count()) == (1, 0)
    assert post({"reason": "restored", **sign}) == (200, "SM-1")
    assert client.get("/api/v1/sealed/alarm").json() == {"alarm": None}
    assert post({"reason": "again", **sign}) == (409, "no_alarm")
    client.force_login(behind.people["SV-1"])
    assert post({"reason": "x", "password": "x"}) == (403, "not_allowed")


def test_who_may_not_acknowledge_is_told(behind: House, client: Client) -> None:
    client.force_login(behind.people["SV-1"])
    answer = client.post(f"{LIST}acknowledge/", {"reason": "x"})
    assert (answer.status_code, "may not do this" in answer.content.decode()) == (400, True)
    assert client.get(f"{LIST}acknowledge/").status_code == 403
    client.force_login(behind.people["PB-1"])
    assert client.post(f"{LIST}acknowledge/", {"reason": "x"}).status_code == 403
    assert not CheckpointAlarm.objects.exists()


def test_it_is_acknowledged_by_command(behind: House) -> None:
    out = io.StringIO()
    with pytest.raises(CommandError, match="Nobody has the staff number"):
        call_command("acknowledge_checkpoint", "--by", "XX-9", "--reason", "x")
    with pytest.raises(CommandError, match="may not do this"):
        call_command("acknowledge_checkpoint", "--by", "PB-1", "--reason", "x")
    call_command("acknowledge_checkpoint", "--by", "AU-1", "--reason", "restored", stdout=out)
    assert out.getvalue() == "Checkpoint 1: acknowledged by AU-1, taken over without its leaves.\n"


def test_key_commands_say_the_public_key(house: House) -> None:
    out = io.StringIO()
    call_command("make_seal_key", stdout=out)
    assert out.getvalue().startswith("pitbook/")
    first = out.getvalue().splitlines()[0]
    call_command("rotate_seal_key", "--by", "AU-1", stdout=out)
    assert out.getvalue().splitlines()[3] != first
    assert json.dumps(out.getvalue()).count("SHA-256") == 2
    with pytest.raises(CommandError, match="may not do this"):
        call_command("rotate_seal_key", "--by", "SM-1")
