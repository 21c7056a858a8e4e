"""An auditor rules on an irregular round: it stands as dealt, or what was due on each wager. Source: spec/night.md, "Who may do what"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext

from casino import jobs, roles
from casino.errors import Conflict, Fault, InvalidSlip, Refused
from casino.models import User
from casino.money import CEILING, Minor
from casino.transactions import in_transaction
from ledger.archived import refuse_archived
from tables.locks import lock_name
from tables.models import Round, RoundChange, RoundRuling, Wager
from tables.services.corrections import still_stands, wagers_of

MOST_REASON = 300


@dataclass(frozen=True)
class RuledDue:
    """What was due on one wager as ruled: `collect` of the stake, `pay` beyond it; minor units."""

    collect: Minor
    pay: Minor


@in_transaction
def rule_irregular(
    played: Round, *, reason: str, due: Mapping[tuple[int, str], RuledDue] | None, by: User, at: datetime, after: int = 0
) -> RoundRuling:
    """Return the ruling on `played`: `due` on every wager by (seat, kind), None where it stands as dealt. Nothing moves by it.

    `after`: how many rulings the auditor had seen. Raises Refused (`not_allowed`, `not_your_pit`, `own_approval`), Conflict
    (`not_irregular`, `archived`, `not_standing`, `ruled_already` naming by whom), InvalidSlip (`missing_field`, `unknown_field`, `bad_amount`).
    """
    roles.require(by, "rule_irregular", played.session.table.pit.code)
    lock_name(f"round:{played.uuid}")
    _may_be_ruled_on(played, by, after)
    wagers = wagers_of(played)
    faults = _faults(wagers, due, reason)
    if faults:
        raise InvalidSlip.of(faults)

    ruled = [
        _line(wager, due[wager.seat, wager.kind] if due is not None else RuledDue(Minor(wager.collected), Minor(wager.paid))) for wager in wagers
    ]
    effect = played.house_net - sum(line["collect"] - line["pay"] for line in ruled)
    kept = RoundRuling.objects.create(
        round=played, sequence=after + 1, stands=due is None, due=ruled, effect=effect, reason=reason.strip(), by=by, occurred_at=at
    )
    jobs.announce("look_at_ruling", f"look_at_ruling:{played.uuid}:{kept.sequence}", {"round": str(played.uuid), "sequence": kept.sequence}, by=by)
    return kept


def _may_be_ruled_on(played: Round, by: User, after: int) -> None:
    if not played.irregular:
        raise Conflict("not_irregular", gettext("Only an irregular round is ruled on: the rules say what is due on this one."))
    refuse_archived(played.gaming_day)
    still_stands(played)
    if played.recorded_by_id == by.pk or RoundChange.objects.filter(made=played, by=by).exists():
        raise Refused("own_approval", gettext("Nobody rules on what they entered or approved."))
    last = RoundRuling.objects.filter(round=played).select_related("by").order_by("-sequence").first()
    if last is not None and last.sequence != after:
        raise Conflict("ruled_already", gettext("%(by)s ruled on it already.") % {"by": last.by}, by=last.by.username, sequence=last.sequence)


def _faults(wagers: Sequence[Wager], due: Mapping[tuple[int, str], RuledDue] | None, reason: str) -> list[Fault]:
    faults = []
    if not 0 < len(reason.strip()) <= MOST_REASON or "\x00" in reason:
        faults.append(
            Fault(
                "missing_field" if not reason.strip() else "bad_type",
                gettext("A ruling says why, in 1 to %(most)s characters.") % {"most": MOST_REASON},
                "reason",
            )
        )
    if due is None:
        return faults
    known = {(wager.seat, wager.kind): wager for wager in wagers}
    faults += [Fault("missing_field", gettext("What was due on it?"), f"due.{seat}.{kind}") for seat, kind in known if (seat, kind) not in due]
    for (seat, kind), said in due.items():
        wager = known.get((seat, kind))
        if wager is None:
            faults.append(
                Fault("unknown_field", gettext("Seat %(seat)s has no wager “%(kind)s”.") % {"seat": seat, "kind": kind}, f"due.{seat}.{kind}")
            )
        elif not 0 <= said.collect <= wager.stake:
            faults.append(
                Fault(
                    "bad_amount",
                    gettext("The house cannot take %(collect)s of a stake of %(stake)s.") % {"collect": said.collect, "stake": wager.stake},
                    f"due.{seat}.{kind}.collect",
                )
            )
        elif not 0 <= said.pay < CEILING:
            faults.append(
                Fault("bad_amount", gettext("An amount is a whole number of minor units, from 0 and below 10^15."), f"due.{seat}.{kind}.pay")
            )
    return faults


def _line(wager: Wager, due: RuledDue) -> dict[str, Any]:
    return {"seat": wager.seat, "wager": wager.kind, "collect": due.collect, "pay": due.pay}
