"""Trees as JSON data, both ways.

`{"feature": f, "threshold": t, "left": ..., "right": ...}` (`"level"` in place of `"threshold"` for
a categorical test, with `"other"` beside it where the box of the split has two levels, of which
that one goes right, and `"missing": "level"` where missing values are a level; of an
ordinal feature the threshold is a level, and `"order"` has all of them; `"unit"` is that of a
threshold, if it is known; `"missing": "left"` or `"right"` beside a test is the side of rows that
miss the value, and `"level": "missing"` with `"missing": "level"` the test for these rows of any
feature; of a test by subsets `"levels"` and `"others"` are those on the left and the right side,
and `"absent"`, as beside `"other"`, is what becomes of rows with none of them), `{"counts":
{class: rows}}`, `{"n": rows, "mean": m}` (of durations also `"events"`, how many were seen to their
end; of counts with exposures also their sum, `"exposure"`, of which a unit has the mean m), `{"n":
rows}`, `{"mean": m, "variance": v}` (of a hardened soft tree), or `{}` for a leaf with no summary.
Beside these stand, in a leaf whose prior is not that of most leaves, `"prior"`, the model in words,
and `"shares"`, the class probabilities, or `"expected"`, the mean, of durations also `"median"`.
`"concentrations"` beside `"counts"`, where smoothing changed the leaf's prior, are those of its
posterior by class, and the reader makes the prediction of the leaf from them. `"predictive"` beside
these is the prediction of a leaf model. It is written on request, and the reader ignores it.

Keys of a JSON object are strings. So where classes are numbers or truth values, the root has one
more key, `"classes"`: those that occur in the leaves, as JSON has them (`[false, true]`, `[1, 2]`).
A key of `counts` is then the text of one of them (`slp.leaves.labels`), and reading a tree restores
its type; without `classes`, all classes are strings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from slp.columns.json_data import TEST_KEYS, JsonPosition, check_number, json_kind, test_of_dict
from slp.leaves import Label, label_of, label_text, model_of_classes, sorted_labels
from slp.messages.trees import (
    CLASS_NOT_LISTED,
    CLASSES_MALFORMED,
    CONCENTRATIONS_MALFORMED,
    COUNTS_MALFORMED,
    LEAF_HAS_STRANGE_KEY,
    LINE_MALFORMED,
    NO_NUMBER_OF_ROWS,
    NO_SUMMARY,
    NODE_IS_NO_OBJECT,
    NOT_A_STRING,
    PIECES_MALFORMED,
    SHARES_MALFORMED,
    SPLIT_HAS_STRANGE_KEY,
    SPLIT_LACKS_KEY,
)
from slp.trees.parts import Asked, Leaf, Prediction
from slp.trees.tree import Tree, tree_of_preorder

_LEAF_KEYS = frozenset(
    ("counts", "n", "events", "exposure", "mean", "variance", "line", "pieces")
    + ("concentrations", "predictive", "prior", "shares", "expected", "median")
)
_SPLIT_KEYS = frozenset(("feature", "left", "right", *TEST_KEYS))


def tree_to_dict(tree: Tree, *, predictive: bool = False) -> dict[str, Any]:
    """The tree as nested dictionaries, `predictive` with what leaves predict."""
    done: list[dict[str, Any]] = []
    classes: set[Label] = set()
    for node in reversed(list(tree.nodes())):
        if isinstance(node, Leaf):
            leaf = dict(node.summary)
            if "counts" in leaf:
                classes |= {label_of(c) for c in leaf["counts"]}
                leaf["counts"] = _by_text(leaf["counts"])
            if "shares" in leaf:
                classes |= {label_of(c) for c in leaf["shares"]}
                leaf["shares"] = _by_text(leaf["shares"])
            if node.predictive is not None:
                posterior = node.predictive.concentrations()
                if posterior is not None:
                    classes |= posterior.keys()
                    leaf["concentrations"] = _by_text(posterior)
                if predictive:
                    leaf["predictive"] = {
                        key: _by_text(value) if isinstance(value, Mapping) else value
                        for key, value in node.predictive().items()
                    }
            done.append(leaf)
            continue
        sides = {"left": done.pop(), "right": done.pop()}
        done.append({"feature": node.feature, **node.test.to_dict(), **sides})
    root = done.pop()
    if any(not isinstance(c, str) for c in classes):
        root["classes"] = list(sorted_labels(classes))
    return root


def _by_text(of_classes: Mapping[Label, Any]) -> dict[str, Any]:
    """Values of classes, by the class's text."""
    return {label_text(label_of(c)): value for c, value in of_classes.items()}


