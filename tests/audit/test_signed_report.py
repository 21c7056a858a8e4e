"""A signed shift's report is the same tomorrow, and the same in another time zone and locale: byte for byte, in every format."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connections

from audit import cases
from audit.cases import Outcome
from audit.exports import FORMATS, render
from audit.models import Finding
from audit.reports.shift import build
from audit.selectors import latest_reconciliation
from audit.signing import sign
from casino.money import Minor
from tables.services import chips
from tests.audit.signing import explain_all, hire, print_of, reconciled
from tests.builders import House, end_night, play
from tests.corrections import correct, deal, void
from tests.ledger.test_sealing import seal

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = """
import hashlib, json, locale, os
import django
from django.conf import settings
django.setup()
for alias in ("default", "owner"):
    settings.DATABASES[alias]["NAME"] = os.environ["TEST_DATABASE"]
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
from audit.exports import FORMATS, render
from audit.reports.catalogue import catalogue
from audit.reports.scope import read_scope
from audit.reports.shift import build
from casino.models import User
from tables.models import Shift
shift = Shift.objects.get()
made = {"shift": build(shift)}
days = {"day_from": shift.gaming_day.isoformat(), "day_to": shift.gaming_day.isoformat()}
for key in ("master-game", "changes", "hourly-win"):
    kind = catalogue()[key]
    made[key] = kind.report(read_scope(days, User.objects.get(username="AU-1"), shift.gaming_day, kind.action))
print(json.dumps({f"{key}.{fmt}": hashlib.sha256(render(report, fmt)).hexdigest() for key, report in made.items() for fmt in FORMATS}))
"""
PLACES = (
    {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "77"},
    {"TZ": "America/Sao_Paulo", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "PYTHONHASHSEED": "4711", "PYTHONUTF8": "0"},
)


def signed_night(house: House) -> None:
    """A night with an overpayment, a correction and a void, a short tray; explained, signed by two, sealed."""
    hire(house, "SM-2", "shift_manager")
    chips.buy_in(house.sessions["UTH-01"], Minor(30_000), at=house.tick(), by=house.people["FS-1"])
    play(house, done={"1": {"ante": {"paid": 1_500}}})
    correct(house, deal(house, done={"1": {"ante": {"paid": 1_200}}}), done={})
    void(house, deal(house), approver="PB-1")
    play(house, "UTH-02")
    end_night(house, closers={"UTH-02": -5_000})
    reconciled(house)
    kept = latest_reconciliation(house.shift)
    assert kept is not None
    explain_all(house, kept)
    for who in ("SM-2", "AU-1"):
        sign(house.shift, fingerprint=print_of(kept), by=house.people[who], at=house.tick())
    seal(house.shift)


@pytest.mark.django_db
def test_what_becomes_of_its_findings_later_changes_no_byte(house: House) -> None:
    signed_night(house)
    before = {fmt: render(build(house.shift), fmt) for fmt in FORMATS}
    finding = Finding.objects.filter(shift=house.shift, kind="overpaid").first()
    assert finding is not None
    cases.assign(finding, house.people["PB-1"], by=house.people["AU-1"])
    cases.answer(finding, "The dealer misread the odds.", Outcome(cause="misread_row"), by=house.people["PB-1"])
    assert finding.events.count() >= 3
    assert {fmt: render(build(house.shift), fmt) for fmt in FORMATS} == before
    [handover] = [section for section in build(house.shift).sections if section.key == "handover"]
    assert handover.note == "As it was when the shift was signed."


@pytest.mark.django_db
def test_a_sealed_shift_s_report_carries_its_checkpoint(house: House) -> None:
    signed_night(house)
    report = build(house.shift)
    assert report.code is not None
    assert len(report.code.splitlines()) == 3
    assert json.loads(render(report, "json"))["code"] == report.code


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_the_same_bytes_in_other_zones_locales_and_processes(house: House) -> None:
    signed_night(house)
    there = [elsewhere(place) for place in PLACES]
    assert there[0] == there[1]
    here = {f"shift.{fmt}": hashlib.sha256(render(build(house.shift), fmt)).hexdigest() for fmt in FORMATS}
    assert {key: value for key, value in there[0].items() if key in here} == here
    assert len(there[0]) == 4 * len(FORMATS)


def elsewhere(place: dict[str, str]) -> dict[str, str]:
    """Return the hashes of the files that a process of its own writes there."""
    environment = os.environ | place | {"TEST_DATABASE": connections["default"].settings_dict["NAME"]}
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found
