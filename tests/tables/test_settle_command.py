"""`manage.py settle`: lines in, lines out, in order, with no database."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tables.engine.json_line import LONGEST_LINE
from tables.settling import BLOCK, line_blocks
from tests.engine.sheets import PAYROLL_ROUND, UTH_ROUND, answer

ROOT = Path(__file__).resolve().parents[2]
GOOD = json.dumps(UTH_ROUND).encode()
POT = json.dumps(PAYROLL_ROUND).encode()
BAD = json.dumps(UTH_ROUND | {"dealer": ["Kc"]}).encode()


def settled(content, tmp_path, **options):
    """The answers to a file's lines, and what the command complained of."""
    (tmp_path / "rounds.jsonl").write_bytes(content)
    out, complaint = io.StringIO(), None
    try:
        call_command("settle", str(tmp_path / "rounds.jsonl"), stdout=out, **options)
    except CommandError as error:
        complaint = str(error)
    return [json.loads(line) for line in out.getvalue().splitlines()], complaint


def run(*arguments, stdin=b"", env=None):
    """The command as a stranger starts it."""
    return subprocess.run(
        [sys.executable, "manage.py", "settle", *arguments], input=stdin, capture_output=True, check=False, cwd=ROOT, env=os.environ | (env or {})
    )


def test_every_line_is_answered_in_its_place(tmp_path):
    found, complaint = settled(GOOD + b"\n" + POT + b"\n", tmp_path)
    assert found == [answer(UTH_ROUND), answer(PAYROLL_ROUND)]
    assert complaint is None


def test_a_bad_line_does_not_stop_the_others(tmp_path):
    found, complaint = settled(b"\n".join([GOOD, BAD, b"{", POT]), tmp_path)
    assert [line.get("error", {}).get("code") for line in found] == [None, "wrong_card_count", "bad_json", None]
    assert complaint == "2 of 4 rounds could not be settled; their lines say why."


def test_blank_lines_marks_and_carriage_returns_are_passed_over(tmp_path):
    mark = b"\xef\xbb\xbf"
    found, complaint = settled(mark + GOOD + b"\r\n\r\n  \t\n" + POT + b"\r\n" + mark + b"\n\n", tmp_path)
    assert [line["id"] for line in found] == ["T12-000123", "P3-000007"]
    assert complaint is None
    assert settled(b"", tmp_path) == ([], None)
    assert settled(mark, tmp_path) == ([], None)


@pytest.mark.parametrize("length", [LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, 2 * LONGEST_LINE + 2, 5 * LONGEST_LINE])
def test_a_line_that_is_too_long_is_one_bad_line(length, tmp_path):
    found, complaint = settled(GOOD + b"\n" + b" " * (length - 1) + b"x\n" + POT, tmp_path)
    assert [line["id"] for line in found] == ["T12-000123", None, "P3-000007"]
    assert complaint == "1 of 3 rounds could not be settled; their lines say why."


def test_the_paytable_option_is_for_rounds_that_name_none(tmp_path):
    lines = [UTH_ROUND, UTH_ROUND | {"paytable": "uth-seed@1"}]
    found, _ = settled("\n".join(map(json.dumps, lines)).encode(), tmp_path, paytable="uth-seed@7")
    assert [line.get("error", {}).get("code") for line in found] == ["unknown_paytable", None]


def test_a_file_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(CommandError, match=r"nothing\.jsonl: No such file or directory"):
        call_command("settle", str(tmp_path / "nothing.jsonl"))


def test_it_needs_no_database_and_writes_utf_8_in_any_locale():
    nowhere = {"DATABASE_URL": "postgres://nobody:none@127.0.0.1:1/none", "DATABASE_OWNER_URL": "postgres://nobody:none@127.0.0.1:1/none"}
    named = json.dumps(UTH_ROUND | {"id": "Zoë ♠"}).encode()
    done = run(stdin=named + b"\n" + BAD, env=nowhere | {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"})
    first, second = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert (first["id"], "×" in first["seats"][0]["wagers"]["ante"]["why"]) == ("Zoë ♠", True)
    assert second["error"]["code"] == "wrong_card_count"
    assert done.returncode == 1
    assert b"1 of 2 rounds" in done.stderr
    assert b"Traceback" not in done.stderr


def test_it_ends_with_zero_when_all_is_well_and_reads_standard_input_by_a_hyphen():
    done = run("-", "--paytable", "uth-seed@1", stdin=GOOD)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == answer(UTH_ROUND)


def test_several_processes_answer_in_the_same_order(tmp_path):
    """Enough for many blocks, a bad line here and there, the last without an end."""
    rounds = [json.dumps(UTH_ROUND | {"id": f"R{number}"}) if number % 7 else "{" for number in range(2000)]
    (tmp_path / "rounds.jsonl").write_text("\n".join(rounds))
    alone, together = (run(str(tmp_path / "rounds.jsonl"), "--jobs", jobs) for jobs in ("1", "3"))
    assert alone.stdout == together.stdout
    assert alone.stderr == together.stderr == b"CommandError: 286 of 2000 rounds could not be settled; their lines say why.\n"
    assert [json.loads(line)["id"] for line in alone.stdout.splitlines()][-3:] == ["R1997", "R1998", "R1999"]


@pytest.mark.parametrize("jobs", ["0", "65", "two", "-1", "²"])
def test_a_number_of_processes_that_is_none(jobs, tmp_path):
    done = run("--jobs", jobs)
    assert done.returncode == 2
    assert b"is no number of processes" in done.stderr or b"expected one argument" in done.stderr


class Trickle(io.BytesIO):
    """A stream that has only a few bytes at a time."""

    def read1(self, size=-1):
        return super().read1(min(size, 97))


def test_lines_come_whole_however_they_are_read():
    content = b"\n".join([GOOD, b"", POT, b"x" * (LONGEST_LINE + 500), POT, b"", GOOD])
    for stream in (io.BytesIO(content), Trickle(content)):
        found = [line for lines in line_blocks(stream) for line in lines.split(b"\n") if line]
        assert [line if len(line) < LONGEST_LINE else b"long" for line in found] == [GOOD, POT, b"long", POT, GOOD]
        assert max(map(len, found)) <= LONGEST_LINE + BLOCK


def test_a_line_is_answered_before_the_next_one_comes():
    with subprocess.Popen([sys.executable, "manage.py", "settle"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        for _ in range(2):
            started.stdin.write(GOOD + b"\n")
            started.stdin.flush()
            assert json.loads(started.stdout.readline())["id"] == "T12-000123"
        started.stdin.close()
    assert started.returncode == 0


def test_a_reader_that_goes_away_is_no_crash():
    many = (GOOD + b"\n") * 3000
    with subprocess.Popen(
        [sys.executable, "manage.py", "settle"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as started:
        started.stdout.close()
        try:
            started.stdin.write(many)
            started.stdin.close()
        except BrokenPipeError:
            pass
        assert b"Traceback" not in started.stderr.read()
