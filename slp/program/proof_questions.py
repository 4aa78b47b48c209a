"""What a program is asked about the proofs of a goal: answers, draws, Metropolis-Hastings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from slp import engines, resolution
from slp.ir import program as ir
from slp.program.progress import Progress, shown_progress
from slp.resolution import DEFAULT_LIMITS, Limits
from slp.runner import check_count, options_of

if TYPE_CHECKING:
    from slp.engines import LogLikelihood
    from slp.resolution import Draws, QueryResult
    from slp.results import SampledProofs

__all__ = ["ProofQuestions"]


class ProofQuestions:
    """The part of `slp.Program` that is about proofs. What answers is imported when it is asked."""

    ir: ir.Program

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
    ) -> QueryResult:
        """Answers to a goal with their probabilities, by a search for its proofs.

        Parameters
        ----------
        goal : Prolog text, such as `"member(X, [a, b]), coin(X)"`.
        given : a goal that must succeed too; variables of the same name are shared.
        best : how many of the most probable proofs to keep.
        tolerance : the search goes on until what it has not looked at has at most this mass.
        limits : where it gives up before that, and bounds what it has not seen.
        engine : `"python"`, or `"prolog"` for SWI-Prolog, which must be installed.
        allow_code : let goals `prolog(...)` do under SWI-Prolog whatever they want.

        Raises
        ------
        SlpError
            A fault in the goal or an option, or in the program as far as the goal uses it.
        """
        return resolution.run_query(
            self.ir,
            goal,
            given=given,
            best=best,
            tolerance=tolerance,
            limits=limits,
            engine=engine,
            allow_code=allow_code,
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
    ) -> Draws:
        """Independent draws of a goal's proofs: what they answer.

        Parameters
        ----------
        goal, given, engine, allow_code : as in `query`.
        draws : how many.
        failure : `"rejection"` (draws have the probabilities of `query`) or `"backtracking"` (they
            have not, if proofs fail).
        seed : None takes one from the system.
        limits : of one draw.

        Raises
        ------
        SlpError
            A fault in the goal or an option, or in the program as far as the goal uses it; limits
            that are reached; no proof to draw.
        """
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
        **options: Any,
    ) -> SampledProofs:
        """Draws of a goal's proofs by Metropolis-Hastings: prior times likelihood.

        Parameters
        ----------
        goal, given, engine, allow_code : as in `query`; the engine proves a goal that is the
            log-likelihood, too. Both draw the same from the same seed.
        log_likelihood : a function of an answer, a mapping from the goal's named variables to
            numbers, lists and Prolog text, that gives a number (-inf: impossible); or a goal of the
            program, as text, that binds the variable `LogLikelihood`. None for the prior.
        draws : how many to keep, all chains together.
        seed : None takes one from the system.
        limits : of one proof; those that need more are left out.
        progress : True keeps a line on standard error up to date; a function is called now and then
            with the number of steps done and a word about them.
        options : `chains`, `warmup`, `thin`, `proposal`, `checkpoint`, `resume`, as in
            `posterior`.

        Raises
        ------
        SlpError
            A fault in the goal, an option or the log-likelihood, or in the program as far as the
            goal uses it; no proof to start from.
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
                limits=limits,
                progress=shown,
                engine=engine,
                allow_code=allow_code,
            )
