"""What the commands say of a posterior: a JSON object, a page for a person, the draws."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import slp
from slp import Posterior
from slp.cli.common import open_atomic
from slp.cli.json_text import json_text
from slp.errors import BudgetError
from slp.infer import Draw, FeatureUse, Known, MapTree, bounds_in_words

__all__ = [
    "draws_lines",
    "estimate_text",
    "feature_uses",
    "finite",
    "edits_to_json",
    "leaves_text",
    "posterior_to_json",
    "size_to_json",
    "standing",
    "summary_lines",
    "words_lines",
    "write_draws",
]

#: Of each feature how much it is used.
Uses: TypeAlias = Mapping[str, FeatureUse]

#: Edits less probable than this are not told.
_LEAST_SHARE = 0.01
#: Edits that the page for a person lists.
_SHARES_SHOWN = 10


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
    """What `--json` prints; the caller adds the time. `draws` is the number asked for."""
    table = posterior.table
    best = posterior.map()
    known = None if isinstance(uses, BudgetError) else uses
    found = posterior.diagnostics
    return {
        "engine": posterior.engine,
        "reason": posterior.reason,
        "size": size_to_json(posterior),
        "n_rows": table.n_rows,
        "n_features": len(table.features),
        "log_evidence": posterior.log_evidence,
        "log_evidence_bounds": _bounds_to_json(posterior),
        "depends_on_clock": posterior.choice.by_clock or posterior.out_of_time,
        "left_out": posterior.left_out,
        "notes": [*_notes(posterior), *(_left_out(uses) if known is None else ())],
        "tree_count": finite(posterior.tree_count()),
        "map": {
            "tree": best.tree.to_dict(predictive=True),
            "log_joint": best.log_joint,
            "normalised": posterior.normalised,
            "log_posterior": best.log_posterior,
            "upper_bound": best.log_joint if best.certified else None,
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
        "edits": edits_to_json(posterior),
        "draws": draws if found is None else sum(found.draws),
        "diagnostics": None if found is None else found.to_dict(),
        "interrupted": posterior.interrupted,
        "seed": posterior.seed,
        "version": slp.__version__,
    }


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
            if s.probability >= _LEAST_SHARE
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


def _notes(posterior: Posterior) -> list[str]:
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
    if posterior.log_evidence is not None:
        return [posterior.log_evidence] * 2
    bounds = posterior.choice.log_evidence_bounds
    return None if bounds is None else [finite(bound) for bound in bounds]


def _left_out(uses: Uses | BudgetError) -> Iterator[str]:
    """Why it is not told how features are used, if it is not."""
    if isinstance(uses, BudgetError):
        for found in uses.diagnostics:
            yield f"leaves and features are left out: {found.message}"


def words_lines(words: str) -> Iterator[str]:
    """Sentences, one a line, wrapped for a terminal."""
    for sentence in words.splitlines():
        yield from textwrap.wrap(sentence, 90, subsequent_indent="  ")


def finite(number: int | float | None) -> int | float | None:
    """A number for JSON, which has no infinity and no NaN: null in their place."""
    return number if number is not None and math.isfinite(number) else None


def summary_lines(
    posterior: Posterior, uses: Uses | BudgetError, words: str, data: str
) -> Iterator[str]:
    """The page that `slp-sample` prints for a person, line by line, without draws and time."""
    table = posterior.table
    best = posterior.map()
    size, *notes = table.notes
    yield f"data      {data}: {size}"
    yield f"response  {table.response}, leaves {table.leaf.describe()}"
    for note in notes:
        yield f"          {note}"
    for i, line in enumerate(words_lines(words)):
        yield f"{'prior' if i == 0 else '':<10}{line}"
    yield f"engine    {posterior.engine}: {posterior.reason}"
    if posterior.log_evidence is None:
        yield "evidence  not known"
    else:
        exact_to = f" to {posterior.left_out:.1e}" if posterior.left_out else ""
        yield (
            f"evidence  log P({table.response} | features) = {posterior.log_evidence:.6f} "
            f"(exact{exact_to})"
        )
    for note in _notes(posterior):
        yield f"          {note}"
    yield f"trees     {_trees(posterior.tree_count())}"
    yield (
        f"{'MAP tree' if best.certified else 'best tree'}  {standing(best)}"
        f"{leaves_text(best.tree.n_leaves)}"
    )
    for line in best.tree.to_text().splitlines():
        yield f"          {line}"
    yield from _edits_lines(posterior)
    for line in _left_out(uses):
        yield from textwrap.wrap(line, 90, subsequent_indent=" " * 10)
    if not isinstance(uses, BudgetError):
        yield from _uses_lines(posterior, uses)


def _uses_lines(posterior: Posterior, uses: Uses) -> Iterator[str]:
    """Leaves expected, and for each feature how much it is used."""
    exact = posterior.diagnostics is None
    leaves = estimate_text(posterior.expected_leaves(), posterior.expected_leaves_error(), exact)
    yield f"leaves    {leaves} expected" + (" (exact)" if exact else "")
    yield f"features  P(used), expected splits ({'exact' if exact else '+- Monte Carlo error'})"
    width = max((len(name) for name in uses), default=0)
    for name, use in sorted(uses.items(), key=lambda x: -x[1].probability):
        probability = estimate_text(use.probability, use.probability_error, exact)
        splits = estimate_text(use.expected_splits, use.expected_splits_error, exact)
        yield f"          {name:<{width}}  {probability}  {splits}"


def _trees(count: int | float | None) -> str:
    if count is None:
        return "not counted"
    return f"{count:,}" if isinstance(count, int) else f"about {count:.6g}"


def standing(best: MapTree) -> str:
    """How a tree stands among all, as the beginning of a line."""
    if best.log_joint is None:
        return "drawn most often, there may be better ones; "
    joint = f"log joint {best.log_joint:.6f}, "
    if best.log_posterior is None:
        return f"of those drawn, there may be better ones; {joint}"
    return f"posterior probability {math.exp(best.log_posterior):.6g}, {joint}"


def _edits_lines(posterior: Posterior) -> Iterator[str]:
    """What trees change in the tree given to `edittree`, if there is one."""
    found = posterior.edits
    if found is None:
        return
    best = posterior.map_tree().edits_from(found.given)
    for i, edit in enumerate(best):
        yield f"{'edited' if i == 0 else '':<10}{edit}"
    if not best:
        yield "edited    nowhere: it is the given tree"
    mean = estimate_text(found.expected, found.expected_error, exact=False)
    yield f"edits     {mean} expected; P(given tree) {found.distribution[0]:.4f}"
    shown = [s for s in found.shares if s.probability >= _LEAST_SHARE][:_SHARES_SHOWN]
    for share in shown:
        probability = estimate_text(share.probability, share.probability_error, exact=False)
        yield f"          {probability}  {share.edit}"


def estimate_text(value: float, error: float | None, exact: bool) -> str:
    """A number, with its Monte Carlo error unless it is exact."""
    if exact:
        return f"{value:.4f}"
    known = error is not None and math.isfinite(error)
    return f"{value:.4f} +- {error:.4f}" if known else f"{value:.4f} +- ?"


def draws_lines(posterior: Posterior, draws: int, output: str | None) -> Iterator[str]:
    """What the page says of the draws, and how far they can be trusted; `draws` were asked for."""
    where = f", written to {output}" if output else ""
    found = posterior.diagnostics
    if found is None:
        yield f"draws     {draws} independent draws, seed {posterior.seed}{where}"
        return
    n = sum(found.draws)
    kept = f"{n} draws" if n == draws else f"{n} of {draws} draws"
    stopped = ", interrupted" if posterior.interrupted else ""
    stopped = ", out of time" if posterior.out_of_time else stopped
    chains = _count(sum(k > 0 for k in found.draws), "chain")
    yield f"draws     {kept} of {chains}, seed {posterior.seed}{stopped}{where}"
    for name, share in found.acceptance.items():
        yield f"moves     {name}: {share:.2%} accepted, {_failed(found.moves[name])}"
    for p in posterior.predicates:
        yield f"asked     {p.words}: {p.asked:,} times, {p.refused:,} refused, {p.seconds:.1f} s"
    yield "chains    R-hat, effective draws in the bulk and in the tails"
    width = max(len(_QUANTITIES[name]) for name in found.convergence)
    for name, c in found.convergence.items():
        numbers = f"{_number(c.r_hat, '.3f')}  {_number(c.ess_bulk, '.0f')}"
        yield f"          {_QUANTITIES[name]:<{width}}  {numbers}  {_number(c.ess_tail, '.0f')}"
    for words in found.warnings:
        yield f"          {words}"


_QUANTITIES = {
    "log_posterior": "log posterior",
    "log_likelihood": "log likelihood",
    "edits": "edits",
    "leaves": "leaves",
    "depth": "depth",
    "predictions": "predictions (the worst)",
}


def _failed(moves: Mapping[str, int]) -> str:
    return f"{moves['failed'] / sum(moves.values()):.2%} failed"


def _number(value: float | None, spec: str) -> str:
    return "-" if value is None else format(value, spec)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")


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
