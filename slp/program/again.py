"""The program of a posterior, from the text in its record, and what it says of other rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.compile import compile_program
from slp.data import frame_of
from slp.data.coding import response_of
from slp.data.roles import roles_of
from slp.ir.program import CheckedProgram
from slp.results import Posterior


def program_of(posterior: Posterior) -> CheckedProgram:
    """The program, compiled again from the text in the record, with the functions that the caller
    has added."""
    record = posterior.record
    given = None if posterior.edits is None else posterior.edits.given
    program = compile_program(record.files[0].file, record.parameters, given)
    extra = [p.constraint for p in posterior.predicates if p.named_by is None]
    return replace(program, constraints=(*program.constraints, *extra))


def outcomes_in(posterior: Posterior, X: Any, y: Any = None) -> NDArray[Any]:
    """The outcomes of rows with them, as `LeafModel.statistics` takes them without regressors; of
    classes the places of theirs among those of the posterior, -1 for another one.

    Raises
    ------
    DataError
        As a run on these rows.
    """
    response = posterior.table.response
    found = response_of(
        program := program_of(posterior),
        roles_of(program, frame_of(X), response if y is None else y),
    )
    if not found.leaf.classes:
        return found.outcomes
    place = {label: i for i, label in enumerate(posterior.table.leaf.classes)}
    own = np.array([place.get(label, -1) for label in found.leaf.classes])
    return np.asarray(own[found.outcomes])
