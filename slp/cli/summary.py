"""What the commands say of a posterior: a JSON object, a page for a person, the draws."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import slp
from slp import Posterior
from slp.cli.common import open_atomic
from slp.cli.json_text import json_text

__all__ = ["finite", "posterior_to_json", "summary_lines", "words_lines", "write_draws"]


def posterior_to_json(posterior: Posterior, *, draws: int, seed: int | None) -> dict[str, Any]:
    """The part of `--json` that all engines share; the caller adds the time."""
    table = posterior.table
    best = posterior.map()
    return {
        "engine": posterior.engine,
        "reason": posterior.reason,
        "n_rows": table.n_rows,
        "n_features": len(table.features),
        "log_evidence": posterior.log_evidence,
        "notes": _notes(posterior),
        "tree_count": finite(posterior.tree_count()),
        "map": {
            "tree": best.tree.to_dict(),
            "log_joint": best.log_joint,
            "normalised": posterior.normalised,
            "log_posterior": best.log_posterior,
            "upper_bound": best.log_joint,
            "certified": True,
            "n_leaves": best.tree.n_leaves,
        },
        "mean_leaves": posterior.expected_leaves(),
        "features": {
            name: use.probability for name, use in posterior.split_probabilities().items()
        },
        "draws": draws,
        "seed": seed,
        "version": slp.__version__,
    }


def _notes(posterior: Posterior) -> list[str]:
    """What must be said beside the numbers for them to be read rightly."""
    notes = [] if posterior.evidence_note is None else [posterior.evidence_note]
    if not posterior.derivations_are_trees:
        notes.append("a tree may have several derivations: MAP and tree count are over derivations")
    return notes


def words_lines(words: str) -> Iterator[str]:
    """Sentences, one a line, wrapped for a terminal."""
    for sentence in words.splitlines():
        yield from textwrap.wrap(sentence, 90, subsequent_indent="  ")


def finite(count: int | float) -> int | float | None:
    """A count for JSON, which has no infinity: null where it is beyond the range of a float."""
    return count if math.isfinite(count) else None


def summary_lines(posterior: Posterior, words: str, data: str) -> Iterator[str]:
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
    yield f"evidence  log P({table.response} | features) = {posterior.log_evidence:.6f} (exact)"
    for note in _notes(posterior):
        yield f"          {note}"
    count = posterior.tree_count()
    yield f"trees     {count:,}" if isinstance(count, int) else f"trees     about {count:.6g}"
    yield (
        f"MAP tree  posterior probability {math.exp(best.log_posterior):.6g}, "
        f"log joint {best.log_joint:.6f}, {_leaves(best.tree.n_leaves)}"
    )
    for line in best.tree.to_text().splitlines():
        yield f"          {line}"
    yield f"leaves    {posterior.expected_leaves():.4f} expected (exact)"
    yield "features  P(used), expected splits (exact)"
    width = max((len(f.name) for f in table.features), default=0)
    uses = sorted(posterior.split_probabilities().items(), key=lambda x: -x[1].probability)
    for name, use in uses:
        yield f"          {name:<{width}}  {use.probability:.4f}  {use.expected_splits:.4f}"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")


def _leaves(count: int) -> str:
    return "1 leaf" if count == 1 else f"{count} leaves"


def write_draws(posterior: Posterior, path: str | Path) -> None:
    """One JSON object a line for each draw; the file appears whole or not at all."""
    with open_atomic(path) as stream:
        for i, draw in enumerate(posterior.draws):
            line = {
                "draw": i,
                "chain": draw.chain,
                "log_prior": draw.log_prior,
                "log_likelihood": draw.log_likelihood,
                "tree": draw.tree.to_dict(),
            }
            stream.write(json_text(line) + "\n")
