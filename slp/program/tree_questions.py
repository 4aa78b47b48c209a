"""What a program is asked about trees on a table: the posterior, and the prior itself."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from slp.budgets import Deadline, check_room_for_rows, held, memory_budget
from slp.compile import compile_problem
from slp.data import Table
from slp.engines import Sampling, infer
from slp.engines.sampling import HOSTED, SamplingOptions
from slp.errors import NoTreeError, memory_errors, warn
from slp.ir import program as ir
from slp.ir.tree_grammar import TreeGrammar
from slp.program.progress import Progress, shown_progress
from slp.results import Posterior
from slp.runner import options_of
from slp.trees.predicates import asked_predicates, with_predicates

__all__ = ["TreeQuestions"]


class RunOptions(TypedDict):
    """The options of `TreeQuestions.posterior` that `slp.engines.infer` takes as they are."""

    engine: str
    seed: int | None
    draws: int
    memory: int | str | None
    time: float | str | Deadline | None
    threads: int | None


class TreeQuestions:
    """The part of `slp.Program` that is about trees."""

    ir: ir.Program

    def posterior(
        self,
        X: Any,
        y: Any = None,
        *,
        engine: str = "auto",
        seed: int | None = None,
        draws: int = 1000,
        memory: int | str | None = None,
        time: float | str | Deadline | None = None,
        threads: int | None = None,
        progress: Progress | bool | None = None,
        allow_code: bool = False,
        **sampling: Unpack[SamplingOptions],
    ) -> Posterior:
        """The posterior over decision trees given a table.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n, d). A frame may hold the response: the
            column that the program declares, else the last one.
        y : the response, shape (n,), where `X` does not hold it; or the name of its column.
        engine : `"auto"`, or the name of an engine.
        seed : of the draws; None takes one from the system.
        draws : how many draws to keep, all chains together; 0 for none. Exact summaries do not
            depend on it.
        memory : budget, as bytes or `"4GiB"`; None is half of what is free.
        time : how long it may take, as seconds or `"5m"`, lowering and summaries included; None is
            without a limit. A sampler keeps what it has drawn. An exact engine that was asked for
            raises `BudgetError`, of which `known` holds bounds on the evidence and the best tree so
            far; `auto` goes on with a sampler in the last third of the time, and `reason` says so.
            What the posterior is asked later takes of the time that is left, waiting does not.
        threads : how many to run; None is one for each core. No result depends on it.
        progress : True keeps a line on standard error up to date; a function is called now and then
            with the number of boxes (of a sampler, steps) done and a word about the phase.
        allow_code : whether predicates that the program names, `python("module:function")`, and
            goals `prolog(...)` may run. A program is data otherwise, and runs nothing.
        sampling : for engines that draw, see `slp.engines.Sampling`: `chains`, `warmup`, `thin`,
            `proposal`, `rungs`, `checkpoint`, `resume`.

        Raises
        ------
        SlpError
            A fault in the table or the options, a budget that is too small, or no tree that
            satisfies the program.
        """
        return self._run(
            X,
            y,
            likelihood=True,
            allow_code=allow_code,
            sampling=options_of(Sampling, sampling),
            engine=engine,
            seed=seed,
            draws=draws,
            memory=memory,
            time=time,
            threads=threads,
            progress=progress,
        )

    def prior(
        self,
        X: Any,
        y: Any = None,
        *,
        engine: str = "auto",
        seed: int | None = None,
        draws: int = 1000,
        memory: int | str | None = None,
        time: float | str | Deadline | None = None,
        threads: int | None = None,
        progress: Progress | bool | None = None,
        allow_code: bool = False,
        **sampling: Unpack[SamplingOptions],
    ) -> Posterior:
        """The prior over the trees that the table allows: `posterior` without the likelihood."""
        return self._run(
            X,
            y,
            likelihood=False,
            allow_code=allow_code,
            sampling=options_of(Sampling, sampling),
            engine=engine,
            seed=seed,
            draws=draws,
            memory=memory,
            time=time,
            threads=threads,
            progress=progress,
        )

    def _run(
        self,
        X: Any,
        y: Any,
        likelihood: bool,
        allow_code: bool,
        sampling: Sampling,
        progress: Progress | bool | None,
        **options: Unpack[RunOptions],
    ) -> Posterior:
        options["memory"] = budget = memory_budget(options["memory"])
        check_room_for_rows(X, budget)
        given = options["time"]
        options["time"] = deadline = Deadline.of(given)
        with shown_progress(progress) as shown, held(deadline), memory_errors():
            ready = with_predicates(self.ir, allow_code)
            model = compile_problem(ready, X, y, finite=options["engine"] not in HOSTED)
            for finding in model.warnings:
                warn(finding)

            def recompile(program: ir.Program) -> tuple[TreeGrammar, Table]:
                changed = model.varied(program)
                return changed.grammar, changed.table

            try:
                posterior = infer(
                    model.program,
                    model.grammar,
                    model.table,
                    likelihood=likelihood,
                    sampling=sampling,
                    not_exact=model.unsummable,
                    recompile=recompile,
                    allow_code=allow_code,
                    progress=shown,
                    **options,
                )
            except NoTreeError as e:
                from slp.program.no_tree import (
                    with_blame,  # late: it is asked after a failure alone
                )

                raise with_blame(e, model.program, X, y) from None
        if deadline is not given:
            deadline.pause()  # until the posterior is asked something
        posterior.predicates = asked_predicates(model.program.constraints)
        return posterior
