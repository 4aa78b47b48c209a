"""Passes of the compiled engine over all items, run on demand within a budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from math import ceil, inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.budgets.memory import format_bytes
from slp.budgets.seconds import Deadline, format_seconds
from slp.data.memory import table_bytes
from slp.data.table import Table
from slp.engines.contract import Progress
from slp.engines.shared.fitting import Room
from slp.engines.shared.size import ROUGH, size_of
from slp.errors import BudgetError, TimeOverError
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.compiled import N_CORES, compiled_core
from slp.messages.inference import EXACT_OUT_OF_MEMORY, EXACT_OUT_OF_TIME
from slp.problem.core import core_problem
from slp.results.record.evidence import bounds_in_words
from slp.results.record.size import Size

if TYPE_CHECKING:
    from slp._core import ExactEngine, ExactPass

Bounds: TypeAlias = tuple[float, float]
_Poll: TypeAlias = Callable[[int, int, int], bool]
PassQuantity: TypeAlias = Literal["total", "best", "count", "leaf_number", "tree_depth"]
#: What a pass keeps of its values: the root's, what descents need, or every item's.
Keep: TypeAlias = Literal["root", "blocks", "items"]

# The order of the core's enumerations.
_QUANTITIES: tuple[PassQuantity, ...] = (
    "total",
    "best",
    "count",
    "leaf_number",
    "tree_depth",
)
_KEEP: tuple[Keep, ...] = ("root", "blocks", "items")
_NUMBERS = _QUANTITIES[:3]
_DONE, _STOPPED, _OUT_OF_BUDGET, _OUT_OF_RANGE = range(4)

_WORDS: dict[PassQuantity, str] = {
    "total": "summing over all trees",
    "best": "finding the best tree",
    "count": "counting trees",
    "leaf_number": "counting leaves",
    "tree_depth": "measuring depth",
}
_WITHOUT = "following the features"
# A second or so (`native/core/exact/bounds.hpp`); and less where that is more than this share of a
# limit of time.
_WORK_ON_BOUNDS, _SHARE_OF_BOUNDS = 5e7, 0.04
# The pass for bounds on the normaliser takes this part of the memory, where the sums are vast.
_PART_OF_VAST = 16

# From which second, and between which fractions of the work done, the time left is estimated.
_FIRST_GUESS, _LAST_GUESS = 1.0, 0.99

_WHAT_WOULD_FIT = "fewer cuts, shallower trees or larger leaves make it smaller"


class Passes:
    """All passes over one grammar on one table, within `memory` bytes (the table included) and the
    `deadline`. If a pass does not fit, `what_fits` finds changes that would. `engine` is the core's
    (`Problem.core`); it is made here where it is not given."""

    def __init__(
        self,
        grammar: TreeGrammar,
        table: Table,
        memory: int,
        progress: Progress | None = None,
        threads: int = N_CORES,
        deadline: Deadline | None = None,
        what_fits: Callable[[Room], str] | None = None,
        engine: ExactEngine | None = None,
    ) -> None:
        if engine is None:
            core = compiled_core()
            assert core is not None
            engine = core.ExactEngine(core_problem(core, grammar, table))
        self.engine: ExactEngine = engine
        self._memory, self._progress, self._threads = memory, progress, threads
        self._room = max(0, memory - table_bytes(table))
        self._deadline, self._what_fits = deadline or Deadline(), what_fits
        self._leaf = table.leaf
        self._statistics = table.statistics
        self._n_items = 0  # once they are known
        self._normalised = grammar.normalised and grammar.max_leaves is None
        many = len(grammar.all_states()) > 1 or grammar.max_leaves is not None
        self._kept: dict[tuple[PassQuantity, bool], tuple[int, ExactPass]] = {}
        self._totals: dict[bool, float] = {}  # by likelihood, as far as they are known
        self._wide: set[bool] = set()  # by likelihood, the totals that leave the range of doubles
        self._made_of = (grammar, table, memory, None, threads)
        #: Whether a pass finds all quantities at once (`native/core/exact/level_sums.hpp`).
        self.by_levels = engine.looks() is not None
        self._unit = "pairs of box and state" if many and not self.by_levels else "boxes"

    def of_table(self, table: Table) -> Passes:
        """Passes over the grammar on another table, within what these leave, and in their time."""
        grammar, own, memory, _, threads = self._made_of
        left = memory - self._kept_bytes() - table_bytes(own)
        return Passes(grammar, table, left, self._progress, threads, self._deadline)

    def __reduce__(self) -> tuple[type[Passes], tuple[Any, ...]]:
        """For pickling and copying: the copy computes its passes again, without a deadline."""
        return Passes, self._made_of

    def get(self, quantity: PassQuantity, likelihood: bool, keep: Keep) -> ExactPass:
        """The pass that computes a quantity with or without likelihood, with what it should `keep`
        at least; run once, and kept as long as there is room for it beside others.

        Raises
        ------
        BudgetError
            It would need more memory (E501) or time (E540) than there is for it.
        """
        if self.by_levels and quantity != "total":
            if quantity == "count":  # which does not depend on likelihood
                likelihood = likelihood if ("total", likelihood) in self._kept else True
            return self.get("total", likelihood, "root").other(_QUANTITIES.index(quantity))
        key, least = (quantity, likelihood), _KEEP.index(keep)
        kept = self._kept.get(key)
        if kept is not None and (self.by_levels or kept[0] >= least):
            return kept[1]
        del kept  # its memory is needed
        self._kept.pop(key, None)
        found = self._run(quantity, likelihood, 0, keep)
        self._kept[key] = least, found
        if quantity == "total":
            self._totals[likelihood] = self._log_root(found)
        return found

    def used(self, likelihood: bool) -> NDArray[np.float64]:
        """For each feature the probability that some split is on it, shape (d,), where `by_levels`
        holds."""
        return np.asarray(self.get("total", likelihood, "root").used())

    def total_without(self, feature: int, likelihood: bool) -> float:
        """Log of the weight of all trees without a split on a feature; all weights stay as they
        are."""
        return self._log_root(self._run("total", likelihood, 0, "root", feature))

    def _log_root(self, done: ExactPass) -> float:
        return float(np.logaddexp.reduce(self.engine.root_values(done)))

    def left(self) -> int:
        """Bytes that the table and the passes kept leave."""
        return max(0, self._room - self._kept_bytes())

    def hold(self, words: str, size: int, needed: tuple[PassQuantity, bool]) -> None:
        """Reserve `size` bytes for the present work, which needs one of the passes kept. Other
        passes are dropped if their memory is needed.

        Raises
        ------
        BudgetError
            There is not enough memory (E501), or the time is over (E540).
        """
        if size > self.left():
            quantity, likelihood = needed
            held = ("total", likelihood) if self.by_levels else (quantity, likelihood)
            self._kept = {key: kept for key, kept in self._kept.items() if key == held}
        if size > self.left():
            raise self._used_up(_OUT_OF_BUDGET, words)
        if self._deadline.over():
            raise self._used_up(_STOPPED, words)

    def working(self) -> AbstractContextManager[None]:
        """Around work outside the passes, which counts for the same time."""
        return self._deadline.working()

    def vector(
        self, quantity: PassQuantity, likelihood: bool, length: int = 0
    ) -> NDArray[np.float64]:
        """The root's vector of a quantity; other values of the pass are dropped."""
        if self.by_levels:
            return np.asarray(self.engine.root_vector(self.get(quantity, likelihood, "root")))
        return np.asarray(self.engine.root_vector(self._run(quantity, likelihood, length, "root")))

    def descend(
        self,
        words: str,
        likelihood: bool,
        descent: Callable[[ExactPass, int, int, _Poll | None], tuple[Any, ...]],
        keep: Keep = "blocks",
    ) -> tuple[Any, ...]:
        """The results of a descent of the core from the totals, which `keep` what it needs, without
        the status.

        `descent` takes the pass of totals, bytes, threads and a function to call regularly.

        Raises
        ------
        BudgetError
            It would need more memory (E501) or time (E540) than the passes leave.
        """
        total = self.get("total", likelihood, keep)
        if self._deadline.over():
            raise self._used_up(_STOPPED, words)
        status, *found = self._descend(words, total, descent)
        key: tuple[PassQuantity, bool] = ("total", likelihood)
        if status == _OUT_OF_BUDGET and len(self._kept) > 1:
            self._kept = {key: self._kept[key]}
            status, *found = self._descend(words, total, descent)
        spare = keep == "blocks" and total.by_interval_blocks() and self._keeps_items(key)
        if status == _OUT_OF_BUDGET and spare:
            del total  # items take more memory than blocks
            self._kept.clear()
            total = self.get("total", likelihood, "blocks")
            status, *found = self._descend(words, total, descent)
        if status != _DONE:
            raise self._used_up(status, words)
        return tuple(found)

    def _keeps_items(self, key: tuple[PassQuantity, bool]) -> bool:
        return self._kept[key][0] == _KEEP.index("items")

    def _descend(
        self, words: str, total: ExactPass, descent: Callable[..., tuple[Any, ...]]
    ) -> tuple[Any, ...]:
        with self._deadline.working():
            return descent(total, self.left(), self._threads, self._poll(words, time.monotonic()))

    def _used_up(self, status: int, words: str) -> BudgetError:
        help = "ask for less at a time (new rows, draws), take --engine mh, or give it more time"
        if status == _OUT_OF_BUDGET:
            if kept := self._kept_bytes():
                words += f"; {format_bytes(kept)} hold what was computed before"
            help = self._help(status, 1)
        return self._budget_error(status, words, None, help)

    def _run(
        self, quantity: PassQuantity, likelihood: bool, length: int, keep: Keep, excluded: int = -1
    ) -> ExactPass:
        if quantity != "total" and self._deadline.over():  # an unfinished total has bounds
            raise self._used_up(_STOPPED, _words_of(quantity, excluded))
        done, status = self._try(quantity, likelihood, length, keep, excluded)
        if status == _OUT_OF_BUDGET and self._kept:
            del done
            self._kept.clear()  # found again should they be asked for
            done, status = self._try(quantity, likelihood, length, keep, excluded)
        have = int(done.statistics()["items"])
        if status == _DONE:
            if quantity == "total" and excluded < 0:
                self._n_items = have
            return done
        whole = quantity == "total" and excluded < 0
        count = self._count_in_words(have, done.by_interval_blocks(), excluded >= 0)
        interval = self._interval_of(done) if whole else None
        del done  # its memory is needed for the normaliser
        doing = f"{_words_of(quantity, excluded)}: {count}"
        bounds = self._bounds_on_evidence(whole, likelihood, interval)
        if bounds is not None:
            doing += f"; {bounds_in_words(bounds)}"
        help = self._help(status, 1 if quantity in _NUMBERS else 2 + length)
        raise self._budget_error(status, doing, bounds, help)

    def _try(
        self,
        quantity: PassQuantity,
        likelihood: bool,
        length: int,
        keep: Keep,
        excluded: int = -1,
        share: int = 1,
    ) -> tuple[ExactPass, int]:
        """A pass and its status: with doubles first, then with wider exponents if these leave their
        range. It may take one part in `share` of the memory that is left."""
        left, words = self.left() // share, _words_of(quantity, excluded)
        of = (_QUANTITIES.index(quantity), likelihood)
        # Without a feature values are not tried for being too small: those of all trees were.
        known_wide = excluded >= 0 and likelihood in self._wide
        for scaled in (True,) if known_wide else (False, True):
            done = self.engine.make_pass(
                *of, scaled, length, _KEEP.index(keep), left, self._threads, excluded
            )
            by_interval_blocks: bool | None = (
                not self.by_levels and not scaled and self.engine.values_per_box() > 0
            )
            if quantity not in _NUMBERS:
                by_interval_blocks = False
            if excluded >= 0:  # there are fewer boxes
                by_interval_blocks = None
            with self._deadline.working():
                status = done.run(self._poll(words, time.monotonic(), by_interval_blocks))
            if self._progress is not None:
                self._progress(done.statistics()["items"], f"{words}, done")
            overflows = excluded >= 0 and status == _DONE and not self._log_root(done) < math.inf
            if status != _OUT_OF_RANGE and not overflows:
                break
            if quantity == "total" and excluded < 0:
                self._wide.add(likelihood)
        return done, status

    def _poll(
        self, words: str, started: float, by_interval_blocks: bool | None = None
    ) -> _Poll | None:
        """The function that the core calls regularly; False stops it. `by_interval_blocks` says
        what a pass counts; None if the amount of work is not known."""
        report, deadline = self._progress, self._deadline
        if report is None and deadline.seconds is None:
            return None

        def poll(items: int, edges: int, size: int) -> bool:
            if report is not None:
                kept = format_bytes(size + self._kept_bytes())
                known = edges and by_interval_blocks is not None
                left = self._left(items, started, bool(by_interval_blocks)) if known else ""
                report(items, f"{words}, {kept}{left}")
            return not deadline.over()

        return poll

    def _left(self, items: int, started: float, by_interval_blocks: bool) -> str:
        """A phrase with the approximate share of the items done and, after the beginning, the time
        left."""
        expected = self._size.boxes if by_interval_blocks else self._size.items
        if self._size.at_least:
            return f", of more than {expected:.1e}"
        passed, share = time.monotonic() - started, items / max(1.0, expected)
        if passed < _FIRST_GUESS or items == 0 or share > _LAST_GUESS:
            return f", {min(share, _LAST_GUESS):.0%}"
        return f", {share:.0%}, {format_seconds(ceil(passed * (1 / share - 1)))} left"

    @cached_property
    def _size(self) -> Size:
        grammar, table, *_ = self._made_of
        rough = (ROUGH,) if self._deadline.over() else ()
        return size_of(self.engine, grammar, table, *rough)

    def _kept_bytes(self) -> int:
        return sum(kept.statistics()["bytes"] for _, kept in self._kept.values())

    # --- when a budget is reached --------------------------------------------------------------

    def _bounds_on_evidence(
        self, whole: bool, likelihood: bool, interval: Bounds | None
    ) -> Bounds | None:
        """Bounds on the log evidence after a stopped pass; `whole`: over all trees, whose total
        lies in `interval`."""
        if whole and likelihood:
            joint = interval
        else:
            joint = self._kept_total(likelihood=True)
        if joint is None:
            return None
        if self._normalised:
            return joint
        if whole and not likelihood:
            normaliser = interval
        else:
            normaliser = self._kept_total(likelihood=False)
        if normaliser is None:
            share = _PART_OF_VAST if self._size.vast else 1
            done, _ = self._try("total", False, 0, "items", share=share)
            normaliser = self._interval_of(done)
        assert normaliser is not None
        return joint[0] - normaliser[1], min(joint[1] - normaliser[0], self._log_purest)

    @property
    def _log_purest(self) -> float:
        """Log likelihood of the partition of all rows by class. It is an upper bound on that of
        every tree, and so on the log evidence. inf for other leaf models."""
        if not self._leaf.classes:
            return inf
        return float(self._leaf.log_marginal(np.diag(self._statistics.sum(axis=0))).sum())

    def _interval_of(self, done: ExactPass) -> Bounds | None:
        """Bounds on the log of the root's total from a pass over totals, finished or not; None
        where there are none."""
        if done.likelihood() and not self._leaf.classes:
            return None
        share = min(1.0, (self._deadline.seconds or inf) * _SHARE_OF_BOUNDS)
        low, high = self.engine.bounds(done, _WORK_ON_BOUNDS * share)
        return float(low), float(high)

    def _kept_total(self, likelihood: bool) -> Bounds | None:
        total = self._totals.get(likelihood)
        return None if total is None else (total, total)

    def _count_in_words(self, have: int, by_interval_blocks: bool, without: bool) -> str:
        """How far a stopped pass came; `without` some feature."""
        unit = "boxes" if by_interval_blocks else self._unit
        if without and self._n_items:
            return f"all {self._n_items:,} {unit} were summed, how features are used is missing"
        estimated = self._size.boxes if by_interval_blocks else self._size.items
        if have >= estimated and not self._size.at_least:
            return f"{have:,} {unit} are done, more than were estimated"
        size = self._size.in_boxes if self._size.vast else self._size
        return f"{have:,} {unit} are done of {size} (estimate)"

    def _help(self, status: int, words: int) -> str:
        """What would make it fit."""
        words += 3 * len(self._kept)  # which are there beside it
        room = Room(self._room, inf, words)
        what = _WHAT_WOULD_FIT if self._what_fits is None else self._what_fits(room)
        if status == _OUT_OF_BUDGET:
            return f"give it more memory; {what}"
        size, takes = self._size, ""
        if not (size.vast or size.at_least):
            takes = f": a whole summary takes {size.in_seconds} (estimate)"
        return f"give it more time{takes}; {what}"

    def _budget_error(
        self, status: int, doing: str, bounds: Bounds | None, help: str
    ) -> BudgetError:
        """For the budget that ended something."""
        if status == _OUT_OF_BUDGET:
            memory = format_bytes(self._memory)
            return BudgetError(EXACT_OUT_OF_MEMORY(memory=memory, doing=doing, help=help), bounds)
        time = format_seconds(self._deadline.seconds or 0)
        return TimeOverError(EXACT_OUT_OF_TIME(time=time, doing=doing, help=help), bounds)


def _words_of(quantity: PassQuantity, excluded: int) -> str:
    return _WORDS[quantity] if excluded < 0 else _WITHOUT
