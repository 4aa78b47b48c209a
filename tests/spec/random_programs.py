"""Random programs as text, so that parser, checker and lowering are tried as users try them.

`random_program` draws tree rules (a library prior with random parameters, or a template of own
rules with state arguments, guards and helper predicates), then constraints, limits and the rest.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tests.spec.program_text import ProgramText, number, quoted, random_bound
from tests.spec.random_constraints import add_constraints, add_feature_weights, add_support
from tests.spec.random_tables import RandomTable

#: A template: it adds rules to a program.
Rules: TypeAlias = Callable[[ProgramText], None]


def random_program(
    rng: random.Random,
    table: RandomTable,
    rules: Sequence[Rules] | None = None,
    measure: str | None = None,
    *,
    groups: bool = False,
) -> str:
    """A program for the table. Not every program is satisfiable; no program is in error. `rules`
    are the templates to choose from, where they are not all of these; `measure` is that of all
    splits of own rules. `groups`: whether some features are in groups."""
    text = ProgramText(rng, table, measure)
    if groups:
        text.group_features()
    plain = (_growtree_like("rjhmc", "range"),) * 3 if text.of_numbers else ()
    own = (*_LIBRARY, *plain, *_OWN_RULES, *(_NUMERIC_RULES if _all_numeric(table) else ()))
    if groups:
        own = (*_OF_GROUPS, *plain, *own[len(_LIBRARY) + len(plain) :])
    rng.choice(rules or own)(text)
    add_feature_weights(text)
    add_support(text)
    add_constraints(text)
    if rng.random() < 0.4:
        text.add(":- failure(condition).")
    if not table.columns.keys() & {"seen", "exposure"} and rng.random() < 0.3:
        text.add(":- response(y).")
    return "\n".join(text.lines) + "\n"


def _all_numeric(table: RandomTable) -> bool:
    return len(table.numeric) == len(table.features)


# --- library priors ------------------------------------------------------------------------------


def _use(text: ProgramText, name: str, measure: str, **parameters: float) -> None:
    given = [f"{k} = {number(v)}" for k, v in parameters.items() if text.rng.random() < 0.8]
    text.measures.add(measure)
    text.add(f":- use({name}, [{', '.join(given)}]).")


def _growtree_like(name: str, measure: str) -> Callable[[ProgramText], None]:
    def add(text: ProgramText) -> None:
        alpha = text.rng.choice((0.3, 0.5, 0.9, 0.99))
        _use(text, name, measure, alpha=alpha, beta=text.rng.choice((0, 0.5, 1, 2)))

    return add


def _with_phi(name: str, measure: str) -> Callable[[ProgramText], None]:
    def add(text: ProgramText) -> None:
        _use(text, name, measure, phi=text.rng.choice((0.5, 1, 2.5, 8)))

    return add


def _gmt(text: ProgramText) -> None:
    _use(text, "gmt", "per_feature", q=text.rng.choice((0.2, 0.6, 0.95)))


def _pinball(text: ProgramText) -> None:
    _use(text, "pinball", "feature_then_cut", **{"lambda": text.rng.choice((0.5, 1, 3))})


_LIBRARY: tuple[Callable[[ProgramText], None], ...] = (
    _growtree_like("growtree", "feature_then_cut"),
    _growtree_like("growtree_all", "all"),
    _growtree_like("growtree_gap", "gap"),
    _with_phi("denison", "each"),
    _with_phi("bcart_pcfg", "partition"),
    _gmt,
    _pinball,
)


#: Priors whose measures draw a feature.
_OF_GROUPS: tuple[Callable[[ProgramText], None], ...] = (
    _growtree_like("growtree", "feature_then_cut"),
    _growtree_like("growtree_gap", "gap"),
    _gmt,
    _pinball,
)


# --- own rules -----------------------------------------------------------------------------------


def _depth_guard(text: ProgramText) -> None:
    """Splitting stops at a depth, by guards before the split."""
    text.weigh_freely()
    p, k = text.probability(), text.rng.randint(1, 3)
    text.add(":- start(t(0)).")
    text.split_or_leaf("t(D)", p, "t(D+1), t(D+1)", before=f"D < {k}")
    text.add(f"1 :: t(D) --> {{ D >= {k} }}, leaf.")


def _chosen_feature(text: ProgramText) -> None:
    """A helper offers features before the split: each solution is an instance of the rule."""
    text.weigh_freely()
    features = text.rng.sample(text.table.features, text.rng.randint(1, len(text.table.features)))
    p = text.probability()
    text.add(":- start(t).", *(f"offered({quoted(f)})." for f in features))
    text.add(
        f"{p} / {len(features)} :: t --> {{ offered(F) }}, {text.split()}, t, t.",
        f"{1 - p} :: t --> leaf.",
    )


def _state_from_feature(text: ProgramText) -> None:
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


def _leaf_children(text: ProgramText) -> None:
    """`leaf` stands in place of a nonterminal, so that each split has a leaf."""
    text.weigh_freely()
    text.add(
        ":- start(t).",
        f"0.5 :: t --> {text.split()}, leaf, t.",
        f"0.2 :: t --> {text.split()}, t, leaf.",
        "0.3 :: t --> leaf.",
    )


def _bound_feature(text: ProgramText) -> None:
    """The root splits on a feature that the rule names."""
    text.weigh_freely()
    f = quoted(text.rng.choice(text.table.features))
    p, q = text.probability(), text.probability()
    text.add(
        ":- start(t).",
        f"{p} :: t --> {text.split(f)}, u, t.",
        f"{1 - p} :: t --> leaf.",
    )
    text.split_or_leaf("u", q, "t, u")


def _budget(text: ProgramText) -> None:
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


def _two_splits(text: ProgramText) -> None:
    """Two rules that make the same splits: two derivations for each tree with one split."""
    text.weigh_freely()
    text.add(
        ":- start(t).",
        f"0.35 :: t --> {text.split()}, t, leaf.",
        f"0.25 :: t --> {text.split()}, t, leaf.",
        "0.4 :: t --> leaf.",
    )


def _turns(text: ProgramText) -> None:
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


def _calls(text: ProgramText) -> None:
    """Which rules to use is drawn before the tree is."""
    text.weigh_freely()
    p, q = text.probability(), text.probability()
    text.add(
        ":- start(t).",
        "0.3 :: t --> u(1).",
        "0.7 :: t --> u(2).",
    )
    text.split_or_leaf("u(1)", p, "u(2), u(1)")
    text.split_or_leaf("u(2)", q, "u(1), leaf")


def _recursive_helper(text: ProgramText) -> None:
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


_OWN_RULES: tuple[Callable[[ProgramText], None], ...] = (
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


def _threshold_guard(text: ProgramText) -> None:
    """A guard behind the split looks at the threshold."""
    text.weigh_freely()
    p, t = text.probability(), float(random_bound(text, text.rng.choice(text.table.features)))
    comparison = text.rng.choice(("<", ">", "=<", ">=", "=\\="))
    text.add(":- start(t).")
    text.split_or_leaf("t", p, "t, t", behind=f"V {comparison} {number(t)}")


def _limits(text: ProgramText) -> None:
    """Facts say how far each feature may be cut, and a bound threshold comes from them too."""
    text.weigh_freely()
    p = text.probability()
    limits = {f: random_bound(text, f) for f in text.table.features}
    text.add(":- start(t).")
    text.add(*(f"limit({quoted(f)}, {number(x)})." for f, x in limits.items()))
    text.split_or_leaf("t", p, "t, u", behind="limit(F, K), V =< K")
    text.split_or_leaf("u", p, "u, t", behind="\\+ (limit(F, K), V > K + 1)")


def _bound_threshold(text: ProgramText) -> None:
    """The program names the root's split altogether."""
    f = text.rng.choice(text.table.features)
    p = text.probability()
    text.add(
        ":- start(t).",
        f"{p} :: t --> {text.split(quoted(f), number(random_bound(text, f)))}, u, u.",
        f"{1 - p} :: t --> {text.split()}, u, leaf.",
    )
    text.split_or_leaf("u", p, "u, leaf")


