"""The paytable workshop's first page: drafts, what waits for an approval, versions and where they stand; and files that come in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from casino.errors import CasinoError
from tables.admin.workshop_pages import page, someone_who_may
from tables.engine.game import games
from tables.models import PaytableDraft, PaytableVersion, Property
from tables.paytable_selectors import in_force_at, placements_with_state, proposals_with_state
from tables.services.paytables import import_paytable

LARGEST_FILE = 200_000
SHOWN = 30


@require_safe
def workshop(request: HttpRequest) -> HttpResponse:
    """Answer what is being typed, what waits, what ended lately, and every version with the tables where it is in force. Six queries."""
    someone_who_may(request, "see_workshop")
    proposals = list(proposals_with_state()[: 2 * SHOWN])
    placements = list(placements_with_state()[: 2 * SHOWN])
    proposed = {proposal.sha256 for proposal in proposals}
    context = {
        "drafts": [(draft, draft.sha256 in proposed) for draft in _drafts()],
        "waiting": [one for one in proposals if one.state == "proposed"],
        "ended": [one for one in proposals if one.state != "proposed"][:SHOWN],
        "placements": [one for one in placements if one.state == "proposed"],
        "versions": _versions(),
        "games": games().values(),
        "import_form": ImportForm(),
    }
    return page(request, "index.html", gettext("Paytable workshop"), context)


def _drafts() -> QuerySet[PaytableDraft]:
    """Return the drafts that are not published as they are, the last changed first."""
    published = PaytableVersion.objects.filter(sha256=OuterRef("sha256"))
    return PaytableDraft.objects.filter(~Exists(published)).select_related("changed_by")[:SHOWN]


def _versions() -> list[dict[str, Any]]:
    """Return every version with where it is in force now, a game's together. Two queries."""
    standing: dict[int, list[str]] = {}
    for row in in_force_at(timezone.now()):
        standing.setdefault(row.version_id, []).append(row.table.code)
    versions = PaytableVersion.objects.select_related("approved_by").order_by("game", "name", "-version")
    return [{"version": one, "game": games()[one.game].name, "tables": standing.get(one.pk, [])} for one in versions]


class ImportForm(forms.Form):
    """A version's JSON, as a file or pasted."""

    file = forms.FileField(label=_("A JSON file"), required=False, widget=forms.FileInput(attrs={"accept": ".json,application/json"}))
    text = forms.CharField(label=_("or pasted"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}))
    house = forms.ModelChoiceField(
        Property.objects.order_by("code"), label=_("Held against the limits of"), required=False, empty_label=_("no property"), blank=True
    )

    def data_of(self) -> bytes:
        """Return what was handed in, of forms that are valid."""
        given = self.cleaned_data["file"]
        return given.read(LARGEST_FILE + 1) if given else self.cleaned_data["text"].encode()

    def clean(self) -> dict[str, Any]:
        """Refuse nothing, both, and what is too large for a paytable."""
        found: dict[str, Any] = super().clean() or {}
        if bool(found.get("file")) == bool((found.get("text") or "").strip()):
            self.add_error("file", gettext("Choose a file, or paste its text: one of the two."))
        elif found.get("file") and found["file"].size > LARGEST_FILE:
            self.add_error("file", gettext("This is larger than any paytable."))
        return found


@require_http_methods(["GET", "POST"])
def import_file(request: HttpRequest) -> HttpResponse:
    """Take a JSON file in as a new draft; every fault is named with its place in the file, and nothing is kept then."""
    user = someone_who_may(request, "propose_paytable")
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    faults: list[Any] = []
    if request.method == "POST" and form.is_valid():
        try:
            draft = import_paytable(form.data_of(), by=user, house=form.cleaned_data["house"])
        except CasinoError as error:
            faults = list(error.faults)
        else:
            messages.success(request, gettext("A draft now: %(draft)s.") % {"draft": draft})
            return redirect("admin:tables_workshop_draft", draft.uuid)
    status = 400 if request.method == "POST" else 200
    return page(request, "import.html", gettext("Take a paytable in"), {"form": form, "faults": faults}, status=status)
