"""Verifies certificates of decision trees (docs/certificates.md): one in a file or on a line, as
itself or under `certificate`. Exit code 0: all claims are true; 1: one is not; 2: none is sound."""

import json
import math
import re
import sys
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Any

FORMS = """constant:box forbid:feature:below:within first:feature once:feature before:feature:then
exclusive:features interaction:groups majority:box:outcome max_cost:most:costs max_leaves:count
max_features:count monotone:feature:direction:predicts:levels:all_levels min_leaf:limit
min_weight:limit max_depth:limit""".split()
KINDS = {kind: {"kind", *keys} for kind, *keys in (form.split(":") for form in FORMS)}
SOFT, SEVERAL = {"width", "probabilities", "variance"}, {"levels", "under", "concentrations"}
FREE, SAME = (-math.inf, math.inf), 1e-12  # numbers that differ by less are equal but for rounding
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.I | re.A)


class Site:
    """A node, the features above it, and its region: low <= f < high, or the side of tests."""

    def __init__(self, node: Any, sides: Any = (), above: Any = frozenset(), *region: Any) -> None:
        self.node, self.sides, self.above, self.f = node, sides, above, node.get("feature")
        self.path, self.depth, self.leaf = ".".join(sides) or "root", len(sides), self.f is None
        self.intervals, self.levels = region or ({}, {})
        told = [node[k] for k in "feature left right threshold level levels".split() if k in node]
        assert not told or len(told) == 4 and None not in told and type(self.f) is str, self.path
        self.weight = sum(node["counts"].values()) if "counts" in node else node.get("n")
        self.rows = None if self.weight is None or self.weight % 1 else self.weight
        t, order = node.get("threshold"), node.get("order")
        assert t in (order or [t]) and (order or type(t) in (int, float, type(None))), self.path
        self.order = order if order and not all(map(NUMBER.fullmatch, order)) else None
        self.threshold = None if t is None else float(order.index(t) if self.order else t)

    def ends(self, box: Any) -> Any:
        for f, ends in ({} if box is None else box["bounds"]).items():
            own = (b if a is None else a for a, b in zip(ends, FREE, strict=True))
            yield f, *self.intervals.get(f, FREE), *own

    def has(self, point: Any) -> bool:
        told, ends = {*self.intervals, *self.levels} <= {*point}, self.intervals.items()
        levels = [(point.get(f) == x) == left for f, xs in self.levels.items() for x, left in xs]
        return told and all(levels) and all(a <= point[f] < b for f, (a, b) in ends)

    def meets(self, q: Any, s: Any) -> bool | None:
        """Whether two regions meet but for a feature; None: if there is a level that none names."""
        ends, told = self.ends({"bounds": q.intervals}), True
        if any(f != s["feature"] and max(a, c) >= min(b, d) for f, a, b, c, d in ends):
            return False
        for f in {*self.levels, *q.levels}:
            tests = (*self.levels.get(f, ()), *q.levels.get(f, ()))
            levels = s["levels"][f] + [y for y, _ in tests if not s["all_levels"]]
            if not any(all((x == y) == left for y, left in tests) for x in levels):
                if s["all_levels"] or any(left for _, left in tests):
                    return False
                told = False
        return told or None


def places_of(certificate: Any) -> Any:
    """Every node, left before right. Where rows have weights, `rows` are the numbers of leaves."""
    stack, places, orders = [Site(certificate["tree"])], [], dict[str, Any]()
    while stack:
        places.append(p := stack.pop())
        f, t, (low, high) = p.f, p.threshold, p.intervals.get(p.f, FREE)
        assert t is None or orders.setdefault(f, p.order) == p.order, f"{f} has two orders"
        for side, left in () if p.leaf else (("right", False), ("left", True)):
            told = (*p.levels.get(f, ()), (p.node.get("level"), left))
            region = p.intervals, {**p.levels, f: told}
            if t is not None:
                ends = (low, min(high, t)) if left else (max(low, t), high)
                region = {**p.intervals, f: ends}, p.levels
            stack.append(Site(p.node[side], (*p.sides, side), p.above | {f}, *region))
    leaves = [p for p in places if p.leaf]
    for leaf, n in zip(leaves, certificate.get("rows", [p.rows for p in leaves]), strict=True):
        leaf.rows = n
    return places


def breaks(s: Any, p: Any) -> Any:
    """Whether a node breaks a statement; None if it cannot be told."""
    kind, f, t, made = s["kind"], p.f, p.threshold, s.get("made", {})
    names = s.get("feature"), s.get("then"), *s.get("features", ())  # or lists, which are groups
    of, then, *rivals = ({x} if type(x) is str else {*(x or ())} for x in names)
    if p.leaf and kind in ("min_leaf", "min_weight") and p.depth:
        n = p.rows if kind == "min_leaf" else p.weight
        return None if n is None else n < s["limit"] * (1 - SAME)
    if p.leaf and kind == "majority" and all(a < d and b > c for _, a, b, c, d in p.ends(s["box"])):
        n = p.node.get("counts")
        return None if n is None else max([0, *n.values()]) * (1 - SAME) > n.get(s["outcome"], 0)
    if p.leaf:
        return kind == "max_depth" and p.depth > s["limit"]
    if kind == "constant":
        box = {g: ends for g, *ends in p.ends(s["box"])}
        whole = not p.levels and all(a <= c and b >= d for a, b, c, d in box.values())
        whole = whole and all(own == FREE for g, own in p.intervals.items() if g not in box)
        return whole and (f not in box or t is None or box[f][2] < t < box[f][3])
    on = {g: {g, *made.get(g, ())} for g in (*p.above, f)}  # what splits are on
    above, own = {h for g in p.above for h in on[g]}, of.union(then, *rivals)
    near = {g: x & own - {h for k in x & own for h in made.get(k, ())} for g, x in on.items()}
    costs = {g: Fraction(repr(c)) for g, c in s.get("costs", {}).items() if g in above | on[f]}
    dear = kind == "max_cost" and sum(costs.values()) > Fraction(repr(s["most"]))
    inside = all(a >= c and b <= d for _, a, b, c, d in p.ends(s.get("within")))
    return {
        "max_cost": dear and any(costs.get(g, 0) > 0 for g in on[f] - above),
        "forbid": bool(of & on[f]) and inside and p.depth >= (s.get("below") or 0),
        "first": not p.depth and not of & on[f],
        "before": bool(then & near[f]) and not of & above,
        "once": bool(of & on[f] and of & above),
        "exclusive": near[f] > set() and sum(any(r & x for x in near.values()) for r in rivals) > 1,
        "interaction": not any({*on} <= {*group} for group in s.get("groups", ())),
    }.get(kind, False)