def _side_by_threshold(text: ProgramText) -> None:
    """The children's state depends on the threshold, one way or the other."""
    p, t = text.probability(), float(random_bound(text, text.rng.choice(text.table.features)))
    text.add(
        ":- start(t(low)).",
        f"zone(V, low) :- V < {number(t)}.",
        f"zone(V, high) :- V >= {number(t)}.",
        f"{p} :: t(S) --> {text.split()}, {{ zone(V, Z), \\+ (S = high, Z = low) }}, t(Z), t(S).",
        f"{1 - p} :: t(_) --> leaf.",
    )


_NUMERIC_RULES: tuple[Callable[[ProgramText], None], ...] = (
    _threshold_guard,
    _limits,
    _bound_threshold,
    _side_by_threshold,
)

#: Templates whose splits have the measure `range`, if it is given: for tables of numbers.
RANGE_RULES: tuple[Rules, ...] = (
    *(_growtree_like("rjhmc", "range"),) * 3,
    *_OWN_RULES,
    *_NUMERIC_RULES,
)

#: Templates of several splits, whose measures differ, and the priors by gaps: for tables of any
#: columns, and for those that have thresholds alone.
MIXING_RULES_OF_ANY: tuple[Rules, ...] = (_growtree_like("growtree_gap", "gap"), *_OWN_RULES)
MIXING_RULES: tuple[Rules, ...] = (*MIXING_RULES_OF_ANY, *_NUMERIC_RULES)

