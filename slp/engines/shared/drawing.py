"""Engines whose numbers are averages over draws: from chains or islands to a result."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from slp.budgets.seconds import Deadline
from slp.data.table import Table
from slp.engines.contract import DrawingOptions, Engine, Request
from slp.engines.registry import engine_named
from slp.engines.shared.chain_messages import teller, told_by_cause
from slp.engines.shared.choices import draws_instead, ends_warm_up_early
from slp.engines.shared.core_limits import core_takes
from slp.errors import Diagnostic, SlpError, warn
from slp.problem.problem import Problem
from slp.results.record.choice import DRAWS
from slp.results.record.known import Known
from slp.results.record.parts import Candidate
from slp.results.record.result import Result
from slp.results.record.sampler import DrawnRun, HowDrawn, TreeSampler
from slp.results.trust.convergence import imported_meanwhile
from slp.results.trust.doubts import doubt_of
from slp.results.trust.judgement import FEWEST_DRAWS
from slp.results.trust.tempering import Scan
from slp.runner import (
    Checkpoint,
    Json,
    NothingDrawnError,
    RunResult,
    Schedule,
    SearchStoppedError,
    Stop,
    checkpoint_and_seed,
    out_of_time_in_words,
    run,
)
from slp.runner.options import fresh_seed
from slp.trees import Tree
from slp.trees.predicates import asked_predicates

D = TypeVar("D", bound=DrawingOptions)

#: Whether a result needs no more rounds, and the step of tempered chains, if it is of those.
Enough: TypeAlias = Callable[[Result, Scan | None], bool]

#: The share of the memory left by table and sampler that draws may take; and the measured bytes of
#: a node of a draw.
_SHARE_OF_DRAWS, _BYTES_OF_NODE = 0.5, 1200
#: The most of the time left that is kept for the work after the draws, and the seconds left from
#: which on the import for their statistics is made beside them.
_MOST_AFTER_DRAWS, _IMPORT_BESIDE_SECONDS = 1 / 2, 3.0
#: Trees of which only the best is kept.
_SCORED_AT_ONCE = 100
#: Largest time for drawing some trees, in seconds.
_LOOK = 5.0


class DrawingEngine(Engine[D], Protocol[D]):
    """An engine that says what the loop drives, and for how long."""

    def run(self, problem: Problem, request: Request, options: D) -> Result:
        """See `Engine`, and `draw`."""
        return draw(self, problem, request, options, room=request.memory).result

    def sampler(
        self, problem: Problem, options: Any, likelihood: bool, allow_code: bool
    ) -> TreeSampler[Any]:
        """What the loop drives."""
        ...

    def schedule(
        self, sampler: TreeSampler[Any], problem: Problem, options: Any, draws: int
    ) -> Schedule:
        """The schedule for a number of draws."""
        ...


def draw(
    engine: DrawingEngine[Any],
    problem: Problem,
    request: Request,
    options: DrawingOptions,
    room: int,
    enough: Enough | None = None,
) -> DrawnRun:
    """Run chains or islands of an engine until the deadline, and gather what they drew.

    `room` : bytes that draws and averages over them may take. `enough` : whether what was drawn by
    the end of a round is, so that no other round begins; None makes all of the schedule's. A
    resumed run takes its seed from the checkpoint, if none is given.

    Raises
    ------
    UsageError
        E512, E513, E515: the checkpoint.
    SlpError
        E511, E514: the checkpoint; and what the sampler raises.
    BudgetError
        E540: the time was over before anything was drawn.
    """
    checkpoint, seed = checkpoint_and_seed(options.checkpoint, options.resume, request.seed)
    seed = fresh_seed() if seed is None else seed
    drawing = _Drawing(
        engine.name, problem, replace(request, seed=seed, instead=None), options, room, enough
    )
    return drawing.run(request.likelihood, checkpoint, request.deadline)


def _bytes_of(sampler: TreeSampler[Any], record: Json) -> int:
    return _BYTES_OF_NODE * sampler.n_nodes(record)


@dataclass(frozen=True)
class _Drawing:
    """The arguments of a run: to run it, to run it again for the prior, and to pickle it."""

    engine: str
    problem: Problem
    request: Request
    options: DrawingOptions
    room: int
    enough: Enough | None

    def __reduce__(self) -> tuple[Any, ...]:
        request = replace(
            self.request, progress=None, deadline=Deadline(self.request.deadline.seconds)
        )
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return _Drawing, tuple({**values, "request": request}.values())

    def __call__(self, likelihood: bool) -> Result:
        """The prior or the posterior by a new run."""
        return self.run(likelihood, None, Deadline(self.request.deadline.seconds)).result

    def sampler(self, likelihood: bool) -> TreeSampler[Any]:
        """What the loop drives."""
        engine = cast(DrawingEngine[Any], engine_named(self.engine))
        return engine.sampler(self.problem, self.options, likelihood, self.request.allow_code)

    def elsewhere(self, likelihood: bool) -> tuple[TreeSampler[Any], Callable[[Json], int]]:
        """What a task of a cluster needs to go on with a chain."""
        sampler = self.sampler(likelihood)
        return sampler, partial(_bytes_of, sampler)

    def run(self, likelihood: bool, checkpoint: Checkpoint | None, deadline: Deadline) -> DrawnRun:
        """Run until the deadline."""
        engine, request = cast(DrawingEngine[Any], engine_named(self.engine)), self.request
        sampler = self.sampler(likelihood)
        assert request.seed is not None, "it is known before the run"
        schedule = engine.schedule(sampler, self.problem, self.options, request.draws)
        how = HowDrawn(
            request.choice,
            likelihood,
            request.seed,
            schedule,
            request.threads,
            round(self.room * (1 - _SHARE_OF_DRAWS)),
            self,
            deadline,
        )
        results: dict[int, Result] = {}  # the last one, by its number of rounds

        def enough(found: RunResult) -> bool:
            if self.enough is None:
                return False
            results.clear()
            result = results[found.rounds] = sampler.to_result(sampler, found, how)
            return self.enough(result, sampler.scan)

        said: list[Diagnostic] = []
        try:
            found = self._looped(sampler, how, checkpoint, deadline, said.append, enough)
        except NothingDrawnError as error:
            error.known = self._known(sampler, likelihood, error, how.seed, deadline)
            raise
        if found.warm_up_cut is not None:
            how = replace(how, choice=ends_warm_up_early(request.choice, found.warm_up_cut))
        result = None if found.interrupted or found.warm_up_cut else results.get(found.rounds)
        if result is None:
            result = sampler.to_result(sampler, found, how)
        drawn = DrawnRun(result, found)
        if result.ended().out_of_time:  # during the draws, or during their scoring
            said = said[:-1] if found.out_of_time else said  # which the run says last
            limit = deadline.seconds or 0
            said.append(out_of_time_in_words(limit, drawn.n_draws, request.draws))
        if request.choice.by_clock:
            said.append(draws_instead(request.choice))
        if drawn.n_draws:
            given = {
                field.name: getattr(self.options, field.name) for field in fields(self.options)
            }
            of = (result.diagnostics(), result.schedule, request.draws, given)
            wrong = doubt_of(*of, result.table.n_rows)
            said += [] if wrong is None else [wrong]
        for finding in told_by_cause(said):
            warn(finding)
        return drawn

    def _looped(
        self,
        sampler: TreeSampler[Any],
        how: HowDrawn,
        checkpoint: Checkpoint | None,
        deadline: Deadline,
        say: Callable[[Diagnostic], None],
        enough: Callable[[RunResult], bool],
    ) -> RunResult:
        """What the loop makes of a schedule."""
        request = self.request
        kept = _seconds_after_draws(request.draws, self.problem.table)
        kept = min(kept, deadline.left() * _MOST_AFTER_DRAWS)
        # Ctrl-C arrives in the main thread, so there it ends even a slow predicate at once.
        asked = asked_predicates(self.problem.program.constraints)
        # The import holds Python's lock for moments, so chains are slower beside it, and in a short
        # time make few draws; without a limit it can wait until the chains' buffers are freed.
        later = deadline.seconds is None or deadline.left() < _IMPORT_BESIDE_SECONDS
        few = how.schedule.draws_of(0) < FEWEST_DRAWS
        beside = nullcontext if later or few else imported_meanwhile
        with beside():
            return run(
                sampler,
                how.schedule,
                how.seed,
                threads=1 if asked else request.threads,
                deadline=deadline.before(kept),
                progress=None if request.progress is None else teller(request.progress),
                checkpoint=checkpoint,
                say=say,
                check=sampler.scored,
                room=self.room * _SHARE_OF_DRAWS,
                size_of=partial(_bytes_of, sampler),
                enough=enough,
                elsewhere=partial(self.elsewhere, how.likelihood),
            )

    def _known(
        self,
        sampler: TreeSampler[Any],
        likelihood: bool,
        error: NothingDrawnError,
        seed: int,
        deadline: Deadline,
    ) -> Known:
        """What there is where nothing was drawn: the best tree met, if any; bounds on the
        evidence; table and program."""
        records = error.records
        if error.nothing_begun and not deadline.over():
            records = _first_records(sampler, seed, deadline.over)
        best = best_of(sampler, records, likelihood, deadline.over)
        choice = self.request.choice
        of = (choice, self.problem.table, likelihood, sampler.normalised)
        return Known(*of, choice.log_evidence_bounds, best)


def _first_records(sampler: TreeSampler[Any], seed: int, stop: Stop) -> list[Json]:
    """What a chain would begin at; nothing where there is no time to find it."""
    rng = np.random.default_rng(seed)
    try:
        return [drawn.record for drawn in sampler.draws(sampler.init(rng, stop))]
    except (SearchStoppedError, SlpError):
        return []


def best_of(
    sampler: TreeSampler[Any], records: Sequence[Json], likelihood: bool, stop: Stop
) -> Candidate | None:
    """The best tree of records, as far as they are scored; None if there are none, or their weights
    are not known."""
    best, most = None, -math.inf
    distinct = list({json.dumps(record): record for record in records}.values())
    for at in range(0, len(distinct), _SCORED_AT_ONCE):
        scored = sampler.scored(distinct[at : at + _SCORED_AT_ONCE], stop)
        joints = scored.log_weight + likelihood * scored.log_likelihood
        if np.isnan(joints).any():
            return None
        u = int(joints.argmax())
        if best is None or joints[u] > most:
            best, most = scored.take(np.array([u])).trees[0], float(joints[u])
    return None if best is None else Candidate(best, most, None)


def _seconds_after_draws(draws: int, table: Table) -> float:
    """Approximate seconds for scoring draws, averages and diagnostics. The statistics of the chains
    take most of it, and on large tables the descent of every row in every tree."""
    return 0.5 + draws * (3e-4 + table.n_rows * 3e-8)


def best_drawn(problem: Problem, likelihood: bool, seconds: float) -> Candidate | None:
    """The best of a few trees drawn within a number of seconds; None if none was drawn."""
    if not core_takes(problem.program.constraints, problem.table):
        return None
    engine = cast(DrawingEngine[Any], engine_named(DRAWS))
    sampler = engine.sampler(problem, engine.Options(rungs=1), likelihood, False)
    schedule = Schedule(400, 4, 1000, 100)
    until = Deadline(min(seconds, _LOOK))
    try:
        result = run(
            sampler,
            schedule,
            1,
            threads=4,
            deadline=until.before(until.left() / 2),
            say=lambda _: None,
        )
    except SlpError:  # no tree, or no time
        return None
    records = [record for draws in result.draws for record in draws]
    return best_of(sampler, records, likelihood, until.over)


def trees_of_rules(problem: Problem, most: int, stop: Stop) -> Iterator[Tree]:
    """Independent trees in the support of a program, as chains draw their starts. There are `most`,
    fewer where a draw fails or `stop` says so, and none where the core does not take the program.
    Their probabilities are not those of the prior: draws that fail are made anew."""
    if not core_takes(problem.program.constraints, problem.table):
        return
    engine = cast(DrawingEngine[Any], engine_named(DRAWS))
    sampler = engine.sampler(problem, engine.Options(rungs=1), False, False)
    rng = np.random.default_rng(1)
    for _ in range(most):
        try:
            records = [drawn.record for drawn in sampler.draws(sampler.init(rng, stop))]
        except (SearchStoppedError, SlpError):
            return
        yield from sampler.scored(records, stop).trees
