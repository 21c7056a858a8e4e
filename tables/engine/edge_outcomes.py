"""How rounds of Ultimate Texas Hold'em end when they are played as well as can be: counts, from which every edge is worked out. Pure.

Counts are of all 27,813,810,024,000 ways of dealing a hand of two, a flop, a turn and river, and a dealer's two. They hang on the rules that
decisions hang on, and on nothing else: another price that leaves the decisions alone is one more sum over the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

DEALS = comb(52, 2) * comb(50, 3) * comb(47, 2) * comb(45, 2)

Decision = tuple[str, int]
"""The street on which a hand was played or folded, and the multiple of the ante that it played: 0 where it folded."""

Outcomes = Mapping[Decision, Sequence[Sequence[int]]]
"""By decision: for each class of hand, from high card to royal flush, the counts of winning against a dealer who qualifies and one who does
not, of ties, and of losing to one who qualifies and one who does not. A folded hand's are what would have been."""

WIN, WIN_UNQUALIFIED, TIE, LOSE, LOSE_UNQUALIFIED = range(5)


class Ending(NamedTuple):
    """One kind of end: how many `deals` end so, the class of `hand`, one of the five outcomes `end`, the multiple played, 0 if folded."""

    deals: int
    hand: int
    end: int
    times: int


def endings(outcomes: Outcomes) -> Iterator[Ending]:
    """Yield every kind of end that occurs."""
    for (_, times), classes in outcomes.items():
        for hand, counts in enumerate(classes):
            yield from (Ending(count, hand, end, times) for end, count in enumerate(counts) if count)


def mean(outcomes: Outcomes, value: Callable[[Ending], Fraction | int]) -> Fraction:
    """Return the mean of `value` over all deals."""
    return Fraction(sum((ending.deals * value(ending) for ending in endings(outcomes)), Fraction(0))) / DEALS


def net_of_main(ending: Ending, odds: Sequence[Fraction]) -> Fraction:
    """Return what a patron gains on ante, blind and play together, in antes; blind `odds` to one by class of hand."""
    if not ending.times:
        return Fraction(-2)
    won = odds[ending.hand] + ending.times
    return (won + 1, won, Fraction(0), Fraction(-ending.times - 2), Fraction(-ending.times - 1))[ending.end]


BEST_PLAY: Outcomes = {
    ("preflop", 4): (
        (0, 433_149_381_600, 26_054_366_400, 1_117_397_901_600, 102_655_952_400),
        (1_540_402_830_960, 904_600_506_240, 82_006_378_080, 2_001_882_459_120, 0),
        (1_732_499_238_840, 151_807_752_000, 84_729_205_680, 647_085_808_680, 0),
        (398_148_096_080, 67_239_396_000, 9_767_155_840, 96_908_813_280, 0),
        (246_174_692_160, 81_416_649_960, 53_128_701_360, 27_433_869_720, 0),
        (241_047_929_080, 50_874_988_680, 10_554_373_680, 25_201_303_760, 0),
        (295_405_180_920, 0, 18_150_100_320, 15_209_462_760, 0),
        (23_008_208_760, 0, 600_735_720, 417_959_520, 0),
        (1_818_135_760, 229_686_840, 137_472_720, 16_781_480, 0),
        (596_356_920, 90_386_280, 13_780_800, 0, 0),
    ),
    ("flop", 2): (
        (0, 10_540_265_748, 1_409_998_656, 35_388_939_288, 7_978_353_108),
        (397_206_766_824, 816_509_223_576, 50_059_173_348, 1_075_876_859_532, 0),
        (1_303_923_602_376, 253_178_274_756, 78_098_883_024, 628_679_435_124, 0),
        (413_709_285_564, 3_535_705_512, 7_677_866_484, 40_068_444_600, 0),
        (133_100_158_992, 45_053_788_356, 36_910_397_544, 18_762_472_068, 0),
        (152_618_008_784, 38_820_798_396, 5_309_971_676, 24_745_132_904, 0),
        (289_401_836_880, 0, 11_903_415_864, 17_352_129_816, 0),
        (18_537_793_620, 0, 155_174_400, 266_529_900, 0),
        (2_704_129_504, 358_131_456, 77_670_384, 15_277_856, 0),
        (112_333_500, 8_830_620, 9_139_680, 0, 0),
    ),
    ("river", 1): (
        (0, 124_443_379_236, 17_435_446_968, 327_131_604_132, 47_223_220_344),
        (574_281_746_088, 562_334_043_180, 125_678_603_856, 1_629_858_093_396, 0),
        (716_413_685_352, 31_539_562_044, 152_914_483_968, 558_027_869_436, 0),
        (84_337_863_632, 2_262_474_288, 19_445_043_112, 81_795_979_488, 0),
        (395_087_247_768, 136_018_223_484, 66_580_913_496, 45_159_043_092, 0),
        (190_959_227_136, 40_911_000_804, 13_237_846_404, 47_224_606_296, 0),
        (43_297_986_840, 0, 21_740_305_896, 9_614_534_304, 0),
        (859_737_984, 0, 1_149_260_772, 1_319_511_924, 0),
        (1_962_591_576, 269_696_304, 137_336_496, 19_443_624, 0),
        (42_135_660, 6_109_020, 19_887_120, 0, 0),
    ),
    ("river", 0): (
        (0, 198_134_929_416, 71_913_363_576, 1_713_650_701_380, 608_410_430_148),
        (166_740_852_168, 6_503_918_604, 129_832_792_236, 2_124_945_372_792, 0),
        (9_600_544_752, 0, 24_802_879_008, 161_702_634_960, 0),
        (7_415_478_404, 0, 9_583_635_844, 101_475_559_872, 0),
        (0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0),
        (2_907_636, 0, 76_877_748, 351_201_216, 0),
        (0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0),
    ),
}
"""The outcomes under the seed's rules, and wherever the blind odds leave its decisions the best ones: what `edge_solve` counts."""
