"""A posterior's summary as a JSON object, the words that summaries share, and the file of draws."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import slp
from slp import Posterior
from slp.cli.common import open_atomic
from slp.cli.json_text import json_text
from slp.errors import BudgetError
from slp.results import (
    Candidate,
    Draw,
    FeatureUse,
    Known,
    bounds_in_words,
    derivations_note,
    partition_note,
)
from slp.source import visible
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.results import RuleUse

#: The use of each feature.
Uses: TypeAlias = Mapping[str, FeatureUse]

_Answer = TypeVar("_Answer")

#: Edits with a lower probability are not listed.
LEAST_SHARE = 0.01


def feature_uses(posterior: Posterior) -> Uses | BudgetError:
    """The use of each feature, or the error that tells why it is unknown. An exact engine can know
    the evidence and the best tree, and have no memory or time left for this."""
    posterior.map()
    return _or_limit(posterior.split_probabilities)


def draws_made(posterior: Posterior, draws: int, output: str | None) -> int:
    """The number of draws, of `draws` asked for. An exact engine makes draws only if there is a
    file for them, behind the summary if there is time."""
    if posterior.trees_found is not None:
        return len(posterior.draws) if output is not None else 0
    if posterior.diagnostics is None:
        at_once = output is not None and posterior.choice.by_clock
        return len(posterior.draws) if at_once else draws if output is not None else 0
    return sum(posterior.diagnostics.draws)


def posterior_to_json(
    posterior: Posterior, uses: Uses | BudgetError, *, draws: int
) -> dict[str, Any]:
    """The object that `--json` prints. The caller adds the time. `draws` is the number of draws
    made."""
    table = posterior.table
    best = posterior.map()
    known = None if isinstance(uses, BudgetError) else uses
    found = posterior.diagnostics
    mixture, count = mixture_of(posterior), count_of(posterior)
    return {
        "engine": posterior.engine,
        "reason": posterior.reason,
        "size": size_to_json(posterior),
        "n_rows": table.n_rows,
        "n_features": len(table.features),
        "log_evidence": posterior.log_evidence,
        "log_evidence_error": finite(posterior.log_evidence_error),
        "log_evidence_kind": posterior.log_evidence_kind,
        "log_evidence_bounds": _bounds_to_json(posterior),
        "depends_on_clock": posterior.choice.by_clock or posterior.out_of_time,
        "left_out": posterior.left_out,
        "notes": [*notes_of(posterior), *left_out_words(uses, mixture, count)],
        "tree_count": None if isinstance(count, BudgetError) else finite(count),
        "map": {
            **candidate_to_json(best, shares_of_found(posterior).get(best.tree)),
            "normalised": posterior.normalised,
        },
        "mean_leaves": None if known is None else posterior.expected_leaves(),
        "mean_leaves_error": (None if known is None else finite(posterior.expected_leaves_error())),
        "features": (
            None if known is None else {name: use.probability for name, use in known.items()}
        ),
        "features_error": (
            None
            if known is None
            else {name: finite(use.probability_error) for name, use in known.items()}
        ),
        "importances": posterior.importances(),
        "rules": None if isinstance(mixture, BudgetError) else mixture_to_json(mixture),
        "edits": edits_to_json(posterior),
        "draws": draws,
        "diagnostics": None if found is None else found.to_dict(),
        "interrupted": posterior.interrupted,
        "seed": posterior.seed,
        "version": slp.__version__,
    }


def candidate_to_json(found: Candidate, share: float | None = None) -> dict[str, Any]:
    """A tree, how good it is, and its share of those found. `derivation_log_joint` is there where
    trees may have several derivations."""
    own = found.derivation_log_joint
    return {
        "tree": found.tree.to_dict(predictive=True),
        "log_joint": found.log_joint,
        **({} if own is None else {"derivation_log_joint": own}),
        "log_posterior": found.log_posterior,
        "upper_bound": finite(found.upper_bound),
        "certified": found.certified,
        "n_leaves": found.tree.n_leaves,
        "share": share,
    }


def cut_short(posterior: Posterior) -> Iterator[str]:
    """Says that trees were not grown to the end."""
    grown = posterior.trees_found is not None and posterior.map().upper_bound is None
    if grown and posterior.interrupted:
        by = "the end of its time" if posterior.out_of_time else "an interrupt"
        yield f"cut short by {by}: a longer run may find a better tree"


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


def mixture_to_json(mixture: list[RuleUse]) -> list[dict[str, Any]]:
    """The probability of each component of a mixture."""
    return [
        {
            "rule": use.rule,
            "file": use.file,
            "line": use.line,
            "probability": use.at_start,
            "probability_error": finite(use.at_start_error),
        }
        for use in mixture
    ]


def edits_to_json(posterior: Posterior) -> dict[str, Any] | None:
    """The differences of trees from the tree given to `edittree`; None for other programs."""
    found = posterior.edits
    if found is None:
        return None
    return {
        "given": found.given.to_dict(),
        "mean": found.expected,
        "mean_error": finite(found.expected_error),
        "numbers": {k: float(p) for k, p in enumerate(found.distribution)},
        "shares": [
            {
                "kind": s.edit.kind,
                "path": s.edit.path,
                "before": s.edit.before,
                "after": s.edit.after,
                "probability": s.probability,
                "probability_error": finite(s.probability_error),
            }
            for s in found.shares
            if s.probability >= LEAST_SHARE
        ],
        "map": [str(edit) for edit in posterior.map_tree().edits_from(found.given)],
    }


def size_to_json(posterior: Posterior | Known) -> dict[str, Any] | None:
    """The estimated size of exact sums, and what would make them fit, if `auto` decided by size;
    else None."""
    choice = posterior.choice
    if choice.size is None:
        return None
    return {**choice.size.to_dict(), "would_fit": [fit.to_dict() for fit in choice.would_fit]}


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


def _bounds_to_json(posterior: Posterior) -> list[float | None] | None:
    bounds = posterior.log_evidence_bounds
    return None if bounds is None else [finite(bound) for bound in bounds]


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


def words_lines(words: str) -> Iterator[str]:
    """Sentences, one on each line, wrapped for a terminal."""
    for sentence in words.splitlines():
        yield from textwrap.wrap(visible(sentence), 90, subsequent_indent="  ")


def finite(number: int | float | None) -> int | float | None:
    """A number for JSON: None in place of infinity and NaN."""
    return number if number is not None and math.isfinite(number) else None


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
            return f"found by search, {none} is better by more than {gap:.6g}; {joint}"
        return f"grown greedily, there may be better ones; {joint}"
    if best.log_joint is None:
        return "drawn most often, there may be better ones; "
    joint = joint if verbose else ""
    if best.log_posterior is None:
        return f"of those drawn, there may be better ones; {joint}"
    drawn = "" if best.certified else "of those drawn, there may be better ones; "
    return f"{drawn}posterior probability {math.exp(best.log_posterior):.6g}, {joint}"


def leaves_text(count: int) -> str:
    """`1 leaf`, `2 leaves`."""
    return "1 leaf" if count == 1 else f"{count} leaves"


def sum_of_weights(result: Posterior, draws: Sequence[Draw]) -> float | None:
    """What the weights of draws are shares of; None where all draws count alike."""
    if result.trees_found is not None:
        return result.trees_found
    return sum(draw.weight for draw in draws) if draws and result.draws_have_weights else None


def write_draws(draws: Iterable[Draw], path: str | Path, total: float | None = None) -> None:
    """Write the draws as JSON, one object per line, with their shares of this total weight. An
    error leaves no incomplete file."""
    with open_atomic(path) as stream:
        for i, draw in enumerate(draws):
            line = {
                "draw": i,
                "chain": draw.chain,
                "log_weight": draw.log_weight,
                "log_prior": draw.log_prior,
                "log_likelihood": finite(draw.log_likelihood),
                **({} if total is None else {"share": draw.weight / total}),
                "tree": draw.tree.to_dict(),
            }
            stream.write(json_text(line) + "\n")
