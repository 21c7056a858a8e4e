"""The database's own clock is put back two hours in the middle of a night: every figure, signature and seal is as of a night without it.

What is recorded is stamped by two functions of the owner's; here they say what a server whose clock is wrong would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from django.db import connections

from audit.books_check import check_books
from audit.reports import shift as shift_report
from audit.signing_selectors import grades_of
from casino import jobs
from casino.models import Job
from casino.money import Minor
from ledger.models import Entry, SignedCheckpoint
from tables.services import chips, floor
from tables.slips import CountSlip
from tests.audit.signing import hire, reconciled, sign_off
from tests.builders import BANKROLL, House, drop, end_night, open_table
from tests.corrections import deal, held, void

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
STAMPS = ("pitbook_stamp()", "pitbook_stamp_made_in()")
FIRST_CLOSER = 506_500
"""5.00 less than what a round that paid 25.00 and a buy-in of 5.00 leave."""
SECOND_CLOSER = FIRST_CLOSER - 2_500 - 3_000 + 100


def in_sql(statement: str, *values: object) -> str:
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement, values)
        return str(cursor.fetchone()[0]) if cursor.description else ""


@pytest.fixture
def put_back() -> Iterator[Callable[[], None]]:
    """Return what puts the database's clock back by two hours."""
    right = [in_sql("SELECT pg_get_functiondef(%s::regprocedure)", name) for name in STAMPS]

    def two_hours() -> None:
        for definition in right:
            assert definition.count("clock_timestamp()") == 1
            in_sql(definition.replace("clock_timestamp()", "clock_timestamp() - interval '2 hours'").replace("%", "%%"))

    yield two_hours
    for definition in right:
        in_sql(definition.replace("%", "%%"))
    assert check_books().problems == ()


def first_session(house: House) -> None:
    """Play, sell chips, close with 5.00 too little, count the box: and open the table again with what was counted."""
    staff, session = house.people, house.sessions["UTH-01"]
    deal(house)
    chips.buy_in(session, Minor(500), at=house.tick(), by=staff["FS-1"])
    floor.close_session(session, CountSlip({1: FIRST_CLOSER}), at=house.tick(), by=staff["PB-1"], witness=staff["SM-1"])
    drop(session, house, CountSlip({1: 500}), box="B-1", seal="S-7")


def second_session(house: House) -> None:
    """Open it again, play, void one of two rounds, and end the night with 1.00 too much."""
    house.sessions["UTH-01"] = open_table(house.shift, house.tables["UTH-01"], house.people, {1: FIRST_CLOSER}, at=house.tick())
    kept, gone = deal(house), deal(house)
    void(house, gone)
    deal(house, done={"1": {"ante": {"paid": 1_500}}})
    assert kept.pk < gone.pk
    end_night(house, closers={"UTH-01": 100})


STEPS = ("never", "before the first session ends", "between the sessions", "before it is reconciled", "before it is signed", "before it is sealed")


@pytest.mark.parametrize("when", STEPS)
def test_a_night_over_which_the_databases_clock_is_put_back(house: House, put_back: Callable[[], None], when: str) -> None:
    def step(name: str) -> None:
        if name == when:
            put_back()

    hire(house, "SM-2", "shift_manager")
    step("before the first session ends")
    first_session(house)
    step("between the sessions")
    second_session(house)
    step("before it is reconciled")
    kept = reconciled(house)
    assert {one.grade for each in grades_of(kept).values() for one in each} == {"counted"}
    step("before it is signed")
    sign_off(house)
    step("before it is sealed")
    for _ in range(2):
        jobs.run(Job.objects.get(kind="seal_shift").pk)

    lines = {(line.session.table.code, line.session.sequence): (line.tray_variance, line.drop_variance) for line in kept.lines.all()}
    assert lines == {("UTH-01", 1): (-500, 0), ("UTH-01", 2): (100, 0), ("UTH-02", 1): (0, 0), ("PAY-01", 1): (0, 0)}
    assert (Entry.objects.filter(kind="variance").count(), held(house, "tray:UTH-01"), held(house, "drop:UTH-01")) == (2, SECOND_CLOSER, 0)
    sections = {section.key: section for section in shift_report.build(house.shift).sections}
    assert "late" not in sections
    assert [row.values[0] for row in sections["changes"].rows] == ["void"]
    if when != "before it is signed":  # what was found is held against the signature's time; beside, it is in the report all the same
        assert "found_since" not in sections
        assert sorted(row.values[0] for row in sections["findings"].rows) == ["count variance", "count variance", "overpaid"]
    assert SignedCheckpoint.objects.count() == 1
    times = [entry.recorded_at for entry in Entry.objects.order_by("id")]
    assert any(later < earlier for earlier, later in pairwise(times)) == (when in STEPS[1:5])


assert sum(value * pieces for value, pieces in BANKROLL.items()) == 510_000
