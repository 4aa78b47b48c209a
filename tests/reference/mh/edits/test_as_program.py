"""The program of docs/priors.md that defines `edittree` in clauses, against the built-in prior."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import polars as pl
import pytest

import slp
from slp.trees import Leaf, Node, Split, Tree
from tests.docs.pages import ROOT, blocks_of
from tests.reference.mh.edits.brute_force import Definition, exact_prior
from tests.reference.mh.edits.test_prior import chi_square_fits

STUMP = {"feature": "a", "threshold": 0.5, "left": {}, "right": {}}
DEEPER = {"feature": "b", "threshold": 0.5, "left": STUMP, "right": {}}
TABLES = {
    "of the page": {"a": [0, 1, 4], "b": [0, 0, 1]},
    "of four rows": {"a": [0, 1, 4, 4], "b": [0, 0, 1, 0]},
}


def program(rows: dict[str, list[int]], given: dict[str, Any], p: float) -> slp.Program:
    """The program of the page with another table, tree and probability."""
    (block,) = (b for b in blocks_of(ROOT / "docs" / "priors.md") if b.file == "edits.slp")
    rules = block.text[: block.text.index("% The table, and the tree")]
    numbers = range(1, len(rows["a"]) + 1)
    facts = [f"given({written(Tree.from_dict(given).root)})", f"rows({[*numbers]})"]
    facts += [f"feature({f})" for f in rows]
    facts += [f"row({i}, {f}, {rows[f][i - 1]})" for f in rows for i in numbers]
    return slp.parse(rules.replace("param(p, 0.6)", f"param(p, {p})") + ". ".join(facts) + ".")


def written(node: Node) -> str:
    if isinstance(node, Leaf):
        return "leaf"
    sides = written(node.left), written(node.right)
    return f"split({node.feature}, {node.threshold}, {sides[0]}, {sides[1]})"


def as_text(tree: Tree) -> str:
    return written(tree.root)


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("rows", "given", "p"),
    [("of the page", STUMP, 0.6), ("of the page", {}, 0.9), ("of four rows", DEEPER, 0.5)],
)
def test_the_program_is_the_prior(rows: str, given: dict[str, Any], p: float) -> None:
    """Each probability to 1e-9, and 1,000 draws of the built-in prior, thinned until they hardly
    depend on each other, by chi-square, which then fails by chance 1 time in 1,000."""
    columns, tree = TABLES[rows], Tree.from_dict(given)
    frame = pl.DataFrame({**columns, "y": ["no", "yes", "yes", "no"][: len(columns["a"])]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of draws that have not converged
        prior = slp.load("edittree", tree=tree, p=p).prior(frame, draws=1000, seed=1, thin=20)
    want = exact_prior(Definition.of(prior.table), bare(tree), p)
    found = program(columns, given, p).query("edited(T)")
    assert found.success == pytest.approx(1, abs=1e-9)
    have = {a["T"]: a.probability for a in found.answers}
    assert have == pytest.approx({as_text(t): q for t, q in want.items()}, abs=1e-9)
    assert chi_square_fits(Counter(bare(draw.tree) for draw in prior.draws), want)


def bare(tree: Tree) -> Tree:
    """The tree without what its leaves know."""

    def of(node: Node) -> Node:
        return (
            Split(*node.asked, of(node.left), of(node.right)) if isinstance(node, Split) else Leaf()
        )

    return Tree(of(tree.root))
