"""Engines by name, and `infer`, which runs one.

Exact engines give a `TreeDistribution`, and their posterior sums over all trees; samplers
(`slp.engines.mcmc.sample`) give draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from slp.budgets.memory import check_room_for_bit_sets, memory_budget, room_beside
from slp.budgets.seconds import Deadline, format_seconds
from slp.data.table import Table
from slp.engines.choose import choose_by_size, choose_engine, choose_for_prior, goes_on_with_draws
from slp.engines.exact import CompiledChart, compiled_is_there
from slp.engines.exact.fitting import Fit, Recompile, Room, changes_that_fit, fits_in_words
from slp.engines.exact.passes import Progress
from slp.engines.sampling import FORWARD, SAMPLERS, Sampling
from slp.errors import BudgetError, Diagnostic, UnsupportedError, warn
from slp.ir.program import Program
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.exact import N_CORES
from slp.problem.boxes import Geometry
from slp.problem.row_labels import tells_label_faults
from slp.results.averages import TreeDistribution
from slp.results.choice import Choice
from slp.results.exact_posterior import ExactPosterior
from slp.results.known import Known
from slp.results.posterior import MapTree, Posterior
from slp.runner.options import MOST_DRAWS, check_count

__all__ = ["ENGINES", "infer"]


@dataclass(frozen=True)
class Limits:
    """What an exact engine may take: bytes, the table among them, time, threads. `what_fits` says
    what would make it fit; `items_wanted` whether more than the evidence will be asked of what the
    first pass finds."""

    memory: int
    deadline: Deadline
    threads: int
    what_fits: Callable[[Room], str] | None
    items_wanted: bool


_MOST_THREADS = 1024

# Shares of the time that exact sums leave: for a sampler that goes on where they do not end; for a
# look at some trees, so that the best of them can be shown; for that, bounds and advice; for
# advice alone.
_KEPT_FOR_DRAWS, _KEPT_FOR_BEST, _KEPT_FOR_WORDS, _KEPT_FOR_ADVICE = 1 / 3, 1 / 10, 1 / 5, 1 / 10

_Engine = Callable[[TreeGrammar, Geometry, bool, Limits, Progress | None], TreeDistribution]


def _exact(
    grammar: TreeGrammar,
    geometry: Geometry,
    likelihood: bool,
    limits: Limits,
    progress: Progress | None,
) -> TreeDistribution:
    if not compiled_is_there():
        return _chart(grammar, geometry, likelihood, limits, progress)
    return CompiledChart.of(
        grammar,
        geometry,
        likelihood,
        limits.memory,
        progress,
        limits.threads,
        deadline=limits.deadline,
        what_fits=limits.what_fits,
        items_wanted=limits.items_wanted,
    )


def _chart(
    grammar: TreeGrammar,
    geometry: Geometry,
    likelihood: bool,
    limits: Limits,
    progress: Progress | None,
) -> TreeDistribution:
    from slp.engines.chart import Chart, build_forest  # the compiled engine runs in its place

    check_room_for_bit_sets(geometry.table, limits.memory)
    watch = _stopping(progress, limits.deadline)
    return Chart(build_forest(grammar, geometry, limits.memory, watch), likelihood)


def _stopping(progress: Progress | None, deadline: Deadline) -> Progress | None:
    """Progress that ends a run when its time is over."""
    if deadline.seconds is None:
        return progress
    seconds = deadline.seconds

    def tell(done: int, phase: str) -> None:
        if deadline.over():
            reached = f"time of {format_seconds(seconds)} {phase}"
            message = f"the engine chart used up its {reached}: {done:,} boxes are done"
            help = "give it more time, or take the compiled kernels"
            raise BudgetError(Diagnostic("E540", message, help=help))
        if progress is not None:
            progress(done, phase)

    return tell


def _enumerate(
    grammar: TreeGrammar,
    geometry: Geometry,
    likelihood: bool,
    limits: Limits,
    progress: Progress | None,
) -> TreeDistribution:
    from slp.engines.enumeration.sums import Enumeration  # as few ask for it

    check_room_for_bit_sets(geometry.table, limits.memory)
    return Enumeration.of(grammar, geometry, likelihood)


#: The exact engines there are. Each gives a `TreeDistribution` or raises `BudgetError`. `chart` is
#: what `exact` computes, plainly, in NumPy; `enumerate` lists every tree.
ENGINES: dict[str, _Engine] = {"exact": _exact, "chart": _chart, "enumerate": _enumerate}


@tells_label_faults
def infer(
    program: Program,
    grammar: TreeGrammar,
    table: Table,
    /,
    *,
    engine: str = "auto",
    seed: int | None = None,
    draws: int = 1000,
    memory: int | str | None = None,
    time: float | str | Deadline | None = None,
    likelihood: bool = True,
    progress: Progress | None = None,
    threads: int | None = None,
    sampling: Sampling | None = None,
    not_exact: Sequence[Diagnostic] = (),
    recompile: Recompile | None = None,
    allow_code: bool = False,
) -> Posterior:
    """The posterior over trees (with `likelihood=False` the prior) of a program on a table.

    Parameters
    ----------
    program, grammar, table : as compiled together; `grammar` is `program` on the table's columns.
    engine : a name in `ENGINES` or `SAMPLERS`, or `"auto"`.
    seed : of the draws; None takes one from the system.
    draws : how many draws `Posterior.draws` holds; by exact engines made when first asked for.
    memory : budget in bytes, or text such as `"4GiB"`; None is half of what is free.
    time : how long it may take, in seconds or text such as `"5m"`; None is without a limit. A
        `Deadline` is of what takes longer than this call, such as a command. An exact engine then
        ends with an error that carries what is known, a sampler with the draws that it has; `auto`
        goes on with a sampler where exact sums did not end in their share of the time.
    progress : called now and then with the number of boxes done and a word about the phase.
    threads : how many to run, of which no more than 1024 are; None is one for each core. No result
        depends on it.
    sampling : chains, proposals and so on, for samplers.
    not_exact : why no exact engine may take the program (E301); empty if one may.
    recompile : lowers the program, changed, for the same table: to say what would fit.
    allow_code : whether goals `prolog(...)` may run, under the engine `prolog`.

    Raises
    ------
    UsageError
        E502 `memory` is no size, E542 `time` no length of time, E505 `draws` or `seed` is no whole
        number from 0 up, `draws` above 10^8 or `threads` below 1, E509 no such engine.
    BudgetError
        E501, E503, E540: the budget is too small for the table or the engine; the message says what
        would fit, and `known` holds what was found (`slp.results.known.Known`).
    UnsupportedError
        E301: an exact engine was asked for, and may not take the program; E304: or cannot list all
        its states.
    SlpError
        E504: no tree satisfies the program on this table; E520: a label that depends on the rows of
        a box is no probability in some box; and what `sample_posterior` raises.
    """
    choice = choose_engine(engine, ENGINES, SAMPLERS, not_exact)
    check_count("draws", draws, most=MOST_DRAWS)
    draws = int(draws)  # the core takes no integers of NumPy
    if seed is not None:
        check_count("seed", seed, most=math.inf)
    threads = N_CORES if threads is None else threads
    check_count("threads", threads, least=1)
    threads = min(threads, _MOST_THREADS)
    deadline = Deadline.of(time)
    budget = memory_budget(memory)
    room = room_beside(table, budget)
    # Another program on the table makes another table.
    may_try = recompile is not None and room > budget // 2

    # Of the time, what exact sums may have.
    goes_on = engine == "auto" and deadline.seconds is not None
    kept = _KEPT_FOR_DRAWS if goes_on else _KEPT_FOR_WORDS
    seconds = (deadline.seconds or math.inf) * (1 - kept)

    def changes(room: Room) -> list[Fit]:
        assert recompile is not None
        room = replace(room, seconds=seconds)
        advice = deadline.before(deadline.left() * (1 - _KEPT_FOR_ADVICE))
        return changes_that_fit(program, table, recompile, room, advice.over)

    fits = changes if may_try else None
    geometry = Geometry(grammar, table)

    def forward() -> bool:
        from slp.engines.mcmc.sample import runs_forward

        return runs_forward(program, grammar, geometry)

    if choice is None:
        choice = choose_by_size(grammar, table, budget, fits if likelihood else None)
        if not likelihood:
            choice = choose_for_prior(choice, table.n_rows, forward, seconds)

    def sample(choice: Choice) -> Posterior:
        from slp.engines.mcmc.sample import sample_posterior  # late: exact engines need none of it

        sampled = sample_posterior(
            program,
            grammar,
            geometry,
            choice=choice,
            sampling=sampling or Sampling(),
            draws=draws,
            seed=seed,
            likelihood=likelihood,
            threads=threads,
            deadline=deadline,
            memory=budget,
            progress=progress,
            allow_code=allow_code,
        )
        found_fault = sampled.n_scored and sampled.diagnostics.warnings  # W530 says so
        if choice.by_clock or not found_fault:
            _say(choice)
        if choice.engine == FORWARD:
            _say_unused(FORWARD, sampling or Sampling())
        return sampled

    if choice.engine in (*SAMPLERS, FORWARD):
        return sample(choice)
    if not_exact:
        raise UnsupportedError(not_exact)
    grammar = grammar.listed()
    what_fits = None if fits is None or goes_on else lambda room: fits_in_words(fits(room), table)
    own = deadline.before(deadline.left() * kept)
    limits = Limits(budget, own, threads, what_fits, draws > 0)

    def drawn(bounds: tuple[float, float] | None) -> Posterior:
        way = FORWARD if not likelihood and forward() else "mh"
        with deadline.working():
            return sample(goes_on_with_draws(choice, way, deadline, bounds))

    best_tree = partial(_best_drawn, program, grammar, geometry, likelihood, deadline)
    try:
        distribution = ENGINES[choice.engine](grammar, geometry, likelihood, limits, progress)
        posterior = ExactPosterior(
            distribution,
            grammar,
            geometry,
            choice=choice,
            draws=draws,
            seed=seed,
            best_tree=best_tree,
            drawn=drawn if goes_on else None,
            run=_Sums(choice.engine, table, limits, progress),
        )
    except BudgetError as error:
        bounds = error.log_evidence_bounds
        try:
            if goes_on and error.diagnostics[0].code == "E540":
                return drawn(bounds)
        except BudgetError as nothing_drawn:
            error = nothing_drawn
        normalised = grammar.normalised and grammar.max_leaves is None
        if error.known is None:
            error.known = Known(choice, table, likelihood, normalised, bounds, best_tree())
        raise error from None
    own.keep(deadline.left() * _KEPT_FOR_WORDS)
    if not goes_on:
        _say_unused(choice.engine, sampling or Sampling())
    return posterior


@dataclass(frozen=True)
class _Sums:
    """Sums of an exact engine over another grammar on the same table."""

    engine: str
    table: Table
    limits: Limits
    progress: Progress | None

    def __call__(self, grammar: TreeGrammar, likelihood: bool) -> TreeDistribution:
        geometry = Geometry(grammar, self.table)
        return ENGINES[self.engine](grammar, geometry, likelihood, self.limits, self.progress)

    def __reduce__(self) -> tuple[Any, ...]:
        """To be pickled or copied: without a deadline."""
        limits = replace(self.limits, deadline=Deadline(), what_fits=None)
        return _Sums, (self.engine, self.table, limits, None)


def _best_drawn(
    program: Program,
    grammar: TreeGrammar,
    geometry: Geometry,
    likelihood: bool,
    deadline: Deadline,
) -> MapTree | None:
    """The best of some trees drawn in the share of the time that is kept for them; None if there is
    no time left."""
    share = (deadline.seconds or math.inf) * _KEPT_FOR_BEST
    seconds = min(share, deadline.left())
    if seconds <= 0:
        return None
    from slp.engines.mcmc.sample import best_drawn  # late: exact engines need none of it

    return best_drawn(program, grammar, geometry, likelihood, seconds)


def _say_unused(engine: str, sampling: Sampling) -> None:
    """That options were given which the engine does not use (W542)."""
    given = [f.name for f in fields(Sampling) if getattr(sampling, f.name) != f.default]
    if given:
        names = " and ".join([", ".join(given[:-1]), given[-1]] if given[1:] else given)
        message = f"the engine {engine} does not use {names}: only samplers do"
        finding = Diagnostic("W542", message, help="take the engine mh, or leave them out")
        warn(replace(finding, severity="warning"))


def _say(choice: Choice) -> None:
    """That the answer will be an estimate, where the program alone would let it be exact (W540)."""
    if choice.too_large or choice.by_clock:
        more = "more time" if choice.by_clock else "a larger memory"
        help = f"{more}, or a change of the program, lets `auto` take exact"
        message = f"`auto` draws with {choice.engine}: {choice.reason}"
        finding = Diagnostic("W540", message, help=help, severity="warning")
        warn(finding)
