"""Programs over trees: each prior, measure, constraint, leaf model and kind of rule."""

from __future__ import annotations

__all__ = ["MH_ONLY", "PRIORS", "PROGRAMS", "THREE_LEAVES"]

PRIORS = ("bcart_pcfg", "denison", "gmt", "growtree", "growtree_all", "growtree_gap", "pinball")
_GROW = ":- use(growtree, [alpha = 0.8]).\n"
_BOXES = "box(old, age, 35, inf).\nbox(some, dose, 1.5, 2.5).\n"

_LEAVES = {
    "dirichlet list": ("classes", ":- leaf(dirichlet([1, 0.5]))."),
    "three classes": ("levels", ""),
    "ordinal": ("levels", ":- response(grade, [ordinal([low, mid, high])])."),
    "whole numbers as classes": ("counts", ""),
    "counts": ("counts", ":- leaf(gamma_poisson(1, 0.5))."),
    "durations": (
        "durations",
        ":- response(time, event(died)).\n:- leaf(gamma_exponential(0.5, 2)).",
    ),
    "numbers": ("numbers", ""),
    "normal": ("numbers", ":- leaf(normal_inverse_gamma(3, 0.5, 2, 1.5))."),
}
_MEASURES = ("feature_then_cut", "all", "gap", "each", "partition", "per_feature")
_MEASURE = """
:- start(tree(0)).
0.7 / (1+D)     :: tree(D) --> split(F, V, {}), tree(D+1), tree(D+1).
1 - 0.7 / (1+D) :: tree(D) --> leaf.
"""
_CONSTRAINTS = {
    "constant": "constant(old)",
    "constant free": "constant(some)",
    "forbid": "forbid(dose)",
    "forbid several": "forbid([dose, sex])",
    "forbid below": "forbid(dose, below(1))",
    "forbid within": "forbid(dose, within(old))",
    "first": "first(age)",
    "before": "before(age, dose)",
    "once": "once(age)",
    "exclusive": "exclusive([age, dose])",
    "interaction": "interaction([[age, dose], [sex]])",
    "majority": "majority(old, yes)",
    "max_leaves": "max_leaves(3)",
}
_RULES = {
    "min_leaf": f"{_GROW}:- support(min_leaf(3)).",
    "max_depth": f"{_GROW}:- support(max_depth(2)).",
    "cuts": f"{_GROW}:- feature(age, [cuts([18, 40, 65])]).",
    "quantile bins": f"{_GROW}:- feature(_, [bins(quantile, 3)]).",
    "width bins": f"{_GROW}:- feature(age, [bins(width, 4)]).",
    "categorical": f"{_GROW}:- feature(dose, [categorical]).",
    "ignore": f"{_GROW}:- ignore(sex).",
    "weight": f"{_GROW}:- feature_weight(age, 3).",
    "weight, gap": ":- use(growtree_gap).\n:- feature_weight(dose, 0.5).",
    "rows": """
:- start(tree).
1 - 1/N :: tree --> { rows(N), N >= 4 }, split(_, _), tree, tree.
1/N     :: tree --> { rows(N), N >= 4 }, leaf.
1       :: tree --> { rows(N), N < 4 }, leaf.
""",
    "rows of a class": """
:- start(tree).
A/N     :: tree --> { rows(N), rows(yes, A) }, split(_, _), tree, tree.
1 - A/N :: tree --> { rows(N), rows(yes, A) }, leaf.
""",
    "budget": """
:- start(owe(3)).
1 :: owe(1) --> leaf.
1 / (K-1) :: owe(K) --> { K > 1, M is K - 1, between(1, M, J) }, split(age, V), owe(J), owe(K-J).
""",
    "threshold in a guard": """
:- start(root).
1 :: root --> split(age, V), { V < 30 -> S = young ; S = old }, part(S), leaf.
1 :: part(young) --> leaf.
0.5 :: part(old) --> split(_, _), leaf, leaf.
0.5 :: part(old) --> leaf.
""",
    "mixture": """
:- start(tree).
0.5 :: tree --> small.
0.5 :: tree --> large(0).
0.2 :: small --> split(_, _), leaf, leaf.
0.8 :: small --> leaf.
0.9 :: large(D) --> { D < 2 }, split(_, _, all), large(D+1), large(D+1).
0.1 :: large(D) --> { D < 2 }, leaf.
1   :: large(D) --> { D >= 2 }, leaf.
""",
    "weights": """
:- weights.
:- start(tree).
2   :: tree --> leaf.
0.5 :: tree --> split(_, _, each), tree, tree.
""",
    "dead ends": """
:- start(tree(0)).
0.6 :: tree(D) --> { D < 3 }, split(_, _), tree(D+1), tree(D+1).
0.4 :: tree(D) --> { D < 3, D > 0 }, leaf.
0.4 :: tree(0) --> split(dose, _), leaf, tree(1).
""",
    "helpers": """
:- start(path([], 2)).
cheap(age).
cheap(sex).
needs(dose, [age]).
allowed(F, _) :- cheap(F).
allowed(F, Used) :- needs(F, Required), forall(member(R, Required), memberchk(R, Used)).
0.5 :: path(U, K) --> { K > 0 }, split(F, V), { allowed(F, U) }, path([F|U], K-1), leaf.
0.5 :: path(_, K) --> { K > 0 }, leaf.
1   :: path(_, 0) --> leaf.
""",
    "given splits": """
:- start(t).
0.5 :: t --> split(age, 33), u, u.
0.5 :: t --> split(sex, f), leaf, u.
0.5 :: u --> split(dose, _), leaf, leaf.
0.5 :: u --> leaf.
""",
}


