"""Worker, PostgreSQL and broker killed with -9 in the middle of everything: each job has one effect, and nothing is lost.

Real processes on a house of the test's own, whose servers the test kills (B110, B112, B113, B116, B122, B126).
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.casino.embedded_house import kill
from tests.flow.own_house import OwnHouse, Step, children, end, until

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner"])]
MANY, HALF = 2_000, 1_000
TABLES = ("tables_round", "tables_wager", "ledger_entry", "ledger_transfer", "tables_importedround")
"""The tables of an import, in the order in which each block of five hundred rounds is written."""
STEPS = [
    pytest.param((Step("tables_round", 0), Step("ledger_entry", HALF), Step("casino_job", MANY), Step("casino_job", MANY, commit=True)), id="a_few"),
    pytest.param([Step(table, 0) for table in TABLES[1:]], id="first_block", marks=pytest.mark.long),
    pytest.param([Step(table, HALF) for table in TABLES if table != "ledger_entry"], id="half", marks=pytest.mark.long),
]
"""Every table of the first block and of the third, the last statement and the commit; a job is given up after five attempts, so four at a time."""


@pytest.fixture(scope="module")
def servers() -> Iterator[OwnHouse]:
    """Servers of this file's own, for one test after another."""
    with tempfile.TemporaryDirectory(prefix="pitbook-own-") as name:
        Path(name).chmod(0o755)
        made = OwnHouse(Path(name).resolve())
        yield made
        made.close()


@pytest.fixture
def own(servers: OwnHouse, house: object) -> Iterator[OwnHouse]:
    """The standing house on servers of its own."""
    yield servers.fill()
    print(servers.logs()[-6_000:])
    servers.empty()


ASK = """
import json
from tables.services.import_files import ask_import
house = standing_house()
files, rounds, minutes = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
house.tick(60 * minutes)
for _ in range(files):
    lines = []
    for _ in range(rounds):
        raw = slip(house, occurred_at=house.tick(1).isoformat())
        lines.append(json.dumps(raw))
    print(ask_import("\\n".join(lines).encode(), name="night.ndjson", by=house.people["PB-1"]).pk)
"""


def ask(own: OwnHouse, rounds: int, *, files: int = 1, minutes: int = 1) -> list[int]:
    """Announce the import of so many files of so many rounds; return the jobs."""
    return [int(line) for line in own.python(ASK, files, rounds, minutes).split()]


def state(own: OwnHouse, job: int) -> str:
    return str(own.one(f"SELECT state FROM casino_job WHERE id = {job}"))


def is_done(own: OwnHouse, *jobs: int) -> bool:
    """Return whether all are done; their waiting times before another attempt are cut short."""
    own.ask(f"UPDATE casino_job SET due_at = now() WHERE state = 'queued' AND due_at > now() AND id IN ({', '.join(map(str, jobs))})")
    rows = own.ask(f"SELECT state, error FROM casino_job WHERE id IN ({', '.join(map(str, jobs))})")
    assert not [row for row in rows if row[0] == "failed"], rows
    return all(row[0] == "done" for row in rows)


class Books(NamedTuple):
    """What stands in the books of the standing house; `tray`: what its UTH-01 holds."""

    rounds: int
    wagers: int
    entries: int
    references: int
    transfers: int
    imported: int
    tray: int


def in_books(own: OwnHouse) -> Books:
    """Return what the database holds of rounds."""
    [row] = own.ask(
        "SELECT (SELECT count(*) FROM tables_round), (SELECT count(*) FROM tables_wager), count(*), count(DISTINCT reference),"
        " (SELECT count(*) FROM ledger_transfer t JOIN ledger_entry e ON e.id = t.entry_id WHERE e.kind = 'round'),"
        " (SELECT count(*) FROM tables_importedround),"
        " (SELECT sum(CASE WHEN t.debit_account_id = a.id THEN t.amount ELSE -t.amount END)::bigint"
        " FROM ledger_account a JOIN ledger_transfer t ON a.id IN (t.debit_account_id, t.credit_account_id) WHERE a.code = 'tray:UTH-01')"
        " FROM ledger_entry WHERE kind = 'round'"
    )
    return Books(*row)


