"""Proposals by name: `q_uc`, `q_n(20)`, `q_pg(20 optimal)`, `q_uc:0.8,cgm:0.2`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from slp.engines.shared.filter_plan import SETTINGS, plan_of
from slp.errors import Diagnostic, UsageError
from slp.messages import Wording
from slp.messages.chains import (
    IN_SEQUENCE,
    INFINITE_WEIGHTS,
    NO_CHOICE_POINTS,
    NO_PROPOSAL,
    NOT_A_FILTER,
    NOT_A_PROPOSAL,
    NOT_A_WEIGHT,
    PROPOSAL_WITHOUT_NUMBER,
    TOO_MANY_CHOICE_POINTS,
)
from slp.messages.names import nearest

#: The moves from tree to tree.
TREE_MOVES = ("cgm", "wu", "rotate", "perturb", "informed", "twig")
#: Under `q_exact`, the bound on the boxes inside a box that fits.
MOST_BOXES = 2.0**12

_NAMES = ("q_uc", "q_ind", "q_n", "q_seq", "q_exact", "q_pg", *TREE_MOVES)
#: The core counts up to this number, which no tree reaches.
_MOST_POINTS = 2**31 - 1
#: Particles of `q_pg`: with one it never moves.
_FEWEST_PARTICLES, _MOST_PARTICLES = 2, 10_000
_ITEM = re.compile(r"\s*(\w+)\s*(?:\(\s*(\d*)\s*([a-z\s]*)\))?\s*(?::\s*([^\s:,]+))?\s*")


class Named(NamedTuple):
    """A proposal by its name, with the number and the weight given, and the settings of `q_pg`."""

    name: str
    number: int | None
    weight: float
    settings: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """The name with what is in parentheses: outcomes are counted under it."""
        inside = " ".join(([] if self.number is None else [str(self.number)]) + [*self.settings])
        return f"{self.name}({inside})" if inside else self.name


def find_other_than_cuts(
    names: Iterable[Named], no_grammar: Wording, no_move: Wording
) -> Iterator[Diagnostic]:
    """E516 for each proposal that derivations which are sequences do not take: q_exact, q_pg or a
    tree move, with these messages; and q_seq, as every cut cuts the sequence."""
    for named in names:
        if named.name in ("q_exact", "q_pg"):
            yield no_grammar(name=named.name)
        elif named.name == "q_seq":
            yield IN_SEQUENCE()
        elif named.name in TREE_MOVES:
            yield no_move(name=named.name)


def mixture_of_names(text: str, root_fits: Callable[[], bool]) -> list[Named]:
    """The proposals of the mixture that a text names; weights are 1 where none is given.

    `q_exact` stays if no goal on a row's path fits, and never changes the tree above those that
    fit. So unless the root fits, `q_uc` is added with the same weight.

    Raises
    ------
    UsageError
        E516: the text names no proposals.
    """
    out = []
    for named in read_names(text):
        out.append(named)
        if named.name == "q_exact" and not root_fits():
            out.append(Named("q_uc", None, named.weight))
    return out


def read_names(text: str) -> list[Named]:
    """The proposals that a text names.

    Raises
    ------
    UsageError
        E516: it names none, or an unknown one.
    """
    named = [_read(item) for item in str(text).split(",")]
    if not math.isfinite(sum(n.weight for n in named)):
        raise UsageError(INFINITE_WEIGHTS())
    return named


def names_moves(text: str) -> bool:
    """Whether a text names a tree move; raises as `read_names` does."""
    return any(named.name in TREE_MOVES for named in read_names(text))


def lists_splits(text: str) -> bool:
    """Whether a text names a tree move that lists all splits of a node."""
    return any(named.name in ("informed", "twig", "wu") for named in read_names(text))


def most_particles(text: str) -> int:
    """The most particles of a filter of `q_pg` in a text, 0 without one; raises as `read_names`."""
    pg = [named for named in read_names(text) if named.name == "q_pg"]
    return max((plan_of(named.number, named.settings).n for named in pg), default=0)


def _read(item: str) -> Named:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise UsageError(NOT_A_PROPOSAL(text=item.strip()))
    name, count, words, weight = match.groups()
    settings = tuple((words or "").split())
    if name not in _NAMES:
        raise UsageError(NO_PROPOSAL(name=name, nearest=nearest(name, _NAMES)))
    if name == "q_pg":
        n = int(count) if count else None
        return _with_filter(item, Named(name, n, _weight(weight), settings))
    if settings or count == "":
        raise UsageError(NOT_A_PROPOSAL(text=item.strip()))
    if name in ("q_n", "q_seq") and (int(count) == 0 if count else name == "q_n"):
        raise UsageError(NO_CHOICE_POINTS(name=name))
    if count is not None and int(count) > _MOST_POINTS:
        raise UsageError(TOO_MANY_CHOICE_POINTS(text=item.strip(), most=_MOST_POINTS, name=name))
    if name not in ("q_n", "q_seq") and count is not None:
        raise UsageError(PROPOSAL_WITHOUT_NUMBER(name=name))
    return Named(name, None if count is None else int(count), _weight(weight))


def _with_filter(item: str, named: Named) -> Named:
    """`q_pg` with settings that it has."""
    n = 2 if named.number is None else named.number
    able = _FEWEST_PARTICLES <= n <= _MOST_PARTICLES
    of_each = [sum(word in names for word in named.settings) for names in SETTINGS]
    if not able or sum(of_each) < len(named.settings) or max(of_each) > 1:
        names = [" or ".join((", ".join(s[:-1]), s[-1])) for s in SETTINGS]
        raise UsageError(
            NOT_A_FILTER(
                text=item.strip(),
                least=_FEWEST_PARTICLES,
                most=_MOST_PARTICLES,
                proposals=names[0],
                orders=names[1],
                schemes=names[2],
            )
        )
    return named


def _weight(text: str | None) -> float:
    if text is None:
        return 1.0
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        raise UsageError(NOT_A_WEIGHT(text=text))
    return weight
