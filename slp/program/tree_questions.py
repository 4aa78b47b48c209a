"""The methods of a program about trees on a table: the posterior and the prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from slp.budgets import Deadline, check_room_for_rows, held, memory_budget, memory_errors
from slp.compile import compile_problem
from slp.data import GivenResponse, taken_in
from slp.engines import engine_named, infer, read_for
from slp.errors import NoTreeError, warn
from slp.ir import program as ir
from slp.late import late_import
from slp.program.no_tree import with_blame
from slp.program.progress import Progress, shown_progress
from slp.resolution import StateRules
from slp.results import Posterior
from slp.trees.predicates import with_predicates

if TYPE_CHECKING:
    from slp.results.prices import Prices
    from slp.results.sensitivity import Sensitivity


class RunOptions(TypedDict):
    """The options of `TreeQuestions.posterior` that `slp.engines.infer` takes unchanged."""

    engine: str
    seed: int | None
    draws: int
    memory: int | str | None
    time: float | str | Deadline | None
    threads: int | None


class TreeQuestions:
    """The methods of `slp.Program` about trees."""

    ir: ir.CheckedProgram
    _known: StateRules | None

    def posterior(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        engine: str = "auto",
        seed: int | None = None,
        draws: int = 2000,
        memory: int | str | None = None,
        time: float | str | Deadline | None = None,
        threads: int | None = None,
        progress: Progress | bool | None = None,
        allow_code: bool = False,
        **options: Any,
    ) -> Posterior:
        """The posterior over decision trees given a table: an `slp.Posterior`.

        Parameters
        ----------
        X : pandas or polars frame, Arrow table, array or sparse matrix of shape (n, d), which is
            made dense within `memory`. A frame may contain the response: the column that the
            program declares, else the last one.
        y : the response, shape (n,), if `X` does not contain it; or the name of its column, in
            pandas perhaps a whole number.
        sample_weight : the weight of each row, 0 or from 1e-9 to 1e9, shape (n,); None is that of
            the program's `row_weight`, or 1. A row of weight 0 is absent, one of weight 3 counts as
            three. The leaf models and `majority` count weights, `min_leaf` and `rows(N)` rows. With
            real weights the likelihood of a row is taken to the power of its weight.
        engine : `"auto"`, `"best"` (for the best trees alone), or the name of an engine.
        seed : of the draws; None takes one from the system.
        draws : number of draws to keep, over all chains; 0 for none. Exact summaries do not depend
            on it.
        memory : budget, as bytes or `"4GiB"`; None is half of the free memory.
        time : limit, as seconds or `"5m"`, including lowering and summaries; None is no limit. At
            the limit a sampler keeps its draws. An exact engine that was selected by name raises
            `BudgetError`, whose `known` has bounds on the evidence and the best tree so far. `auto`
            uses a sampler in the last third of the time, and `reason` says so. Later computations
            of the posterior use the time that is left.
        threads : number of threads; None is one for each core. No result depends on it.
        progress : True shows the progress on standard error: on one line of a terminal or a
            notebook, elsewhere by a line every ten seconds. Of a run of chains that takes longer
            than a second it first shows the modal tree. A function is called from time to time with
            the number of boxes (for a sampler, steps) done and a word for the phase.
        allow_code : whether predicates that the program names, `python("module:function")`, and
            goals `prolog(...)` may run. Without it a program runs no code.
        options : `effort`, how long a run is: `"quick"`, `"default"` or `"thorough"`; `auto` goes
            by it too. And those of the engine, as `slp engines` lists them; they win over effort.

        Raises
        ------
        SlpError
            A fault in the table or the options, a budget that is too small, or no tree that
            satisfies the program.
        """
        return self._run(
            X,
            y if sample_weight is None else GivenResponse(y, sample_weight),
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
        sample_weight: Any = None,
        engine: str = "auto",
        seed: int | None = None,
        draws: int = 2000,
        memory: int | str | None = None,
        time: float | str | Deadline | None = None,
        threads: int | None = None,
        progress: Progress | bool | None = None,
        allow_code: bool = False,
        **options: Any,
    ) -> Posterior:
        """The prior over the trees that the table allows: an `slp.Posterior` without the
        likelihood. Arguments are those of `posterior`."""
        return self._run(
            X,
            y if sample_weight is None else GivenResponse(y, sample_weight),
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

    def price(
        self,
        X: Any,
        y: Any = None,
        *,
        seed: int | None = None,
        time: float | str | Deadline | None = None,
        progress: Progress | bool | None = None,
        **options: Any,
    ) -> Prices:
        """What each statement of the program costs on a table: an `slp.Prices`. For each
        constraint, limit of `support` and feature weight: the log evidence with it less that
        without it, beside no other statement and beside all; and the probability, prior and
        posterior, that trees of the program with all others satisfy it.

        Parameters
        ----------
        X, y : the table, as for `posterior`.
        seed : of every run; None takes one from the system.
        time : limit for all runs together, which share it.
        progress, options : as for `slp.compare`.

        Raises
        ------
        SlpError
            As `posterior`, of the program with all its statements. A fault of the program without
            some of them is a note of the prices that it keeps from being known.
        UsageError
            E552: there is a checkpoint.
        """
        found: Prices = late_import("slp.program.pricing").price(
            self, X, y, seed=seed, time=time, progress=progress, **options
        )
        return found

    def sensitivity(
        self,
        X: Any,
        y: Any = None,
        *,
        rows: Any = None,
        memory: int | str | None = None,
        time: float | str | Deadline | None = None,
        progress: Progress | bool | None = None,
    ) -> Sensitivity:
        """How the answers of the program on a table depend on its numbers, and on each row: an
        `slp.Sensitivity`. For each parameter, feature weight, label and concentration: the
        derivatives of the log evidence, of P(feature used) and of what rows are told, exactly; and
        the interval in which the best tree stays the best, checked at 20 values. For each row of
        the table what its response does to the log evidence and to what rows are told.

        Parameters
        ----------
        X, y : the table, as for `posterior`.
        rows : whose predictions are asked for: numbers of rows of the table, from 0, or new rows as
            for `slp.Posterior.predict`; None for none.
        memory, time, progress : as for `posterior`. Where the time ends after the derivatives,
            intervals and influences are left out, and that is said.

        Raises
        ------
        SlpError
            As `posterior` with the engine `exact`: programs that it does not sum are refused.
        BudgetError
            E501, E540: the chart of all steps does not fit.
        UsageError
            E528: the table has no such row; E529: rows are told medians.
        """
        found: Sensitivity = late_import("slp.program.sensitivity").sensitivity(
            self, X, y, rows=rows, memory=memory, time=time, progress=progress
        )
        return found

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
        X = taken_in(X, budget)
        check_room_for_rows(X, budget)
        given = run["time"]
        run["time"] = deadline = Deadline.of(given)
        named = None if run["engine"] in ("auto", "best") else engine_named(run["engine"])
        finite = named is None or named.needs_grammar
        few_states = named is not None and named.few_states
        with shown_progress(progress) as shown, held(deadline), memory_errors():
            ready = with_predicates(self.ir, allow_code)
            ready = read_for(ready, run["engine"])
            problem = compile_problem(
                ready,
                X,
                y,
                known=self._known,
                finite=finite,
                few_states=few_states,
                progress=shown,
            )
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
                raise with_blame(e, problem) from None
        if deadline is not given:
            deadline.pause()  # the watch runs again when the posterior computes
        return posterior
