"""Random constraints, limits and feature weights for a program under construction."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from tests.spec.program_text import ProgramText, number, quoted, random_bound, random_box
from tests.spec.random_tables import RandomTable

_WEIGHABLE = {"feature_then_cut", "gap", "range"}
_ON_BOXES = ("constant", "forbid within", "majority")


def add_feature_weights(text: ProgramText) -> None:
    """Weights of some features, where the measures know of them."""
    if text.measures <= _WEIGHABLE and text.rng.random() < 0.5:
        for f in text.table.features:
            if text.rng.random() < 0.6:
                text.add(f":- feature_weight({quoted(f)}, {text.rng.choice((0.25, 2, 3))}).")


def add_support(text: ProgramText) -> None:
    """Now and then, limits on leaves and depth."""
    if text.rng.random() < 0.2:
        text.add(f":- support(min_leaf({text.rng.randint(1, 3)})).")
    if text.rng.random() < 0.2:
        text.add(f":- support(max_depth({text.rng.randint(0, 3)})).")


def add_constraints(text: ProgramText) -> None:
    """Up to three constraints of different kinds."""
    # Those on boxes have more ways to go wrong, and often do not bear on a tiny table.
    kinds = [*_CONSTRAINTS, *_ON_BOXES, *_ON_BOXES, "majority"]
    text.rng.shuffle(kinds)
    for kind in dict.fromkeys(kinds[: text.rng.choice((0, 1, 1, 2, 3))]):
        goal = _CONSTRAINTS[kind](text)
        if goal is not None:
            text.add(f":- constraint({goal}).")


def with_preferences(rng: random.Random, program: str, table: RandomTable) -> str:
    """The program with some of its constraints under `prefer`, and one to three more there."""
    lines = []
    for line in program.splitlines():
        own = re.fullmatch(r":- constraint\((.*)\)\.", line)
        if own and "max_leaves" not in line and rng.random() < 0.7:
            line = f":- prefer({own[1]}, {_preference(rng)})."
        lines.append(line)
    text = ProgramText(rng, table)
    text.lines = []
    taken = {kind for kind, name in _BOXES.items() if f"box({name}," in program}
    taken |= {"max_cost"} if ":- cost(" in program else set()
    kinds = [kind for kind in (*_CONSTRAINTS, "majority", "majority") if kind not in taken]
    for kind in dict.fromkeys(rng.sample(kinds, rng.choice((1, 1, 2, 3)))):
        goal = None if kind == "max_leaves" else _CONSTRAINTS[kind](text)
        if goal is not None:
            text.add(f":- prefer({goal}, {_preference(rng)}).")
    made = "\n".join([*lines, *text.lines]) + "\n"
    if "constraint(majority" in made and "prefer(majority" in made:  # E144 under `restrict`
        made = made.replace(":- failure(condition).\n", "") + ":- failure(condition).\n"
    return made


def with_thresholds(rng: random.Random, program: str, table: RandomTable) -> str | None:
    """The program with a density of the thresholds of some features; None if the table has no plain
    numbers, or a measure takes none."""
    plain = [f for f in table.features if table.kinds[f] == "numeric" and f not in table.cuts]
    if not plain or re.search("all[),.]|each[),]|partition|denison|bcart|rjhmc", program):
        return None
    lines = [program]
    for f in rng.sample(plain, rng.randint(1, len(plain))):
        values = sorted({float(x) for x in table.columns[f] if x is not None})
        spread = (values[-1] - values[0]) or 1.0
        mean = rng.choice(values) + rng.choice((-1, 0, 0.3, 2)) * spread
        sd = rng.choice((0.3, 1, 4)) * spread
        lines.append(f":- thresholds({quoted(f)}, normal({number(mean)}, {number(sd)})).\n")
    return "".join(lines)


def with_box_leaves(rng: random.Random, program: str, table: RandomTable) -> str | None:
    """The program with priors for the leaves of some boxes, and for classes with class
    probabilities of others; None if the table has no thresholds."""
    if not table.numeric or not re.search(r":- leaf\(", program):
        return None
    text = ProgramText(rng, table)
    text.lines = []
    classes: tuple[str, ...] = getattr(table.leaf, "classes", ())
    for name in ("ward", "ring", "cell")[: rng.choice((0, 1, 1, 2, 3)) if classes else 2]:
        _add_box(text, name)
        text.add(f":- leaf(in({name}), {_leaf_model(rng, table)}).")
    for name in ("fact", "lore")[: rng.choice((0, 1, 1, 2)) if classes else 0]:
        _add_box(text, name)
        shares = [rng.randint(1, 9) for _ in classes]
        told = (
            f"{_class_term(c)} = {s}/{sum(shares)}" for c, s in zip(classes, shares, strict=True)
        )
        text.add(f":- constraint(constant({name}, [{', '.join(told)}])).")
    return "\n".join([program, *text.lines]) + "\n"


def _add_box(text: ProgramText, name: str) -> None:
    """A box, often what lies on one side of one threshold, so that many leaves are inside."""
    if text.rng.random() < 0.3:
        random_box(text, name)
        return
    f = text.rng.choice(text.table.numeric)
    at = number(random_bound(text, f))
    ends = text.rng.choice((f"-inf, {at}", f"{at}, inf"))
    text.add(f"box({name}, {quoted(f)}, {ends}).")


def _leaf_model(rng: random.Random, table: RandomTable) -> str:
    """The model of the table's leaves with other numbers, or, now and then, the same."""
    (own,) = re.findall(r":- leaf\((.*)\)\.", "\n".join(table.directives))
    if rng.random() < 0.1:
        return own
    name = own.partition("(")[0]
    numbers = [rng.choice((0.3, 1, 2.5, 8)) for _ in range(4)]
    if name == "dirichlet":
        classes = getattr(table.leaf, "classes", ())
        each = [rng.choice((0.2, 1, 2, 8)) for _ in classes]
        listed = rng.random() < 0.7 and len(each) > 1
        return f"dirichlet({each if listed else each[0]})"
    n = 4 if name == "normal_inverse_gamma" else 2
    return f"{name}({', '.join(map(str, numbers[:n]))})"


