"""Output for a run that a limit of time or memory ended: the results that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TypeAlias, TypeVar

import click

from slp import Posterior
from slp.budgets import Deadline
from slp.cli.as_json import MISSING, known_to_json
from slp.cli.common import say
from slp.cli.json_text import write_json
from slp.cli.suggested_command import command_again
from slp.cli.summary import leaves_text, standing, words_lines
from slp.engines import all_options, engine_named
from slp.errors import BudgetError, TimeOverError
from slp.results import Known, bounds_in_words

_Answer = TypeVar("_Answer")

#: The posterior that answered, and its answer.
_Asked: TypeAlias = tuple[Posterior, _Answer]


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
            out_of_memory = not isinstance(error, TimeOverError)
            write_json({**known_to_json(known, limit, out_of_memory=out_of_memory), **spent})
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


def _known_lines(known: Known, limit: str, words: str) -> Iterator[str]:
    """The summary for a person: what is known first, then the question."""
    bounds, best, table = known.log_evidence_bounds, known.best, known.table
    yield f"unfinished: {limit.partition(';')[0]}"
    evidence_too = known.likelihood and _exact(bounds) is None
    yield f"not known are {MISSING}" + (", and the evidence" if evidence_too else "")
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
    if known.sooner is not None:
        yield f"next      {_by_engine(known.sooner)}"


def _by_engine(name: str) -> str:
    """This command with another engine, without options that it does not take."""
    others = all_options().keys() - {field.name for field in fields(engine_named(name).Options)}
    return command_again(click.get_current_context(), {"engine": name}, others)


def _exact(bounds: tuple[float, float] | None) -> float | None:
    """The log evidence if the bounds are equal, else None."""
    return bounds[0] if bounds is not None and bounds[0] == bounds[1] else None
