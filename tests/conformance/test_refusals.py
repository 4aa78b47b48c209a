"""Every engine refuses what it says that it refuses: of each kind of refusal a program, options,
and the code and words of what is found."""

from __future__ import annotations

from typing import Any

import pytest

import slp
from slp.compile import compile_problem
from slp.engines.choose import read_for
from slp.engines.registry import engine_named
from slp.errors import UnsupportedError, UsageError
from slp.trees.predicates import with_predicates
from tests.conformance.test_engines import NAMES, frame

TREE = slp.Tree.from_dict({"feature": "a", "threshold": 1.5, "left": {}, "right": {}})
BOX = "box(low, a, 0, 1.5)."
RANGE = ":- start(t). :- param(h, 0.1). 0.5 :: t --> leaf. "

#: Programs that engines refuse, or that have options which they refuse.
PROGRAMS: dict[str, slp.Program] = {
    "plain": slp.parse(":- use(growtree)."),
    "one tree": slp.parse(":- use(growtree)."),
    "features": slp.parse(":- use(growtree). :- constraint(max_features(1))."),
    "monotone": slp.parse(
        ":- use(growtree). :- constraint(monotone(a, up)). :- response(y, [ordinal([p, q])])."
    ),
    "predicate": slp.parse(":- use(growtree).").require(lambda tree: True),
    "node predicate": slp.parse(":- use(growtree).").require(lambda node: True, local=True),
    "edits": slp.load("edittree", tree=TREE),
    "backtracking": slp.parse(
        ":- use(growtree). :- constraint(max_leaves(2)). :- failure(backtrack)."
    ),
    "heavy": slp.parse(":- weights. :- start(t). 2 :: t --> leaf. 2 :: t --> split(F, V), t, t."),
    "soft": slp.parse(":- use(rjhmc)."),
    "sum, predicate": slp.parse(":- trees(3).").require(lambda tree: True),
    "sum, preference": slp.parse(":- trees(3). :- prefer(max_features(1), 1)."),
    "soft without width": slp.parse(
        ":- start(t). 0.5 :: t --> leaf. 0.5 :: t --> split(F, V, range), t, t."
    ),
    "soft, wide": slp.parse(":- use(rjhmc, [h = 2000])."),
    "soft, spread": slp.parse(":- use(rjhmc). :- param(h_spread, 0.5)."),
    "soft, much spread": slp.parse(":- use(rjhmc). :- param(h_spread, 11)."),
    "soft, constant": slp.parse(f":- use(rjhmc). :- constraint(constant(low)). {BOX}"),
    "soft, within": slp.parse(f":- use(rjhmc). :- constraint(forbid(a, within(low))). {BOX}"),
    "soft, majority": slp.parse(f":- use(rjhmc). :- constraint(majority(low, p)). {BOX}"),
    "soft, features": slp.parse(":- use(rjhmc). :- constraint(max_features(1))."),
    "soft, monotone": slp.parse(
        ":- use(rjhmc). :- constraint(monotone(a, up)). :- response(y, [ordinal([p, q])])."
    ),
    "soft, predicate": slp.parse(":- use(rjhmc).").require(lambda tree: True),
    "soft, leaf": slp.parse(":- use(rjhmc). :- support(min_leaf(3))."),
    "soft, weight": slp.parse(":- use(rjhmc). :- support(min_weight(3))."),
    "soft, forbid": slp.parse(":- use(rjhmc). :- constraint(forbid(a))."),
    "soft, edits": slp.load("edittree", tree=TREE),
    "soft, guard": slp.parse(f"{RANGE} 0.5 :: t --> split(F, V, range), {{V > 1}}, t, t."),
    "soft, rows": slp.parse(
        ":- start(t). :- param(h, 0.1). 0.5 :: t --> {rows(N), N > 3}, leaf. "
        "0.5 :: t --> split(F, V, range), t, t."
    ),
    "soft, two rules": slp.parse(
        f"{RANGE} 0.3 :: t --> split(F, V, range), t, t. 0.2 :: t --> split(F, V, range), t, leaf."
    ),
}

