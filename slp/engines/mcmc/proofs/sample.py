"""From a goal, a log-likelihood and options to chains, and to the draws that they make."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from slp.budgets import Deadline
from slp.engines.mcmc.options import ProofChainOptions
from slp.engines.mcmc.proofs.chains import ProofMetropolisHastings
from slp.engines.mcmc.proofs.likelihood import (
    FirstAnswer,
    LogLikelihood,
    first_answer_in_prolog,
    first_answer_in_python,
    function_of_answer,
    goal_of_answer,
    no_data,
)
from slp.engines.shared.chain_messages import teller
from slp.errors import UsageError, warn
from slp.ir import program as ir
from slp.late import optional_module
from slp.messages.queries import NOT_A_LOG_LIKELIHOOD, PROOFS_LEFT_OUT
from slp.resolution import Limits, Query, named_variables
from slp.resolution.answers.goals import read_query, runs_in_prolog
from slp.resolution.proofs.derivations import ProofSpace
from slp.resolution.proofs.runs import MachineRuns, RunsOneByOne
from slp.results.proofs import SampledProofs
from slp.results.trust.doubts import doubt_of
from slp.runner import Schedule, checkpoint_and_seed, run
from slp.runner.options import fresh_seed
from slp.syntax import parse_term, term_to_text
from slp.terms import Term


def sample_proofs(
    program: ir.CheckedProgram,
    goal: str,
    log_likelihood: LogLikelihood | str | None,
    *,
    given: str | None,
    draws: int,
    seed: int | None,
    sampling: ProofChainOptions,
    deadline: Deadline,
    limits: Limits,
    progress: Callable[[int, str], None] | None,
    engine: str,
    allow_code: bool,
) -> SampledProofs:
    """See `slp.Program.sample_proofs`."""
    query = read_query(program, goal, given)
    names = [v.name for v in named_variables(query.goal)]
    runs, first_answer = _prover(query, limits, engine, allow_code)
    score, said = _scoring(log_likelihood, query, names, first_answer)
    space = ProofSpace(runs, limits, score)
    identity = {
        "program": _digest(program),
        "goal": f"{goal}, given {given}",
        "log-likelihood": said,
        "engine": engine,
    }
    checkpoint, seed = checkpoint_and_seed(sampling.checkpoint, sampling.resume, seed)
    seed = fresh_seed() if seed is None else seed
    schedule = Schedule(draws, sampling.chains, sampling.warmup, sampling.thin)
    result = run(
        ProofMetropolisHastings(space, sampling.proposal, identity, query.goal.span),
        schedule,
        seed,
        progress=None if progress is None else teller(progress),
        checkpoint=checkpoint,
        deadline=deadline,
    )
    proofs = SampledProofs(space, names, result, seed, engine)
    _warn(proofs, space, schedule)
    return proofs


def _prover(
    query: Query, limits: Limits, engine: str, allow_code: bool
) -> tuple[RunsOneByOne[Any, Any], FirstAnswer]:
    """The resolution of one program's goals: runs for proposals, first answers for likelihoods."""
    if not runs_in_prolog(engine):
        return MachineRuns(query, limits), first_answer_in_python(query.program, limits)
    swipl = optional_module("swipl.runs")
    loaded = swipl.PrologProgram(query.program, allow_code=allow_code)
    return swipl.PrologRuns(loaded, query, limits), first_answer_in_prolog(loaded, limits)


def _scoring(
    log_likelihood: LogLikelihood | str | None,
    query: Query,
    names: list[str],
    first_answer: FirstAnswer,
) -> tuple[Callable[[tuple[Term, ...]], float], str]:
    """The log-likelihood of an answer's terms, and its name in a checkpoint."""
    if log_likelihood is None:
        return no_data, "none"
    if isinstance(log_likelihood, str):
        goal = parse_term(log_likelihood, "<log-likelihood>")
        return goal_of_answer(goal, query, first_answer), log_likelihood
    if not callable(log_likelihood):
        raise UsageError(NOT_A_LOG_LIKELIHOOD(given=log_likelihood))
    name = f"{log_likelihood.__module__}:{getattr(log_likelihood, '__qualname__', 'an object')}"
    return function_of_answer(log_likelihood, names), name


def _digest(program: ir.CheckedProgram) -> str:
    """A digest of a program's clauses and parameters."""
    digest = hashlib.sha256(repr((program.weights, sorted(program.parameters.items()))).encode())
    for clause in program.clauses:
        for term in (clause.label, clause.head, clause.body):
            text = "" if term is None else term_to_text(term)
            digest.update(f"{len(text)} {text}".encode())
    return digest.hexdigest()


def _warn(proofs: SampledProofs, space: ProofSpace, schedule: Schedule) -> None:
    """Warn of what speaks against the numbers (`doubt_of`), and of proofs that were left out
    (W250)."""
    doubt = doubt_of(proofs.diagnostics, schedule, schedule.draws, None) if proofs.draws else None
    if doubt is not None:
        warn(doubt)
    if space.stopped is not None:
        warn(PROOFS_LEFT_OUT(space.stopped.span, reason=space.stopped.message))
