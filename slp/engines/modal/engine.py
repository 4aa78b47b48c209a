"""Engine `modal`: greedy modal trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slp.engines import modal
from slp.engines.contract import Request
from slp.engines.modal.options import ModalOptions
from slp.errors import Diagnostic
from slp.messages.inference import MODAL_OF_EDITS
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp.results.result import Result


@dataclass(frozen=True)
class _Modal:
    """See the module."""

    name: str = "modal"
    title: str = "one tree, grown greedily: at each node the most probable option"
    gives: str = "one tree and its log joint; no evidence, and no bound on better trees"
    refuses: str = "programs without a finite tree grammar, edittree"
    needs_grammar: bool = True
    few_states: bool = True
    soft_trees: bool = False
    needs_weights: bool = True
    Options: type[Any] = ModalOptions

    def refusal(self, problem: Problem, options: ModalOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E538."""
        return (MODAL_OF_EDITS(),) if problem.program.edits is not None else ()

    def run(self, problem: Problem, request: Request, options: ModalOptions) -> Result:
        """See `Engine`, and `slp.engines.modal.trees.run_modal`."""
        return modal.run_modal(problem, request, options)


ENGINE = _Modal()
