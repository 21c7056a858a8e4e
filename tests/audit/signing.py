"""A shift that can be signed: its people, its jobs done, what is to be explained explained."""

from __future__ import annotations

import audit.tasks  # noqa: F401 - the handlers of jobs
from audit.models import ShiftReconciliation
from audit.selectors import latest_reconciliation
from audit.signing import explain, sign
from audit.signing_selectors import variances_of
from casino import jobs, people
from casino.models import Job, User
from tests.builders import House


def hire(house: House, number: str, role: str, *, pits: list[str] | None = None, password: str | None = None) -> User:
    """Return a new person of the house, reviewed where the role approves; the second auditor reviews nothing of their own."""
    person = people.hire(number, f"Person {number}", password, by=house.people["AD-1"])
    people.grant_role(person, role, by=house.people["AD-1"], pits=pits)
    if role in ("auditor", "shift_manager", "pit_boss"):
        people.review_role(person, role, by=house.people["AU-1"])
    house.people[number] = person
    return person


def run_jobs(*kinds: str) -> None:
    """Do the open jobs of `kinds`, oldest first, as a worker would, with those that they announce."""
    while (job := Job.objects.filter(kind__in=kinds, state__in=jobs.OPEN).order_by("id").first()) is not None:
        assert jobs.run(job.pk), job.error


def reconciled(house: House) -> ShiftReconciliation:
    """Return the reconciliation of the ended shift, made by its jobs."""
    run_jobs("close_shift", "reconcile_shift")
    kept = latest_reconciliation(house.shift)
    assert kept is not None
    return kept


def print_of(kept: ShiftReconciliation) -> str:
    return bytes(kept.fingerprint).hex()


def explain_all(house: House, kept: ShiftReconciliation) -> None:
    """Explain every variance that wants it, each by the pit boss of its pit."""
    for one in variances_of(kept):
        boss = house.people["PB-1" if one.line.session.table.pit.code == "P1" else "PB-2"]
        explain(house.shift, one.line.session, one.variance.figure, "Counted twice, and so it stands.", fingerprint=print_of(kept), by=boss)


def sign_off(house: House) -> ShiftReconciliation:
    """Return what the ended shift's two signatures stand under: reconciled, explained, signed by SM-2 and AU-1."""
    if "SM-2" not in house.people:
        hire(house, "SM-2", "shift_manager")
    kept = reconciled(house)
    explain_all(house, kept)
    for who in ("SM-2", "AU-1"):
        sign(house.shift, fingerprint=print_of(kept), by=house.people[who], at=house.tick())
    return kept


def sign_and_seal(house: House) -> None:
    """Sign the ended shift off, and seal it by its job, which comes in two parts."""
    sign_off(house)
    job = Job.objects.get(kind="seal_shift", args__shift=str(house.shift.uuid))
    jobs.run(job.pk)
    assert jobs.run(job.pk), job.error
