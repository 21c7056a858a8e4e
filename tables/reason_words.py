"""Reason sheets and hands in the reader's language. The engine writes them in English, and so they are kept; pages say them by this. Pure.

What the engine writes is finite: each of its sentences is a template here, and `tests/tables/test_reason_words.py` fails for a game whose
reasons are not. A reason that no template says, and one that is read in English, stays as it is.
"""

from __future__ import annotations

from casino.money import Notation
from casino.sentences import AMOUNT, Hole, Sentences, told
from casino.words import gettext, gettext_noop, is_english
from tables.bet_words import HANDS, MANY, NUMBERS, known_bet, row_word
from tables.card_words import RANKS
from tables.fault_words import in_money

_RANKS = frozenset(RANKS.values())
_WORDS = r"[A-Za-z]+"


# ---- hands ----


def _rank(word: str) -> str | None:
    return gettext(word.lower()) if word.lower() in _RANKS else None


def _several(word: str) -> str | None:
    return gettext(MANY[word]) if word in MANY else None


def _side(words: str) -> str | None:
    said = [_rank(word) for word in words.split(", ")]
    return ", ".join(filter(None, said)) if None not in said else None


_HANDS = Sentences(
    (
        gettext_noop("Royal flush"),
        gettext_noop("Two pair, %(several)s and %(several2)s"),
        gettext_noop("Full house, %(several)s over %(several2)s"),
        gettext_noop("Three of a kind, %(several)s"),
        gettext_noop("Four of a kind, %(several)s"),
        gettext_noop("Straight, %(rank)s high"),
        gettext_noop("Straight flush, %(rank)s high"),
        gettext_noop("Flush, %(rank)s high"),
        gettext_noop("Flush, %(rank)s high with %(rank2)s and %(rank3)s"),
        gettext_noop("Pair of %(several)s"),
        gettext_noop("Pair of %(several)s with %(side)s"),
        gettext_noop("%(rank)s high"),
        gettext_noop("%(rank)s high with %(rank2)s and %(rank3)s"),
        gettext_noop("%(rank)s high with %(side)s"),
    ),
    {"rank": Hole(_WORDS, _rank), "several": Hole(_WORDS, _several), "side": Hole(r"[a-z, ]+", _side)},
)


def _hand(words: str) -> str | None:
    """Return a hand in the reader's language, however it opens: "Pair of nines", "pair of nines"."""
    return _HANDS.say(words[:1].upper() + words[1:])


def hand_in_words(words: str) -> str:
    """Return a hand that the engine said, "Two pair, aces and nines", in the reader's language."""
    return told(words, _hand) or words


# ---- how a seat met the dealer; where the ball fell ----


def _number(word: str) -> str | None:
    return gettext(NUMBERS[word.lower()]) if word.lower() in NUMBERS else None


_MINE = Sentences((gettext_noop("%(hand)s, %(rank)s against %(rank2)s"), "%(hand)s"), {"hand": Hole(r".+?", _hand), "rank": Hole(_WORDS, _rank)})

_SUBJECTS = Sentences(
    (
        gettext_noop("Folded"),
        gettext_noop("The last hand standing"),
        gettext_noop("The dealer's %(theirs)s does not qualify"),
        gettext_noop("%(mine)s beats the dealer's %(theirs)s, which does not qualify"),
        gettext_noop("%(mine)s beats the dealer's %(theirs)s"),
        gettext_noop("%(mine)s ties the dealer's %(theirs)s"),
        gettext_noop("%(mine)s loses to the dealer's %(theirs)s, which does not qualify"),
        gettext_noop("%(mine)s loses to the dealer's %(theirs)s"),
        gettext_noop("%(pocket)s, red"),
        gettext_noop("%(pocket)s, black"),
        "%(pocket)s",
        "%(theirs)s",
    ),
    {
        "theirs": Hole(r".+?", _hand),
        "mine": Hole(r".+?", lambda words: _MINE.say(words.removesuffix(","))),
        "pocket": Hole(r"[A-Za-z -]+", _number),
    },
)


# ---- what becomes of a wager ----

_BET = Hole(r"[a-z]+(?: [a-z]+)*(?:-\d+)*", known_bet)
_ODDS = Hole(r"\d+:\d+")


def _row(name: str) -> str | None:
    return row_word(name) if name in HANDS else known_bet(name)