def rising(formula: Any, leaf: Any) -> Any:
    """What must not fall: the mean; of classes the probabilities of those up to one, negative."""
    add, starts, mean, left = formula["add"], formula.get("starts"), 0.0, 1.0
    if "classes" in formula:
        n, classes = leaf["counts"], formula["classes"]
        shares = [n.get(c, 0) + a for c, a in zip(classes, add, strict=True)]
        assert {*n} <= {*classes} and min([1, *add]) > 0, "other classes"
        return [-below / sum(shares) for below in accumulate(shares)][:-1]
    if "times" in formula:
        n, m = (leaf[next(k for k in formula[of] if k in leaf)] for of in ("times", "over"))
        return [(add[0] + n * (leaf["mean"] or 0)) / (add[1] + m) if add[1] + m > 0 else math.inf]
    for low, high, piece in zip(starts, [*starts[1:], math.inf], leaf["pieces"], strict=True):
        a, b = add[0] + piece["events"], add[1] + piece["time"]
        r = 1 + (high - low) / b
        mean += left * b * (math.log(r) if a == 1 else (1 - r ** (1 - a)) / (a - 1))
        left *= r**-a
    return [mean]


def monotone(s: Any, places: Any, points: Any) -> Any:
    """Of each fall of predictions, or of that between two points, whether it is there."""
    f, kinds = s["feature"], {(p.f, p.threshold is None) for p in places if not p.leaf}
    others = any(SEVERAL & {*p.node} or p.node.get("missing") in ("left", "right") for p in places)
    if others or (f, True) in kinds or len(kinds) > len(dict(kinds)) or s["predicts"] is None:
        return [None]
    low, high = points or ({f: 0}, {f: 1})
    fine = low[f] < high[f] and {**low, f: 0} == {**high, f: 0}
    fine = fine and all(x in s["levels"].get(g, [x]) for g, x in low.items())
    leaves = [p for p in places if p.leaf and all(a < b for a, b in p.intervals.values())]
    leaves.sort(key=lambda p: p.intervals.get(f, FREE))
    values, found = [rising(s["predicts"], p.node) for p in leaves], []
    for (p, v), (q, w) in combinations(zip(leaves, values, strict=True), 2):
        v, w = {"up": (v, w), "down": (w, v)}[s["direction"]]
        if any(y < x and not math.isclose(x, y, rel_tol=SAME) for x, y in zip(v, w, strict=True)):
            found.append(fine and p.has(low) and q.has(high) if points else p.meets(q, s))
    return found


def verdict(claim: Any, places: Any) -> Any:
    """What is true of a statement or, if it is said to be broken, what its witness shows."""
    s, broken, witness = claim["statement"], claim["claim"] == "broken", claim.get("witness", {})
    kind, paths, found = s["kind"], witness.get("paths", [witness.get("path")]), {None}
    assert {*s} - {"made"} == KINDS.get(kind, {*s}) - {"made"}, "keys of another statement"
    seen = [p for p in places if p.path in paths or not broken]
    if kind in ("max_leaves", "max_features"):
        many = {p.path if p.leaf else p.f for p in seen if p.leaf == (kind == "max_leaves")}
        found = {len(many) > s["count"]}
    elif kind == "monotone":
        found = {*monotone(s, places, witness["points"] if broken else None)}
    elif kind in KINDS:
        found = {breaks(s, p) for p in seen}
    others = "not shown" if broken else "not checked" if None in found else "holds"
    return "broken" if True in found else others


def main(paths: list[Any]) -> int:
    """Verify files, and print what is found of each claim."""
    false = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read().strip()
        for line in text.split("\n") if "\n{" in text else [text]:
            read = json.loads(json.dumps(json.loads(line), allow_nan=False))  # finite numbers
            c = read.get("certificate", read)
            assert c["claims"] and c["format"] == 1, "no claims of format 1"
            assert read.get("tree", c["tree"]) == c["tree"] or SOFT & {*read["tree"]}, "other tree"
            places = places_of(c)
            for claim in c["claims"]:
                try:
                    found = verdict(claim, places)
                except Exception as error:
                    found = "malformed", error
                false += found != claim["claim"]
                told = "true" if found == claim["claim"] else f"FALSE ({found})"
                print(f"{claim['claim']}: {told}: {json.dumps(claim['statement'])}")
    return int(false > 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:] or [0]) if __debug__ else 2)  # without -O
    except Exception as error:
        sys.exit(print(f"no certificate: {error!r}", file=sys.stderr) or 2)
