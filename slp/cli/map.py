"""`slp map PRIOR DATA`: the most probable trees."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

import slp
from slp.cli.as_json import trees_to_json
from slp.cli.common import exit_if_interrupted, progress_line, say, say_text, write_exactly
from slp.cli.decisions import tree_lines
from slp.cli.json_text import write_json
from slp.cli.numbers import RealNumber, WholeNumber
from slp.cli.options import (
    NamedProgram,
    data_argument,
    inference_options,
    json_option,
    program_argument,
    program_options,
    read_table,
    response_option,
    until_deadline,
)
from slp.cli.partial_results import asked, known_is_told
from slp.cli.summary import cut_short, leaves_text, short_list_note, standing
from slp.messages.numbers import number_text
from slp.results import (
    Candidate,
    RashomonSet,
    derivations_note,
    partition_note,
    refuse_stacking,
)

#: What `--export` prints of a tree or an average of trees.
_EXPORTS: dict[str, Callable[[Any], str]] = {
    "rules": lambda trees: trees.to_rules(),
    "markdown": lambda trees: trees.to_rules("markdown"),
    "sql": lambda trees: trees.to_sql(),
    "python": lambda trees: trees.to_python(),
}


@click.command(name="map")
@program_argument
@data_argument
@response_option
@click.option(
    "--best",
    type=WholeNumber(min=1),
    default=1,
    show_default=True,
    metavar="K",
    help="Number of trees, the most probable first.",
)
@click.option(
    "--within",
    type=RealNumber(0, 1, min_open=True),
    metavar="FACTOR",
    help="Also count all trees that are at least FACTOR times as probable as the best one.",
)
@click.option(
    "--depth",
    type=WholeNumber(min=1),
    metavar="N",
    help="Trees of at most N levels of splits, as with support(max_depth(N)), by search unless "
    "--engine names another engine. Where the search ends by itself, the tree is certified.",
)
@click.option(
    "--representative",
    is_flag=True,
    help="Also print the tree nearest to the posterior: that of the least expected squared "
    "difference of predictions, beside that of the most probable one.",
)
@click.option(
    "--export",
    type=click.Choice(list(_EXPORTS)),
    help="Print the tree, the representative one, or of several the average by their "
    "probabilities, as a rule list, as an expression of SQL, or as a Python module, and nothing "
    "else.",
)
@inference_options
@json_option
@program_options
def map_command(
    prior: NamedProgram,
    data: str,
    response: str | None,
    best: int,
    within: float | None,
    depth: int | None,
    representative: bool,
    export: str | None,
    as_json: bool,
    inference: dict[str, Any],
) -> None:
    """Print the most probable trees.

    The K most probable trees under PRIOR given DATA, with their posterior probabilities, by exact
    sums. Where these do not fit: by search, which tells of each whether a better one may come
    later, and how much better; without --time the search takes 60 seconds at most.
    """
    if export is not None and (as_json or within is not None):
        raise click.UsageError("--export goes with neither --json nor --within")
    refuse_stacking(inference["engine"], "the best tree")
    if inference["engine"] == "auto" and not representative:  # draws, where sums do not fit
        inference["engine"] = "best"
        if depth is not None:
            inference = {"time": "60s", **inference, "engine": "search"}
    inference = until_deadline(inference)
    program = prior.load() if depth is None else prior.load().with_max_depth(depth)
    frame = read_table(data, inference)

    apart = export is not None  # standard output is for the export
    known = known_is_told(program.describe, as_json=as_json, err=apart)
    with known, progress_line() as progress:
        posterior = program.posterior(frame, response, progress=progress, **inference)
        posterior, trees = asked(posterior, lambda p: p.k_best(best))
        near = None if within is None else posterior.rashomon_set(within, 0)
        nearest = posterior.representative_tree(inference.get("seed")) if representative else None
    if export is not None:
        write_exactly(_exported(posterior, trees, nearest, export) + "\n")
        say(f"engine {posterior.engine}: {posterior.reason}", err=True)
    elif as_json:
        write_json(trees_to_json(posterior, trees, near, nearest, best))
    else:
        say(f"engine {posterior.engine}: {posterior.reason}", *cut_short(posterior))
        if (note := derivations_note(posterior)) is not None:
            say(note)
        if (note := partition_note(posterior)) is not None:
            say(note)
        if (note := short_list_note(posterior, len(trees), best)) is not None:
            say(note)
        if near is not None:
            say(_near_in_words(near, "tree" if posterior.derivations_are_trees else "derivation"))
        for i, t in enumerate(trees, start=1):
            say("", f"{i}. {standing(t, later=i > 1)}{leaves_text(t.tree.n_leaves)}")
            say(*(_edits(posterior, t) or ()))
            say_text(t.tree.to_text())
            say(*tree_lines(posterior, t.tree))
        if nearest is not None:
            say("", f"representative tree, {leaves_text(nearest.tree.n_leaves)}")
            say_text(nearest.tree.to_text())
            say(nearest.in_words())
    exit_if_interrupted(posterior)


def _exported(
    posterior: slp.Posterior,
    trees: list[Candidate],
    nearest: slp.RepresentativeTree | None,
    export: str,
) -> str:
    """The representative tree, if there is one, the best tree, or the average of the best ones, in
    another language."""
    what: Any = trees[0].tree
    if nearest is not None:
        what = nearest.tree
    elif len(trees) > 1:
        what = posterior.average(len(trees), best=True)
    return _EXPORTS[export](what).rstrip("\n")


def _near_in_words(near: RashomonSet, tree: str) -> str:
    are = f"{tree} is" if near.count == 1 else f"{tree}s are"
    factor = number_text(near.factor)
    counted = f"{near.count:,} {are} at least {factor} times as probable as the best"
    if near.upper_bound is not None:
        bound = f", none with log joint above {near.upper_bound:.6f}"
        return f"{counted} found; there may be more{bound if near.upper_bound < math.inf else ''}"
    if near.probability is None:
        return counted
    they = "it has" if near.count == 1 else "together they have"
    return f"{counted}; {they} probability {near.probability:.4f}"


def _edits(posterior: slp.Posterior, found: Candidate) -> list[str] | None:
    """The differences of a tree from the one given to `edittree`, in words; None for other
    programs."""
    edits = posterior.edits
    return None if edits is None else [str(e) for e in found.tree.edits_from(edits.given)]
