"""Refuses programs that have a prior in place of a value, for what takes values alone."""

from __future__ import annotations

from slp.errors import UnsupportedError
from slp.ir.program import CheckedProgram
from slp.messages.unknown_parameters import unknown_not_taken
from slp.messages.unknown_weights import WEIGHTS_NOT_TAKEN


def refuse_uncertain(program: CheckedProgram, what: str) -> None:
    """Raise UnsupportedError where parameters (E308) or feature weights (E309) have a prior.
    `what`: what does not take it, as in a sentence."""
    if program.unknown:
        raise UnsupportedError(unknown_not_taken(program.unknown, what))
    if program.weights_prior is not None:
        raise UnsupportedError(WEIGHTS_NOT_TAKEN(program.weights_prior.span, what=what))