# --- `partition` beside another measure --------------------------------------------------------


def _measures_beside(text: ProgramText, number_of: int) -> list[str]:
    """`partition` and others, in any order; now and then `partition` twice."""
    others = text.rng.choices(("all", "each", "gap", "per_feature", "partition"), k=number_of - 1)
    return text.rng.sample(["partition", *others], number_of)


def _mixture_with_partition(text: ProgramText) -> None:
    """Two or three components of a mixture, one of them by `partition`."""
    weights, n = text.rng.random() < 0.5, text.rng.choice((2, 2, 3))
    text.add(*([":- weights."] if weights else []), ":- start(t).")
    for i, measure in enumerate(_measures_beside(text, n)):
        text.measures.add(measure)
        ends = text.rng.choice(("leaf, leaf", f"c{i}, leaf", f"c{i}, c{i}"))
        p = text.probability()
        text.add(
            f"{1 if weights else 0.25 if i < n - 1 else 1 - 0.25 * i} :: t --> c{i}.",
            f"{p} :: c{i} --> split(F, V, {measure}), {ends}.",
            f"{1 - p} :: c{i} --> leaf.",
        )


def _two_measures_of_a_state(text: ProgramText) -> None:
    """Two split rules of one state, one of them by `partition`, perhaps of one feature."""
    one, other = _measures_beside(text, 2)
    text.measures |= {one, other}
    bound = text.rng.random() < 0.4
    feature = quoted(text.rng.choice(text.table.features)) if bound else "F"
    text.add(
        *([":- weights."] if text.rng.random() < 0.5 else []),
        ":- start(t).",
        f"0.25 :: t --> split(F, V, {one}), t, u.",
        f"0.5 :: t --> split({feature}, V, {other}), u, leaf.",
        "0.25 :: t --> leaf.",
        "0.5 :: u --> split(F, V, partition), leaf, leaf.",
        "0.5 :: u --> leaf.",
    )


def _measure_out_of_reach(text: ProgramText) -> None:
    """A state by another measure, or by `partition`, that needs more splits than there are rows."""
    one, other = _measures_beside(text, 2)
    text.measures |= {one, other}
    text.add(
        ":- start(t(0)).",
        f"0.6 :: t(D) --> {{ D < 3 }}, split(F, V, {one}), t(D+1), t(D+1).",
        "0.4 :: t(D) --> { D < 3 }, leaf.",
        "1 :: t(D) --> { D >= 3 }, u.",
        f"0.5 :: u --> split(F, V, {other}), leaf, leaf.",
        "0.5 :: u --> leaf.",
    )


#: Templates that have the measure `partition`, mostly beside another one.
PARTITION_RULES: tuple[Rules, ...] = (
    _mixture_with_partition,
    _mixture_with_partition,
    _two_measures_of_a_state,
    _measure_out_of_reach,
)