def whole(rounds: int) -> Books:
    """Return the books of so many rounds, each once: six wagers, and two transfers that leave 25.00 less in the tray of 5,100.00."""
    return Books(rounds, 6 * rounds, rounds, rounds, 2 * rounds, rounds, 510_000 - 2_500 * rounds)


def attempts(own: OwnHouse, job: int) -> int:
    return int(own.one(f"SELECT attempts FROM casino_job WHERE id = {job}"))


def sessions(own: OwnHouse) -> int:
    """Return how many sessions the application has at the database."""
    return int(own.one("SELECT count(*) FROM pg_stat_activity WHERE usename = 'pitbook_app'"))


@pytest.mark.long
def test_two_thousand_that_nobody_disturbs(own: OwnHouse) -> None:
    """What the others are compared with."""
    [job] = ask(own, MANY)
    own.worker()
    until(lambda: is_done(own, job), "the import")
    assert in_books(own) == whole(MANY)
    assert attempts(own, job) == 1


@pytest.mark.parametrize("steps", STEPS)
def test_b126_a_worker_killed_at_every_step_of_two_thousand_leaves_each_once(own: OwnHouse, steps: Sequence[Step]) -> None:
    """A worker takes the job, is stopped at a step, and killed; nothing of it is kept; the last one does it all.

    One that is killed in the commit has sent everything: all is kept, and nobody does it again.
    """
    [job] = ask(own, MANY)
    own.stop_at(steps)
    for number, step in enumerate(steps):
        worker = own.worker()
        until(lambda number=number: own.stands_at(number), f"the worker to stand at {step}")
        end(worker)
        own.go_on(number)
        until(lambda: not sessions(own), "the end of its session")
        assert attempts(own, job) == number + 1
        assert in_books(own) == whole(MANY if step.commit else 0)
    own.worker()
    until(lambda: is_done(own, job), "the import")
    before = attempts(own, job)
    own.python("jobs.nudge(int(sys.argv[1]))", job)
    until(lambda: received(own) and not own.one("SELECT count(*) FROM casino_job WHERE state <> 'done'"), "the message to be received")
    assert in_books(own) == whole(MANY)
    assert attempts(own, job) == before == len(steps) + (not steps[-1].commit)


@pytest.mark.long
def test_b112_a_killed_child_is_run_again_by_the_same_worker(own: OwnHouse) -> None:
    """The message is not lost with the process that had it: nobody else sends it again here, there is no beat."""
    worker = own.worker()
    until(lambda: "ready." in own.logs(), "the worker")
    with own.blocked("tables_importedround"):
        [job] = ask(own, 50)
        until(lambda: own.is_waiting("tables_importedround"), "the job to be in the middle")
        kill(*children(worker))
    until(lambda: is_done(own, job), "the import")
    assert in_books(own) == whole(50)
    assert attempts(own, job) == 2
    assert worker.poll() is None


@pytest.mark.long
def test_b120_a_memory_limit_below_what_a_child_begins_with_ends_no_job(own: OwnHouse) -> None:
    """Each child has one job, ends it and is replaced: the limit is looked at between jobs, so it is no loop of kills."""
    jobs = ask(own, 1, files=6)
    worker, seen = own.worker(memory=1_000), set[int]()
    until(lambda: seen.update(children(worker)) or is_done(own, *jobs), "the imports")
    assert in_books(own) == whole(6)
    assert {attempts(own, job) for job in jobs} == {1}
    assert len(seen) >= len(jobs)
    assert worker.poll() is None


@pytest.mark.parametrize("steps", STEPS)
def test_b122_postgres_killed_at_every_step_and_between_leaves_each_once(own: OwnHouse, steps: Sequence[Step]) -> None:
    """The same worker and beat live on: idle when the server goes, and in the middle of two thousand rounds."""
    worker, beat = own.worker(minute=1), own.beat(minute=1)
    until(lambda: own.logs().count("casino.tasks.minute") > 2, "two ticks")
    own.lose_postgres()
    [small] = ask(own, 1)
    until(lambda: is_done(own, small), "the next task after the restart")
    own.stop_at(steps)
    [job] = ask(own, MANY, minutes=30)
    for number, step in enumerate(steps):
        until(lambda number=number: is_done(own, job) or own.stands_at(number), f"the worker to stand at {step}")
        assert not is_done(own, job)
        own.lose_postgres()
        assert in_books(own) == whole(1)
        own.go_on(number)
    until(lambda: is_done(own, job), "the import")
    assert in_books(own) == whole(MANY + 1)
    assert attempts(own, job) == len(steps) + 1
    assert worker.poll() is None
    assert beat.poll() is None


