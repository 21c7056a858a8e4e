"""Every page of the admin, found through the URL conf: it keeps the policy, axe finds no fault in either mode, it fits each screen, and paper."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Open
from tests.browser.every_page import GROUPS, Opened, group_of, names, opened
from tests.browser.faults import Watched, faults, watched
from tests.browser.full_house import full_house
from tests.builders import House

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]

MOST_QUERIES = 50
"""However much there is to show. The shift's page asks the most, 48: figures, signing, handover, notes and settings stand on it."""

NO_PAGE = {
    "files": {
        "report-file",
        "report-download",
        "admin:tables_paytableversion_json",
        "admin:tables_paytableversion_sheet",
        "admin:tables_shift_report",
        "admin:ledger_segment_bundle",
        "admin:ledger_segment_checkpoint",
        "admin:ledger_segment_proof",
    },
    "acts, sent by a form of another page": {
        "report-unsubscribe",
        "report-export",
        "report-subscribe",
        "admin:logout",
        "admin:casino_alarm_acknowledge",
        "admin:casino_job_cancel",
        "admin:casino_job_resume",
        "admin:casino_user_role",
        "admin:tables_workshop_look",
        "admin:tables_workshop_propose",
        "admin:tables_workshop_solve",
        "admin:tables_workshop_job",
        "admin:tables_replay_month",
        "admin:tables_paytableversion_place",
        "admin:tables_roundproposal_decide",
        "admin:tables_round_preview",
        "admin:tables_shift_explain",
        "admin:tables_shift_note",
        "admin:tables_shift_sign",
        "admin:tables_shift_reconcile",
    },
    "answers for a script": {"admin:autocomplete", "admin:jsi18n", "admin:tables_workshop_progress", "admin:tables_shift_progress"},
    "Django's, of what the house has not": {f"admin:auth_group_{page}" for page in ("changelist", "add", "history", "delete", "change")}
    | {"admin:view_on_site"},
    "opened below, signed out": {"admin:login"},
    "there only while a checkpoint is ahead of the books": {"admin:ledger_segment_acknowledge"},
}


def _told_apart(pages: list[Opened], refused: dict[str, set[int]]) -> None:
    """Hold every address to being a page that somebody may open, or none for a reason, and every page to its queries."""
    told = set().union(*NO_PAGE.values())
    nobodys = {name for name, statuses in refused.items() if statuses <= {403, 404} and statuses and name.rpartition("_")[2] in ("add", "delete")}
    assert refused.keys() - told - nobodys == set()
    assert [page for page in pages if page.queries > MOST_QUERIES] == []


def test_what_has_no_page_for_a_reason_is_an_address_still() -> None:
    assert set().union(*NO_PAGE.values()) - set(names()) == set()


@pytest.fixture
def everything(house: House, group: str) -> tuple[list[Opened], dict[str, set[int]]]:
    """Return every page of the group with who opens it, of a house in which each has something to show."""
    return opened(full_house(house), group)


@pytest.mark.parametrize("group", GROUPS)
def test_every_address_is_a_page_for_somebody_and_clean_in_both_modes_and_sizes(
    group: str, everything: tuple[list[Opened], dict[str, set[int]]], signed_in: Open
) -> None:
    pages, refused = everything
    _told_apart(pages, refused)
    assert {page.name for page in pages} | refused.keys() == {name for name in names() if group_of(name) == group}
    assert {name for name in set().union(*NO_PAGE.values()) if group_of(name) == group} - refused.keys() - {"admin:login"} == set()
    browsers: dict[str, Watched] = {}
    wrong: dict[str, list[str]] = {}
    for one in pages:
        if one.who not in browsers:
            browsers[one.who] = watched(signed_in(one.who))
        if found := list(faults(browsers[one.who], one.address)):
            wrong[f"{one.who} {one.address}"] = found
            print(f"{one.who} {one.address}", *found, sep="\n  ", flush=True)
    assert wrong == {}


def test_what_is_refused_and_what_is_not_there_is_a_clean_page_too(house: House, signed_in: Open) -> None:
    boss = watched(signed_in("PB-1"))
    wrong = {
        address: found
        for address, status in (("/admin/nowhere/", 404), ("/admin/casino/user/", 403), (f"/admin/tables/shift/{house.shift.pk}/draw/", 403))
        if (found := list(faults(boss, address, status)))
    }
    boss.page.context.clear_cookies()
    if found := list(faults(boss, "/admin/login/?next=/admin/")):
        wrong["/admin/login/"] = found
    assert wrong == {}
