"""Two shifts that are sealed, for tests that spoil them."""

from __future__ import annotations

from audit.services import audit_payouts, reconcile_shift
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import next_shift, seal


def deal_and_seal(house: House) -> None:
    """Deal a night with an overpayment, a pot and a note, and a short shift after it; seal both."""
    play(house, done={"1": {"play": {"paid": 4500}}}, mispaid=[{"seat": 1, "wager": "play", "status": "not_recovered", "note": "he left at once"}])
    play(house, "PAY-01")
    play(house, "UTH-02")
    end_night(house)
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    seal(house.shift)
    seal(next_shift(house))
