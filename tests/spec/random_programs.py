"""Random programs as text, so that parser, checker and lowering are tried as users try them.

`random_program` draws tree rules (a library prior with random parameters, or a template of own
rules with state arguments, guards and helper predicates), then constraints, limits and the rest.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from tests.spec.random_tables import RandomTable

_MEASURES = ("feature_then_cut", "all", "gap", "per_feature")
_WEIGHT_MEASURES = (*_MEASURES, "each", "partition")
_WEIGHABLE = {"feature_then_cut", "gap"}


class _Text:
    """A program under construction."""

    def __init__(self, rng: random.Random, table: RandomTable) -> None:
        self.rng, self.table = rng, table
        self.lines: list[str] = list(table.directives)
        self.measures: set[str] = set()
        self.weights = False

    def add(self, *lines: str) -> None:
        self.lines += lines

    def split(self, feature: str = "F", threshold: str = "V") -> str:
        """`split(F, V)` with a random measure."""
        choices = _WEIGHT_MEASURES if self.weights else _MEASURES
        measure = self.rng.choice(("", *choices))
        self.measures.add(measure or "feature_then_cut")
        return f"split({feature}, {threshold}{', ' + measure if measure else ''})"

    def probability(self) -> float:
        return self.rng.choice((0.2, 0.5, 0.75, 0.9))

    def weigh_freely(self) -> None:
        """Now and then, labels are weights over whole trees."""
        if self.rng.random() < 0.3:
            self.weights = True
            self.add(":- weights.")


def quoted(name: str) -> str:
    """An atom."""
    return name if name.isalnum() and name[0].islower() else f"'{name}'"


def number(x: float) -> str:
    """A number as Prolog reads it."""
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    text = repr(x)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def random_program(rng: random.Random, table: RandomTable) -> str:
    """A program for the table. Not every program is satisfiable; no program is in error."""
    text = _Text(rng, table)
    prior = rng.choice((*_LIBRARY, *_OWN_RULES, *(_NUMERIC_RULES if _all_numeric(table) else ())))
    prior(text)
    _add_feature_weights(text)
    _add_support(text)
    _add_constraints(text)
    if rng.random() < 0.4:
        text.add(":- failure(condition).")
    if rng.random() < 0.3:
        text.add(":- response(y).")
    return "\n".join(text.lines) + "\n"


def _all_numeric(table: RandomTable) -> bool:
    return len(table.numeric) == len(table.features)


# --- library priors ------------------------------------------------------------------------------


def _use(text: _Text, name: str, measure: str, **parameters: float) -> None:
    given = [f"{k} = {number(v)}" for k, v in parameters.items() if text.rng.random() < 0.8]
    text.measures.add(measure)
    text.add(f":- use({name}, [{', '.join(given)}]).")


def _growtree_like(name: str, measure: str) -> Callable[[_Text], None]:
    def add(text: _Text) -> None:
        alpha = text.rng.choice((0.3, 0.5, 0.9, 0.99))
        _use(text, name, measure, alpha=alpha, beta=text.rng.choice((0, 0.5, 1, 2)))

    return add


def _with_phi(name: str, measure: str) -> Callable[[_Text], None]:
    def add(text: _Text) -> None:
        _use(text, name, measure, phi=text.rng.choice((0.5, 1, 2.5, 8)))

    return add


def _gmt(text: _Text) -> None:
    _use(text, "gmt", "per_feature", q=text.rng.choice((0.2, 0.6, 0.95)))


def _pinball(text: _Text) -> None:
    _use(text, "pinball", "feature_then_cut", **{"lambda": text.rng.choice((0.5, 1, 3))})


_LIBRARY: tuple[Callable[[_Text], None], ...] = (
    _growtree_like("growtree", "feature_then_cut"),
    _growtree_like("growtree_all", "all"),
    _growtree_like("growtree_gap", "gap"),
    _with_phi("denison", "each"),
    _with_phi("bcart_pcfg", "partition"),
    _gmt,
    _pinball,
)


# --- own rules -----------------------------------------------------------------------------------


def _depth_guard(text: _Text) -> None:
    """Splitting stops at a depth, by guards before the split."""
    text.weigh_freely()
    p, k = text.probability(), text.rng.randint(1, 3)
    text.add(
        ":- start(t(0)).",
        f"{p} :: t(D) --> {{ D < {k} }}, {text.split()}, t(D+1), t(D+1).",
        f"{1 - p} :: t(D) --> {{ D < {k} }}, leaf.",
        f"1 :: t(D) --> {{ D >= {k} }}, leaf.",
    )


def _chosen_feature(text: _Text) -> None:
    """A helper offers features before the split: each solution is an instance of the rule."""
    text.weigh_freely()
    features = text.rng.sample(text.table.features, text.rng.randint(1, len(text.table.features)))
    p = text.probability()
    text.add(":- start(t).", *(f"offered({quoted(f)})." for f in features))
    text.add(
        f"{p} / {len(features)} :: t --> {{ offered(F) }}, {text.split()}, t, t.",
        f"{1 - p} :: t --> leaf.",
    )


def _state_from_feature(text: _Text) -> None:
    """A guard behind the split binds the children's state, and forbids features without one."""
    features = text.rng.sample(text.table.features, text.rng.randint(1, len(text.table.features)))
    text.add(":- start(t(s0)).")
    text.add(*(f"next({quoted(f)}, s{text.rng.randint(0, 1)})." for f in features))
    p, q = text.probability(), text.probability()
    first = quoted(features[0])
    text.add(
        f"{p} :: t(s0) --> {text.split()}, {{ next(F, S) }}, t(S), t(s0).",
        f"{1 - p} :: t(s0) --> leaf.",
        f"{q} :: t(s1) --> {text.split()}, {{ F = {first}, S = s1 ; F \\= {first}, next(F, S) }}, "
        "t(s1), t(S).",
        f"{1 - q} :: t(s1) --> leaf.",
    )


