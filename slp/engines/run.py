"""`infer`: from a problem to the distribution over its trees, by a named engine or the one
chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from slp.budgets import Deadline, memory_budget
from slp.engines.choose import BEST, choose, goes_on_with_draws, read_for
from slp.engines.contract import Progress, Request
from slp.engines.first_answer import tell_first_answer
from slp.engines.prior_mass import with_prior_mass
from slp.engines.prior_uses import with_prior_uses
from slp.engines.registry import ENGINES, all_options, engine_named
from slp.engines.shared.choices import draws_instead
from slp.errors import UnsupportedError, UsageError, warn
from slp.kernels.compiled import N_CORES, compiled_core
from slp.messages.inference import NOT_USED
from slp.messages.names import joined
from slp.problem.problem import Problem
from slp.problem.row_labels import telling_label_faults
from slp.problem.uncertain import refuse_uncertain
from slp.results.posterior import Posterior
from slp.results.record.choice import SEARCH, EngineChoice
from slp.results.record.result import Result
from slp.results.record.run import RunRecord
from slp.runner import check_count
from slp.runner.effort import level_in
from slp.runner.options import MOST_DRAWS, check_options
from slp.trees.predicates import asked_predicates

_MOST_THREADS = 1024

#: Seconds of a search for the best tree where no limit is given.
_SEARCH_SECONDS = 60.0


def infer(
    problem: Problem,
    *,
    engine: str = "auto",
    seed: int | None = None,
    draws: int = 2000,
    memory: int | str | None = None,
    time: float | str | Deadline | None = None,
    likelihood: bool = True,
    progress: Progress | None = None,
    threads: int | None = None,
    allow_code: bool = False,
    advise: bool = True,
    options: Mapping[str, Any] | None = None,
) -> Posterior:
    """The posterior over trees (with `likelihood=False` the prior) of a program on a table.

    Parameters
    ----------
    problem : program and table. It is read anew where it is of soft trees and the named engine is
        not, or the other way.
    engine : a name in `slp.engines.registry.ENGINES`, or `"auto"`; `"best"` for the best trees
        alone, by exact sums, or by `search` (for 60 seconds, without `time`) where they do not fit.
    memory : budget in bytes, or text such as `"4GiB"`; None is half of what is free.
    time : how long it may take, in seconds or text such as `"5m"`; None is without a limit. A
        `Deadline` is of what takes longer than this call, such as a command. An exact engine then
        ends with an error that carries what is known, a sampler with the draws that it has; `auto`
        goes on with a sampler where exact sums did not end in their share of the time.
    threads : at most 1024; None is one for each core.
    options : of the engine, by name.
    seed, draws, likelihood, progress, allow_code, advise : as in `Request`.

    Raises
    ------
    UsageError
        E502 `memory` is no size, E542 `time` no length of time, E505 `draws` or `seed` is no whole
        number from 0 up, `draws` above 10^8 or `threads` below 1, E509 no such engine, E544 no such
        option, E554 no such `effort`; E516, E548, E549: the engine does not take an option for the
        problem.
    UnsupportedError
        The engine that was asked for does not take the problem (E301, E308, E533).
    SlpError
        E520: a label that depends on the rows of a box is not a probability in some box; and errors
        of the engine.
    """
    given = dict(options or {})
    check_options(all_options(), given)
    check_count("draws", draws, most=MOST_DRAWS)
    if seed is not None:
        check_count("seed", seed, most=math.inf)
    threads = N_CORES if threads is None else threads
    check_count("threads", threads, least=1)
    request = Request(
        choice=EngineChoice(engine, ""),
        likelihood=likelihood,
        draws=int(draws),  # the core does not take NumPy integers
        seed=seed,
        deadline=Deadline.of(time),
        memory=memory_budget(memory),
        threads=min(threads, _MOST_THREADS),
        progress=progress,
        allow_code=allow_code,
        advise=advise,
    )
    read = read_for(problem.program, engine)
    if engine != "auto" and read.soft != problem.program.soft:
        problem = problem.varied(read)
    with telling_label_faults(problem.grammar, problem.table):
        result = _chosen(problem, request, given)
    record = RunRecord.of(problem.program, request.draws, given)
    return Posterior(result, asked_predicates(problem.program.constraints), record)


def _chosen(problem: Problem, request: Request, given: Mapping[str, Any]) -> Result:
    """Choose an engine and run it. Under a limit of time `auto` goes on with draws if exact sums do
    not end in their share of it."""
    engine, deadline, level = request.choice.engine, request.deadline, level_in(given)

    def drawn(bounds: tuple[float, float] | None) -> Result:
        with deadline.working():
            choice = goes_on_with_draws(problem, chosen, bounds)
            return _run(problem, replace(chosen, choice=choice, instead=None), given)

    if engine in ("auto", BEST) and deadline.seconds is not None:
        request = replace(request, instead=drawn)
    chosen = replace(request, choice=choose(problem, request, engine, level))
    if engine == BEST and chosen.choice.engine == SEARCH and deadline.seconds is None:
        chosen = replace(chosen, deadline=Deadline(_SEARCH_SECONDS))
    used = given
    if engine in ("auto", BEST) and "effort" not in _options_of(chosen.choice.engine):
        used = {name: value for name, value in given.items() if name != "effort"}  # for the choice
    return _run(problem, chosen, used)


def _run(problem: Problem, request: Request, given: Mapping[str, Any]) -> Result:
    """Run the chosen engine, with a warning about options that it does not use."""
    engine = engine_named(request.choice.engine)
    known = _options_of(engine.name)
    if not engine.takes_unknown:
        refuse_uncertain(problem.program, f"the engine {engine.name}")
    own = engine.Options(**{name: value for name, value in given.items() if name in known})
    refused = engine.refusal(problem, own)
    if refused:
        raise (UsageError if engine.refuses_options else UnsupportedError)(refused)
    why = engine.outside_core(problem, own) if compiled_core() is not None else None  # else W590
    if why is not None:
        reason = f"{request.choice.reason}; it runs in Python, as the core {why}"
        request = replace(request, choice=replace(request.choice, reason=reason))
    tell_first_answer(engine, problem, request)
    result, choice = engine.run(problem, request, own), request.choice
    if choice.too_large and not _found_wanting(result):
        warn(draws_instead(choice))
    if request.instead is None:
        _say_unused(engine.name, {k: v for k, v in given.items() if k not in known})
    if result.stacked is not None:  # the prior stands beside a posterior alone
        return result
    return with_prior_mass(problem, request, with_prior_uses(problem, request, result))


def _found_wanting(result: Result) -> bool:
    """Whether it is said already that its draws have not converged."""
    found = result.diagnostics() if result.draws() else None
    return found is not None and found.standing == "not converged"


def _say_unused(engine: str, unused: Mapping[str, Any]) -> None:
    """Warn of options that the engine does not use (W542)."""
    defaults = {name: field.default for name, field in all_options().items()}
    names = [name for name, value in unused.items() if value != defaults[name]]
    if names:
        takers = [other for other in ENGINES if set(names) <= _options_of(other)]
        or_take = f", or take --engine {takers[0]} (in Python: engine={takers[0]!r})"
        them = "them" if names[1:] else "it"
        warn(
            NOT_USED(
                engine=engine, names=joined(names), them=them, or_take=or_take if takers else ""
            )
        )


def _options_of(engine: str) -> set[str]:
    """The names of an engine's options."""
    return {field.name for field in fields(engine_named(engine).Options)}
