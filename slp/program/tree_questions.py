"""What a program is asked about trees on a table: the posterior, and the prior itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from slp.budgets import Deadline, check_room_for_rows, held, memory_budget, memory_errors
from slp.compile import compile_problem
from slp.engines import engine_named, infer
from slp.errors import NoTreeError, warn
from slp.ir import program as ir
from slp.program.no_tree import with_blame
from slp.program.progress import Progress, shown_progress
from slp.results import Posterior
from slp.trees.predicates import with_predicates

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
        **options: Any,
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
        options : of the engine, as `slp engines` lists them: for chains `chains`, `warmup`, `thin`,
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
            options=options,
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
        **options: Any,
    ) -> Posterior:
        """The prior over the trees that the table allows: `posterior` without the likelihood."""
        return self._run(
            X,
            y,
            likelihood=False,
            allow_code=allow_code,
            options=options,
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
        options: Mapping[str, Any],
        progress: Progress | bool | None,
        **run: Unpack[RunOptions],
    ) -> Posterior:
        run["memory"] = budget = memory_budget(run["memory"])
        check_room_for_rows(X, budget)
        given = run["time"]
        run["time"] = deadline = Deadline.of(given)
        finite = run["engine"] == "auto" or engine_named(run["engine"]).needs_grammar
        with shown_progress(progress) as shown, held(deadline), memory_errors():
            ready = with_predicates(self.ir, allow_code)
            problem = compile_problem(ready, X, y, finite=finite)
            for finding in problem.warnings:
                warn(finding)
            try:
                posterior = infer(
                    problem,
                    likelihood=likelihood,
                    allow_code=allow_code,
                    progress=shown,
                    options=options,
                    **run,
                )
            except NoTreeError as e:
                raise with_blame(e, problem.program, X, y) from None
        if deadline is not given:
            deadline.pause()  # until the posterior is asked something
        return posterior
