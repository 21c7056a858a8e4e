"""Every GET page of the admin, from the URL conf: for each named address, arguments with which it shows something."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse

from audit.reports.catalogue import catalogue
from casino.models import ApiToken, Job
from ledger.models import Account, Entry, Segment
from tables.admin.layout import NEW
from tables.admin.session_acts import ACTS
from tables.models import BoxPull, ChipSlip, PaytableDraft, PaytablePlacement, PaytableProposal, PaytableVersion, PropertySetting, ReplayRun, Round
from tests.browser.full_house import opened_round
from tests.builders import House

PEOPLE = ("PB-1", "AU-1", "SM-1", "GM-1", "AD-1", "CG-1", "CT-1", "CT-2", "FS-1", "FS-2", "SV-1", "AU-2")
"""Who tries a page, one after the other, until somebody may."""


GROUPS = {
    "reports": ("report",),
    "books": ("books:", "admin:ledger_"),
    "findings": ("admin:audit_",),
    "people": ("admin:casino_", "admin:auth_"),
    "rounds": ("admin:tables_round",),
    "sessions": ("admin:tables_tablesession",),
    "paytables": ("admin:tables_workshop", "admin:tables_paytable", "admin:tables_replay"),
    "chips": ("admin:tables_chip", "admin:tables_cash", "admin:tables_box", "admin:tables_drop", "admin:tables_tray", "admin:tables_count"),
    "floor": ("admin:tables_",),
    "house": ("",),
}
"""Parts of the admin of about the same length, by how their addresses' names begin; the first that fits has it."""


def group_of(name: str) -> str:
    """Return the part of the admin that an address belongs to."""
    return next(group for group, heads in GROUPS.items() if name.startswith(heads))


@dataclass(frozen=True)
class Opened:
    """A page, who opens it, and how many queries it took."""

    name: str
    who: str
    address: str
    queries: int


def names() -> Iterator[str]:
    """Yield the name of every address below /admin/, each once."""
    seen = set()
    for pattern in _patterns(get_resolver(), "", ""):
        if pattern not in seen:
            seen.add(pattern)
            yield pattern


def _patterns(resolver: URLResolver, prefix: str, namespace: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        whole = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern, whole, f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace)
        elif whole.startswith("admin/") and pattern.name:
            yield namespace + pattern.name


def addresses(house: House) -> dict[str, list[str]]:
    """Return for every name the addresses to try: those told here, else Django's own of a thing that is there."""
    told = _told(house)
    return {name: told[name] if name in told else _of_a_thing(name) for name in names()}


def _of_a_thing(name: str) -> list[str]:
    """Return the address without arguments, or those of a model's newest and oldest row; nothing where it wants others."""
    try:
        return [reverse(name)]
    except NoReverseMatch:
        pass
    for model in admin.site._registry:
        for page in ("change", "history", "delete"):
            if name == f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}":
                return [reverse(name, args=[pk]) for pk in model._default_manager.order_by("pk").values_list("pk", flat=True)[:1]]
    return []


