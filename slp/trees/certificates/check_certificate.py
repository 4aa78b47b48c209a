"""Verifies certificates of decision trees, which docs/certificates.md of slp describes.

    python check_certificate.py FILE ...

A file has a certificate, or one on each line, as itself or under the key `certificate`. Each claim
is verified on the tree in it: that a statement holds, that a counterexample is one, or that the
tree does not tell. The exit code is 0 if all are true, 1 if one is not, 2 if a file has no claims.
"""

import json
import math
import re
import sys
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Any

KINDS = """constant forbid first before once exclusive interaction majority max_cost max_leaves
max_features monotone min_leaf min_weight max_depth""".split()
FREE = (-math.inf, math.inf)
SAME = 1e-12  # numbers that differ by less, relatively, are equal but for rounding
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.I | re.A)


class Site:
    """A node, its path, the features above it, and its region: low <= f < high for `intervals`, and
    for `levels` those that tests above it name, with whether it is on the left side of the test."""

    def __init__(self, node: Any, sides: Any = (), above: Any = frozenset(), *region: Any) -> None:
        self.node, self.sides, self.above, self.f = node, sides, above, node.get("feature")
        self.path, self.depth, self.leaf = ".".join(sides) or "root", len(sides), self.f is None
        self.intervals, self.levels = region or ({}, {})
        self.weight = sum(node["counts"].values()) if "counts" in node else node.get("n")
        t, order = node.get("threshold"), node.get("order")
        t = order.index(t) if order and not all(map(NUMBER.fullmatch, order)) else t  # its place
        self.threshold = None if t is None else float(t)

    def children(self) -> Any:
        f, t, (low, high) = self.f, self.threshold, self.intervals.get(self.f, FREE)
        for side, left in (("left", True), ("right", False)):
            told = (*self.levels.get(f, ()), (self.node.get("level"), left))
            region = self.intervals, {**self.levels, f: told}
            if t is not None:
                ends = (low, min(high, t)) if left else (max(low, t), high)
                region = {**self.intervals, f: ends}, self.levels
            yield Site(self.node[side], (*self.sides, side), self.above | {f}, *region)

    def ends(self, box: Any) -> Any:
        """For each feature of a box the ends of the region, then those of the box."""
        for f, ends in ({} if box is None else box["bounds"]).items():
            own = (b if a is None else a for a, b in zip(ends, FREE, strict=True))
            yield f, *self.intervals.get(f, FREE), *own

    def has(self, point: Any) -> bool:
        told, ends = {*self.intervals, *self.levels} <= {*point}, self.intervals.items()
        levels = [(point.get(f) == x) == left for f, xs in self.levels.items() for x, left in xs]
        return told and all(levels) and all(a <= point[f] < b for f, (a, b) in ends)


def places_of(certificate: Any) -> Any:
    """Every node, left before right. Where rows have weights, `rows` are the numbers of leaves."""
    stack, rows = [Site(certificate["tree"])], iter(certificate.get("rows") or ())
    while stack:
        place: Any = stack.pop()
        place.rows = next(rows, place.weight) if place.leaf else None
        yield place
        stack += [] if place.leaf else reversed([*place.children()])


def breaks(s: Any, p: Any) -> Any:
    """Whether a node breaks a statement; None if it cannot be told."""
    kind, f, of, used = s["kind"], p.f, s.get("feature"), p.above | {p.f}
    if p.leaf and kind in ("min_leaf", "min_weight") and p.depth:
        n = p.rows if kind == "min_leaf" else p.weight
        return None if n is None else n < s["limit"] * (1 - SAME * (kind == "min_weight"))
    if p.leaf and kind == "majority" and all(a < d and b > c for _, a, b, c, d in p.ends(s["box"])):
        n = p.node.get("counts")
        return None if n is None else max([0, *n.values()]) * (1 - SAME) > n.get(s["outcome"], 0)
    if p.leaf:
        return kind == "max_depth" and p.depth > s["limit"]
    if kind == "constant":
        ends = {g: own for g, *own in p.ends(s["box"])}
        whole = not p.levels and all(p.intervals[g] == FREE for g in p.intervals if g not in ends)
        whole = whole and all(a <= c and b >= d for a, b, c, d in ends.values())
        by_level = f not in ends or p.threshold is None
        return whole and (by_level or ends[f][2] < p.threshold < ends[f][3])
    if kind == "max_cost":
        costs = {g: Fraction(repr(c)) for g, c in s["costs"].items() if g in used}
        dear = sum(costs.values()) > Fraction(repr(s["most"]))
        return f not in p.above and costs.get(f, 0) > 0 and dear
    group, box = {*s.get("features", ())}, p.ends(s.get("within"))
    inside = all(a >= c and b <= d for _, a, b, c, d in box)
    return {
        "forbid": f == of and inside and p.depth >= (s.get("below") or 0),
        "first": not p.depth and f != of,
        "before": f == s.get("then") and of not in p.above,
        "once": f == of and f in p.above,
        "exclusive": f in group and len(used & group) > 1,
        "interaction": not any(used <= {*group} for group in s.get("groups", ())),
    }.get(kind, False)


