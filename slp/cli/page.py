"""The summary that `slp-sample` prints for a person. It begins with whether the numbers can be
trusted."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slp import Posterior
from slp.cli.decisions import cost_line, mass_lines, tree_lines
from slp.cli.summary import (
    LEAST_SHARE,
    Uses,
    count_of,
    cut_short,
    leaves_text,
    left_out_words,
    mixture_of,
    prior_beside,
    prior_uses_words,
    standing,
    words_lines,
)
from slp.errors import BudgetError
from slp.results import (
    bounds_in_words,
    derivations_note,
    error_note,
    estimate_text,
    evidence_text,
    number_of_trees_text,
    partition_note,
)
from slp.source import visible
from slp.trees import Tree, in_sample_fit

if TYPE_CHECKING:
    from slp.results import Diagnostics, Stacked

#: Largest number of edits in the summary.
_SHARES_SHOWN = 10
INDENT = " " * 10


@dataclass(frozen=True)
class Page:
    """The summary of a posterior, without draws and time.

    Attributes
    ----------
    uses : use of each feature, or the error that tells why it is unknown.
    words : the prior in words.
    data : name of the table.
    longer : a command for a longer run, and remarks on it; empty for an exact engine.
    verbose : whether to print log weights.
    """

    posterior: Posterior
    uses: Uses | BudgetError
    words: str
    data: str
    longer: Sequence[str]
    verbose: bool = False

    def lines(self) -> Iterator[str]:
        """The lines of the summary."""
        if self.posterior.stacked is not None:
            yield from self._stacked(self.posterior.stacked)
            return
        yield from self._trust()
        yield from self._evidence()
        yield from self._parameters()
        yield from self._best()
        yield from self._edits()
        yield from self._features()
        if self.posterior.likelihood and self.posterior.trees_summed is None:
            tree = self.posterior.map_tree()
            if isinstance(tree, Tree):  # a soft tree has no rows of its own in a leaf
                yield from labelled("fit", in_sample_fit(self.posterior.table, tree))
        yield from self._given()

    def _trust(self) -> Iterator[str]:
        """Whether the numbers can be trusted; if not, which command to run next."""
        trust = self.posterior.trust
        found, grown = self.posterior.diagnostics, self.posterior.trees_found
        if grown is not None:
            trees = "one tree" if grown == 1 else f"{grown} trees"
            searched = self.posterior.map().upper_bound is not None
            how = "found by search" if searched else "grown greedily"
            told = f"{trees}, {how}: all averages are over {_these(grown)} alone"
            yield from labelled("trust", [f"{told}, not over the posterior"])
            yield from labelled("", cut_short(self.posterior))
        elif found is None:
            left_out = self.posterior.left_out
            exact_to = f" (what is left out has a probability below {left_out:.0e})"
            told = f"{_what_sums(self.posterior)}{exact_to if left_out else ''}"
            if not isinstance(self.uses, BudgetError) and self.posterior.uses_are_drawn:
                told += "; features and leaves: averages over independent draws"
            yield from labelled("trust", [told])
        elif trust.standing == "not known":
            yield f"trust     NOT KNOWN: {trust.faults[0]}, do not use these; run longer:"
            yield from self._next()
        elif trust.standing == "not converged":
            yield "trust     NOT CONVERGED: do not use these numbers; run longer:"
            yield from self._next()
            yield f"{INDENT}{_health(found)}"
        else:
            yield f"trust     estimate, converged: {_health(found)}"

    def _stacked(self, stacked: Stacked) -> Iterator[str]:
        """Members that are stacked by prediction."""
        posterior = self.posterior
        yield from labelled("trust", [stacked.words()])
        yield from labelled("", stacked.sentences())
        size, *notes = posterior.table.notes
        yield from labelled("data", [f"{self.data}: members saw {size}", *notes])
        for i, line in enumerate(words_lines(self.words)):
            yield f"{'prior' if i == 0 else '':<10}{line}"
        yield from labelled("engine", [f"{posterior.engine}: {posterior.reason}"])

    def _next(self) -> Iterator[str]:
        """The command to run next if the draws cannot be trusted."""
        for i, line in enumerate(self.longer):
            yield f"{'' if i else 'next':<10}{line}"

    def _evidence(self) -> Iterator[str]:
        posterior = self.posterior
        told = evidence_text(posterior)
        if posterior.log_evidence is not None:
            told = f"log P({posterior.table.response} | features) = {told}"
        yield f"evidence  {told}"
        if posterior.log_evidence is not None and posterior.evidence_note is not None:
            yield from labelled("", [posterior.evidence_note])
        bounds = posterior.log_evidence_bounds
        if posterior.log_evidence is None and bounds is not None:
            yield from labelled("", [bounds_in_words(bounds)])

    def _parameters(self) -> Iterator[str]:
        """What is known of parameters that have a prior."""
        found = self.posterior.parameters
        width = 0 if found is None else max(len(own.name) for own in found.beliefs)
        for i, own in enumerate(() if found is None else found.beliefs):
            yield f"{'' if i else 'values':<10}{own.name:<{width}}  {own.words()}"

    def _best(self) -> Iterator[str]:
        if self.posterior.trees_summed is not None:
            return
        best = self.posterior.map()
        name = "MAP tree" if best.certified else "best tree"
        yield f"{name:<10}{standing(best, self.verbose)}{leaves_text(best.tree.n_leaves)}"
        for line in best.tree.to_text().splitlines():
            yield f"{INDENT}{line}"
        yield from labelled("", tree_lines(self.posterior, best.tree))
        yield from labelled("cost", cost_line(self.posterior))

    def _edits(self) -> Iterator[str]:
        """The differences of trees from the tree given to `edittree`, if there is one."""
        found = self.posterior.edits
        if found is None:
            return
        best = self.posterior.map_tree().edits_from(found.given)
        yield from labelled("edited", map(str, best))
        if not best:
            yield "edited    nowhere: it is the given tree"
        yield (
            f"edits     {self._number(found.expected, found.expected_error)} expected; "
            f"P(given tree) {found.distribution[0]:.4f}"
        )
        for share in [s for s in found.shares if s.probability >= LEAST_SHARE][:_SHARES_SHOWN]:
            probability = self._number(share.probability, share.probability_error)
            yield f"{INDENT}{probability}  {share.edit}"

    def _features(self) -> Iterator[str]:
        """The use of each feature, and the expected number of leaves."""
        if isinstance(self.uses, BudgetError):
            yield from labelled("features", left_out_words(self.uses, None))
            return
        yield from self._importances()
        posterior = self.posterior
        error, drawn = posterior.expected_leaves_error(), posterior.uses_are_drawn
        note = error_note(posterior.diagnostics, drawn=drawn)
        whose = (
            "a tree" if posterior.trees_summed is None else f"one of {posterior.trees_summed} trees"
        )
        yield f"features  probability that {whose} splits on it, splits expected{note}"
        width = max((len(name) for name in self.uses), default=0)
        for name, use in sorted(self.uses.items(), key=lambda x: -x[1].probability):
            probability = self._number(use.probability, use.probability_error, drawn)
            splits = self._number(use.expected_splits, use.expected_splits_error, drawn)
            yield f"{INDENT}{name:<{width}}  {probability}{prior_beside(use)}  {splits}"
        yield from labelled("", prior_uses_words(posterior, self.uses))
        yield f"leaves    {self._number(posterior.expected_leaves(), error, drawn)} expected"
        mixture = mixture_of(posterior)
        if isinstance(mixture, BudgetError):
            yield from labelled("mixture", left_out_words(None, mixture))
            return
        for i, part in enumerate(mixture):
            if i == 0:
                note = error_note(posterior.diagnostics)
                yield f"mixture   probability of each component{note}"
            probability = self._number(part.at_start, part.at_start_error)
            place = visible(f"{part.file}:{part.line}")
            yield f"{INDENT}{probability}  {visible(part.rule)}  ({place})"

    def _importances(self) -> Iterator[str]:
        """The log posterior that each feature gains, of an engine that grows trees."""
        found = self.posterior.importances()
        if found is None:
            return
        yield "gains     log posterior that the splits on a feature gain"
        used = {name: gain for name, gain in found.items() if gain != 0}
        width = max((len(name) for name in used), default=0)
        for name, gain in sorted(used.items(), key=lambda x: -x[1]):
            yield f"{INDENT}{name:<{width}}  {gain:.4f}"

    def _given(self) -> Iterator[str]:
        """The input: table, prior, engine."""
        posterior = self.posterior
        size, *notes = posterior.table.notes
        yield f"data      {self.data}: {size}"
        yield from labelled("", notes)
        for i, line in enumerate(words_lines(self.words)):
            yield f"{'prior' if i == 0 else '':<10}{line}"
        yield from labelled("mass", mass_lines(posterior))
        yield from labelled("engine", [f"{posterior.engine}: {posterior.reason}"])
        count = count_of(posterior)
        if isinstance(count, BudgetError):
            yield from labelled("trees", left_out_words(None, None, count))
        elif count is not None:
            yield f"trees     {number_of_trees_text(count)}"
        if (note := derivations_note(posterior)) is not None:
            yield from labelled("trees" if count is None else "", [note])
        if (stands := partition_note(posterior)) is not None:
            yield from labelled("trees" if count is None and note is None else "", [stands])

    def _number(self, value: float, error: float, drawn: bool = False) -> str:
        return estimate_text(value, error, self.posterior.diagnostics, drawn=drawn)


def _what_sums(posterior: Posterior) -> str:
    """What the numbers of sums are."""
    found = posterior.parameters
    return "exact: sums over all trees" if found is None else f"estimate: {found.how}"


def _health(found: Diagnostics) -> str:
    """The worst R-hat and number of effective draws, with the required values."""
    r_hat, effective, enough = found.worst_r_hat, found.fewest_effective, found.effective_needed
    if effective is None:
        return "all draws are alike"
    few = f"{math.floor(effective)} effective draws"
    if r_hat is None:  # of islands
        return f"{few} or more" if found.converged else f"{few} ({enough} needed)"
    if found.converged:
        return f"R-hat at most {r_hat:.3f}, {few} or more"
    if found.warnings and not (r_hat > found.largest_r_hat or effective < enough):
        return found.warnings[0]
    told = "infinite" if math.isinf(r_hat) else f"{r_hat:.4g}"
    return f"R-hat {told} (at most {found.largest_r_hat} is good), {few} ({enough} needed)"


def labelled(label: str, texts: Iterable[str]) -> Iterator[str]:
    """Texts wrapped for a terminal, with a label before the first line."""
    for text in texts:
        for line in textwrap.wrap(visible(text), 80, subsequent_indent="  "):
            yield f"{label:<10}{line}"
            label = ""


def _these(n: int) -> str:
    return "it" if n == 1 else "these"
