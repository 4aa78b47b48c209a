"""Engines that draw: from a program on a table to chains, and to the posterior that they show."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Unpack

import numpy as np

from slp.budgets.memory import check_room_for_bit_sets
from slp.budgets.seconds import Deadline
from slp.data.table import Table
from slp.engines.choose import ends_warm_up_early
from slp.engines.mcmc.default_steps import default_steps
from slp.engines.mcmc.edits import (
    CompiledEditMetropolisHastings,
    EditMetropolisHastings,
    edits_are_compiled,
)
from slp.engines.mcmc.memory import room_for_averages
from slp.engines.mcmc.trees import (
    MOST_BOXES,
    CompiledMetropolisHastings,
    CompiledTempering,
    MetropolisHastings,
    Tempering,
    core_takes,
)
from slp.engines.mcmc.trees.forward import ForwardDraws, can_run_forward
from slp.engines.sampling import FORWARD, HOSTED, Sampling, teller, warn_of
from slp.errors import Diagnostic, SlpError, UsageError, warn
from slp.ir.program import Program
from slp.ir.tree_grammar import SplitRule, TreeGrammar
from slp.problem.boxes import Geometry
from slp.results.choice import Choice
from slp.results.edit_posterior import EditPosterior
from slp.results.known import Known
from slp.results.posterior import MapTree
from slp.results.sampled_posterior import ForwardPosterior, Said, SampledPosterior, TreeSampler
from slp.runner import (
    Checkpoint,
    Json,
    NothingDrawnError,
    RunResult,
    Schedule,
    Stop,
    checkpoint_and_seed,
    out_of_time_in_words,
    run,
)
from slp.runner.options import check_count, fresh_seed
from slp.trees.predicates import asked_predicates

__all__ = ["best_drawn", "runs_forward", "sample_posterior"]


def sample_posterior(
    program: Program,
    grammar: TreeGrammar,
    geometry: Geometry,
    *,
    choice: Choice,
    sampling: Sampling,
    draws: int,
    seed: int | None,
    likelihood: bool = True,
    threads: int = 1,
    deadline: Deadline | None = None,
    memory: int | None = None,
    progress: Callable[[int, str], None] | None = None,
    allow_code: bool = False,
) -> SampledPosterior:
    """Run chains of Metropolis-Hastings, and gather what they drew; all until the deadline.

    A run that goes on from a checkpoint takes its seed from there, where none is given.
    `allow_code`: whether goals of the program may call whatever SWI-Prolog has.

    Raises
    ------
    UsageError
        E505, E516, E518: an option; E512, E513, E515: the checkpoint.
    BudgetError
        E501: there is no room for the chains in `memory` bytes, the table's among them.
    SlpError
        E511, E514: the checkpoint; E517: no tree to start from was found.
    """
    check_count("rungs", sampling.rungs, least=1, most=_MOST_RUNGS)
    checkpoint, seed = checkpoint_and_seed(sampling.checkpoint, sampling.resume, seed)
    known_seed = fresh_seed() if seed is None else seed
    Schedule(draws, sampling.chains)  # refuses numbers that are none, before they are used
    table, room = geometry.table, None
    if memory is not None:
        room = _room(program, grammar, table, choice, sampling, threads, memory)

    chains = _Chains(
        program,
        grammar,
        geometry,
        choice,
        sampling,
        draws,
        known_seed,
        threads,
        room,
        progress,
        allow_code,
        deadline.seconds if deadline else None,
    )
    return chains.draw(likelihood, checkpoint, deadline or Deadline())


@dataclass(frozen=True)
class _Chains:
    """What a run is made of: to run it, to run it again for the prior, and to be pickled."""

    program: Program
    grammar: TreeGrammar
    geometry: Geometry
    choice: Choice
    sampling: Sampling
    draws: int
    seed: int
    threads: int
    room: int | None
    progress: Callable[[int, str], None] | None
    allow_code: bool
    seconds: float | None

    def __reduce__(self) -> tuple[Any, ...]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return _Chains, tuple({**values, "progress": None}.values())

    def __call__(self, likelihood: bool) -> SampledPosterior:
        """The prior or the posterior by a new run."""
        return self.draw(likelihood, None, Deadline(self.seconds))

    def sampler(self, likelihood: bool) -> TreeSampler[Any]:
        """The engine."""
        if self._forward(likelihood):
            return forward_draws(self.program, self.grammar, self.geometry)
        make = HOSTED.get(self.choice.engine)
        if make is None:
            program, grammar = self.program, self.grammar
            return _sampler(program, grammar, self.geometry, self.sampling, likelihood)
        allowed = self.allow_code
        return make(
            self.program, self.geometry, self.sampling, likelihood=likelihood, allow_code=allowed
        )

    def _forward(self, likelihood: bool) -> bool:
        return self.choice.engine == FORWARD and not likelihood

    def draw(
        self, likelihood: bool, checkpoint: Checkpoint | None, deadline: Deadline
    ) -> SampledPosterior:
        """Run chains until the deadline."""
        sampler = self.sampler(likelihood)
        draws, threads = self.draws, self.threads
        forward = self._forward(likelihood)
        schedule = (
            Schedule(draws, 1, 0, 1)
            if forward
            else _schedule(sampler, self.grammar, self.sampling, draws)
        )
        kept = min(_seconds_after_chains(draws, self.geometry), deadline.left() / 2)
        said: list[Diagnostic] = []
        try:
            result = run(
                sampler,
                schedule,
                self.seed,
                # Ctrl-C comes to the main thread: so it ends a predicate at once, however slow.
                threads=1 if asked_predicates(self.program.constraints) else threads,
                deadline=deadline.before(kept),
                progress=None if self.progress is None else teller(self.progress),
                checkpoint=checkpoint,
                say=said.append,
                check=sampler.scored,
            )
        except NothingDrawnError as error:
            best = _best_of(sampler, error.records, likelihood, deadline.over)
            of = (self.choice, self.geometry.table, likelihood, sampler.normalised)
            if best is not None or self.choice.log_evidence_bounds is not None:
                error.known = Known(*of, self.choice.log_evidence_bounds, best)
            raise
        choice = self.choice
        if result.warm_up_cut is not None:
            choice = ends_warm_up_early(choice, result.warm_up_cut)
        posterior = _posterior(
            sampler,
            result,
            choice=choice,
            likelihood=likelihood,
            seed=self.seed,
            threads=threads,
            schedule=schedule,
            room=self.room,
            run=self,
            stop=deadline.over,
        )
        if posterior.out_of_time:  # while it drew or, after that, while draws were scored
            said = [found for found in said if found.code != "W541"]
            said.append(out_of_time_in_words(deadline.seconds or 0, posterior.n_scored, draws))
        for finding in said:
            warn(finding)
        if posterior.n_scored:
            warn_of(posterior.diagnostics)
        return posterior


def forward_draws(program: Program, grammar: TreeGrammar, geometry: Geometry) -> ForwardDraws:
    """The sampler of independent draws of the prior."""
    base = CompiledMetropolisHastings(
        grammar, geometry, program.constraints, likelihood=False, most_boxes=1.0
    )
    return ForwardDraws(base)


def runs_forward(program: Program, grammar: TreeGrammar, geometry: Geometry) -> bool:
    """Whether independent draws of the prior can be had, and few are thrown away."""
    can = core_takes(program.constraints) and program.edits is None and can_run_forward(grammar)
    return can and forward_draws(program, grammar, geometry).keeps_enough()


def best_drawn(
    program: Program,
    grammar: TreeGrammar,
    geometry: Geometry,
    likelihood: bool,
    seconds: float,
) -> MapTree | None:
    """The best of some trees drawn in so many seconds, a few at most; None if none was."""
    if not core_takes(program.constraints):
        return None
    sampler = _sampler(program, grammar, geometry, Sampling(), likelihood)
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
    return _best_of(sampler, records, likelihood, until.over)


def _best_of(
    sampler: TreeSampler[Any], records: Sequence[Json], likelihood: bool, stop: Stop
) -> MapTree | None:
    """The best tree of records, as far as they are scored; None if there are none, or their weights
    are not known."""
    found = sampler.scored(records, stop)
    joint = [s.log_weight + likelihood * s.log_likelihood for s in found]
    if not joint or math.isnan(max(joint)):
        return None
    best = int(np.argmax(joint))
    return MapTree(found[best].tree, joint[best], None, certified=False)


def _room(
    program: Program,
    grammar: TreeGrammar,
    table: Table,
    choice: Choice,
    sampling: Sampling,
    threads: int,
    memory: int,
) -> int:
    """What a budget leaves to averages over draws; E501 where it does not hold the chains."""
    hosted = choice.engine in HOSTED
    edits = program.edits is not None
    compiled = edits_are_compiled if edits else core_takes
    if hosted or not compiled(program.constraints):
        check_room_for_bit_sets(table, memory)
    rules = grammar.states[grammar.start].rules
    return room_for_averages(
        table,
        memory,
        chains=sampling.chains,
        rungs=sampling.rungs,
        threads=threads,
        keyed="q_exact" in sampling.proposal
        or any(isinstance(r, SplitRule) and r.measure == "partition" for r in rules),
    )


def _seconds_after_chains(draws: int, geometry: Geometry) -> float:
    """What scoring draws, averages and diagnostics take, about: most of it the statistics of the
    chains, and on large tables the way of every row down every tree."""
    return 1.5 + draws * geometry.table.n_rows * 3e-8


def _sampler(
    program: Program,
    grammar: TreeGrammar,
    geometry: Geometry,
    sampling: Sampling,
    likelihood: bool,
) -> TreeSampler[Any]:
    """For `edittree` its own engine; else the compiled one where it can run, else the plain one."""
    if program.edits is not None:
        if sampling.rungs != 1:
            message = "chains over edits of a given tree are not tempered"
            raise UsageError(Diagnostic("E518", message, help="take 1 rung, and run longer"))
        over_edits = (
            CompiledEditMetropolisHastings
            if edits_are_compiled(program.constraints)
            else EditMetropolisHastings
        )
        return over_edits(
            grammar,
            geometry,
            program.edits,
            program.support,
            program.constraints,
            proposal=sampling.proposal,
            likelihood=likelihood,
        )
    if not core_takes(program.constraints):
        plain = MetropolisHastings(
            grammar,
            geometry,
            program.constraints,
            proposal=sampling.proposal,
            likelihood=likelihood,
        )
        return plain if sampling.rungs == 1 else Tempering(plain, sampling.rungs)
    tempered = sampling.rungs != 1
    core = CompiledMetropolisHastings(
        grammar,
        geometry,
        program.constraints,
        proposal=sampling.proposal,
        likelihood=likelihood,
        most_boxes=MOST_BOXES if tempered else None,  # sums are worked out anew for each power
    )
    return CompiledTempering(core, sampling.rungs) if tempered else core


#: Each rung holds a state, and makes steps of its own.
_MOST_RUNGS = 10_000

#: Seconds at most that go into a look at some trees.
_LOOK = 5.0


def _schedule(
    sampler: TreeSampler[Any], grammar: TreeGrammar, sampling: Sampling, draws: int
) -> Schedule:
    """As the options say, and `default_steps` where they do not."""
    warmup, thin = default_steps(sampler, grammar, sampling)
    return Schedule(
        draws,
        sampling.chains,
        warmup if sampling.warmup is None else sampling.warmup,
        thin if sampling.thin is None else sampling.thin,
    )


def _posterior(
    sampler: TreeSampler[Any], result: RunResult, **said: Unpack[Said]
) -> SampledPosterior:
    if isinstance(sampler, ForwardDraws):
        return ForwardPosterior(sampler, result, **said)
    if isinstance(sampler, EditMetropolisHastings | CompiledEditMetropolisHastings):
        return EditPosterior(sampler, result, **said)
    return SampledPosterior(sampler, result, **said)
