"""The search for a tree that a chain begins with: how often it is tried, and the messages where
none is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slp.errors import NoTreeError, SlpError
from slp.ir.constraints import Constraint
from slp.messages.chains import ALL_DRAWS_FAIL, ALL_DRAWS_REFUSED, NO_EDITS, NO_TREE_YET
from slp.runner import SearchStoppedError
from slp.trees.predicates import (
    AskedPredicate,
    asked_predicates,
    refusals_in_words,
    refused_example,
)

#: Proofs drawn before the search for a start is given up.
TRIES = 2000


def no_start(derived: int, constraints: Iterable[Constraint] = ()) -> NoTreeError:
    """E517; `derived` is how many of the proofs drawn had no dead end. For predicates among the
    constraints the message says how often they were called and refused."""
    predicates = asked_predicates(constraints)
    refusals, refused = refusals_in_words(predicates), refused_example(predicates)
    if not derived:
        return NoTreeError(ALL_DRAWS_FAIL(tries=TRIES, refusals=refusals, refused=refused))
    return NoTreeError(
        ALL_DRAWS_REFUSED(
            tries=TRIES,
            derived=derived,
            refusals=refusals,
            refused=refused,
        )
    )


def search_stopped(constraints: Iterable[Constraint]) -> SearchStoppedError:
    """The error of a search for a start that was told to stop."""
    refusals = refusals_in_words(asked_predicates(constraints))
    return SearchStoppedError(NO_TREE_YET.format(refusals=refusals))


def no_edits(asked: Sequence[AskedPredicate] = ()) -> SlpError:
    """E519: no sequence of edits was found whose tree the predicates `asked` and the constraints
    allow."""
    refusals, refused = refusals_in_words(asked), refused_example(asked)
    return SlpError(NO_EDITS(refusals=refusals, refused=refused))


def search_of_edits_stopped(asked: Sequence[AskedPredicate] = ()) -> SearchStoppedError:
    """The error of a search for a sequence of edits that was told to stop."""
    return SearchStoppedError(no_edits(asked).diagnostics[0].message)