def _told(house: House) -> dict[str, list[str]]:
    table, played, shift = house.tables["UTH-01"], opened_round(house), house.shift
    now, version = house.sessions_now, PaytableVersion.objects.filter(name="house").get()  # type: ignore[attr-defined]
    other = PaytableVersion.objects.exclude(pk=version.pk).filter(game="uth")[0]
    draft, imported = PaytableDraft.objects.order_by("pk")[0], Job.objects.filter(kind="import_rounds")[0]
    at, day = "admin:tables_", shift.gaming_day
    days = day, day + timedelta(days=1)
    span = "?property={}&from={}&to={}".format(house.property.code, *days)
    scope = "?property={}&day_from={}&day_to={}".format(house.property.code, *days)

    def one(name: str, *args: object, query: str = "") -> list[str]:
        return [reverse(name, args=args) + query]

    irregular, token = Round.objects.exclude(irregular="").get(), ApiToken.objects.get()
    return {
        "search": ["/admin/search/?q=1", "/admin/search/?q=nothing+like+it", "/admin/search/"],
        "admin:index": ["/admin/"],
        "admin:app_list": [reverse("admin:app_list", args=[app]) for app in ("tables", "audit", "ledger", "casino")],
        **{name: [] for name in ("admin:login", "admin:logout", "admin:autocomplete", "admin:jsi18n")},  # no pages of somebody who is signed in
        "report-page": [reverse("report-page", args=[key]) + scope for key in catalogue()],
        "books:statement": one("books:statement", Account.objects.get(property=house.property.uuid, code="tray:UTH-01").pk, query=span),
        "books:journal": [reverse("books:journal") + span],
        "books:trial_balance": [reverse("books:trial_balance") + span],
        "books:accounting": [reverse("books:accounting") + span],
        "admin:ledger_segment_change": one("admin:ledger_segment_change", Segment.objects.get().pk),
        "admin:ledger_entry_change": one("admin:ledger_entry_change", Entry.objects.filter(kind="round").order_by("-pk")[0].pk),
        "admin:casino_user_change": one("admin:casino_user_change", house.people["PB-1"].pk),
        "admin:casino_user_tokens": one("admin:casino_user_tokens", token.user_id),
        "admin:casino_user_token_withdraw": one("admin:casino_user_token_withdraw", token.user_id, token.uuid),
        "admin:auth_user_password_change": one("admin:auth_user_password_change", house.people["FS-1"].pk),
        f"{at}round_add": [reverse(f"{at}round_add"), *(reverse(f"{at}round_add") + f"?table={code}" for code in ("UTH-01", "PAY-01"))],
        f"{at}round_changelist": [reverse(f"{at}round_changelist"), reverse(f"{at}round_changelist") + "?day_from=06-01-2023"],
        f"{at}round_change": [reverse(f"{at}round_change", args=[pk]) for pk in Round.objects.order_by("pk").values_list("pk", flat=True)],
        **{f"{at}round_{page}": one(f"{at}round_{page}", played.pk) for page in ("void", "dead_hand", "correct")},
        f"{at}round_ruling": one(f"{at}round_ruling", irregular.pk),
        f"{at}round_late": [reverse(f"{at}round_late"), reverse(f"{at}round_late") + f"?session={house.sessions['UTH-01'].pk}"],
        f"{at}tablesession_open": [reverse(f"{at}tablesession_open"), reverse(f"{at}tablesession_open") + "?table=PAY-01"],
        f"{at}tablesession_change": [reverse(f"{at}tablesession_change", args=[s.pk]) for s in (house.sessions["UTH-01"], *now.values())],
        f"{at}tablesession_close": [reverse(f"{at}tablesession_close", args=[now["UTH-01"].pk]) + step for step in ("", "?step=count")],
        f"{at}tablesession_act": [
            reverse(f"{at}tablesession_act", args=[session.pk, verb]) for verb in ACTS for session in (now["UTH-01"], house.sessions["UTH-02"])
        ],
        f"{at}boxpull_add": [reverse(f"{at}boxpull_add")],
        f"{at}boxpull_count": one(f"{at}boxpull_count", BoxPull.objects.order_by("-pk")[0].pk),
        f"{at}chipslip_act": [
            reverse(f"{at}chipslip_act", args=[ChipSlip.objects.order_by("-pk")[0].pk, verb]) for verb in ("issue", "send", "receive", "void")
        ],
        f"{at}countreopening_act": [
            reverse(f"{at}countreopening_act", args=[row.pk, verb])
            for row in admin.site.get_model_admin(_model("countreopening")).model.objects.all()
            for verb in ("approve", "refuse", "withdraw", "count")
        ],
        f"{at}dealer_pin": one(f"{at}dealer_pin", house.dealers["D-1187"].pk),
        f"{at}roundimport_job": one(f"{at}roundimport_job", imported.uuid),
        f"{at}workshop_new": [reverse(f"{at}workshop_new"), reverse(f"{at}workshop_new") + "?from=uth-seed@1"],
        f"{at}workshop_draft": one(f"{at}workshop_draft", draft.uuid),
        f"{at}workshop_proposal": one(f"{at}workshop_proposal", PaytableProposal.objects.order_by("-pk")[0].uuid),
        f"{at}workshop_placement": one(f"{at}workshop_placement", PaytablePlacement.objects.order_by("-pk")[0].uuid),
        f"{at}workshop_compare": [reverse(f"{at}workshop_compare") + f"?before={other}&after={version}"],
        f"{at}replay": [reverse(f"{at}replay"), reverse(f"{at}replay") + f"?shift={shift.pk}"],
        f"{at}replay_run": one(f"{at}replay_run", ReplayRun.objects.order_by("-pk")[0].job.uuid),
        f"{at}paytableversion_place": one(f"{at}paytableversion_place", version.pk),
        f"{at}paytableversion_change": [reverse(f"{at}paytableversion_change", args=[v.pk]) for v in (version, other)],
        f"{at}table_change": one(f"{at}table_change", table.pk),
        **{f"{at}table_{page}": one(f"{at}table_{page}", table.pk) for page in ("limit", "bankroll")},
        f"{at}property_chips": one(f"{at}property_chips", house.property.pk),
        f"{at}property_lay_out": [reverse(f"{at}property_lay_out", args=[house.property.pk, what]) for what in NEW],
        f"{at}property_setting": [reverse(f"{at}property_setting", args=[house.property.pk, name]) for name in PropertySetting.Name.values],
        f"{at}shift_change": [reverse(f"{at}shift_change", args=[s.pk]) for s in (shift, house.running)],  # type: ignore[attr-defined]
        f"{at}shift_end": one(f"{at}shift_end", house.running.pk),  # type: ignore[attr-defined]
        f"{at}shift_draw": one(f"{at}shift_draw", shift.pk),
    }


def _model(name: str) -> type:
    return next(model for model in admin.site._registry if model._meta.model_name == name)


def opened(house: House, group: str = "", *, several: Collection[str] | None = None) -> tuple[list[Opened], dict[str, set[int]]]:
    """Return who opens which page, and for the names that nobody gets a page of, the statuses that they got instead.

    `group`: of that part alone. `several`: names of which every address is opened, of all others the first that somebody may; None for all.
    """
    logging.disable(logging.WARNING)  # a thousand refusals are expected here, and each would be told at length
    try:
        return _opened(house, group, several)
    finally:
        logging.disable(logging.NOTSET)


def _opened(house: House, group: str, several: Collection[str] | None) -> tuple[list[Opened], dict[str, set[int]]]:
    clients = {}
    for who in PEOPLE:
        clients[who] = Client()
        clients[who].force_login(house.people[who])
    pages: list[Opened] = []
    refused = {}
    for name, tried in addresses(house).items():
        if group not in ("", group_of(name)):
            continue
        statuses: set[int] = set()
        for address in tried:
            if several is not None and name not in several and pages and pages[-1].name == name:
                break
            for who, client in clients.items():
                with CaptureQueriesContext(connection) as queries:
                    answer = client.get(address)
                if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                    pages.append(Opened(name, who, address, len(queries)))
                    break
                statuses.add(answer.status_code)
        if not any(page.name == name for page in pages):
            refused[name] = statuses
    return pages, refused
