"""Engine `stacked`: chains that need not agree, weighted by how they predict rows set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slp.data.row_part import FEWEST_ROWS
from slp.engines import stacked
from slp.engines.contract import Engine, Request
from slp.engines.registry import engine_named
from slp.engines.stacked.options import StackedOptions
from slp.errors import Diagnostic
from slp.messages.stacked import STACKED_OF_EDITS, TOO_FEW_TO_STACK
from slp.problem.problem import Problem
from slp.results.record.choice import DRAWS

if TYPE_CHECKING:
    from slp.results.record.result import Result


class _Stacked(Engine[StackedOptions]):
    """See the module."""

    name = "stacked"
    title = "members stacked by prediction, where chains do not agree"
    gives = "predictions of an average of members; no posterior, no evidence, no errors"
    refuses = (
        f"tables of fewer than {FEWEST_ROWS} rows, priors, programs without a finite tree grammar, "
        "`edittree`"
    )
    Options = StackedOptions

    def refusal(self, problem: Problem, options: StackedOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E568."""
        if problem.program.edits is not None:
            return (STACKED_OF_EDITS(),)
        rows = problem.table.n_rows
        return (TOO_FEW_TO_STACK(rows=rows, least=FEWEST_ROWS),) if rows < FEWEST_ROWS else ()

    def outside_core(self, problem: Problem, options: StackedOptions) -> str | None:
        """See `Engine`: that of the members."""
        members = engine_named(DRAWS)
        return members.outside_core(problem, members.Options(rungs=1))

    def run(self, problem: Problem, request: Request, options: StackedOptions) -> Result:
        """See `Engine`, and `slp.engines.stacked.run.run_stacked`."""
        return stacked.run_stacked(problem, request, options)


ENGINE = _Stacked()
