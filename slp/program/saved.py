"""`load_posterior`: posteriors from files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from slp.budgets import Deadline, held, memory_budget, memory_errors
from slp.compile import compile_program, compile_with_states, problem_on
from slp.engines import engine_named
from slp.engines.contract import Request
from slp.engines.prior_mass import with_prior_mass
from slp.engines.prior_uses import with_prior_uses
from slp.engines.shared.sums import SumsOverTrees
from slp.ir.program import CheckedProgram
from slp.kernels.compiled import N_CORES
from slp.problem.problem import Problem
from slp.results import Posterior
from slp.results.record.later import Later
from slp.results.record.result import Result
from slp.results.record.run import Logic
from slp.results.saved import SavedRun, only_saved_runs, read_run
from slp.runner import check_count
from slp.source import SourceFile
from slp.trees.predicates import with_predicates


def load_posterior(
    path: str | Path,
    *,
    memory: int | str | None = None,
    time: float | str | Deadline | None = None,
    threads: int | None = None,
) -> Posterior:
    """Read a posterior that `slp.Posterior.save` or `--save` wrote. It predicts as the one that was
    saved, to the bit.

    Of exact sums the file has the program and the coded table: the sums are made again when they
    are asked for, and to them `memory`, `time` and `threads` apply, as of `slp.Program.posterior`.
    Of a run of draws it has the trees: these predict, and what needs the table's rows or other
    trees is told only by a run that is made again (E562).

    A saved run is data: reading one runs no code in it. It warns as the run did if its numbers are
    not to be used (W530, W547).

    Raises
    ------
    SlpError
        E560: the file is no saved run, or it is damaged. E561: it has a newer format.
    BudgetError
        E501: it does not fit in the memory.
    """
    budget, deadline = memory_budget(memory), Deadline.of(time)
    threads = N_CORES if threads is None else threads
    check_count("threads", threads, least=1)
    with memory_errors(), held(deadline), only_saved_runs(path):
        run = read_run(path, budget)
        if run.sums:
            result = _sums_again(run, budget, deadline, threads)
        else:
            result = run.result(threads)
    if deadline is not time:
        deadline.pause()
    logic = Later(partial(_logic_of, run.source, run.record.parameters))
    record = replace(run.record, logic=logic)
    posterior = Posterior(result, run.predicates, record, was_read=True)
    posterior.say_doubt()
    return posterior


def _on_the_same_table(problem: Problem, program: CheckedProgram) -> Problem:
    return problem_on(program, problem.table)


def _logic_of(source: SourceFile, parameters: Mapping[str, float]) -> Logic:
    """The clauses of a saved program."""
    program = compile_program(source, parameters)
    return Logic(program.clauses, program.known_parameters)


def _sums_again(run: SavedRun, memory: int, deadline: Deadline, threads: int) -> Result:
    """The sums over all trees of the saved program on the saved table."""
    engine = engine_named(run.choice.engine)
    assert isinstance(engine, SumsOverTrees)
    program, known = compile_with_states(run.source, run.record.parameters)
    ready = with_predicates(program, allow_code=False)
    problem = problem_on(ready, run.table, known=known, vary=_on_the_same_table)
    assert not problem.unsummable
    request = Request(
        choice=run.choice,
        likelihood=run.likelihood,
        draws=run.record.draws,
        seed=run.seed,
        memory=memory,
        deadline=deadline,
        threads=threads,
        progress=None,
        allow_code=False,
        advise=False,
    )
    problem = problem.on(problem.grammar.listed())
    result = with_prior_uses(problem, request, engine.summed(problem, request, deadline))
    return with_prior_mass(problem, request, result, partial(problem_on, table=run.table))