def _preference(rng: random.Random) -> str:
    return rng.choice(("0", "0.3", "1", "log(2)", "2.5", "5", "6", "inf"))


_BOXES = {"constant": "level", "forbid within": "zone", "majority": "pure"}


def _constant(text: ProgramText) -> str | None:
    return "constant(level)" if random_box(text, "level") else None


def _forbid(text: ProgramText) -> str:
    return f"forbid({quoted(text.rng.choice(text.named))})"


def _forbid_below(text: ProgramText) -> str:
    f = quoted(text.rng.choice(text.named))
    return f"forbid({f}, below({text.rng.randint(1, 2)}))"


def _forbid_within(text: ProgramText) -> str | None:
    f = quoted(text.rng.choice(text.named))
    return f"forbid({f}, within(zone))" if random_box(text, "zone") else None


def _first(text: ProgramText) -> str:
    return f"first({quoted(text.rng.choice(text.named))})"


def _before(text: ProgramText) -> str | None:
    if len(text.table.features) < 2:
        return None
    f, g = text.rng.sample(text.named, 2)
    return f"before({quoted(f)}, {quoted(g)})"


def _once(text: ProgramText) -> str:
    return f"once({quoted(text.rng.choice(text.named))})"


def _exclusive(text: ProgramText) -> str | None:
    features = text.table.features
    if len(features) < 2:
        return None
    names = text.apart(text.named)
    if len(names) < 2:
        return None
    group = text.rng.sample(names, text.rng.randint(2, len(names)))
    return f"exclusive([{', '.join(map(quoted, group))}])"


def _interaction(text: ProgramText) -> str | None:
    features = text.table.features
    if len(features) < 2:
        return None
    groups = [text.apart(text.rng.sample(text.named, text.rng.randint(1, 2))) for _ in range(2)]
    return f"interaction([{', '.join('[' + ', '.join(map(quoted, g)) + ']' for g in groups)}])"


def _majority(text: ProgramText) -> str | None:
    classes = getattr(text.table.leaf, "classes", ())
    if not classes or not random_box(text, "pure"):
        return None
    return f"majority(pure, {_class_term(text.rng.choice(classes))})"


def _class_term(name: str) -> str:
    return name if name.isdigit() else quoted(name)


def _max_leaves(text: ProgramText) -> str:
    return f"max_leaves({text.rng.randint(1, 5)})"


def _max_cost(text: ProgramText) -> str:
    for f in text.rng.sample(text.table.features, text.rng.randint(1, len(text.table.features))):
        text.add(f":- cost({quoted(f)}, {text.rng.choice((0, 1, 1, 2.5))}).")
    return f"max_cost({text.rng.choice((0, 1, 2, 3))})"


_CONSTRAINTS: dict[str, Callable[[ProgramText], str | None]] = {
    "constant": _constant,
    "forbid": _forbid,
    "forbid below": _forbid_below,
    "forbid within": _forbid_within,
    "first": _first,
    "before": _before,
    "once": _once,
    "exclusive": _exclusive,
    "interaction": _interaction,
    "majority": _majority,
    "max_cost": _max_cost,
    "max_leaves": _max_leaves,
}
