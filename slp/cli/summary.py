"""What the commands say of a posterior: a JSON object, the words that pages share, the draws."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import slp
from slp import Posterior
from slp.cli.common import open_atomic
from slp.cli.json_text import json_text
from slp.engines import bounds_in_words
from slp.errors import BudgetError
from slp.results import Candidate, Draw, FeatureUse, Known
from slp.source import visible

if TYPE_CHECKING:
    from slp.results import Diagnostics, RuleUse

__all__ = [
    "LEAST_SHARE",
    "Uses",
    "estimate_text",
    "feature_uses",
    "finite",
    "edits_to_json",
    "leaves_text",
    "left_out_words",
    "mixture_of",
    "notes_of",
    "posterior_to_json",
    "size_to_json",
    "standing",
    "words_lines",
    "write_draws",
]

#: Of each feature how much it is used.
Uses: TypeAlias = Mapping[str, FeatureUse]

#: Edits less probable than this are not told.
LEAST_SHARE = 0.01


def feature_uses(posterior: Posterior) -> Uses | BudgetError:
    """How features are used, or why that is not known: an exact engine may know the evidence, the
    best tree and how many there are, and have no room or time left for this."""
    posterior.map()
    posterior.tree_count()
    try:
        return posterior.split_probabilities()
    except BudgetError as error:
        return error


def posterior_to_json(
    posterior: Posterior, uses: Uses | BudgetError, *, draws: int
) -> dict[str, Any]:
    """What `--json` prints; the caller adds the time. `draws` is the number made."""
    table = posterior.table
    best = posterior.map()
    known = None if isinstance(uses, BudgetError) else uses
    found = posterior.diagnostics
    mixture = mixture_of(posterior)
    return {
        "engine": posterior.engine,
        "reason": posterior.reason,
        "size": size_to_json(posterior),
        "n_rows": table.n_rows,
        "n_features": len(table.features),
        "log_evidence": posterior.log_evidence,
        "log_evidence_error": finite(posterior.log_evidence_error),
        "log_evidence_bounds": _bounds_to_json(posterior),
        "depends_on_clock": posterior.choice.by_clock or posterior.out_of_time,
        "left_out": posterior.left_out,
        "notes": [*notes_of(posterior), *left_out_words(uses, mixture)],
        "tree_count": finite(posterior.tree_count()),
        "map": {
            "tree": best.tree.to_dict(predictive=True),
            "log_joint": best.log_joint,
            "normalised": posterior.normalised,
            "log_posterior": best.log_posterior,
            "upper_bound": best.upper_bound,
            "certified": best.certified,
            "n_leaves": best.tree.n_leaves,
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
        "rules": None if isinstance(mixture, BudgetError) else mixture_to_json(mixture),
        "edits": edits_to_json(posterior),
        "draws": draws,
        "diagnostics": None if found is None else found.to_dict(),
        "interrupted": posterior.interrupted,
        "seed": posterior.seed,
        "version": slp.__version__,
    }


def mixture_of(posterior: Posterior) -> list[RuleUse] | BudgetError:
    """The components of a mixture that trees begin with, none elsewhere; or why they are not
    known."""
    try:
        return posterior.mixture()
    except BudgetError as error:
        return error


def mixture_to_json(mixture: list[RuleUse]) -> list[dict[str, Any]]:
    """How probable each component of a mixture is."""
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
    """What trees change in the tree given to `edittree`; None for other programs."""
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
    """How large exact sums are, estimated, where `auto` decided by it, and what would make them
    fit; else None."""
    choice = posterior.choice
    if choice.size is None:
        return None
    return {**choice.size.to_dict(), "would_fit": [fit.to_dict() for fit in choice.would_fit]}


def notes_of(posterior: Posterior) -> list[str]:
    """What must be said beside the numbers for them to be read rightly."""
    notes = []
    if posterior.evidence_note is not None and posterior.log_evidence is not None:
        notes.append(posterior.evidence_note)
    if posterior.log_evidence is None and posterior.likelihood:
        notes.append(f"the engine {posterior.engine} does not estimate the evidence")
    if (bounds := posterior.choice.log_evidence_bounds) is not None:
        notes.append(bounds_in_words(bounds))
    if not posterior.derivations_are_trees and posterior.map().certified:
        notes.append("a tree may have several derivations: MAP and tree count are over derivations")
    return notes


def _bounds_to_json(posterior: Posterior) -> list[float | None] | None:
    """What is certain of the log evidence: itself where it is known."""
    if posterior.log_evidence is not None and posterior.diagnostics is None:  # it is exact
        return [posterior.log_evidence] * 2
    bounds = posterior.choice.log_evidence_bounds
    return None if bounds is None else [finite(bound) for bound in bounds]


def left_out_words(uses: object, mixture: object) -> Iterator[str]:
    """Why it is not told how features are used, or how probable the components of a mixture are,
    and what to do about it, where these are a `BudgetError`."""
    for what, error in (("leaves and features", uses), ("components of the mixture", mixture)):
        if isinstance(error, BudgetError):
            for found in error.diagnostics:
                yield f"{what} are left out: {found.message}; {found.help}"


def words_lines(words: str) -> Iterator[str]:
    """Sentences, one a line, wrapped for a terminal."""
    for sentence in words.splitlines():
        yield from textwrap.wrap(visible(sentence), 90, subsequent_indent="  ")


def finite(number: int | float | None) -> int | float | None:
    """A number for JSON, which has no infinity and no NaN: null in their place."""
    return number if number is not None and math.isfinite(number) else None


def standing(best: Candidate, verbose: bool = True) -> str:
    """How a tree stands among all, as the beginning of a line; `verbose` with its log weight."""
    if best.log_joint is None:
        return "drawn most often, there may be better ones; "
    joint = f"log joint {best.log_joint:.6f}, " if verbose else ""
    if best.log_posterior is None:
        return f"of those drawn, there may be better ones; {joint}"
    return f"posterior probability {math.exp(best.log_posterior):.6g}, {joint}"


def estimate_text(value: float, error: float | None, found: Diagnostics | None) -> str:
    """A number, exact where there are no diagnostics; else with its Monte Carlo error, or without
    one and marked where the draws have not converged, as the error would mean nothing."""
    if found is None:
        return f"{value:.4f}"
    if not found.converged:
        return f"{value:.4f}?"
    known = error is not None and math.isfinite(error)
    return f"{value:.4f} +- {error:.4f}" if known else f"{value:.4f} +- ?"


def leaves_text(count: int) -> str:
    """`1 leaf`, `2 leaves`."""
    return "1 leaf" if count == 1 else f"{count} leaves"


def write_draws(draws: Iterable[Draw], path: str | Path) -> None:
    """One JSON object a line for each draw; the file appears whole or not at all."""
    with open_atomic(path) as stream:
        for i, draw in enumerate(draws):
            line = {
                "draw": i,
                "chain": draw.chain,
                "log_weight": draw.log_weight,
                "log_prior": draw.log_prior,
                "log_likelihood": draw.log_likelihood,
                "tree": draw.tree.to_dict(),
            }
            stream.write(json_text(line) + "\n")
