"""Engines by name, and `infer`, which runs one.

Exact engines give a `TreeDistribution`, and their posterior sums over all trees; samplers
(`slp.infer.samplers`) give draws.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from slp.data.table import Table
from slp.errors import Diagnostic, UnsupportedError, UsageError
from slp.infer.boxes import Geometry
from slp.infer.compiled import CompiledChart, compiled_is_there
from slp.infer.distribution import TreeDistribution
from slp.infer.enumeration import Enumeration
from slp.infer.exact import Chart, build_forest
from slp.infer.exact.reach import Progress
from slp.infer.exact_posterior import ExactPosterior
from slp.infer.memory import memory_budget
from slp.infer.posterior import Posterior, check_count
from slp.infer.sampling import SAMPLERS, Sampling
from slp.ir.program import Program
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.exact import N_CORES

__all__ = ["ENGINES", "infer"]

# grammar, geometry, likelihood, memory, progress, threads; whether more than the evidence will be
# asked of what the first pass finds
_Engine = Callable[[TreeGrammar, Geometry, bool, int, Progress | None, int, bool], TreeDistribution]


def _exact(
    grammar: TreeGrammar,
    geometry: Geometry,
    likelihood: bool,
    memory: int,
    progress: Progress | None,
    threads: int,
    items_wanted: bool,
) -> TreeDistribution:
    if compiled_is_there():
        return CompiledChart.of(
            grammar,
            geometry,
            likelihood,
            memory,
            progress,
            threads,
            items_wanted=items_wanted,
        )
    return _chart(grammar, geometry, likelihood, memory, progress, threads, items_wanted)


def _chart(
    grammar: TreeGrammar,
    geometry: Geometry,
    likelihood: bool,
    memory: int,
    progress: Progress | None,
    threads: int,
    items_wanted: bool,
) -> TreeDistribution:
    return Chart(build_forest(grammar, geometry, memory, progress), likelihood)


def _enumerate(
    grammar: TreeGrammar,
    geometry: Geometry,
    likelihood: bool,
    memory: int,
    progress: Progress | None,
    threads: int,
    items_wanted: bool,
) -> TreeDistribution:
    return Enumeration.of(grammar, geometry, likelihood)


#: The exact engines there are. Each gives a `TreeDistribution` or raises `BudgetError`. `chart` is
#: what `exact` computes, plainly, in NumPy; `enumerate` lists every tree.
ENGINES: dict[str, _Engine] = {"exact": _exact, "chart": _chart, "enumerate": _enumerate}


def infer(
    program: Program,
    grammar: TreeGrammar,
    table: Table,
    *,
    engine: str = "auto",
    seed: int | None = None,
    draws: int = 1000,
    memory: int | str | None = None,
    likelihood: bool = True,
    progress: Progress | None = None,
    threads: int | None = None,
    sampling: Sampling | None = None,
    not_exact: Sequence[Diagnostic] = (),
) -> Posterior:
    """The posterior over trees (with `likelihood=False` the prior) of a program on a table.

    Parameters
    ----------
    program, grammar, table : as compiled together; `grammar` is `program` on the table's columns.
    engine : a name in `ENGINES` or `SAMPLERS`, or `"auto"`.
    seed : of the draws; None takes one from the system.
    draws : how many draws `Posterior.draws` holds; by exact engines made when first asked for.
    memory : budget in bytes, or text such as `"4GiB"`; None is half of what is free.
    progress : called now and then with the number of boxes done and a word about the phase.
    threads : how many to run; None is one for each core. No result depends on it.
    sampling : chains, proposals and so on, for samplers.
    not_exact : why no exact engine may take the program (E301); empty if one may.

    Raises
    ------
    UsageError
        E502 `memory` is no size, E505 `draws` or `seed` is no whole number from 0 up or `threads`
        below 1, E509 no such engine.
    BudgetError
        E501, E503: the engine's budget is too small; the message says what would fit.
    UnsupportedError
        E301: an exact engine was asked for, and may not take the program.
    SlpError
        E504: no tree satisfies the program on this table; and what `sample_posterior` raises.
    """
    name, reason = _choose(engine, not_exact)
    check_count("draws", draws)
    if seed is not None:
        check_count("seed", seed)
    threads = N_CORES if threads is None else threads
    if threads < 1:
        raise UsageError(Diagnostic("E505", f"threads is {threads}", help="take 1 or more"))
    geometry = Geometry(grammar, table)
    if name in SAMPLERS:
        from slp.infer.samplers import sample_posterior  # late: exact engines need none of it

        return sample_posterior(
            program,
            grammar,
            geometry,
            reason=reason,
            sampling=sampling or Sampling(),
            draws=draws,
            seed=seed,
            likelihood=likelihood,
            threads=threads,
            progress=progress,
        )
    if not_exact:
        raise UnsupportedError(not_exact)
    run = ENGINES[name]
    distribution = run(
        grammar, geometry, likelihood, memory_budget(memory), progress, threads, draws > 0
    )
    return ExactPosterior(
        distribution, grammar, geometry, engine=name, reason=reason, draws=draws, seed=seed
    )


def _choose(engine: str, not_exact: Sequence[Diagnostic]) -> tuple[str, str]:
    """Name of the engine to run, and why."""
    plainly = "" if compiled_is_there() else ", in NumPy, as the compiled kernels are missing"
    if engine == "auto" and not_exact:
        return "mh", "; ".join(found.message for found in not_exact)
    if engine == "auto":
        finite = "the program has a finite tree grammar, so its trees can be summed exactly"
        return "exact", finite + plainly
    if engine in ENGINES or engine in SAMPLERS:
        return engine, "asked for" + (plainly if engine == "exact" else "")
    names = ["auto", *ENGINES, *SAMPLERS]
    near = difflib.get_close_matches(str(engine), names, n=1)
    help = f"engines are {', '.join(names)}"
    if near:
        help = f"did you mean {near[0]}? {help}"
    raise UsageError(Diagnostic("E509", f"there is no engine {engine}", help=help))
