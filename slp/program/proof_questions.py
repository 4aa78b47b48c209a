"""The methods of a program about the proofs of a goal: answers, draws, Metropolis-Hastings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from slp import engines, resolution
from slp.budgets import Deadline, held, held_memory, memory_budget
from slp.ir import program as ir
from slp.program.progress import Progress, shown_progress
from slp.resolution import DEFAULT_LIMITS, Limits
from slp.runner import check_count, options_of

if TYPE_CHECKING:
    from slp.engines import LogLikelihood
    from slp.resolution import Draws, QueryResult
    from slp.results import SampledProofs


class ProofQuestions:
    """The methods of `slp.Program` about proofs. Each imports its code when it is called."""

    ir: ir.CheckedProgram

    def query(
        self,
        goal: str,
        *,
        given: str | None = None,
        best: int = 0,
        tolerance: float = 1e-12,
        limits: Limits = DEFAULT_LIMITS,
        engine: str = "python",
        allow_code: bool = False,
        memory: int | str | None = None,
        time: float | str | Deadline | None = None,
        progress: Progress | bool | None = None,
    ) -> QueryResult:
        """Answers to a goal with their probabilities, by a search for its proofs, and by tables of
        calls where it does not end: an `slp.QueryResult`.

        The search ends early at the limits, the memory or the time, and with Ctrl-C. The result
        then has bounds, and `reason` says why.

        Parameters
        ----------
        goal : Prolog text, such as `"member(X, [a, b]), coin(X)"`.
        given : one more goal that must succeed; variables with the same name are shared.
        best : the number of most probable proofs to keep.
        tolerance : the search stops when the unexplored mass is at most this share of the mass of
            the proofs found.
        limits : inferences and depth of the search (`slp.Limits`).
        engine : `"python"`, or `"prolog"` for SWI-Prolog, which must be installed.
        allow_code : allow goals `prolog(...)`, which can run any code, under SWI-Prolog.
        memory : what the process may take for the search: bytes, or a size such as `"4GiB"`. None
            for half of the free memory.
        time : seconds, or a time such as `"90s"`; None for no limit.
        progress : as in `sample_proofs`, with the number of choices opened.

        Raises
        ------
        SlpError
            A fault in the goal or an option, or in the part of the program that the goal uses.
        """
        deadline = Deadline.of(time)
        with shown_progress(progress) as shown, held_memory(memory_budget(memory)):
            return resolution.run_query(
                self.ir,
                goal,
                given=given,
                best=best,
                tolerance=tolerance,
                limits=limits,
                engine=engine,
                allow_code=allow_code,
                deadline=deadline,
                progress=shown,
            )

    def draw(
        self,
        goal: str,
        draws: int = 1,
        *,
        given: str | None = None,
        failure: str = "rejection",
        seed: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
        engine: str = "python",
        allow_code: bool = False,
        memory: int | str | None = None,
        time: float | str | Deadline | None = None,
    ) -> Draws:
        """Draws of a goal's proofs, as answers: `slp.Draws`. Independent, but by `"filter"`.

        If the time or the memory ends, or with Ctrl-C, the draws made so far are kept, with a
        warning (W243).

        Parameters
        ----------
        goal, given, engine, allow_code, memory, time : as in `query`.
        draws : number of draws.
        failure : `"rejection"` (draws have the probabilities of `query`; by tables where these end,
            which reject none), `"backtracking"` (draws have other probabilities if derivations can
            fail), or with weights `"weighting"` (likelihood weighting) or `"filter"` (a particle
            filter over goals).
        seed : None takes one from the system.
        limits : of one draw.

        Raises
        ------
        SlpError
            A fault in the goal or an option, or in the part of the program that the goal uses; a
            limit that was reached; no proof to draw.
        """
        with held(Deadline.of(time)), held_memory(memory_budget(memory)):
            return resolution.run_draws(
                self.ir,
                goal,
                draws,
                given=given,
                failure=failure,
                seed=seed,
                limits=limits,
                engine=engine,
                allow_code=allow_code,
            )

    def sample_proofs(
        self,
        goal: str,
        log_likelihood: LogLikelihood | str | None = None,
        *,
        given: str | None = None,
        draws: int = 1000,
        seed: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
        progress: Progress | bool | None = None,
        engine: str = "python",
        allow_code: bool = False,
        time: float | str | Deadline | None = None,
        **options: Any,
    ) -> SampledProofs:
        """Draws of a goal's proofs by Metropolis-Hastings: `slp.SampledProofs`. The target is prior
        times likelihood.

        Parameters
        ----------
        goal, given, engine, allow_code : as in `query`. The engine also proves a goal that is the
            log-likelihood. Both engines give the same draws for the same seed.
        log_likelihood : a function of an answer, or a goal of the program, as text, that binds the
            variable `LogLikelihood`. The function gets a mapping from the goal's named variables to
            numbers, lists and Prolog text, and returns a number (-inf: impossible). None for the
            prior.
        draws : number of draws to keep, over all chains.
        seed : None takes one from the system.
        limits : of one proof; proofs beyond them are left out.
        time : seconds, or a time such as `"90s"`; None for no limit. The draws made so far are
            kept, with a warning (W541).
        progress : True shows the progress on a line of standard error. A function is called from
            time to time with the number of steps done and a word for the phase.
        options : `chains`, `warmup`, `thin`, `proposal`, `checkpoint`, `resume`, as in `posterior`.

        Raises
        ------
        SlpError
            A fault in the goal, an option or the log-likelihood, or in the part of the program that
            the goal uses; no proof to start from.
        """
        if seed is not None:
            check_count("seed", seed, most=math.inf)
        with shown_progress(progress) as shown:
            return engines.sample_proofs(
                self.ir,
                goal,
                log_likelihood,
                given=given,
                draws=draws,
                seed=seed,
                sampling=options_of(engines.ProofChainOptions, options),
                deadline=Deadline.of(time),
                limits=limits,
                progress=shown,
                engine=engine,
                allow_code=allow_code,
            )