#: What an engine that refuses such a program says of it in `slp engines`.
TOLD = {
    "plain": "measures other than `range`",
    "features": "only the finished tree decides",
    "monotone": "only the finished tree decides",
    "predicate": "predicates",
    "node predicate": "predicates",
    "edits": "`edittree`",
    "heavy": "weights at a choice",
    "soft, constant": "constraints on thresholds",
    "soft, within": "constraints on thresholds",
    "soft, majority": "on rows",
    "soft, features": "on finished trees",
    "soft, monotone": "on finished trees",
    "soft, predicate": "predicates",
    "one tree": "programs of one tree",
    "sum, predicate": "predicates in code",
    "sum, preference": "preferences about finished trees",
    "soft, leaf": "`min_leaf`",
    "soft, weight": "`min_weight`",
    "soft, edits": "`edittree`",
    "soft, guard": "guards on thresholds",
    "soft, rows": "rows",
    "soft, two rules": "several rules",
    "soft without width": "a width `h` of gates",
    "soft, wide": "a width `h` of gates",
    "soft, much spread": "a width `h` of gates",
}

#: The same of options of engines that refuse no programs before a run.
TOLD_OF_OPTIONS = {
    "proposal": "proposal",
    "start": "`start` under `edittree`",
    "rungs": "`rungs` under `failure(backtrack)`",
}

#: Options, program, code and words.
Case = tuple[dict[str, Any], str, str, str]

SUMS: list[Case] = [
    ({}, "features", "E301", "max_features"),
    ({}, "monotone", "E301", "monotone"),
    ({}, "predicate", "E301", "predicate"),
    ({}, "node predicate", "E301", "predicate"),
    ({}, "edits", "E301", "edit"),
]
CASES: dict[str, list[Case]] = {
    "exact": SUMS,
    "chart": SUMS,
    "enumerate": SUMS,
    "search": SUMS,
    "smc": [
        ({}, "edits", "E536", "does not edit a given tree"),
        ({}, "predicate", "E536", "predicates"),
        ({}, "node predicate", "E536", "predicates"),
    ],
    "modal": [({}, "edits", "E538", "does not edit a given tree")],
    "forward": [
        ({}, "heavy", "E533", "weights at a choice"),
        ({}, "node predicate", "E533", "no predicates on nodes"),
        ({}, "edits", "E533", "cannot be run forward"),
    ],
    "mh": [
        ({"proposal": "q_all"}, "plain", "E516", "no proposal q_all"),
        ({"proposal": "q_uc:0"}, "plain", "E516", "not the weight"),
        ({"proposal": "q_uc,q_exact"}, "node predicate", "E516", "predicates on nodes"),
        ({"proposal": "q_exact"}, "edits", "E516", "q_exact draws trees by a tree grammar"),
        ({"proposal": "q_pg"}, "edits", "E516", "q_pg draws trees by a tree grammar"),
        ({"proposal": "q_uc,cgm"}, "edits", "E516", "cgm goes from tree to tree"),
        ({"proposal": "q_seq"}, "edits", "E516", "q_seq cuts the sequence"),
        ({"start": TREE}, "edits", "E549", "do not begin at a tree"),
        ({"proposal": "cgm"}, "backtracking", "E548", "cgm is none"),
        ({"proposal": "q_exact"}, "backtracking", "E548", "q_exact is none"),
        ({"rungs": 3}, "backtracking", "E548", "not tempered"),
    ],
    "prolog": [
        ({"proposal": "q_all"}, "plain", "E516", "no proposal q_all"),
        ({"proposal": "q_exact"}, "plain", "E516", "in SWI-Prolog"),
    ],
    "rjhmc": [
        ({}, "plain", "E539", "the measure `range`"),
        ({}, "soft without width", "E539", "how wide gates are"),
        ({}, "soft, wide", "E539", "`h` is 2000"),
        ({}, "soft, much spread", "E539", "is 11"),
        ({"first_h": 0.5}, "soft, spread", "E539", "first_h lowers"),
        ({"tuning": "paper"}, "soft, spread", "E539", "tuning=paper lowers"),
        ({}, "soft, constant", "E539", "`constant`"),
        ({}, "soft, within", "E539", "`within`"),
        ({}, "soft, majority", "E539", "`majority`"),
        ({}, "soft, features", "E539", "`max_features`"),
        ({}, "soft, monotone", "E539", "`monotone`"),
        ({}, "soft, predicate", "E539", "predicates"),
        ({}, "soft, leaf", "E539", "`min_leaf`"),
        ({}, "soft, weight", "E539", "`min_weight`"),
        ({}, "soft, edits", "E539", "`edittree`"),
        ({}, "soft, guard", "E539", "guards on thresholds"),
        ({}, "soft, rows", "E539", "`rows`"),
        ({}, "soft, two rules", "E539", "one derivation"),
        ({"index": "soft"}, "soft, forbid", "E539", "index=soft"),
        ({"index": "other"}, "soft", "E539", "index is 'other'"),
        ({"births": "other"}, "soft", "E539", "births is 'other'"),
        ({"tuning": "other"}, "soft", "E539", "tuning is 'other'"),
        ({"concentration": 0}, "soft", "E539", "concentration is 0"),
        ({"first_h": -1.0}, "soft", "E539", "first_h is -1"),
        ({"first_h": 0.001}, "soft", "E539", "h falls from it"),
    ],
    "stacked": [
        ({}, "edits", "E568", "edits a given tree"),
        ({"members": 8}, "plain", "E568", "it takes 400 rows"),
    ],
    "additive": [
        ({}, "one tree", "E577", "declares none"),
        ({}, "sum, predicate", "E577", "predicates in code"),
        ({}, "sum, preference", "E577", "preferences about finished trees"),
    ],
    "toy": [],
}
EACH = [(name, *case) for name, cases in CASES.items() for case in cases]
IDS = [f"{name}-{program}-{options}" for name, options, program, _, _ in EACH]


