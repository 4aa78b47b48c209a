"""Engine `modal`: greedy modal trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slp.engines import modal
from slp.engines.contract import Engine, Request
from slp.engines.modal.options import ModalOptions
from slp.engines.shared.core_limits import preferences_about_trees, why_not_of_one_prior
from slp.errors import Diagnostic
from slp.messages.inference import MODAL_OF_EDITS
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp.results.record.result import Result


class _Modal(Engine[ModalOptions]):
    """See the module."""

    name = "modal"
    title = "one tree, grown greedily: at each node the most probable option"
    gives = "one tree and its log joint; no evidence, and no bound on better trees"
    refuses = (
        "programs without a finite tree grammar, `edittree`, `smoothing` of numbers, or beside "
        "`look_ahead` or `further`"
    )
    few_states = True
    Options = ModalOptions

    def refusal(self, problem: Problem, options: ModalOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E538."""
        if problem.program.edits is not None:
            return (MODAL_OF_EDITS(),)
        return preferences_about_trees(problem.program.constraints)

    def outside_core(self, problem: Problem, options: ModalOptions) -> str | None:
        """See `Engine`."""
        return why_not_of_one_prior(problem)

    def run(self, problem: Problem, request: Request, options: ModalOptions) -> Result:
        """See `Engine`, and `slp.engines.modal.run.run_modal`."""
        return modal.run_modal(problem, request, options)


ENGINE = _Modal()