def tree_from_dict(data: Any, *, quote: bool = True) -> Tree:
    """A tree from nested dictionaries; reads any depth. Without `quote` no message repeats content
    of the data, which may be a private file that is not a tree.

    Raises
    ------
    DataError
        E601 a node is not an object; E602 a key is missing, unknown or doubled (threshold and
        level); E603 a feature, level or unit is not a string; E604 a threshold is not a number, and
        no level of the node's order; E605 a leaf's summary, or `classes`, is malformed.
    """
    sites = [JsonPosition(data, quote=quote)]
    labels = None
    if isinstance(data, Mapping) and "classes" in data:
        labels = _check_classes(sites[0], data["classes"])
        sites = [
            JsonPosition(
                {key: value for key, value in data.items() if key != "classes"}, quote=quote
            )
        ]
    order: list[Leaf | Asked] = []  # preorder, splits by their test
    while sites:
        site = sites.pop()
        node = _check_object(site)
        if _SPLIT_KEYS.isdisjoint(node):
            order.append(_check_leaf(site, node, labels))
            continue
        order.append(_check_split(site, node))
        sites += (
            JsonPosition(node["right"], site, "right"),
            JsonPosition(node["left"], site, "left"),
        )
    return tree_of_preorder(order)


def _check_object(site: JsonPosition) -> Mapping[str, Any]:
    if not isinstance(site.data, Mapping):
        site.fail(NODE_IS_NO_OBJECT, found=json_kind(site.data))
    return site.data


def _check_split(site: JsonPosition, node: Mapping[str, Any]) -> Asked:
    for key in ("feature", "left", "right"):
        if key not in node:
            site.fail(SPLIT_LACKS_KEY, key=key)
    unknown = [str(key) for key in node if key not in _SPLIT_KEYS]
    if unknown:
        site.fail(SPLIT_HAS_STRANGE_KEY, key=site.words("key", unknown[0]))
    if not isinstance(node["feature"], str):
        site.fail(NOT_A_STRING, key="feature", found=json_kind(node["feature"]))
    return node["feature"], test_of_dict(site, node)


def _check_classes(site: JsonPosition, classes: Any) -> dict[str, Label]:
    """Each class by its text."""
    if not isinstance(classes, list) or not all(
        isinstance(c, bool | int | float | str) for c in classes
    ):
        site.fail(CLASSES_MALFORMED)
    return {label_text(c): c for c in classes}