def _programs() -> dict[str, tuple[str, str]]:
    out = {f"prior {p}": ("classes", f":- use({p}).") for p in PRIORS}
    out |= {f"leaf {k}": (table, _GROW + text) for k, (table, text) in _LEAVES.items()}
    local = ":- constraint(forbid(dose, below(1))).\n:- failure(condition).\n"
    for m in _MEASURES:
        out[f"measure {m}"] = "classes", _MEASURE.format(m)
        out[f"measure {m}, condition"] = "classes", _MEASURE.format(m) + local
    for kind in ("restrict", "condition"):
        more = f"{_GROW}{_BOXES}:- failure({kind}).\n"
        for k, text in _CONSTRAINTS.items():
            out[f"{k}, {kind}"] = "classes", f"{more}:- constraint({text})."
    return {**out, **{f"rules {k}": ("classes", text) for k, text in _RULES.items()}}


#: Programs that can be summed exactly: by name the table, and the text.
PROGRAMS = _programs()

_ORDINAL = ":- response(grade, [ordinal([low, mid, high])])."
#: Those that only `mh` takes.
MH_ONLY = {
    "max_features": ("classes", f"{_GROW}:- constraint(max_features(1))."),
    "monotone up": (
        "classes",
        f"{_GROW}:- response(ill, [ordinal([no, yes])]).\n:- constraint(monotone(age, up)).",
    ),
    "monotone down": ("levels", f"{_GROW}{_ORDINAL}\n:- constraint(monotone(dose, down))."),
    "monotone numbers": ("numbers", f"{_GROW}:- constraint(monotone(age, up))."),
    "monotone counts": (
        "counts",
        f"{_GROW}:- leaf(gamma_poisson(1, 1)).\n:- constraint(monotone(age, up)).",
    ),
    "monotone durations": (
        "durations",
        f"{_GROW}{_LEAVES['durations'][1]}\n:- constraint(monotone(age, down)).",
    ),
    "several": (
        "classes",
        f"{_GROW}{_BOXES}:- constraint(max_features(2)).\n:- constraint(max_leaves(4)).\n"
        ":- constraint(majority(old, yes)).\n:- failure(condition).",
    ),
}

#: A constraint that SWI-Prolog decides, on finished trees.
THREE_LEAVES = """
few(Most, Tree) :- size(Tree, K), K =< Most.
size(leaf(_), 1).
size(split(_, _, L, R), K) :- size(L, A), size(R, B), K is A + B.
"""
