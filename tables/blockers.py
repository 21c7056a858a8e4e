"""What blocks the close of a session: asked at any time, and by the close itself, which refuses with the very same list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

from casino.words import word
from tables import selectors
from tables.models import CountReopeningEvent, SessionEvent, TableSession, TrayCount


@dataclass(frozen=True)
class Blocker:
    """One thing: `code` for machines, words for people, `where` is the thing's kind and name. `blocks`: the close waits for it."""

    code: str
    message: str
    where: str = ""
    blocks: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the object that every door answers with."""
        return {"code": self.code, "message": self.message, "where": self.where, "blocks": self.blocks}


Source = Callable[[TableSession], Iterable[Blocker]]


def _closed(session: TableSession) -> Iterable[Blocker]:
    state = selectors.session_state(session)
    if state != SessionEvent.State.OPEN:
        yield Blocker(
            "session_closed", gettext("%(table)s is %(state)s already.") % {"table": session.table, "state": word(state or "not open")}, "session"
        )


def _slips(session: TableSession) -> Iterable[Blocker]:
    for slip in selectors.open_slips(session):
        state = getattr(slip, "state", "")
        words = gettext("%(slip)s is %(state)s and not received: finish it, or have the cage make it void.")
        words %= {"slip": str(slip).capitalize(), "state": word(state)}
        yield Blocker("open_slip", words, f"{slip.kind}:{slip.number}")


def _counts(session: TableSession) -> Iterable[Blocker]:
    if selectors.last_count(session, TrayCount.Kind.OPENER) is None:
        yield Blocker("missing_count", gettext("The opener was never counted."), "opener")
    for reopening in selectors.pending_recounts(session=session):
        if getattr(reopening, "state", "") == CountReopeningEvent.State.PROPOSED:
            yield Blocker(
                "open_proposal",
                gettext("To count the %(count)s once more was proposed; an auditor rules on it.") % {"count": word(reopening.count)},
                reopening.count,
            )
        else:
            yield Blocker(
                "missing_count",
                gettext("The %(count)s was reopened and is not counted again yet.") % {"count": word(reopening.count)},
                reopening.count,
            )


def _proposals(session: TableSession) -> Iterable[Blocker]:
    for proposal in selectors.open_proposals(session=session).select_related("round").order_by("id"):
        said = {"kind": proposal.get_kind_display(), "number": proposal.round.number if proposal.round else ""}
        words = (
            gettext("A %(kind)s of round %(number)s was proposed, and waits for somebody to decide.") % said
            if proposal.round
            else gettext("A %(kind)s was proposed, and waits for somebody to decide.") % said
        )
        yield Blocker("open_proposal", words, f"proposal:{proposal.uuid}")


def _irregular(session: TableSession) -> Iterable[Blocker]:
    left = session.rounds.exclude(irregular="").count()
    if left:
        words = ngettext(
            "%(n)s irregular round in this session: what was done is posted, an auditor rules on what was due.",
            "%(n)s irregular rounds in this session: what was done is posted, an auditor rules on what was due.",
            left,
        ) % {"n": left}
        yield Blocker("irregular", words, "rounds", blocks=False)


SOURCES: list[Source] = [_closed, _slips, _counts, _proposals, _irregular]
"""Who is asked, in this order. Rounds that are being typed are drafts on the machine where they are typed: nobody else knows of them."""


def blockers(session: TableSession) -> list[Blocker]:
    """Return what blocks the close of `session`, and what is to be known of it (`blocks` is False). Seven queries."""
    return [found for source in SOURCES for found in source(session)]


def blocking(session: TableSession) -> list[Blocker]:
    """Return only what blocks the close."""
    return [found for found in blockers(session) if found.blocks]
