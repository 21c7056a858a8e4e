"""Cards as people write them, and the five that make a hand."""

import json
import random
from itertools import combinations

import pytest

from tables.engine.best_five import hand_text
from tables.engine.cards import CODES, NAMES, in_words, rank_words, split_cards
from tables.engine.poker import hand_class, hands_beside, strength


def test_every_card_has_its_spellings_and_no_other():
    assert len(CODES) == (13 + 5 + 1) * 12
    assert [CODES[name] for name in NAMES] == list(range(52))
    assert {CODES[text] for text in ("Td", "td", "tD", "10d", "10D", "T♦", "10♦")} == {8 * 4 + 1}
    assert not {"1d", "0d", "1Od", "dT", "T", "T d", "Td ", "", "ſ", "T\u2666\ufe0f", "１０d", "X♠", "11d"} & CODES.keys()


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("2h9s9dJc Qh", ["2h", "9s", "9d", "Jc", "Qh"]),
        (" 10h,T♠ ,\t1 0h\u00a0a♣\n", ["10h", "T♠", "1", "0h", "a♣"]),
        ("2h 1Os Jc", ["2h", "1Os", "Jc"]),
        ("2hXXJc", ["2h", "XX", "Jc"]),
        ("110h", ["1", "10h"]),
        (",, ,", []),
    ],
)
def test_a_text_is_split_into_cards_and_what_is_none(text, pieces):
    assert split_cards(text) == pieces


def test_words():
    assert (in_words(51), in_words(0), rank_words(4), rank_words(12)) == ("ace of spades", "two of clubs", "sixes", "aces")


def best_five(cards: list[int], hand: int) -> list[str]:
    """The cards that answers list of a hand; they name its class too."""
    said = json.loads(b"{%b}" % hand_text(sum(1 << card for card in cards), hand))
    assert said["hand"] == hand_class(hand)
    return said["best"]


def five(cards: str) -> str:
    codes = [CODES[name] for name in cards.split()]
    return " ".join(best_five(codes, strength(codes)))


@pytest.mark.parametrize(
    ("seven", "best"),
    [
        ("As Ad 2h 9s 9d Jc Qh", "As Ad 9s 9d Qh"),
        ("Kc 7d 2h 9s 9d Jc Qh", "9s 9d Kc Qh Jc"),
        ("2c 2d 3c 3d 4c 4d 5h", "4d 4c 3d 3c 5h"),
        ("Kc Kd Kh 7c 7s 7d 2h", "Kh Kd Kc 7s 7d"),
        ("Kc Kd Kh 7c 7s 2d 2h", "Kh Kd Kc 7s 7c"),
        ("2c 2d 2h 2s Kc Kd Kh", "2s 2h 2d 2c Kh"),
        ("Ac 2d 3h 4s 5c 5s 9d", "5s 4s 3h 2d Ac"),
        ("Ac As 2d 3h 4s 5c Kd", "5c 4s 3h 2d As"),
        ("Ac 2c 3c 4c 5c 6d 9d", "5c 4c 3c 2c Ac"),
        ("Ac Kc Qc Jc Tc 9c 8c", "Ac Kc Qc Jc Tc"),
        ("6h 7h 8h 9h Th Ah 2c", "Th 9h 8h 7h 6h"),
        ("6h 7h 8h 9h Tc Ah 2c", "Ah 9h 8h 7h 6h"),
        ("2h 3h 5h 7h 9h Jh Kh", "Kh Jh 9h 7h 5h"),
        ("Ah Kd Qc 9s 9h 8d 7c", "9s 9h Ah Kd Qc"),
        ("Ah Kd Qc 9s 7h 5d 3c", "Ah Kd Qc 9s 7h"),
    ],
)
def test_best_five_are_listed_in_order(seven, best):
    assert five(seven) == best
    assert five(" ".join(reversed(seven.split()))) == best


def test_best_five_is_a_best_five_and_of_equal_cards_takes_the_first():
    dice = random.Random(52)
    for _ in range(3000):
        cards = dice.sample(range(52), 7)
        hand = strength(cards)
        listed = [CODES[name] for name in best_five(cards, hand)]
        makers = [chosen for chosen in combinations(cards, 5) if strength(chosen) == hand]
        assert set(listed) in [set(chosen) for chosen in makers]
        suits_by_rank = max(sorted(((card >> 2, card & 3) for card in chosen), reverse=True) for chosen in makers)
        assert sorted(((card >> 2, card & 3) for card in listed), reverse=True) == suits_by_rank
        assert hands_beside(cards[:5], [None, cards[5:]]) == [None, (sum(1 << card for card in cards), hand)]


def test_five_and_six_cards_are_listed_alike():
    assert five("9c 9d 2h Ks Td") == "9d 9c Ks Td 2h"
    codes = [CODES[name] for name in ["Ah", "2h", "3h", "4h", "5h", "5s"]]
    assert best_five(codes, strength(codes[:5])) == ["5h", "4h", "3h", "2h", "Ah"]