def rising(formula: Any, leaf: Any) -> Any:
    """The values that must not fall: the mean of a leaf, or of classes the probabilities of those
    up to one, negative."""
    add, starts, mean, left = formula["add"], formula.get("starts"), 0.0, 1.0
    if "classes" in formula:
        pairs, counts = zip(formula["classes"], add, strict=True), leaf["counts"]
        shares, total = [counts.get(c, 0) + a for c, a in pairs], sum(counts.values()) + sum(add)
        return [-share / total for share in accumulate(shares)][:-1]
    if "times" in formula:
        n, over = (leaf[next(k for k in formula[of] if k in leaf)] for of in ("times", "over"))
        total, over = add[0] + n * (leaf["mean"] or 0), add[1] + over
        return [total / over if over > 0 else math.inf]
    for low, high, piece in zip(starts, [*starts[1:], math.inf], leaf["pieces"], strict=True):
        a, b = add[0] + piece["events"], add[1] + piece["time"]
        r = 1 + (high - low) / b
        mean += left * b * (math.log(r) if a == 1 else (1 - r ** (1 - a)) / (a - 1))
        left *= r**-a
    return [mean]


def meet(p: Site, q: Site, s: Any) -> bool | None:
    """Whether two regions have a point in common, the feature of a statement disregarded; None: if
    there is a level that no test names."""
    others, told = {*p.intervals, *q.intervals} - {s["feature"]}, True
    ends = [(*p.intervals.get(f, FREE), *q.intervals.get(f, FREE)) for f in others]
    if any(max(a, c) >= min(b, d) for a, b, c, d in ends):
        return False
    for f in {*p.levels, *q.levels}:
        tests = (*p.levels.get(f, ()), *q.levels.get(f, ()))
        if not any(all((x == y) == left for y, left in tests) for x in s["levels"][f]):
            if s["all_levels"] or any(left for _, left in tests):
                return False
            told = False
    return told or None


def monotone(s: Any, places: Any, points: Any) -> Any:
    """Of each fall of predictions as a feature grows, whether it is there. With two points only
    that between them is asked for."""
    f, kinds = s["feature"], {(p.f, p.threshold is None) for p in places if not p.leaf}
    sides = any("levels" in p.node or p.node.get("missing") in ("left", "right") for p in places)
    if sides or len(kinds) > len(dict(kinds)) or s["predicts"] is None:
        return [None]
    low, high = points or ({f: 0}, {f: 1})
    fine = low[f] < high[f] and {**low, f: 0} == {**high, f: 0}
    fine = fine and all(x in s["levels"].get(g, [x]) for g, x in low.items())
    leaves = [p for p in places if p.leaf and all(a < b for a, b in p.intervals.values())]
    leaves.sort(key=lambda p: p.intervals.get(f, FREE))
    values, found = [rising(s["predicts"], p.node) for p in leaves], []
    for (p, v), (q, w) in combinations(zip(leaves, values, strict=True), 2):
        v, w = (v, w) if s["direction"] == "up" else (w, v)
        if any(y < x and not math.isclose(x, y, rel_tol=SAME) for x, y in zip(v, w, strict=True)):
            found.append(fine and p.has(low) and q.has(high) if points else meet(p, q, s))
    return found


def verdict(claim: Any, places: Any) -> str:
    """What is true of a statement or, where it is said to be broken, what its witness shows."""
    s, broken, witness = claim["statement"], claim["claim"] == "broken", claim.get("witness", {})
    kind, paths, found = s["kind"], witness.get("paths", [witness.get("path")]), {None}
    seen = [p for p in places if p.path in paths or not broken]
    if kind in ("max_leaves", "max_features"):
        many = {p.f or p.path for p in seen if p.leaf == (kind == "max_leaves")}
        found = {len(many) > s["count"]}
    elif kind == "monotone":
        found = {*monotone(s, places, witness["points"] if broken else None)}
    elif kind in KINDS:
        found = {breaks(s, p) for p in seen}
    others = "not shown" if broken else "not checked" if None in found else "holds"
    return "broken" if True in found else others


def main(paths: list[str]) -> int:
    """Verify files, and print what is found of each claim."""
    false = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read().strip()
        for line in text.split("\n") if "\n{" in text else [text]:
            certificate = json.loads(line, parse_constant=int)  # which refuses NaN
            certificate = certificate.get("certificate", certificate)
            claims, places = certificate["claims"], [*places_of(certificate)]
            for claim in claims:
                try:
                    found = verdict(claim, places)
                except Exception as error:
                    found = f"malformed, {error!r}"
                false += found != claim["claim"]
                told = "true" if found == claim["claim"] else f"FALSE ({found})"
                print(f"{claim['claim']}: {told}: {json.dumps(claim['statement'])}")
    return int(false > 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:] or ["/dev/stdin"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        sys.exit(print(f"no certificate: {error!r}", file=sys.stderr) or 2)