_BECAUSE = Sentences(
    (
        gettext_noop("%(row)s is not in the %(bet)s odds"),
        gettext_noop("%(row)s is in the %(bet)s odds but beaten"),
        gettext_noop("a folded hand forfeits its %(bet)s here"),
    ),
    {"row": Hole(r"[a-z ]+?", _row), "bet": _BET},
)
_ROUNDED = Sentences(
    (
        "%(amount)s",
        gettext_noop("%(amount)s, rounded down to %(amount2)s"),
        gettext_noop("%(amount)s, rounded up to %(amount2)s"),
    ),
    {"amount": AMOUNT},
)
_SUMS = Sentences(
    (
        "%(sum)s",
        gettext_noop("%(sum)s, cut to %(amount)s by the cap of %(amount2)s"),
        gettext_noop("%(sum)s, cut to %(amount)s by the seat's cap of %(amount2)s"),
    ),
    {"amount": AMOUNT, "sum": Hole(r".+?", _ROUNDED.say)},
)
_PRICES = Sentences((gettext_noop("even money"), "%(row)s %(odds)s"), {"row": Hole(r"[a-z ]+?", _row), "odds": _ODDS})
_SPOT_PRICES = Sentences(("%(bet)s %(odds)s",), {"bet": Hole(r"[a-z ]+?", known_bet), "odds": _ODDS})
_ENDINGS = (
    gettext_noop("the %(bet)s wager of %(amount)s is returned."),
    gettext_noop("the %(bet)s wager of %(amount)s is lost."),
    gettext_noop("the %(bet)s wager pays %(price)s, %(amount)s × %(odds)s = %(sum)s."),
)
_PARTS = {"bet": _BET, "amount": AMOUNT, "odds": _ODDS, "sum": Hole(r".+", _SUMS.say), "price": Hole(r".+?", _PRICES.say)}
_OF_SPOTS = Sentences(_ENDINGS, _PARTS | {"bet": Hole(r"[a-z]+(?: [a-z]+)*(?:-\d+)+", known_bet), "price": Hole(r".+?", _SPOT_PRICES.say)})
"""Of bets on numbers, where a straight is a bet and no hand."""
_OF_BETS = Sentences(_ENDINGS, _PARTS)


def _ending(text: str) -> str | None:
    return _OF_SPOTS.say(text) or _OF_BETS.say(text)


# ---- pots ----

_SHARES = Sentences(
    (
        gettext_noop("%(amount)s that nobody else met, returned"),
        gettext_noop("%(amount)s that no other hand reaches"),
        gettext_noop("%(amount)s as best of %(count)s hands"),
        gettext_noop("%(amount)s of %(amount2)s as one of %(count)s equal hands"),
        gettext_noop("%(amount)s of %(amount2)s as one of %(count)s equal hands, best of %(count2)s hands"),
        gettext_noop("%(amount)s of %(amount2)s as one of %(count)s equal hands, with %(amount3)s that did not share evenly"),
        gettext_noop(
            "%(amount)s of %(amount2)s as one of %(count)s equal hands, best of %(count2)s hands, with %(amount3)s that did not share evenly"
        ),
    ),
    {"amount": AMOUNT, "count": Hole(r"\d+")},
)


def _shares(text: str) -> str | None:
    said = [_SHARES.say(share) for share in text.split(" + ")]
    return " + ".join(filter(None, said)) if None not in said else None


# ---- whole reasons ----

_REASONS = Sentences(
    (
        gettext_noop("%(subject)s: %(because)s, %(ending)s"),
        gettext_noop("%(subject)s: %(ending)s"),
        gettext_noop("The %(bet)s of %(amount)s goes into the pot of %(amount2)s."),
        gettext_noop("A rake of %(amount)s was taken from the pot of %(amount2)s."),
        "%(subject)s: %(shares)s.",
        "%(subject)s: %(shares)s = %(amount)s.",
        gettext_noop("Nothing is due on it."),
    ),
    {
        "subject": Hole(r"[^:]+", _SUBJECTS.say),
        "because": Hole(r"[^:]+?", _BECAUSE.say),
        "ending": Hole(r"the .+", _ending),
        "shares": Hole(r"[^:=]+?", _shares),
        "bet": _BET,
        "amount": AMOUNT,
    },
)


def known_reason(why: str) -> str | None:
    """Return a reason of the engine, with its minor units or with amounts, in the reader's language; None where no template says it."""
    return told(why, _REASONS.say)


def reason_in_words(why: str, notation: Notation) -> str:
    """Return a reason of the engine as whoever reads now reads it: its amounts in the house's notation, in their language."""
    english = in_money(why, notation)
    return english if is_english() else known_reason(english) or english
