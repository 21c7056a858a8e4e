"""Drafting a paytable: typed by one or more people, who are kept, until somebody proposes what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, Stale
from casino.models import User
from casino.transactions import in_transaction
from tables.engine.json_line import parse_line
from tables.engine.paytable import Paytable
from tables.models import PaytableDraft, PaytableVersion, Property
from tables.services.paytable_reading import read_paytable


@in_transaction
def draft_paytable(
    raw: Mapping[str, Any], *, by: User, draft: PaytableDraft | None = None, revision: int | None = None, house: Property | None = None
) -> PaytableDraft:
    """Return the draft that says `raw`: a new one, or `draft` changed, which was at `revision` when it was looked at.

    Raises InvalidSlip (`unknown_game`, `bad_paytable` with every fault's place), Refused, Stale (`draft_changed`), Conflict
    (`version_exists`, `published_already`).
    """
    roles.require(by, "propose_paytable")
    paytable = read_paytable(raw)
    refuse_published(paytable)
    if draft is None:
        return _new_draft(paytable, by, house)
    kept = lock_draft(draft, revision)
    if kept.sha256 == paytable.sha256 and (house is None or kept.property_id == house.pk):
        return kept
    _say(kept, paytable, by)
    kept.revision, kept.property = kept.revision + 1, house or kept.property
    kept.save()
    kept.refresh_from_db()
    return kept


def _new_draft(paytable: Paytable, by: User, house: Property | None) -> PaytableDraft:
    draft = PaytableDraft(property=house, typed_by=[])
    _say(draft, paytable, by)
    draft.save(force_insert=True)
    draft.refresh_from_db()
    return draft


def _say(draft: PaytableDraft, paytable: Paytable, by: User) -> None:
    for name, value in columns_of(paytable).items():
        setattr(draft, name, value)
    draft.typed_by = sorted({*draft.typed_by, by.pk})
    draft.changed_by, draft.changed_at = by, Now()


def columns_of(paytable: Paytable) -> dict[str, Any]:
    """Return what every row of a paytable keeps of it."""
    kept = {name: getattr(paytable, name) for name in ("game", "name", "version", "sha256")}
    return {**kept, "content": paytable.canonical}


def lock_draft(draft: PaytableDraft, revision: int | None) -> PaytableDraft:
    """Return `draft` as it is now, locked. Raises Stale (`draft_changed`) where somebody changed it since `revision`."""
    kept = PaytableDraft.objects.select_for_update(of=("self",)).select_related("changed_by", "property").get(pk=draft.pk)
    if revision is not None and kept.revision != revision:
        who, when = kept.changed_by.username, kept.changed_at.isoformat(timespec="seconds")
        raise Stale(
            "draft_changed",
            gettext("%(who)s changed the draft since you looked.") % {"who": who},
            where="revision",
            by=who,
            at=when,
            revision=kept.revision,
        )
    return kept


def refuse_published(paytable: Paytable) -> None:
    """Raise Conflict (`version_exists`, `published_already`) where the name and number of `paytable` are published. One query."""
    kept = PaytableVersion.objects.filter(name=paytable.name, version=paytable.version).first()
    if kept is None:
        return
    if kept.sha256 != paytable.sha256:
        raise Conflict(
            "version_exists",
            gettext("%(reference)s is published with other content: take the next number.") % {"reference": paytable.reference},
            where="version",
        )
    raise Conflict(
        "published_already", gettext("%(reference)s is published, with this content.") % {"reference": paytable.reference}, where="version"
    )


def import_paytable(data: bytes, *, by: User, house: Property | None = None) -> PaytableDraft:
    """Return a new draft of the JSON file `data`. Raises InvalidSlip (`bad_json`, …), and as `draft_paytable`."""
    return draft_paytable(parse_line(data), by=by, house=house)
