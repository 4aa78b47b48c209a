"""The answers and words that summaries share, as JSON and as text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from slp import Posterior
from slp.errors import BudgetError
from slp.results import (
    Candidate,
    FeatureUse,
    bounds_in_words,
    derivations_note,
    estimate_text,
    partition_note,
)
from slp.source import visible
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.results import RuleUse

#: The use of each feature.
Uses: TypeAlias = Mapping[str, FeatureUse]

_Answer = TypeVar("_Answer")

#: A bound so far above a tree's log joint, a factor of 1000, tells nothing of use about it.
_LOOSE = math.log(1000)
#: Edits with a lower probability are not listed.
LEAST_SHARE = 0.01


def feature_uses(posterior: Posterior) -> Uses | BudgetError:
    """The use of each feature, or the error that tells why it is unknown. An exact engine can know
    the evidence and the best tree, and have no memory or time left for this. Nothing of members
    that are stacked by prediction."""
    if posterior.stacked is not None:
        return {}
    if posterior.trees_summed is None:
        posterior.map()
    return _or_limit(posterior.split_probabilities)


def draws_made(posterior: Posterior, draws: int, output: str | None) -> int:
    """The number of draws, of `draws` asked for. An exact engine makes draws only if there is a
    file for them, behind the summary if there is time. Members that are stacked have none."""
    if posterior.stacked is not None:
        return 0
    if posterior.trees_found is not None:
        return len(posterior.draws) if output is not None else 0
    if posterior.diagnostics is None:
        at_once = output is not None and posterior.choice.by_clock
        return len(posterior.draws) if at_once else draws if output is not None else 0
    return sum(posterior.diagnostics.draws)


def cut_short(posterior: Posterior) -> Iterator[str]:
    """Says that trees were not grown or searched to the end."""
    grown = posterior.trees_found is not None and posterior.map().upper_bound is None
    if grown and posterior.interrupted:
        by = "the end of its time" if posterior.out_of_time else "an interrupt"
        yield f"cut short by {by}: a longer run may find a better tree"
    if posterior.out_of_memory:
        yield "cut short as its memory was full: with more, it may find better trees or bounds"


def short_list_note(posterior: Posterior, listed: int, wanted: int) -> str | None:
    """Says that time ended the list of the best trees; None if it did not."""
    if listed >= wanted or not posterior.out_of_time:
        return None
    return f"the list was cut short by the end of its time: {listed} of {wanted} trees"


def shares_of_found(posterior: Posterior) -> dict[Tree, float]:
    """How much each tree counts in averages, of an engine that grows or searches trees; none of
    other engines."""
    found = posterior.trees_found
    return {} if found is None else {d.tree: d.weight / found for d in posterior.draws}


def mixture_of(posterior: Posterior) -> list[RuleUse] | BudgetError:
    """The components of a mixture at the start, an empty list for other programs, or the error that
    tells why they are unknown."""
    return _or_limit(posterior.mixture)


def count_of(posterior: Posterior) -> int | float | None | BudgetError:
    """The number of trees, or the error that tells why it is unknown."""
    return _or_limit(posterior.tree_count)


def _or_limit(question: Callable[[], _Answer]) -> _Answer | BudgetError:
    """The answer, or the limit of time or memory that was reached."""
    try:
        return question()
    except BudgetError as error:
        return error


def notes_of(posterior: Posterior) -> list[str]:
    """Cautions about the numbers."""
    notes = []
    if posterior.evidence_note is not None and posterior.log_evidence is not None:
        notes.append(posterior.evidence_note)
    if posterior.log_evidence is None and posterior.likelihood:
        notes.append(f"the evidence is not known: {posterior.no_evidence}")
    if posterior.log_evidence_kind != "exact" and (bounds := posterior.log_evidence_bounds):
        notes.append(bounds_in_words(bounds))
    if (note := derivations_note(posterior)) is not None:
        notes.append(note)
    if (note := partition_note(posterior)) is not None:
        notes.append(note)
    return notes


def left_out_words(uses: object, mixture: object, count: object = None) -> Iterator[str]:
    """Why the use of features, the probabilities of a mixture's components or the number of trees
    are unknown, and what to do about it. Nothing if none is a `BudgetError`."""
    for what, error in (
        ("leaves and features", uses),
        ("components of the mixture", mixture),
        ("numbers of trees", count),
    ):
        if isinstance(error, BudgetError):
            for found in error.diagnostics:
                yield f"{what} are left out: {found.message}; {found.help}"


def prior_beside(use: FeatureUse) -> str:
    """The prior's probability of the same, to stand behind a probability; empty where it is not
    known."""
    if use.prior_probability is None:
        return ""
    error = use.prior_probability_error
    return f" (prior {estimate_text(use.prior_probability, error, None, drawn=bool(error))})"


def prior_uses_words(posterior: Posterior, uses: Uses | BudgetError) -> Iterator[str]:
    """What the prior's probabilities are, or why they are not known; nothing of a prior, and where
    there are no features."""
    if posterior.likelihood and uses and not isinstance(uses, BudgetError):
        yield f"the prior's probabilities are {posterior.prior_uses_note}"


def words_lines(words: str) -> Iterator[str]:
    """Sentences, one on each line, wrapped for a terminal."""
    for sentence in words.splitlines():
        yield from textwrap.wrap(visible(sentence), 90, subsequent_indent="  ")


def standing(best: Candidate, verbose: bool = True, later: bool = False) -> str:
    """The tree's probability, as the beginning of a line; with `verbose` also its log weight.
    `later`: the tree is not the first of a list."""
    joint, own = "", best.derivation_log_joint
    if best.log_joint is not None:
        of_derivation = "" if own is None else f"of this derivation {own:.6f}, "
        joint = f"log joint {best.log_joint:.6f}, {of_derivation}"
    if best.grown:
        one = "one" if own is None else "derivation"
        none = f"no later {one}" if later else "none" if own is None else "no derivation"
        if best.certified:
            return f"certified: {none} is better; {joint}"
        if best.upper_bound == math.inf:
            return f"found by search, no bound on better ones is known; {joint}"
        if best.upper_bound is not None and best.ranked_log_joint is not None:
            gap = best.upper_bound - best.ranked_log_joint
            return f"found by search, {gap_in_words(gap, none)}; {joint}"
        return f"grown greedily, there may be better ones; {joint}"
    if best.log_joint is None:
        return "drawn most often, there may be better ones; "
    joint = joint if verbose else ""
    if best.log_posterior is None:
        return f"of those drawn, there may be better ones; {joint}"
    drawn = "" if best.certified else "of those drawn, there may be better ones; "
    return f"{drawn}posterior probability {math.exp(best.log_posterior):.6g}, {joint}"


def gap_in_words(gap: float, none: str) -> str:
    """How much better others (`none`: no one of them) may be than a tree that a search found: the
    bound on their log joint lies `gap` above its own."""
    if gap > _LOOSE:
        return (
            "there may be better ones: the bound on these is loose, so it does not tell how good "
            f"this one is (it lies {gap:.4g} above in log probability, and a longer search lowers "
            "it)"
        )
    factor = math.exp(gap)
    digits = 10.0 ** (math.floor(math.log10(factor)) - 2)
    above = math.ceil(factor / digits - 1e-9) * digits
    return f"{none} is more than {above:.{0 if above >= 100 else 2}f} times as probable"


def leaves_text(count: int) -> str:
    """`1 leaf`, `2 leaves`."""
    return "1 leaf" if count == 1 else f"{count} leaves"
