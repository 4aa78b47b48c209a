"""Random trees under random statements of all kinds, for tests of certificates."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from slp.columns import Below
from slp.constraints import (
    Before,
    Constant,
    Exclusive,
    First,
    Forbid,
    Interaction,
    Majority,
    MaxCost,
    MaxFeatures,
    MaxLeaves,
    Monotone,
    Once,
)
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint, Support
from slp.ir.decisions import FeatureCost
from slp.ir.made import Made
from slp.ir.program import CheckedProgram
from slp.leaves import label_text
from slp.trees import Asked, Leaf, Split, Tree
from slp.trees.tree import tree_of_preorder
from tests.spec.cases import Case, any_tree, random_case
from tests.spec.pipeline import tree_of

#: The sorts of tables, by what `random_case` calls them.
SORTS = (
    {},
    {"missing_level": True},
    {"missing_side": True},
    {"orders": True},
    {"weights": True},
    {"exposures": True},
    {"zeros": True},
    {"subsets": True},
    {"groups": True},
    {"concepts": True},
)


@dataclass(frozen=True)
class Example:
    """A tree and a program; with a table, or with rows in its leaves."""

    tree: Tree
    program: CheckedProgram
    table: tuple[Any, ...] = ()


def examples(seed: int, trees: int) -> Iterator[Example]:
    """Examples of a table of each sort, so many trees of each: by turns with the table, and with
    leaves that say something or nothing."""
    for number, sort in enumerate(SORTS):
        case = random_case(seed, **sort)
        rng = random.Random(1000 * seed + number)
        program = _program(rng, case)
        for i in range(trees):
            key = any_tree(rng, case.spec.example, rng.choice((1, 2, 3, 4)))
            if case.spec.derivations and i % 3 == 0:
                key = rng.choice(case.spec.derivations).tree
            tree = tree_of(key)
            if i % 2:
                yield Example(tree, program, (case.table.frame(), "y"))
            else:
                yield Example(with_rows(rng, tree, case), program)


def with_rows(rng: random.Random, tree: Tree, case: Case) -> Tree:
    """The tree with leaves as JSON may have them."""
    classes = getattr(case.model.table.leaf, "classes", ())
    sums = rng.choice((0, 1, 1, 1))

    def leaf() -> Leaf:
        if rng.random() < 0.02 or not sums:
            return Leaf({} if rng.random() < 0.5 else {"n": rng.randint(0, 4)})
        if classes:
            return Leaf({"counts": {c: rng.randint(0, 3) for c in classes}})
        more = {"events": rng.randint(0, 3)} if rng.random() < 0.5 else {}
        return Leaf({"n": rng.randint(3, 5), "mean": rng.choice((0.5, 1.0, 2.5)), **more})

    return tree.with_leaves([leaf() for _ in range(tree.n_leaves)])


def moved(rng: random.Random, tree: Tree, other: Tree) -> Tree:
    """The tree with one test changed: to one of another tree, or its threshold moved; or with the
    two sides of a split, or the rows of two leaves, exchanged."""
    flat: list[Leaf | Asked] = [n.asked if isinstance(n, Split) else n for n in tree.nodes()]
    splits = [i for i, n in enumerate(flat) if not isinstance(n, Leaf)]
    asked = [n.asked for n in other.nodes() if isinstance(n, Split)]
    leaves = [i for i, n in enumerate(flat) if isinstance(n, Leaf)]
    if len(leaves) > 1 and rng.random() < 0.3:
        i, j = rng.sample(leaves, 2)
        flat[i], flat[j] = flat[j], flat[i]
        return tree_of_preorder(flat)
    if not splits:
        return other.with_leaves([tree.leaves()[0]] * other.n_leaves)
    place = rng.choice(splits)
    feature, test = flat[place]  # type: ignore[misc]
    if isinstance(test, Below) and rng.random() < 0.5:
        number = rng.choice((-1.0, 0.5, 1.0, 2.0, 3.0)) + test.number
        flat[place] = feature, replace(test, number=number, order=())
    elif asked:
        flat[place] = rng.choice(asked)
    return tree_of_preorder(flat)


# --- statements ----------------------------------------------------------------------------------


def _program(rng: random.Random, case: Case) -> CheckedProgram:
    """The program of a case with statements of all kinds."""
    classes = [*map(label_text, getattr(case.model.table.leaf, "classes", ()))]
    support = Support(
        rng.randint(2, 3), rng.randint(0, 3), rng.choice((None, 1.5)) if classes else None
    )
    constraints = tuple(_constraints(rng, case, classes))
    return replace(
        case.model.program,
        constraints=(*case.model.program.constraints, *constraints),
        support=support,
        class_order=tuple(classes) or None,
    )


def _constraints(rng: random.Random, case: Case, classes: list[str]) -> Iterator[Constraint]:
    features = case.table.features
    one, other = rng.choice(features), rng.choice(features)
    some = tuple(rng.sample(features, min(len(features), 2)))
    made = _made(rng, features)
    about = made.about
    yield Constant(_box(rng, case))
    yield Forbid(one, made=about((one,)))
    yield Forbid(one, below=rng.randint(1, 2), made=about((one,)))
    yield Forbid(one, within=_box(rng, case), made=about((one,)))
    yield First(one, made=about((one,)))
    yield Before(one, other, made=about((one, other)))
    yield Once(one, made=about((one,)))
    yield Exclusive(some, made=about(some))
    yield Interaction(tuple(made.within((f,)) for f in some))
    if classes:
        yield Majority(_box(rng, case), rng.choice(classes))
    costs = tuple(FeatureCost(f, rng.choice((0.0, 0.1, 0.2, 1.0))) for f in features)
    yield MaxCost(rng.choice((0.0, 0.3, 1.0)), costs, made=made)
    yield MaxLeaves(rng.randint(1, 4))
    yield MaxFeatures(rng.randint(1, 2))
    yield Monotone(one, "up")
    yield Monotone(rng.choice(features), "down")


def _made(rng: random.Random, features: list[str]) -> Made:
    """Now and then some features are made of others."""
    if rng.random() < 0.5:
        return Made()
    order = rng.sample(features, len(features))
    pairs = [(f, tuple(rng.sample(order[:i], rng.randint(1, i)))) for i, f in enumerate(order) if i]
    return Made(tuple(pair for pair in pairs if rng.random() < 0.7))


def _box(rng: random.Random, case: Case) -> Box:
    numeric = [f for f in case.table.features if case.table.kinds[f] != "categorical"]
    bounds = {}
    for f in rng.sample(numeric, min(len(numeric), rng.choice((1, 1, 2)))):
        low, high = sorted(rng.sample((-1.5, 0.0, 0.5, 1.0, 2.0, 3.0), 2))
        ends = ((low, high), (low, float("inf")), (float("-inf"), high))
        bounds[f] = rng.choice(ends)
    return Box("box", bounds)