def _leaf_children(text: _Text) -> None:
    """`leaf` stands in place of a nonterminal, so that trees are chains."""
    text.weigh_freely()
    text.add(
        ":- start(t).",
        f"0.5 :: t --> {text.split()}, leaf, t.",
        f"0.2 :: t --> {text.split()}, t, leaf.",
        "0.3 :: t --> leaf.",
    )


def _bound_feature(text: _Text) -> None:
    """The root splits on a feature that the rule names."""
    text.weigh_freely()
    f = quoted(text.rng.choice(text.table.features))
    p, q = text.probability(), text.probability()
    text.add(
        ":- start(t).",
        f"{p} :: t --> {text.split(f)}, u, t.",
        f"{1 - p} :: t --> leaf.",
        f"{q} :: u --> {text.split()}, t, u.",
        f"{1 - q} :: u --> leaf.",
    )


def _budget(text: _Text) -> None:
    """Leaves are owed, and dealt out in one way or another: several derivations a tree."""
    text.weights = True
    k = text.rng.randint(3, 5)
    text.add(
        ":- weights.",
        f":- start(owe({k})).",
        "1 :: owe(1) --> leaf.",
        f"0.5 :: owe(K) --> {{ K > 1 }}, {text.split()}, owe(K-1), owe(1).",
        f"2 :: owe(K) --> {{ K > 2, J is K - 2 }}, {text.split()}, owe(J), owe(2).",
        "0.25 :: owe(K) --> { K > 1 }, owe(K-1).",
    )


def _two_splits(text: _Text) -> None:
    """Two rules that make the same splits: two derivations for each tree with one split."""
    text.weigh_freely()
    text.add(
        ":- start(t).",
        f"0.35 :: t --> {text.split()}, t, leaf.",
        f"0.25 :: t --> {text.split()}, t, leaf.",
        "0.4 :: t --> leaf.",
    )


def _turns(text: _Text) -> None:
    """The state is a feature; a helper predicate with a body says which follows."""
    features = [quoted(f) for f in text.table.features]
    text.add(f":- start(turn({features[0]})).")
    text.add(*(f"order({f}, {g})." for f, g in zip(features, features[1:], strict=False)))
    if len(features) > 1:
        text.add("follows(F, G) :- order(F, G).")
    text.add(f"follows({features[-1]}, {features[0]}).")
    p = text.probability()
    text.add(
        f"{p} :: turn(F) --> {text.split()}, {{ follows(F, G) }}, turn(G), turn(F).",
        f"{1 - p} :: turn(_) --> leaf.",
    )