def _check_leaf(
    site: JsonPosition, node: Mapping[str, Any], labels: Mapping[str, Label] | None
) -> Leaf:
    unknown = [str(key) for key in node if key not in _LEAF_KEYS]
    if unknown:
        site.fail(LEAF_HAS_STRANGE_KEY, key=site.words("key", unknown[0]))
    posterior = node.get("concentrations")
    beside = ("concentrations", "predictive")
    summary: dict[str, Any] = {key: node[key] for key in node if key not in beside}
    if "counts" in summary:
        counts = summary["counts"]
        if not isinstance(counts, Mapping) or not all(isinstance(c, str) for c in counts):
            site.fail(COUNTS_MALFORMED)
        for outcome, rows in counts.items():
            _check_count(site, f"counts.{outcome}" if site.quote else "counts", rows)
        summary["counts"] = _by_label(site, "counts", counts, labels)
    for key in ("n", "events", "exposure"):
        if key in summary:
            _check_count(site, key, summary[key])
    if "prior" in summary and not isinstance(summary["prior"], str):
        site.fail(NOT_A_STRING, key="prior", found=json_kind(summary["prior"]))
    if "shares" in summary:
        shares = summary["shares"]
        if not isinstance(shares, Mapping) or not all(isinstance(c, str) for c in shares):
            site.fail(SHARES_MALFORMED)
        for share in shares.values():
            _check_count(site, "shares", share)
        if not math.isclose(sum(shares.values()), 1, abs_tol=1e-9):
            site.fail(SHARES_MALFORMED)
        summary["shares"] = _by_label(site, "shares", shares, labels)
    for key in ("mean", "variance", "expected", "median"):
        if summary.get(key) is not None:
            check_number(site, NO_SUMMARY, key, summary[key])
    for i, piece in enumerate(_check_pieces(site, summary.get("pieces", []))):
        for key in ("events", "time"):
            _check_count(site, f"pieces[{i}].{key}", piece[key])
    if "line" in summary:
        summary["line"] = _check_line(site, summary["line"])
    if posterior is None:
        return Leaf(summary)
    return Leaf(summary, _check_posterior(site, posterior, summary.get("counts", {}), labels))


def _by_label(
    site: JsonPosition, key: str, of_classes: Mapping[str, Any], labels: Mapping[str, Label] | None
) -> dict[Label, Any]:
    """Values of classes, by the class in its own type."""
    strange = [] if labels is None else [c for c in of_classes if c not in labels]
    if strange:
        site.fail(CLASS_NOT_LISTED, key=key, label=site.words("class", strange[0]))
    return {c if labels is None else labels[c]: value for c, value in of_classes.items()}


def _check_posterior(
    site: JsonPosition,
    posterior: Any,
    counts: Mapping[Label, float],
    labels: Mapping[str, Label] | None,
) -> Prediction:
    """The prediction of a leaf whose posterior is known."""
    if not isinstance(posterior, Mapping) or not all(isinstance(c, str) for c in posterior):
        site.fail(CONCENTRATIONS_MALFORMED)
    known = _by_label(site, "concentrations", posterior, labels)
    numbers = [check_number(site, NO_SUMMARY, "concentrations", a) for a in known.values()]
    if (
        not numbers
        or not counts.keys() <= known.keys()
        or not all(0 < a < math.inf for a in numbers)
    ):
        site.fail(CONCENTRATIONS_MALFORMED)
    rows = np.array([counts.get(c, 0) for c in known], np.float64)
    model = model_of_classes(list(known), numbers)
    return Prediction(model, rows, -rows)  # the rows are in the posterior


def _check_pieces(site: JsonPosition, pieces: Any) -> list[Mapping[str, Any]]:
    """`[{"events": .., "time": ..}, ..]`, one for each piece of the time."""
    if not isinstance(pieces, list):
        site.fail(PIECES_MALFORMED)
    if not all(isinstance(p, Mapping) and set(p) == {"events", "time"} for p in pieces):
        site.fail(PIECES_MALFORMED)
    return pieces


def _check_line(site: JsonPosition, line: Any) -> dict[str, Any]:
    """`{"intercept": .., "slopes": {name: ..}}` of finite numbers."""
    slopes = line.get("slopes") if isinstance(line, Mapping) else None
    named = isinstance(slopes, Mapping) and all(isinstance(name, str) for name in slopes)
    if slopes is None or not named or set(line) != {"intercept", "slopes"}:
        site.fail(LINE_MALFORMED)
    numbers = [line["intercept"], *slopes.values()]
    found = [check_number(site, NO_SUMMARY, "line", number) for number in numbers]
    return {"intercept": found[0], "slopes": dict(zip(slopes, found[1:], strict=True))}


def _check_count(site: JsonPosition, key: str, value: Any) -> None:
    number = check_number(site, NO_SUMMARY, key, value)
    if number < 0 or math.isinf(number):
        site.fail(NO_NUMBER_OF_ROWS, key=key, found=value if site.quote else "a number")
