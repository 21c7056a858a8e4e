"""The reference settler of Payroll: brute force, exact, the audit's second opinion on every pot.

It is written from spec/rounds.md and seeds/payroll.txt alone, and shares no code with tables.engine nor with the other
reference settlers. Standard library only, Python 3.9 or later.

Made to be pasted into the single file `verify.py`: every name at module level begins with `payroll_` or `PAYROLL_`, except the
three of the interface at the end (`GAME_CODE`, `settle_reference`, `rake_reference`) and the imported ones, which every settler
has and which a later paste may overwrite without harm: `payroll_settle` and `payroll_rake` are the same functions.

Shapes: a round is the canonical JSON object of a regular, validated round (cards are lists of "As", money is whole minor units);
a paytable is a whole version object. A missing optional rule has the spec's default.
"""

from typing import Any

PAYROLL_RANKS = "23456789TJQKA"

# ---- hands ----


def payroll_rank(kept: list[str]) -> tuple[int, tuple[int, ...]]:
    """One to five cards as (rank of the highest pair or 0, the other ranks downwards), 2 to 14; the greater tuple wins.

    Two cards of the highest rank held at least twice are the pair, all others are side cards. A tuple that is the beginning of
    a longer one is the smaller, which is the rule that a hand that runs out of cards first loses.
    """
    ranks = sorted((PAYROLL_RANKS.index(card[0]) + 2 for card in kept), reverse=True)
    for rank in ranks:
        if ranks.count(rank) >= 2:
            ranks.remove(rank)
            ranks.remove(rank)
            return (rank, tuple(ranks))
    return (0, tuple(ranks))


# ---- layers ----


def payroll_live(round_facts: dict[str, Any]) -> list[dict[str, Any]]:
    """The seats that have not folded, in the order of the turns: from the button's left, upwards and round, the button last."""
    button = round_facts["button"]
    live = [seat for seat in round_facts["seats"] if not seat.get("folded", False)]
    if not live:
        raise ValueError("every seat has folded: nobody can take the pot")
    after_button = sorted((seat for seat in live if seat["seat"] > button), key=lambda seat: seat["seat"])
    up_to_button = sorted((seat for seat in live if seat["seat"] <= button), key=lambda seat: seat["seat"])
    return after_button + up_to_button


def payroll_antes(round_facts: dict[str, Any], seat: dict[str, Any]) -> int:
    """What the seat paid in antes, minor units: one, and a second one if it rolled a second time."""
    return int(round_facts["ante"]) * (2 if len(seat["rolls"]) == 2 else 1)


def payroll_layers(round_facts: dict[str, Any]) -> list[tuple[int, dict[int, int]]]:
    """The pot from the bottom up: for each different bet of a live seat (that bet, {seat: what it paid into this layer}).

    A live bet of 0 (all-in on the ante alone) makes a first layer of nothing but antes. All antes are in the first layer, and
    what a folded seat bet beyond the highest live bet joins the top one.
    """
    cuts = sorted({seat["bet"] for seat in payroll_live(round_facts)})
    layers: list[tuple[int, dict[int, int]]] = []
    floor = 0
    for cut in cuts:
        ceiling = None if cut == cuts[-1] else cut
        layer = {}
        for seat in round_facts["seats"]:
            reaches_to = seat["bet"] if ceiling is None else min(seat["bet"], ceiling)
            paid = max(0, reaches_to - floor)
            if not layers:
                paid += payroll_antes(round_facts, seat)
            if paid > 0:
                layer[seat["seat"]] = paid
        layers.append((cut, layer))
        floor = cut
    return layers


def payroll_is_returned(layer: dict[int, int], live_seats: set[int]) -> bool:
    """Whether only one seat, a live one, paid into the layer."""
    return len(layer) == 1 and set(layer) <= live_seats


# ---- money ----


def payroll_share(amount: int, winners: list[int], unit: int) -> dict[int, int]:
    """`amount` among `winners`, who stand in the order of the turns: even units, odd units from the first on, the rest to the first."""
    units, less_than_a_unit = divmod(amount, unit)
    shares = dict.fromkeys(winners, units // len(winners) * unit)
    for seat in winners[: units % len(winners)]:
        shares[seat] += unit
    shares[winners[0]] += less_than_a_unit
    return shares


def payroll_rake(round_facts: dict[str, Any], paytable: dict[str, Any]) -> int:
    """The house's rake in minor units: basis points of the pot without what is returned, at most the cap, down to a unit."""
    rules = paytable.get("rules", {})
    live_seats = {seat["seat"] for seat in payroll_live(round_facts)}
    layers = payroll_layers(round_facts)
    raked = sum(sum(layer.values()) for _, layer in layers if not payroll_is_returned(layer, live_seats))
    rake = raked * int(rules.get("rake_bps", 0)) // 10_000
    if rules.get("rake_cap") is not None:
        rake = min(rake, int(rules["rake_cap"]))
    unit = int(rules.get("payout_unit", 1))
    return rake // unit * unit


def payroll_won(round_facts: dict[str, Any], paytable: dict[str, Any]) -> dict[int, int]:
    """{live seat: what it takes out of the pot} in minor units; what is returned to it is in this."""
    live = payroll_live(round_facts)
    live_seats = {seat["seat"] for seat in live}
    won = dict.fromkeys(live_seats, 0)
    rake_left = payroll_rake(round_facts, paytable)
    unit = int(paytable.get("rules", {}).get("payout_unit", 1))
    for cut, layer in payroll_layers(round_facts):
        amount = sum(layer.values())
        if not payroll_is_returned(layer, live_seats):
            from_here = min(rake_left, amount)
            rake_left -= from_here
            amount -= from_here
        reaching = [seat for seat in live if seat["bet"] >= cut]
        for seat, share in payroll_share(amount, payroll_best(reaching), unit).items():
            won[seat] += share
    return won


def payroll_best(reaching: list[dict[str, Any]]) -> list[int]:
    """The seats with the best hand among these, in the order given; a seat alone is not asked for its cards."""
    if len(reaching) == 1:
        return [reaching[0]["seat"]]
    ranked = [(payroll_rank(seat["kept"]), seat["seat"]) for seat in reaching]
    best = max(rank for rank, _ in ranked)
    return [seat for rank, seat in ranked if rank == best]


# ---- the round ----


def payroll_settle(round_facts: dict[str, Any], paytable: dict[str, Any]) -> dict[tuple[int, str], tuple[int, int]]:
    """{(seat, kind): (collect, pay)} in minor units: every stake goes into the pot, what a seat won out of it is its `pot`."""
    due: dict[tuple[int, str], tuple[int, int]] = {}
    won = payroll_won(round_facts, paytable)
    for seat in round_facts["seats"]:
        number = seat["seat"]
        due[number, "ante"] = (round_facts["ante"], 0)
        if len(seat["rolls"]) == 2:
            due[number, "reroll_ante"] = (round_facts["ante"], 0)
        if seat["bet"] > 0:
            due[number, "bet"] = (seat["bet"], 0)
        if won.get(number, 0) > 0:
            due[number, "pot"] = (0, won[number])
    paid_in = sum(collect for collect, _ in due.values())
    paid_out = sum(pay for _, pay in due.values())
    if paid_in != paid_out + payroll_rake(round_facts, paytable):
        raise AssertionError("the pot does not add up: a fault of this settler")
    return due


# ---- the interface every settler has ----

GAME_CODE = "payroll"
settle_reference = payroll_settle
rake_reference = payroll_rake