def _calls(text: _Text) -> None:
    """Which rules to use is drawn before the tree is."""
    text.weigh_freely()
    p, q = text.probability(), text.probability()
    text.add(
        ":- start(t).",
        "0.3 :: t --> u(1).",
        "0.7 :: t --> u(2).",
        f"{p} :: u(1) --> {text.split()}, u(2), u(1).",
        f"{1 - p} :: u(1) --> leaf.",
        f"{q} :: u(2) --> {text.split()}, u(1), leaf.",
        f"{1 - q} :: u(2) --> leaf.",
    )


def _recursive_helper(text: _Text) -> None:
    """A recursive predicate offers states: several solutions, each an instance."""
    text.weights = True
    text.add(
        ":- weights.",
        ":- start(t(3)).",
        "down(N, N).",
        "down(N, M) :- N > 1, N1 is N - 1, down(N1, M).",
        f"1/N :: t(N) --> {{ N > 1, K is N - 1, down(K, M) }}, {text.split()}, t(M), t(K).",
        "0.5 :: t(_) --> leaf.",
    )


_OWN_RULES: tuple[Callable[[_Text], None], ...] = (
    _depth_guard,
    _chosen_feature,
    _state_from_feature,
    _leaf_children,
    _bound_feature,
    _budget,
    _two_splits,
    _turns,
    _calls,
    _recursive_helper,
)


def _threshold_guard(text: _Text) -> None:
    """A guard behind the split looks at the threshold."""
    text.weigh_freely()
    p, t = text.probability(), _bound(text, text.rng.choice(text.table.features))
    comparison = text.rng.choice(("<", ">", "=<", ">=", "=\\="))
    text.add(
        ":- start(t).",
        f"{p} :: t --> {text.split()}, {{ V {comparison} {number(t)} }}, t, t.",
        f"{1 - p} :: t --> leaf.",
    )


def _limits(text: _Text) -> None:
    """Facts say how far each feature may be cut, and a bound threshold comes from them too."""
    text.weigh_freely()
    p = text.probability()
    limits = {f: _bound(text, f) for f in text.table.features}
    text.add(":- start(t).")
    text.add(*(f"limit({quoted(f)}, {number(x)})." for f, x in limits.items()))
    text.add(
        f"{p} :: t --> {text.split()}, {{ limit(F, K), V =< K }}, t, u.",
        f"{1 - p} :: t --> leaf.",
        f"{p} :: u --> {text.split()}, {{ \\+ (limit(F, K), V > K + 1) }}, u, t.",
        f"{1 - p} :: u --> leaf.",
    )


def _bound_threshold(text: _Text) -> None:
    """The program names the root's split altogether."""
    f = text.rng.choice(text.table.features)
    p = text.probability()
    text.add(
        ":- start(t).",
        f"{p} :: t --> {text.split(quoted(f), number(_bound(text, f)))}, u, u.",
        f"{1 - p} :: t --> {text.split()}, u, leaf.",
        f"{p} :: u --> {text.split()}, u, leaf.",
        f"{1 - p} :: u --> leaf.",
    )


def _side_by_threshold(text: _Text) -> None:
    """The children's state depends on the threshold, one way or the other."""
    p, t = text.probability(), _bound(text, text.rng.choice(text.table.features))
    text.add(
        ":- start(t(low)).",
        f"zone(V, low) :- V < {number(t)}.",
        f"zone(V, high) :- V >= {number(t)}.",
        f"{p} :: t(S) --> {text.split()}, {{ zone(V, Z), \\+ (S = high, Z = low) }}, t(Z), t(S).",
        f"{1 - p} :: t(_) --> leaf.",
    )


_NUMERIC_RULES: tuple[Callable[[_Text], None], ...] = (
    _threshold_guard,
    _limits,
    _bound_threshold,
    _side_by_threshold,
)


# --- declarations --------------------------------------------------------------------------------