@pytest.mark.long
def test_b116_a_broker_lost_with_its_data_three_times_in_five_seconds_loses_nothing(own: OwnHouse) -> None:
    """Messages are gone for good; the rows are sent again, to a worker and by a beat that were there all the time."""
    worker, beat = own.worker(minute=3), own.beat(minute=3)
    until(lambda: "ready." in own.logs() and "beat: Starting" in own.logs(), "worker and beat")
    jobs = ask(own, 1, files=5)
    for _ in range(3):
        own.lose_valkey()
    jobs += ask(own, 1, files=5, minutes=30)
    until(lambda: is_done(own, *jobs), "the queue to be empty", seconds=60)
    assert in_books(own) == whole(10)
    assert worker.poll() is None
    assert beat.poll() is None


@pytest.mark.long
def test_a_broker_lost_with_its_data_while_nobody_works_loses_nothing(own: OwnHouse) -> None:
    jobs = ask(own, 1, files=3)
    own.lose_valkey()
    assert in_books(own) == whole(0)
    own.worker()
    until(lambda: is_done(own, *jobs), "the worker to take up what no message tells of")
    assert in_books(own) == whole(3)


@pytest.mark.long
def test_b110_a_message_that_is_delivered_again_has_one_effect(own: OwnHouse) -> None:
    """The broker waits two seconds for an answer, the job lasts until one of two other workers was given it too.

    A worker looks for messages that nobody answered soon after its start, and then every hundred seconds: so the others start later.
    """
    own.worker(visibility=2)
    with own.blocked("tables_importedround"):
        [job] = ask(own, 20)
        until(lambda: own.is_waiting("tables_importedround"), "the job to be in the middle")
        own.worker(visibility=2), own.worker(visibility=2)
        until(lambda: max(received(own).values()) > 1, "the message to be delivered again")
        assert attempts(own, job) == 1
    until(lambda: is_done(own, job), "the import")
    assert in_books(own) == whole(20)
    assert own.one("SELECT count(*) FROM tables_roundimport") == 1
    assert attempts(own, job) == 1


def received(own: OwnHouse) -> Counter[str]:
    """Return how often each message was given to a worker."""
    return Counter({"": 0}) + Counter(re.findall(r"Task casino\.tasks\.run_job\[([0-9a-f-]+)\] received", own.logs())) or Counter({"": 0})


END = """
import audit.tasks
house = standing_house()
play(house, done={"1": {"ante": {"paid": 2_000}}})
jobs.announce = lambda *_, **__: None  # nobody tells of it
end_night(house)
"""


@pytest.mark.long
def test_b113_two_beats_have_one_effect(own: OwnHouse) -> None:
    """A night ended and nobody announced it: both beats find it, every second; one of them was stopped for a while and wakes up."""
    own.python(END)
    sleeper = own.beat(minute=1)
    until(lambda: "casino.tasks.minute" in own.logs(), "a tick")
    os.kill(sleeper.pid, signal.SIGSTOP)
    own.beat(minute=1), own.worker(minute=1), own.worker(minute=1)
    until(lambda: own.one("SELECT count(*) FROM casino_job WHERE kind = 'close_shift'") == 1, "the night to be found")
    os.kill(sleeper.pid, signal.SIGCONT)
    kinds = "('close_shift', 'reconcile_shift', 'shift_report', 'shift_statistics')"
    until(lambda: own.one(f"SELECT count(*) FROM casino_job WHERE kind IN {kinds} AND state = 'done'") == 4, "the report")
    ticks = own.logs().count("casino.tasks.minute")
    until(lambda: own.logs().count("casino.tasks.minute") > ticks + 6, "both beats to tick on")
    [row] = own.ask(
        "SELECT (SELECT count(*) FROM audit_shiftreconciliation), (SELECT count(*) FROM audit_finding WHERE kind = 'overpaid'),"
        f" (SELECT count(*) FROM casino_job WHERE kind IN {kinds}), (SELECT max(attempts) FROM casino_job WHERE kind IN {kinds})"
    )
    assert row == (1, 1, 4, 1)
