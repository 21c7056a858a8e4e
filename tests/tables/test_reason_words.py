"""Every reason that a game can give is said in the reader's language, with the amounts that it has in English; so is what the audit finds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from django.utils.translation import override
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.finding_words import known_finding, note_in_words
from casino.alarm_words import alarm_in_words, known_alarm
from casino.money import Notation
from tables.bet_words import HANDS, bet_word, known_bet, row_word
from tables.engine import poker
from tables.engine.game import Settlement, games
from tables.engine.games.roulette import POCKETS
from tables.engine.games.roulette import words as pocket_words
from tables.engine.settle import read_round, settle
from tables.fault_words import in_money
from tables.paytable_files import published
from tables.reason_words import hand_in_words, known_reason, reason_in_words
from tests.engine.legal_rounds import LEGAL, rounds

laws = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
AMOUNT = re.compile(r"\d[\d.,’/:]*\d|\d")
OURS = re.compile(
    r"\b(?:the|of|and|is|with|high|wager|pays|returned|lost|folded|beats|ties|loses|dealer's|rounded|cut|seat's|hands?|best|pot|rake"
    r"|two|three|four|five|six|seven|eight|nine|ten|jack|queen|king|ace|pair of|straight(?! flush)|red|black)\b",
    re.IGNORECASE,
)
"""English words of ours that are none in German, "pot" and "hand" in lower case aside."""
NOTATIONS = (None, Notation(2), Notation(2, ",", "."), Notation(0), Notation(3, ".", "’"))


def settled(facts: dict[str, object]) -> Settlement:
    game = games()[str(facts["game"])]
    paytable = published().get(str(facts["paytable"])) or game.read_paytable(facts["paytable"])  # type: ignore[arg-type]
    return settle(read_round(facts, paytable), paytable)


def amounts(text: str) -> list[str]:
    return sorted(AMOUNT.findall(text))


def check(english: str) -> None:
    """Assert that a reason is known in German, has its amounts, and no word of English."""
    german = known_reason(english)
    assert german is not None, english
    assert german != english
    assert amounts(german) == amounts(english), (english, german)
    left = [word for word in OURS.findall(german) if word not in ("Pot", "Rake", "Hand")]
    assert not left, (english, german)


def test_every_game_has_rounds_to_be_told() -> None:
    assert LEGAL.keys() == games().keys()


@laws
@given(rounds, st.sampled_from(NOTATIONS))
def test_every_reason_of_every_game_is_said_in_german(facts: dict[str, object], notation: Notation | None) -> None:
    settlement = settled(facts)
    with override("de"):
        for due in settlement.dues:
            check(due.why if notation is None else in_money(due.why, notation))
        for hand in filter(None, [*settlement.hands.values(), settlement.dealer_hand]):
            assert hand_in_words(hand) != hand
    with override("en"):
        assert [known_reason(due.why) for due in settlement.dues] == [due.why for due in settlement.dues]


@laws
@given(rounds)
def test_a_pot_that_was_divided_otherwise_is_told_whole(facts: dict[str, object]) -> None:
    """The finding of a pot says every share, one after the other."""
    shares = " ".join(due.why for due in settled(facts).dues if due.kind == "pot")
    with override("de"):
        if shares:
            check(shares)


def test_every_hand_of_poker_and_every_pocket_has_german_words() -> None:
    hands = {poker.words(strength) for strength in range(poker.STRENGTHS)}
    with override("de"):
        assert [hand for hand in sorted(hands) if OURS.search(hand_in_words(hand))] == []
        assert {hand_in_words(hand) for hand in ("Pair of nines", "Royal flush")} == {"Paar Neunen", "Royal Flush"}
        for pocket in POCKETS:
            check(f"{pocket_words(pocket)}: the red wager of 100 is lost.")


def test_every_wager_of_every_game_has_a_word() -> None:
    with override("de"):
        kinds = {kind for game in games().values() for kind in (*game.wager_kinds, *map(game.bet_of, game.wager_kinds))}
        assert [kind for kind in sorted(kinds) if known_bet(kind) is None] == []
        rows = {(row, wager) for game in games().values() for wager, rows in game.paytable_layout.odds.items() for row in rows}
        assert [row for row, _ in sorted(rows) if row.replace("_", " ") not in HANDS and known_bet(row) is None] == []


def test_words_as_they_stand_on_pages() -> None:
    notation = Notation(2)
    why = "Pair of nines, eight against seven, loses to the dealer's pair of nines: the ante wager of 100000 is lost."
    capped = (
        "Straight flush, nine high: the trips wager pays straight flush 40:1, 501 × 40:1 = 20040,"
        " rounded down to 20000, cut to 1500 by the cap of 1500."
    )
    with override("de"):
        assert reason_in_words(why, notation) == (
            "Paar Neunen, Acht gegen Sieben – schlechter als Paar Neunen beim Dealer: Der Einsatz von 1,000.00 auf Ante ist verloren."
        )
        assert reason_in_words(capped, notation) == (
            "Straight Flush, Neun hoch: Der Einsatz auf Trips zahlt Straight Flush 40:1, 5.01 × 40:1 = 200.40, abgerundet auf 200.00,"
            " gekürzt auf 15.00 durch die Höchstgrenze von 15.00."
        )
        assert (row_word("straight", "trips"), row_word("straight", "straight_17"), row_word("straight", "bets")) == ("Straße", "Plein", "Plein")
        assert (bet_word("split_17_20"), bet_word("pair_plus"), bet_word("")) == ("Cheval 17 20", "Pair Plus", "")
        assert known_reason("Seventeen, black: the straight-17 wager pays straight 35:1, 100 × 35:1 = 3500.") == (
            "Siebzehn, Schwarz: Der Einsatz auf Plein-17 zahlt Plein 35:1, 100 × 35:1 = 3500."
        )
        assert reason_in_words("The moon was full.", notation) == "The moon was full."
    with override("en"):
        assert reason_in_words(why, notation) == why.replace("100000", "1,000.00")
        assert (row_word("three_of_a_kind"), bet_word("straight_17")) == ("three of a kind", "straight 17")


FOUND = (
    "Against the rules, and yet it happened: the seat 3 played twice. Nobody saw it",
    "Irregular; as ruled: the stake 10.00 goes back.",
    "Entered after its shift was sealed.",
    "Nothing is due on it.",
    "The kept due is 1000/0; the cards say 0/1000.",
    "The engine says collect 10.00, pay 0.00; the reference settler collect 0.00, pay 15.00.",
    "The stake of 5,000.00 is above the 1,000.00 that the table allows at most.",
    "The stake of 5.00 is below the 10.00 that the table allows at least.",
    "The counted closer is not the expected one: 1,000.00 − 1,050.00 = −50.00.",
    "The counted drop is not what went into the box: 900.00 − 1,050.00 = −150.00.",
    "The counted drop of the day is not what went into the box: 900.00 − — = −150.00.",
    "The rounds and their entries disagree: 1.00 − 2.00 = −1.00.",
    "No closer was counted here that this opener is made from.",
    "The counted opener is not the last closer: 1.000,00 − 900,00 = 100,00.",
    "The counted opener is not what the cage stocked the table with: 1’000.00 − 900.00 = 100.00.",
    "The counted opener is worth what the last closer was, in other pieces.",
    "Box 12 was pulled under seal S-100; box 13 was counted under seal S-101.",
    "The closer was counted once more, as a shift manager proposed and an auditor approved: 1,000.00, then 990.00.",
    "There is no fill 17, and there are later ones.",
    "Dealer D-1187, 30 days, 12,345 rounds: 3.25 errors in 1,000 rounds (2.10 to 5.01), the house 1.02."
    " Adjusted for every comparison of the day, p = 0.000012, below 0.01. A reason to look, never proof.",
    "Table UTH-01, gaming day, 812 rounds: won −1,000.00, 512.00 expected; 95 of 100 lie from −900.00 to 1,900.00."
    " Hold −31.25 % of the drop, 9.02 % expected; 95 of 100 lie from −4.10 % to 22.15 %. A reason to look, never proof.",
    "Dealer D-1187 uth, gaming day, 812 rounds: 61 rounds an hour; 20 to 45 are usual. A reason to look, never proof.",
)


def test_every_sentence_of_the_audit_is_said_in_german() -> None:
    with override("de"):
        said = [known_finding(why) for why in FOUND]
        assert [why for why, german in zip(FOUND, said, strict=True) if german in (None, why)] == []
        for why, german in zip(FOUND, said, strict=True):
            assert amounts(german or "") == amounts(why)
        assert known_finding(FOUND[1]) == "Irregulär; wie entschieden: the stake 10.00 goes back."
    with override("en"):
        assert [known_finding(why) for why in FOUND] == list(FOUND)


def test_notes_of_the_audit_and_alarms_are_said_in_german_and_what_people_wrote_stays() -> None:
    notes = (
        "Ruled by AU-1: it stands as dealt. Camera 3. Clear.",
        "Ruled by AU-1: what was due is as ruled. Camera 3.",
        "The round was voided: misdeal. Proposed by FS-1, approved by SM-1.",
        "The round was replaced by round 12 after its shift was sealed: cards misread, seat 3. Proposed by FS-1, approved by SM-1.",
    )
    alarms = (
        "The job “audit round” failed.",
        "The job “import rounds” has been running for more than 15 minutes.",
        f"The partition tables_round_{datetime(2026, 11, 1, tzinfo=UTC):%Y_%m} is not there: postings of its month would be refused.",
    )
    with override("de"):
        assert [note for note in notes if note_in_words(note) == note] == []
        assert note_in_words("I looked at the cameras.") == "I looked at the cameras."
        assert [alarm for alarm in alarms if known_alarm(alarm) in (None, alarm)] == []
        assert alarm_in_words("The lamp is out.") == "The lamp is out."
