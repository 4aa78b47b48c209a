"""Constraints in words with what a check of the shown trees found, and diagnostics of draws."""

from __future__ import annotations

import math
from typing import cast

from slp.program import program_of
from slp.report.answer import shown_trees
from slp.report.html import Content, Html, facts, joined, listing, table, tag
from slp.results import Diagnostics, Posterior
from slp.trees import CheckResult, Leaf, SoftTree, Tree, TreeSum, check_tree


def constraints(posterior: Posterior) -> Html:
    """Each constraint, and for each tree of the page whether it holds. The check shares nothing
    with the engines."""
    if posterior.trees_summed is not None:
        return _kept_by_each(posterior)
    found = [candidate.tree for candidate in shown_trees(posterior)]
    trees = [tree.skeleton() if isinstance(tree, SoftTree) else tree for tree in found]
    program = program_of(posterior)
    checked = [check_tree(tree, program, allow_code=False) for tree in trees]
    if not checked or not checked[0]:
        return tag("p", "The program has no constraints and no limits of trees.")
    rows = [
        (results[0].words, *(_found(result) for result in results))
        for results in zip(*checked, strict=True)
    ]
    heads = ["constraint", *(f"tree {i}" for i in range(1, len(trees) + 1))]
    intro = (
        "Code that shares nothing with the engine has checked each tree of this page against each "
        "constraint."
    )
    return joined(
        [
            tag("p", intro),
            table("Constraints and the trees of this page", heads, rows),
            _asked(posterior),
        ]
    )


def _kept_by_each(posterior: Posterior) -> Html:
    """The constraints of sums of trees."""
    program, draws = program_of(posterior), posterior.draws
    first = Tree(Leaf())
    if draws:
        first = cast(TreeSum, draws[0].tree).trees[0]
    words = [result.words for result in check_tree(first, program, allow_code=False)]
    if not words:
        return tag("p", "The program has no constraints and no limits of trees.")
    return joined([tag("p", "Each tree of each draw keeps these."), listing(words)])


def _found(result: CheckResult) -> Content:
    if result.holds:
        return tag("span", "holds", class_="holds")
    why = f": {result.counterexample}" if result.counterexample else ""
    if result.against:
        return f"{result.against} against it, the first {result.counterexample}"
    if result.holds is None:
        return f"not decided{why}"
    return tag("span", f"broken{why}", class_="broken")


def _asked(posterior: Posterior) -> Html:
    """How often predicates in code were asked, and refused."""
    told = [f"{p.words}: {p.told}" for p in posterior.predicates]
    return joined([tag("h3", "Predicates in code"), listing(told)]) if told else Html("")


# --- diagnostics -------------------------------------------------------------------------------


def diagnostics(posterior: Posterior) -> Html:
    """Whether the draws of a sampler can be trusted."""
    found = posterior.diagnostics
    if found is None:
        if posterior.trees_found is not None:
            return tag("p", "Nothing was drawn, so there are no diagnostics of draws.")
        return tag("p", "The numbers are sums, not estimates, so there is nothing to diagnose.")
    parts: list[Content] = []
    if found.warnings:
        parts += [tag("h3", "Problems found"), listing(found.warnings)]
    else:
        parts.append(tag("p", "No problem was found."))
    return joined([*parts, *diagnostics_parts(found)])


def diagnostics_parts(found: Diagnostics) -> list[Content]:
    """The figures: convergence, moves, tempering."""
    explained = (
        f"R-hat compares the chains: up to {found.largest_r_hat} is good. Effective draws say how "
        f"many independent draws the estimates are worth: {found.effective_needed} are enough."
    )
    rows = [
        (name.replace("_", " "), _figure(c.r_hat), _whole(c.ess_bulk), _whole(c.ess_tail))
        for name, c in found.convergence.items()
    ]
    heads = ("quantity", "R-hat", "effective draws, bulk", "effective draws, tails")
    parts: list[Content] = [tag("p", explained), table("Convergence", heads, rows)]
    if found.moves:
        counted = ("accepted", "rejected", "failed", "stayed")
        moves = [
            (name, *(f"{counts.get(k, 0):,}" for k in counted))
            for name, counts in found.moves.items()
        ]
        parts.append(table("Moves after warm-up", ("proposal", *counted), moves))
    if found.tempering is not None:
        t = found.tempering
        parts.append(tag("h3", "Tempering"))
        parts.append(
            facts(
                [
                    ("communication barrier", f"{t.barrier:.3g}"),
                    ("least swap rate", f"{t.least_swap_rate:.3g}"),
                    ("round trips from prior to posterior", f"{t.round_trips:,}"),
                ]
            )
        )
    return parts


def _figure(value: float | None) -> str:
    return "no value" if value is None else f"{value:.4g}"


def _whole(value: float | None) -> str:
    return "no value" if value is None else f"{math.floor(value):,}"
