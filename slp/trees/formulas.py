"""What the leaves of a finished tree predict, by a formula that is plain data.

A leaf's prediction is the posterior mean of its response or, for ordered classes, the probability
of every class or one before it. It follows from the leaf's summary and a formula:

    {"classes": [c1, ...], "add": [a1, ...]}
        P(class c) = (n_c + a_c) / (n + sum of a); the classes are in order
    {"add": [A, B], "times": keys, "over": keys}
        (A + T mean) / (B + N), where T and N are the first of the keys that the summary has
    {"starts": [0, ...], "add": [a, b]}
        of durations with a rate for each piece of the time

Leaf models give the formulas (`mean_formula` in `slp.leaves.declared`). Nothing here is shared with
the engines.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from slp.ir.leaves import LeafDeclaration
from slp.leaves import OF_NUMBERS, Label, label_text, leaf_class, sorted_labels

#: How leaves predict, as plain data.
Formula: TypeAlias = Mapping[str, Any]
Summaries: TypeAlias = Sequence[Mapping[str, Any]]


def formula_of(
    summaries: Summaries, model: LeafDeclaration | None, order: Sequence[str] | None
) -> Formula | None:
    """The formula for leaves with these summaries under the declared leaf model, `dirichlet(1)` or
    that of numbers if none is declared; None if they do not say what they predict."""
    known = None if model is None else leaf_class(model)
    classes = known is not None and known.responses == "classes"
    if all("counts" in s for s in summaries) and (known is None or classes):
        if classes_outside(summaries, order) or (order is None and have_names(summaries)):
            return None
        prior = (1.0,) if model is None else model.listed or model.args
        named = [{**s["counts"], **s.get("shares", {})} for s in summaries]
        return _formula_of_classes(named, prior, order)
    if all("mean" in s for s in summaries) and not classes:
        return _with_overall_mean((known or OF_NUMBERS).mean_formula(model), summaries)
    return None


def _with_overall_mean(formula: Formula | None, summaries: Summaries) -> Formula | None:
    """Where a formula has None for A, B times the mean of all leaves is put there."""
    if formula is None or formula["add"][0] is not None:
        return formula
    if not all("n" in s for s in summaries):
        return None
    rows = max(sum(s["n"] for s in summaries), 1.0)
    mean = sum(s["n"] * (s["mean"] or 0.0) for s in summaries) / rows
    return {**formula, "add": [formula["add"][1] * mean, formula["add"][1]]}


def have_names(summaries: Summaries) -> bool:
    """Whether some classes are names, which have no order of their own."""
    return any(isinstance(c, str) for s in summaries for c in s.get("counts", ()))


def classes_outside(summaries: Summaries, order: Sequence[str] | None) -> list[str]:
    """The classes of leaves that a declared order does not have."""
    found = {label_text(c) for s in summaries for c in s.get("counts", ())}
    return [] if order is None else sorted(found - {*order})


def _formula_of_classes(
    counts: Sequence[Mapping[Label, int]], prior: Sequence[float], order: Sequence[str] | None
) -> Formula | None:
    classes = list(map(label_text, sorted_labels({c for leaf in counts for c in leaf})))
    if order is not None:
        classes.sort(key=order.index)
    add = list(prior) * (len(classes) if len(prior) == 1 else 1)
    if len(add) != len(classes):  # an unknown class is in no leaf
        return None
    return {"classes": classes, "add": add}


def rising_of(formula: Formula, summaries: Summaries) -> list[dict[str, float]] | None:
    """For each leaf, by name, the values that must not decrease as a feature grows under
    `monotone(F, up)`; None if a summary lacks what the formula needs.

    The probabilities of the classes up to one must not increase, so they are taken negative. A leaf
    with a prior of its own says what it predicts.
    """
    if "classes" in formula:
        return [_class_probabilities(s, formula) for s in summaries]
    means = _means_of_pieces if "starts" in formula else _ratios
    try:
        told = [
            s.get("expected", math.inf) if "prior" in s else means(formula, [s])[0]
            for s in summaries
        ]
    except (KeyError, StopIteration):
        return None
    return [{"the mean": mean} for mean in told]


def _class_probabilities(summary: Mapping[str, Any], formula: Formula) -> dict[str, float]:
    classes, add = formula["classes"], formula["add"]
    told = summary.get("shares", summary["counts"])
    rows = {label_text(c): n for c, n in told.items()}
    if "shares" in summary:
        add = [0.0] * len(classes)
    total = sum(rows.values()) + sum(add)
    below, out = 0.0, {}
    for k, outcome in enumerate(classes[:-1]):
        below += (rows.get(outcome, 0) + add[k]) / total
        out[f"P({' or '.join(classes[: k + 1])})"] = -below
    return out


def _ratios(formula: Formula, summaries: Summaries) -> list[float]:
    out = []
    for leaf in summaries:
        times, over = [  # a generator would turn StopIteration into RuntimeError
            leaf[next(key for key in formula[part] if key in leaf)] for part in ("times", "over")
        ]
        total, weight = formula["add"]
        total, weight = total + times * (leaf["mean"] or 0.0), weight + over
        out.append(total / weight if weight > 0 else math.inf)
    return out


def _means_of_pieces(formula: Formula, summaries: Summaries) -> list[float]:
    """The sum over pieces of P(Y > start) times the integral of (1 + u / B)^-A over the piece, A =
    a + events, B = b + time; infinite unless A > 1 in the last."""
    starts, (a, b) = formula["starts"], formula["add"]
    out = []
    for leaf in summaries:
        if len(leaf["pieces"]) != len(starts):
            raise KeyError("pieces")
        total, left = 0.0, 1.0
        for i, piece in enumerate(leaf["pieces"]):
            A, B = a + piece["events"], b + piece["time"]
            if i + 1 < len(starts):
                ratio = 1 + (starts[i + 1] - starts[i]) / B
                whole = math.log(ratio) if A == 1 else (1 - ratio ** (1 - A)) / (A - 1)
                total += left * B * whole
                left *= ratio**-A
            else:
                total += left * B / (A - 1) if A > 1 else math.inf
        out.append(total)
    return out