@pytest.mark.parametrize(("name", "options", "program", "code", "words"), EACH, ids=IDS)
def test_it_refuses(
    name: str, options: dict[str, Any], program: str, code: str, words: str
) -> None:
    """It is found before the run, in as many words; and it is the error of a run."""
    engine = engine_named(name)
    read = with_predicates(read_for(PROGRAMS[program].ir, name), allow_code=False)
    problem = compile_problem(read, frame(), few_states=engine.few_states)
    (found,) = engine.refusal(problem, engine.Options(**options))
    assert found.code == code and words in found.message and found.help
    ask = PROGRAMS[program].prior if name == "forward" else PROGRAMS[program].posterior
    kind = UsageError if engine.refuses_options else UnsupportedError
    with pytest.raises(kind) as caught:
        ask(frame(), engine=name, **options)
    assert tuple(caught.value.diagnostics) == (found,)


@pytest.mark.parametrize("name", CASES)
def test_it_names_what_it_refuses(name: str) -> None:
    """The line of `slp engines` names what is refused."""
    engine = engine_named(name)
    assert engine.needs_grammar == ("without a finite tree grammar" in engine.refuses)
    for options, program, _, _ in CASES[name]:
        if not options:
            assert TOLD[program] in engine.refuses, program
        elif engine.refuses_options:
            assert all(TOLD_OF_OPTIONS[option] in engine.refuses for option in options)


def test_every_engine_is_tried() -> None:
    assert set(CASES) == set(NAMES)


@pytest.mark.parametrize("name", ["mh", "prolog"])
def test_engines_that_refuse_options_take_the_programs_without_them(name: str) -> None:
    engine = engine_named(name)
    for _, program, _, _ in CASES[name]:
        read = with_predicates(read_for(PROGRAMS[program].ir, name), allow_code=False)
        assert engine.refusal(compile_problem(read, frame()), engine.Options()) == ()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("mh", "forward")])
def test_engines_that_need_weights_refuse_backtracking(name: str) -> None:
    assert engine_named(name).needs_weights
    with pytest.raises(UnsupportedError) as caught:
        PROGRAMS["backtracking"].posterior(frame(), engine=name)
    (found,) = caught.value.diagnostics
    assert found.code == "E548" and "needs them" in found.message


@pytest.mark.parametrize("rungs", [0, "x"])
def test_a_bad_number_of_rungs_is_told_as_such_under_backtracking(rungs: Any) -> None:
    with pytest.raises(UsageError) as caught:
        PROGRAMS["backtracking"].posterior(frame(), engine="mh", rungs=rungs)
    assert [found.code for found in caught.value.diagnostics] == ["E505"]
