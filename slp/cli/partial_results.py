"""Output for a run that a limit of time or memory ended: the results that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import slp
from slp import Posterior
from slp.budgets import Deadline
from slp.cli.common import say
from slp.cli.json_text import write_json
from slp.cli.summary import (
    candidate_to_json,
    finite,
    leaves_text,
    size_to_json,
    standing,
    words_lines,
)
from slp.errors import BudgetError
from slp.results import Kind, Known, bounds_in_words

_Answer = TypeVar("_Answer")

#: The posterior that answered, and its answer.
_Asked: TypeAlias = tuple[Posterior, _Answer]

#: What the summary does not contain.
_MISSING = "the probabilities of trees, their number, leaves, features and predictions"


@contextmanager
def known_is_told(
    words: Callable[[], str],
    *,
    as_json: bool = False,
    deadline: Deadline | None = None,
    err: bool = False,
) -> Iterator[None]:
    """Print the known results if the block reaches a limit. The error is raised again, to be shown
    too. `words` is the program in words; with a `deadline` JSON has the time; `err` is as for
    `say`."""
    try:
        yield
    except BudgetError as error:
        known, limit = error.known, error.diagnostics[0].message
        if known is not None and as_json:
            spent = {} if deadline is None else {"seconds": deadline.spent()}
            write_json({**_known_to_json(known, limit), **spent})
        elif known is not None:
            say(*_known_lines(known, limit, words()), err=err)
        raise


def asked(posterior: Posterior, question: Callable[[Posterior], _Answer]) -> _Asked[_Answer]:
    """The answer of a posterior, or of a search that goes on in its place
    (`Posterior.searched_instead`). At any other limit the error carries the known results."""
    try:
        return posterior, question(posterior)
    except BudgetError as error:
        searched = posterior.searched_instead(error)
        if searched is not None:
            return searched, question(searched)
        known = posterior.known()
        if known.log_evidence_bounds is None:
            known = replace(known, log_evidence_bounds=error.log_evidence_bounds)
        error.known = known
        raise


def _known_to_json(known: Known, limit: str) -> dict[str, Any]:
    """The object that `slp-sample --json` prints, with null for unknown values. The caller adds the
    time."""
    best, bounds = known.best, known.log_evidence_bounds
    return {
        "engine": known.choice.engine,
        "reason": known.choice.reason,
        "size": size_to_json(known),
        "n_rows": known.table.n_rows,
        "n_features": len(known.table.features),
        "log_evidence": _exact(bounds),
        "log_evidence_error": None if _exact(bounds) is None else 0.0,
        "log_evidence_kind": _kind(bounds),
        "log_evidence_bounds": None if bounds is None else [finite(bound) for bound in bounds],
        "depends_on_clock": True,
        "left_out": None,
        "notes": [limit, f"not known are {_MISSING}"],
        "tree_count": None,
        "map": None
        if best is None
        else {**candidate_to_json(best), "normalised": known.normalised},
        "mean_leaves": None,
        "mean_leaves_error": None,
        "features": None,
        "features_error": None,
        "importances": None,
        "rules": None,
        "edits": None,
        "draws": 0,
        "diagnostics": None,
        "interrupted": True,
        "seed": None,
        "version": slp.__version__,
    }


def _known_lines(known: Known, limit: str, words: str) -> Iterator[str]:
    """The summary for a person: what is known first, then the question."""
    bounds, best, table = known.log_evidence_bounds, known.best, known.table
    yield f"unfinished: {limit.partition(';')[0]}"
    evidence_too = known.likelihood and _exact(bounds) is None
    yield f"not known are {_MISSING}" + (", and the evidence" if evidence_too else "")
    if known.likelihood:
        evidence = "not known" if bounds is None else bounds_in_words(bounds)
        yield f"evidence  {evidence}"
    if best is None:
        yield "best tree  none was looked at"
    else:
        yield f"best tree  so far, {standing(best)}{leaves_text(best.tree.n_leaves)}"
        for line in best.tree.to_text().splitlines():
            yield f"          {line}"
    yield f"data      {table.notes[0]}, response {table.response}"
    for i, line in enumerate(words_lines(words)):
        yield f"{'prior' if i == 0 else '':<10}{line}"
    yield f"engine    {known.choice.engine}: {known.choice.reason}"


def _exact(bounds: tuple[float, float] | None) -> float | None:
    """The log evidence if the bounds are equal, else None."""
    return bounds[0] if bounds is not None and bounds[0] == bounds[1] else None


def _kind(bounds: tuple[float, float] | None) -> Kind | None:
    """What bounds tell of the log evidence, as `Posterior.log_evidence_kind`."""
    if bounds is None:
        return None
    return "bounds" if _exact(bounds) is None else "exact"
