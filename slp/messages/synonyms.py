"""W113 to W115, and help lines for words that mean a constraint in other tools, or in speech."""

from __future__ import annotations

from slp.messages.entry import Entry

_FORBID = "`:- constraint(forbid(F)).` keeps trees from splitting on F"
_THRESHOLDS = (
    "`:- feature(F, [cuts([24, 40])]).` lists the thresholds of F that there may be; a guard after "
    "`split(F, V)` refuses others"
)
_CONSTANT = (
    "declare `box(infant, F, 0, 24).`; `:- constraint(constant(infant)).` keeps the prediction the "
    "same all over it"
)
_FIRST = "`:- constraint(first(F)).` puts F at the root"
_BEFORE = "`:- constraint(before(F, G)).` asks for a split on F above each split on G"
_ONCE = "`:- constraint(once(F)).` splits on F once on each path"
_EXCLUSIVE = "`:- constraint(exclusive([F, G])).` keeps F and G on different paths"
_INTERACTION = "`:- constraint(interaction([[F, G], [H]])).` says which features share a path"
_MAJORITY = "`:- constraint(majority(Box, Class)).` says which class has the most rows in a box"
_LEAVES = "`:- constraint(max_leaves(K)).` limits the leaves of a tree"
_FEATURES = "`:- constraint(max_features(K)).` limits the features that a tree splits on"
_COST = (
    "`:- constraint(max_cost(200)).`, with `:- cost(F, 120).` for each feature that costs, limits "
    "what the features of a path cost"
)
_UP = "`:- constraint(monotone(F, up)).` keeps predictions from falling as F grows"
_DOWN = "`:- constraint(monotone(F, down)).` keeps predictions from rising as F grows"
_LEAF_SIZE = "`:- support(min_leaf(5)).` keeps five rows or more in each leaf"
_DEPTH = "`:- support(max_depth(3)).` limits the depth of trees"

_WORDS = {
    _FORBID: "never no_split no_splits never_split exclude excluded avoid drop ban banned not_used",
    _THRESHOLDS: "no_threshold no_thresholds no_cut no_cuts no_split_between not_between between "
    "threshold thresholds cut cuts",
    _CONSTANT: "same equal flat uniform homogeneous unchanged no_change indifferent",
    _FIRST: "root top must_use required require starts_with",
    _BEFORE: "above precedes order ordered after requires",
    _ONCE: "only_once single at_most_once",
    _EXCLUSIVE: "not_together mutually_exclusive never_together either xor",
    _INTERACTION: "interactions interact no_interaction together additive groups",
    _MAJORITY: "class predict predicts outcome most",
    _LEAVES: "leaves n_leaves max_size max_leaf_nodes max_nodes size",
    _FEATURES: "features n_features sparse",
    _COST: "cost costs total_cost cost_limit budget max_budget max_price max_costs maxcost price "
    "prices expense cheap",
    _UP: "increasing isotonic monotonic rising rises nondecreasing",
    _DOWN: "decreasing falling falls nonincreasing",
    _LEAF_SIZE: "min_leaf min_samples_leaf min_rows minimum_leaf minbucket",
    _DEPTH: "max_depth depth maxdepth",
}

#: What to write for a word that is no constraint and no directive.
MEANT = {word: help for help, listed in _WORDS.items() for word in listed.split()}

W113 = Entry(
    "W113: a fact has the name of a declaration",
    cause="A fact of a tree program has the name of a constraint or a directive, and no clause "
    "calls it. Facts are for clauses to call, and declare nothing.",
    remedy="Write it as a directive, as the help line shows, or take it out.",
    example=":- use(growtree).\nforbid(age).",
)
DECLARATION_AS_FACT = W113.says("the fact `{name}` declares nothing", "{help}")

W114 = Entry(
    "W114: a program replaces a built-in predicate",
    cause="A program defines one of the built-in predicates that it may define, such as "
    "`member/2` or `maplist/3`, otherwise than it is built in. "
    "All goals of the program then call its own clauses.",
    remedy="Give the predicate another name, or take its clauses out to use the one built in.",
    example="member(X, [X]).\n1 :: p(X) :- member(X, [a, b]).",
)
REPLACED_BUILT_IN = W114.says(
    "these clauses replace the {predicate} that is built in, and differ from it",
    "give the predicate another name, or take the clauses out",
)

W115 = Entry(
    "W115: a guard compares a threshold as a term",
    cause="A guard behind a split compares its threshold with an integer, or with a level of an "
    "ordinal feature, by `=`, `==`, `\\=` or `\\==`. These compare terms, and the threshold is a "
    "floating-point number: the terms `30` and `30.0` differ.",
    remedy="Compare numbers: `=:=` or `=\\=`.",
    example=":- start(t).\n1 :: t --> split(age, V), { V = 30 }, leaf, leaf.",
)
THRESHOLD_AS_TERM = W115.says(
    "`{comparison}` {holds}, because no threshold is the term `{value}`",
    "compare numbers: `{mended}`",
)
