"""What the summary says of decisions, of what predictions cost, and of the mass of the prior: as
text and as JSON. Of a program that declares neither losses nor costs, and of which no derivation
fails, it says nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from slp import Posterior
from slp.cli.json_text import finite
from slp.errors import SlpError
from slp.leaves import label_text
from slp.messages.numbers import number_text
from slp.results import Estimate, estimate_text
from slp.trees import Tree

#: So many leaves are told one by one.
_MOST_LEAVES = 12


def tree_lines(posterior: Posterior, tree: Any) -> Iterator[str]:
    """What a tree's decisions lose and its predictions cost, a row on average and by leaf."""
    if not isinstance(tree, Tree):  # a soft tree has no path
        return
    losses = posterior.loss_of_tree(tree)
    if losses is not None:
        yield f"its decisions lose {losses:.4g} a row on average, as its leaves expect"
    if posterior.record.costs:
        cost = posterior.cost_of_tree(tree)
        leaves = ", ".join(map(number_text, cost.by_leaf[:_MOST_LEAVES]))
        more = len(cost.by_leaf) - _MOST_LEAVES
        more_text = f" and {more} more" if more > 0 else ""
        yield (
            f"its predictions cost {cost.mean:.4g} a row on average; by leaf, from the first: "
            f"{leaves}{more_text}"
        )


def cost_line(posterior: Posterior) -> Iterator[str]:
    """What predictions cost, averaged over trees and the table's rows."""
    if not posterior.record.costs:
        return
    try:
        found = posterior.expected_cost()
    except SlpError as error:
        yield f"not known: {error.diagnostics[0].message}"
        return
    shown = estimate_text(found.value, found.error, None, drawn=found.kind == "estimate")
    of = {"exact": "over all trees", "estimate": "over draws of trees"}
    yield f"{shown} a row on average {of.get(found.kind, 'over the trees found')}"


def mass_lines(posterior: Posterior) -> Iterator[str]:
    """How much of the prior fails, and how probable the constraints are."""
    fails, holds = posterior.failing_mass, posterior.constraint_probability
    if fails is not None:
        yield f"a derivation fails with probability {fails:.4g}"
    if holds is not None:
        yield (
            "a tree of the program without its constraints satisfies them with probability "
            f"{_holds_text(holds)}"
        )
    elif posterior.constraint_note:
        yield f"how probable the constraints are is not known: {posterior.constraint_note}"


def _holds_text(holds: Estimate) -> str:
    if holds.kind == "exact":
        return f"{holds.value:.4g}"
    return f"{holds.value:.4f} +- {holds.error:.4f} (independent draws)"


def tree_to_json(posterior: Posterior, tree: Any) -> dict[str, Any]:
    """What a tree's decisions lose and its predictions cost; empty where nothing is declared."""
    if not isinstance(tree, Tree):
        return {}
    out: dict[str, Any] = {}
    losses = posterior.loss_of_tree(tree)
    if losses is not None:
        out["expected_loss"] = finite(losses)
    if posterior.record.costs:
        cost = posterior.cost_of_tree(tree)
        out["cost"] = {"mean": finite(cost.mean), "by_leaf": list(cost.by_leaf)}
    return out


def decisions_to_json(posterior: Posterior) -> dict[str, Any]:
    """The declared losses and costs, and what predictions cost; empty where nothing is declared."""
    out: dict[str, Any] = {}
    leaf = posterior.table.leaf
    if leaf.loss is not None:
        out["loss"] = {
            "classes": [label_text(c) for c in leaf.classes],
            "matrix": leaf.loss.tolist(),
        }
    if posterior.record.costs:
        out["costs"] = dict(posterior.record.costs)
        try:
            found = posterior.expected_cost()
        except SlpError:  # soft trees have no paths, or a limit was reached
            out["expected_cost"] = None
        else:
            out["expected_cost"] = {
                "value": found.value,
                "error": finite(found.error),
                "kind": found.kind,
            }
    return out


def mass_to_json(posterior: Posterior) -> dict[str, Any]:
    """How much of the prior fails, and how probable the constraints are; empty where both are
    trivial."""
    out: dict[str, Any] = {}
    fails, holds = posterior.failing_mass, posterior.constraint_probability
    if fails is not None:
        out["failing_mass"] = fails
    if holds is not None:
        out["constraint_probability"] = {
            "value": holds.value,
            "error": holds.error if math.isfinite(holds.error) else None,
            "kind": holds.kind,
        }
    elif posterior.constraint_note:
        out["constraint_probability"] = None
        out["constraint_note"] = posterior.constraint_note
    return out
