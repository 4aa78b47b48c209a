"""The first answer of a run that draws: the modal tree, told before the chains begin.

It costs about one pass over the table. The draws do not depend on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from slp.engines.contract import DrawingOptions, Engine, Request
from slp.engines.registry import engine_named
from slp.errors import SlpError
from slp.problem.problem import Problem
from slp.results.posterior import Posterior
from slp.results.record.run import RunRecord

#: The engine that gives it, and the most of the time left that it may take.
_ENGINE, _SHARE = "modal", 1 / 10


def tell_first_answer(engine: Engine[Any], problem: Problem, request: Request) -> None:
    """Give the modal tree to `first_answer` of the request's progress, if it has that method and
    the engine draws from a posterior over hard trees. Where no modal tree is grown, nothing is
    told: the run itself says what is wrong.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C ended the growth.
    """
    tell = getattr(request.progress, "first_answer", None)
    if tell is None or not request.likelihood or not _draws_hard_trees(engine):
        return
    grower = engine_named(_ENGINE)
    if problem.grammar.backtracks and grower.needs_weights:
        return
    if problem.program.sum_of is not None or problem.program.weights_prior is not None:
        return  # no tree is best, or its weight is known under equal weights of features alone
    if any(constraint.by_code for constraint in problem.program.constraints):
        return  # it would run the user's code on many trees
    own = request.deadline.before(request.deadline.left() * (1 - _SHARE))
    asked = replace(request, deadline=own, draws=1, instead=None)
    options = grower.Options()
    if grower.refusal(problem, options):
        return
    try:
        grown = Posterior(
            grower.run(problem, asked, options), (), RunRecord.of(problem.program, 1, {})
        )
    except SlpError:
        return
    if grown.interrupted and not grown.out_of_time:
        raise KeyboardInterrupt
    tell(grown.map())


def _draws_hard_trees(engine: Engine[Any]) -> bool:
    drawing = issubclass(engine.Options, DrawingOptions)
    return drawing and engine.needs_grammar and not engine.soft_trees