def _add_feature_weights(text: _Text) -> None:
    if text.measures <= _WEIGHABLE and text.rng.random() < 0.5:
        for f in text.table.features:
            if text.rng.random() < 0.6:
                text.add(f":- feature_weight({quoted(f)}, {text.rng.choice((0.25, 2, 3))}).")


def _add_support(text: _Text) -> None:
    if text.rng.random() < 0.2:
        text.add(f":- support(min_leaf({text.rng.randint(1, 3)})).")
    if text.rng.random() < 0.2:
        text.add(f":- support(max_depth({text.rng.randint(0, 3)})).")


def _bound(text: _Text, feature: str) -> float:
    """A number at, between, or off the feature's values."""
    values = sorted({float(x) for x in text.table.columns[feature]})
    points = [*values, values[0] - 1, values[-1] + 1]
    points += [a + (b - a) / 2 for a, b in zip(values, values[1:], strict=False)] * 2
    return text.rng.choice(points)


def _random_box(text: _Text, name: str) -> bool:
    """Add the facts of a box; False if the table has no numeric feature to bound."""
    numeric = text.table.numeric
    if not numeric:
        return False
    for f in text.rng.sample(numeric, text.rng.randint(1, len(numeric))):
        low = -math.inf if text.rng.random() < 0.3 else _bound(text, f)
        high = math.inf if text.rng.random() < 0.3 else _bound(text, f)
        if low > high:
            low, high = high, low
        if low == high:
            high = low + 1
        text.add(f"box({name}, {quoted(f)}, {number(low)}, {number(high)}).")
    return True


def _add_constraints(text: _Text) -> None:
    """Up to three constraints that do not contradict each other."""
    kinds = list(_CONSTRAINTS)
    text.rng.shuffle(kinds)
    for kind in kinds[: text.rng.choice((0, 1, 1, 2, 3))]:
        goal = _CONSTRAINTS[kind](text)
        if goal is not None:
            text.add(f":- constraint({goal}).")


def _constant(text: _Text) -> str | None:
    return "constant(level)" if _random_box(text, "level") else None


def _forbid(text: _Text) -> str:
    return f"forbid({quoted(text.rng.choice(text.table.features))})"


def _forbid_below(text: _Text) -> str:
    f = quoted(text.rng.choice(text.table.features))
    return f"forbid({f}, below({text.rng.randint(1, 2)}))"


def _forbid_within(text: _Text) -> str | None:
    f = quoted(text.rng.choice(text.table.features))
    return f"forbid({f}, within(zone))" if _random_box(text, "zone") else None


def _first(text: _Text) -> str:
    return f"first({quoted(text.rng.choice(text.table.features))})"


def _before(text: _Text) -> str | None:
    if len(text.table.features) < 2:
        return None
    f, g = text.rng.sample(text.table.features, 2)
    return f"before({quoted(f)}, {quoted(g)})"


def _once(text: _Text) -> str:
    return f"once({quoted(text.rng.choice(text.table.features))})"


def _exclusive(text: _Text) -> str | None:
    features = text.table.features
    if len(features) < 2:
        return None
    group = text.rng.sample(features, text.rng.randint(2, len(features)))
    return f"exclusive([{', '.join(map(quoted, group))}])"


def _interaction(text: _Text) -> str | None:
    features = text.table.features
    if len(features) < 2:
        return None
    groups = [text.rng.sample(features, text.rng.randint(1, 2)) for _ in range(2)]
    return f"interaction([{', '.join('[' + ', '.join(map(quoted, g)) + ']' for g in groups)}])"


def _majority(text: _Text) -> str | None:
    classes = getattr(text.table.leaf, "classes", ())
    if not classes or not _random_box(text, "pure"):
        return None
    return f"majority(pure, {_class_term(text.rng.choice(classes))})"


def _class_term(name: str) -> str:
    return name if name.isdigit() else quoted(name)


def _max_leaves(text: _Text) -> str:
    return f"max_leaves({text.rng.randint(1, 5)})"


_CONSTRAINTS: dict[str, Callable[[_Text], str | None]] = {
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
    "max_leaves": _max_leaves,
}
