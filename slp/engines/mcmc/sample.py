"""Engines that draw: from a program on a table to chains, and to the posterior that they show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, cast

import numpy as np

from slp.budgets.memory import check_room_for_bit_sets
from slp.budgets.seconds import Deadline
from slp.engines.choose import ends_warm_up_early
from slp.engines.contract import Request
from slp.engines.mcmc.default_steps import default_steps
from slp.engines.mcmc.edits import (
    CompiledEditMetropolisHastings,
    EditMetropolisHastings,
    edits_are_compiled,
)
from slp.engines.mcmc.engine import MakeSampler
from slp.engines.mcmc.memory import room_for_averages
from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.mcmc.telling import teller, warn_of
from slp.engines.mcmc.trees import (
    MOST_BOXES,
    CompiledMetropolisHastings,
    CompiledTempering,
    MetropolisHastings,
    Tempering,
    core_takes,
)
from slp.engines.mcmc.trees.forward import ForwardDraws, can_run_forward
from slp.engines.registry import engine_named
from slp.errors import Diagnostic, SlpError, UsageError, warn
from slp.ir.program import Program
from slp.ir.tree_grammar import SplitRule, TreeGrammar
from slp.messages.inference import NO_RUNGS_OVER_EDITS
from slp.problem.boxes import Geometry
from slp.problem.problem import Problem
from slp.results.known import Known
from slp.results.posterior import MapTree
from slp.results.sampled_posterior import SampledPosterior, TreeSampler
from slp.runner import (
    Checkpoint,
    Json,
    NothingDrawnError,
    Schedule,
    Stop,
    checkpoint_and_seed,
    out_of_time_in_words,
    run,
)
from slp.runner.options import check_count, fresh_seed
from slp.trees.predicates import asked_predicates

__all__ = ["best_drawn", "forward_draws", "runs_forward", "sample_posterior", "tree_sampler"]


class ChainEngine(Protocol):
    """What is asked of an engine whose chains are run here: see `slp.engines.mcmc.engine`."""

    @property
    def name(self) -> str:
        """Its name in the registry."""
        ...

    @property
    def in_core(self) -> bool:
        """Whether its chains run in the compiled core wherever predicates and edits let them."""
        ...

    @property
    def sampler(self) -> MakeSampler:
        """Makes what the chains run."""
        ...


def sample_posterior(
    engine: ChainEngine, problem: Problem, request: Request, options: TreeChainOptions
) -> SampledPosterior:
    """Run chains of an engine, and gather what they drew; all until the deadline.

    A run that goes on from a checkpoint takes its seed from there, where none is given.

    Raises
    ------
    UsageError
        E505, E516, E518: an option; E512, E513, E515: the checkpoint.
    BudgetError
        E501: there is no room for the chains in the memory, the table's among them.
    SlpError
        E511, E514: the checkpoint; E517: no tree to start from was found.
    """
    check_count("rungs", options.rungs, least=1, most=_MOST_RUNGS)
    checkpoint, seed = checkpoint_and_seed(options.checkpoint, options.resume, request.seed)
    known_seed = fresh_seed() if seed is None else seed
    Schedule(request.draws, options.chains)  # refuses numbers that are none, before they are used
    chains = _Chains(
        engine.name,
        problem.program,
        problem.grammar,
        problem.boxes,
        replace(request, seed=known_seed, instead=None),
        options,
        _room(engine, problem, request, options),
    )
    return chains.draw(request.likelihood, checkpoint, request.deadline)


@dataclass(frozen=True)
class _Chains:
    """What a run is made of: to run it, to run it again for the prior, and to be pickled."""

    engine: str
    program: Program
    grammar: TreeGrammar
    boxes: Geometry
    request: Request
    options: TreeChainOptions
    room: int

    def __reduce__(self) -> tuple[Any, ...]:
        request = replace(
            self.request, progress=None, deadline=Deadline(self.request.deadline.seconds)
        )
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return _Chains, tuple({**values, "request": request}.values())

    def __call__(self, likelihood: bool) -> SampledPosterior:
        """The prior or the posterior by a new run."""
        return self.draw(likelihood, None, Deadline(self.request.deadline.seconds))

    def sampler(self, likelihood: bool) -> TreeSampler[Any]:
        """What the chains run."""
        engine = cast(ChainEngine, engine_named(self.engine))
        return engine.sampler(
            self.program,
            self.grammar,
            self.boxes,
            self.options,
            likelihood,
            self.request.allow_code,
        )

    def draw(
        self, likelihood: bool, checkpoint: Checkpoint | None, deadline: Deadline
    ) -> SampledPosterior:
        """Run chains until the deadline."""
        sampler, request = self.sampler(likelihood), self.request
        draws, threads, seed = request.draws, request.threads, request.seed
        assert seed is not None, "it is known before the run"
        schedule = _schedule(sampler, self.grammar, self.options, draws)
        kept = min(_seconds_after_chains(draws, self.boxes), deadline.left() / 2)
        said: list[Diagnostic] = []
        try:
            result = run(
                sampler,
                schedule,
                seed,
                # Ctrl-C comes to the main thread: so it ends a predicate at once, however slow.
                threads=1 if asked_predicates(self.program.constraints) else threads,
                deadline=deadline.before(kept),
                progress=None if request.progress is None else teller(request.progress),
                checkpoint=checkpoint,
                say=said.append,
                check=sampler.scored,
                room=self.room * _SHARE_OF_DRAWS,
                size_of=lambda record: _BYTES_OF_NODE * sampler.n_nodes(record),
            )
        except NothingDrawnError as error:
            best = _best_of(sampler, error.records, likelihood, deadline.over)
            of = (request.choice, self.boxes.table, likelihood, sampler.normalised)
            bounds = request.choice.log_evidence_bounds
            if best is not None or bounds is not None:
                error.known = Known(*of, bounds, best)
            raise
        choice = request.choice
        if result.warm_up_cut is not None:
            choice = ends_warm_up_early(choice, result.warm_up_cut)
        posterior = sampler.posterior_type(
            sampler,
            result,
            choice=choice,
            likelihood=likelihood,
            seed=seed,
            threads=threads,
            schedule=schedule,
            room=round(self.room * (1 - _SHARE_OF_DRAWS)),
            run=self,
            stop=deadline.over,
        )
        if posterior.out_of_time:  # while it drew or, after that, while draws were scored
            said = said[:-1] if result.out_of_time else said  # which the run says last
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


def runs_forward(problem: Problem) -> bool:
    """Whether independent draws of the prior can be had, and few are thrown away."""
    program, grammar = problem.program, problem.grammar
    can = core_takes(program.constraints) and program.edits is None and can_run_forward(grammar)
    return can and forward_draws(program, grammar, problem.boxes).keeps_enough()


def best_drawn(problem: Problem, likelihood: bool, seconds: float) -> MapTree | None:
    """The best of some trees drawn in so many seconds, a few at most; None if none was."""
    program, grammar = problem.program, problem.grammar
    if not core_takes(program.constraints):
        return None
    sampler = tree_sampler(program, grammar, problem.boxes, TreeChainOptions(), likelihood)
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
    engine: ChainEngine, problem: Problem, request: Request, options: TreeChainOptions
) -> int:
    """What a budget leaves to averages over draws; E501 where it does not hold the chains."""
    program, table, memory = problem.program, problem.table, request.memory
    compiled = core_takes if program.edits is None else edits_are_compiled
    if not engine.in_core or not compiled(program.constraints):
        check_room_for_bit_sets(table, memory)
    grammar = problem.grammar
    rules = grammar.states[grammar.start].rules
    return room_for_averages(
        table,
        memory,
        chains=options.chains,
        rungs=options.rungs,
        threads=request.threads,
        keyed="q_exact" in options.proposal
        or any(isinstance(r, SplitRule) and r.measure == "partition" for r in rules),
    )


def _seconds_after_chains(draws: int, geometry: Geometry) -> float:
    """What scoring draws, averages and diagnostics take, about: most of it the statistics of the
    chains, and on large tables the way of every row down every tree."""
    return 1.5 + draws * geometry.table.n_rows * 3e-8


def tree_sampler(
    program: Program,
    grammar: TreeGrammar,
    geometry: Geometry,
    options: TreeChainOptions,
    likelihood: bool,
) -> TreeSampler[Any]:
    """For `edittree` its own engine; else the compiled one where it can run, else the plain one."""
    if program.edits is not None:
        if options.rungs != 1:
            raise UsageError(NO_RUNGS_OVER_EDITS())
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
            proposal=options.proposal,
            likelihood=likelihood,
        )
    if not core_takes(program.constraints):
        plain = MetropolisHastings(
            grammar,
            geometry,
            program.constraints,
            proposal=options.proposal,
            likelihood=likelihood,
        )
        return plain if options.rungs == 1 else Tempering(plain, options.rungs)
    tempered = options.rungs != 1
    core = CompiledMetropolisHastings(
        grammar,
        geometry,
        program.constraints,
        proposal=options.proposal,
        likelihood=likelihood,
        most_boxes=MOST_BOXES if tempered else None,  # sums are worked out anew for each power
    )
    return CompiledTempering(core, options.rungs) if tempered else core


#: Each rung holds a state, and makes steps of its own.
_MOST_RUNGS = 10_000

#: Of the memory beside table and chains, the share that draws may take; and what a node of a draw
#: takes, as measured.
_SHARE_OF_DRAWS, _BYTES_OF_NODE = 0.5, 1200

#: Seconds at most that go into a look at some trees.
_LOOK = 5.0


def _schedule(
    sampler: TreeSampler[Any], grammar: TreeGrammar, options: TreeChainOptions, draws: int
) -> Schedule:
    """As the options say, and `default_steps` where they do not."""
    warmup, thin = default_steps(sampler, grammar, options)
    return Schedule(
        draws,
        options.chains,
        warmup if options.warmup is None else options.warmup,
        thin if options.thin is None else options.thin,
    )
