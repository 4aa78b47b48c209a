"""Orders that words have: low, medium and high, I to IV, and others of that kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

#: Words from the lowest to the highest; those of one place are parted by `/`.
_SCALES = tuple(
    [place.strip().split("/") for place in line.split(",")]
    for line in (
        "very low, low/lo/l, medium/med/mid/middle/moderate/average/normal/m, high/hi/h, very high",
        "lowest, lower, middle/medium, higher, highest",
        "xxs, xs, s/small, m/medium/med/mid, l/large/big, xl, xxl, xxxl",
        "tiny, very small, small, medium/med/mid/middle, large/big, very large, huge",
        "none/no/absent/normal, minimal/trace, very mild, mild/slight/light, moderate/medium, "
        "severe/strong/marked/heavy, very severe/critical/extreme",
        "never, rarely/seldom, occasionally, sometimes, often/frequently, usually, always",
        "never, yearly/annually, quarterly, monthly, weekly, daily, hourly",
        "never, former/past/ex, current",
        "none, few, some, several, many, most, all",
        "very poor/very bad, poor/bad, fair/average/ok/neutral, good, very good, excellent",
        "strongly disagree, disagree/somewhat disagree, neutral/neither/undecided, "
        "agree/somewhat agree, strongly agree",
        "very unlikely, unlikely, neutral/possible, likely, very likely",
        "very dissatisfied, dissatisfied/unsatisfied, neutral, satisfied, very satisfied",
        "not at all, a little/slightly, somewhat/moderately, very/very much, extremely",
        "infant/baby, toddler, child, teen/teenager/adolescent, young/young adult, "
        "adult/middle/middle-aged/middle aged, senior/elderly/old, very old",
        "none/no education, primary/elementary, secondary/high school, some college/college, "
        "bachelor/bachelors/university/tertiary, master/masters/postgraduate, doctorate/phd",
        "junior, mid/intermediate, senior, lead, principal",
        "beginner/novice, elementary, intermediate, advanced, expert",
        "first/1st, second/2nd, third/3rd, fourth/4th, fifth/5th, sixth/6th",
        "zero, one, two, three, four, five, six, seven, eight, nine, ten",
        "early, mid/middle/intermediate, late",
        "cold, cool, mild/lukewarm, warm, hot",
        "bronze, silver, gold, platinum, diamond",
        "basic/economy, standard, premium/business, first",
        "well differentiated/well, moderately differentiated/moderate/moderately, "
        "poorly differentiated/poor/poorly, undifferentiated",
        "benign, borderline, malignant",
        "short, medium/average, long/tall",
        "slow, medium/moderate, fast",
        "light, medium, heavy",
        "weak, medium/moderate, strong",
        "rare, uncommon, common",
        "before, during, after",
    )
)
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
#: Words that stand before numbers in an order; the letters are those of tumours and quartiles.
_COUNTED = frozenset(
    "stage grade level class tier phase degree step rank score quartile quintile decile risk "
    "severity priority nyha asa ecog gold cin birads t n m g q".split()
)
_PARTS = re.compile(r"(?P<before>\D*?)(?P<number>\d+(?:\.\d+)?)(?P<after>\D*)")
_BAND = re.compile(
    r"(?P<sign>[<>≤≥]=?|under|below|over|above|up to)?\s*(?P<low>\d+(?:\.\d+)?)"
    r"(?:\s*(?:-|–|to)\s*\d+(?:\.\d+)?)?\s*(?P<more>\+|and over|or more|plus|and above)?",
    re.I,
)


def order_of(levels: Sequence[str]) -> tuple[str, ...] | None:
    """Three levels or more, as of two no order matters, in the order that their words have; None
    where they have none, or are plain numbers."""
    if len(levels) < 3:
        return None
    readers: tuple[Callable[[Sequence[str]], list[float] | None], ...] = (
        _places_in_scale,
        _roman_numbers,
        _numbers_with_words,
        _bands,
    )
    plain = [re.sub(r"[\s_]+", " ", level.strip().casefold()) for level in levels]
    for read in readers:
        places = read(plain)
        if places is not None and len(set(places)) == len(places):
            ranked = sorted(zip(places, levels, strict=True))
            return tuple(level for _, level in ranked)
    return None


def _places_in_scale(levels: Sequence[str]) -> list[float] | None:
    """Places in the first scale that has all levels, which may be numbered: `1 low`, `2-high`."""
    words = [re.sub(r"^\d+\s*[.:)\- ]\s*(?=\D)", "", level) for level in levels]
    for scale in _SCALES:
        place = {word: float(i) for i, names in enumerate(scale) for word in names}
        if all(word in place for word in words):
            return [place[word] for word in words]
    return None


def _roman_numbers(levels: Sequence[str]) -> list[float] | None:
    """Roman numbers behind the same word, if any, each with a letter perhaps: `stage IIIb`."""
    found = [
        re.fullmatch(r"(?P<word>(?:\S+ )*)(?P<roman>[ivx]+)(?P<part>[abc]?)", k) for k in levels
    ]
    matches = [m for m in found if m is not None and m["roman"] in _ROMAN]
    if len(matches) < len(levels) or len({m["word"] for m in matches}) > 1:
        return None
    return [_ROMAN.index(m["roman"]) + " abc".index(m["part"] or " ") / 10 for m in matches]


def _numbers_with_words(levels: Sequence[str]) -> list[float] | None:
    """Numbers behind the same word: `grade 1`, `T2`."""
    found = [m for m in map(_PARTS.fullmatch, levels) if m is not None]
    if len(found) < len(levels) or len({(m["before"], m["after"]) for m in found}) > 1:
        return None
    if found[0]["before"].strip(" -.:") not in _COUNTED or found[0]["after"].strip():
        return None  # names as `A11`, or plain numbers, of which another message tells
    return [float(m["number"]) for m in found]


def _bands(levels: Sequence[str]) -> list[float] | None:
    """Ranges of numbers: `<20`, `20-29`, `30 to 39`, `40+`."""
    found = [m for m in map(_BAND.fullmatch, levels) if m is not None]
    if len(found) < len(levels) or not any("-" in k or "–" in k or "to" in k for k in levels):
        return None
    below = ("<", "≤", "<=", "under", "below", "up to")
    return [float(m["low"]) - 0.5 * ((m["sign"] or "") in below) for m in found]
