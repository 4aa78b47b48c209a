"""Posteriors and priors over trees, by every engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl

import slp
from frozen_cases.cases import Case, Cases
from frozen_cases.files import TABLES
from frozen_cases.programs import MH_ONLY, PROGRAMS, THREE_LEAVES
from frozen_cases.questions import questions

__all__ = ["PROPOSALS", "SEEDS", "always", "cases"]

SEEDS = (1, 2)
PROPOSALS = ("q_uc", "q_ind", "q_n(1)", "q_n(4)", "q_uc:0.7,q_ind:0.3")
_WITH_SUMS = ("q_exact", "q_uc:0.8,q_exact:0.2", "q_uc:0.5,q_n(2):0.3,q_ind:0.1,q_exact:0.1")
_MEMORY = "1GiB"
_CHAINS: dict[str, Any] = {"draws": 20, "chains": 2, "warmup": 30, "thin": 3}
_SLOW: dict[str, Any] = {"draws": 12, "chains": 2, "warmup": 5, "thin": 2}


def always(_: Any) -> bool:
    """A predicate that holds: with it on nodes the plain engine in Python runs."""
    return True


def ask(
    text: str,
    table: pl.DataFrame,
    threads: int,
    *,
    prior: bool = False,
    required: Callable[[Any], bool] | None = None,
    local: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """All that the posterior (or prior) of a program tells."""
    program = _program(text, required, local)
    run = program.prior if prior else program.posterior
    rows = pl.concat([table[::4], table[:1].with_columns(age=pl.lit(100, pl.Int64))])
    return questions(run(table, threads=threads, memory=_MEMORY, **options), rows)


@cache
def _program(text: str, required: Callable[[Any], bool] | None, local: bool) -> slp.Program:
    """A program, read once: to check it takes longer than to ask it here."""
    program = slp.parse(text)
    return program if required is None else program.require(required, local)


def cases() -> Cases:
    """Cases of trees."""
    yield from _exact()
    yield from _chains()
    yield from _predicates()
    yield from _prolog()
    yield from _others()


def _exact() -> Cases:
    for name, (table, text) in PROGRAMS.items():
        of_prior = name.startswith("prior")
        full, small, least = TABLES[table], TABLES[table][4:11], TABLES[table][5:9]
        for engine, rows in (("exact", full), ("chart", small), ("enumerate", least)):
            threaded = of_prior or engine == "exact"  # the others run one thread
            run = partial(ask, text, rows, engine=engine, draws=12)
            for seed in SEEDS if of_prior else SEEDS[:1]:
                yield f"{engine}/{name}/seed {seed}", Case(partial(run, seed=seed), threaded)
            if of_prior or (engine == "exact" and name.startswith(("measure", "rules"))):
                yield f"{engine} prior/{name}", Case(partial(run, seed=1, prior=True), threaded)


def _chains() -> Cases:
    for name, (table, text) in {**PROGRAMS, **MH_ONLY}.items():
        for seed in SEEDS if name.startswith(("prior", "leaf", "measure")) else SEEDS[:1]:
            run = partial(ask, text, TABLES[table], engine="mh", seed=seed, **_CHAINS)
            yield f"mh/{name}/seed {seed}", Case(run, threaded=True)
            if seed == 1 or name.startswith("prior"):
                plain = partial(run, required=always, local=True)
                yield f"plain mh/{name}/seed {seed}", Case(plain, threaded=True)
        if name.startswith("prior") or name in MH_ONLY:
            run = partial(ask, text, TABLES[table], engine="mh", seed=1, prior=True, **_CHAINS)
            yield f"mh prior/{name}", Case(run, threaded=True)
    for name in ("prior growtree", "prior denison", "measure partition", "majority, condition"):
        table, text = PROGRAMS[name]
        for seed in SEEDS:
            for rungs in (1, 3):
                few = TABLES[table][3:11]
                run = partial(ask, text, few, engine="mh", seed=seed, rungs=rungs)
                run = partial(run, **_CHAINS)
                for proposal in (*PROPOSALS, *_WITH_SUMS):
                    end = f"{name}/{proposal}/{rungs} rungs/seed {seed}"
                    drawn = partial(run, proposal=proposal)
                    yield f"proposals/{end}", Case(drawn, threaded=True)
                    if proposal in PROPOSALS and name.startswith("prior"):
                        plain = partial(drawn, required=always, local=True)
                        yield f"plain proposals/{end}", Case(plain, threaded=True)


def _small(tree: slp.Tree) -> bool:
    return tree.n_leaves <= 3


def _wide(node: slp.TreeNode) -> bool:
    return node.is_leaf or node.rows >= 4


def _predicates() -> Cases:
    table = TABLES["classes"]
    grow = ":- use(growtree).\n"
    for seed in SEEDS:
        run = partial(ask, engine="mh", seed=seed, **_CHAINS)
        for failure in ("restrict", "condition"):
            text = f"{grow}:- failure({failure}).\n"
            asked = partial(run, text, table, required=_small)
            yield f"predicate/tree, {failure}/seed {seed}", Case(asked, threaded=True)
            asked = partial(run, text, table, required=_wide, local=True)
            yield f"predicate/node, {failure}/seed {seed}", Case(asked, threaded=True)
        for file in ("named", "local"):
            yield (
                f"predicate/{file}/seed {seed}",
                Case(partial(_named, f"{file}.slp", seed=seed), threaded=True),
            )
        text = f"{grow}:- constraint(prolog(few(3))).\n{THREE_LEAVES}"
        asked = partial(run, text, table, allow_code=True)
        yield f"predicate/prolog/seed {seed}", Case(asked, threaded=True, prolog=True)
        text = f"{grow}:- constraint(prolog(wide, local)).\n"
        text += "wide(node(_, _, _, leaf)).\nwide(node(_, N, _, split(_, _))) :- N >= 4.\n"
        asked = partial(run, text, table, allow_code=True)
        yield f"predicate/prolog local/seed {seed}", Case(asked, threaded=True, prolog=True)


def _named(file: str, threads: int, seed: int) -> dict[str, Any]:
    table = TABLES["classes"]
    options = {"engine": "mh", "seed": seed, "threads": threads, **_CHAINS}
    found = slp.load(file).posterior(table, allow_code=True, memory=_MEMORY, **options)
    return questions(found, table[::4])


def _prolog() -> Cases:
    threshold = """
:- start(t(0)).
0.5 :: t(_) --> split(age, V), t(V), leaf.
0.5 :: t(_) --> leaf.
"""
    table = TABLES["classes"][3:11]
    names = ("prior growtree", "prior pinball", "measure gap", "rules budget", "rules mixture")
    texts = {n: PROGRAMS[n][1] for n in names} | {"threshold in a state": threshold}
    texts |= {n: MH_ONLY[n][1] for n in ("max_features", "monotone up")}
    for name, text in texts.items():
        for seed in SEEDS:
            run = partial(ask, text, table, engine="prolog", seed=seed, **_SLOW)
            yield f"prolog/{name}/seed {seed}", Case(run, threaded=True, prolog=True)
    text = texts["prior growtree"]
    for proposal in ("q_ind", "q_n(3)", "q_uc:0.7,q_ind:0.3"):
        run = partial(ask, text, table, engine="prolog", seed=1, proposal=proposal, **_SLOW)
        yield f"prolog proposals/{proposal}", Case(run, threaded=True, prolog=True)
    run = partial(ask, text, table, engine="prolog", seed=1, rungs=2, **_SLOW)
    yield "prolog/2 rungs", Case(run, threaded=True, prolog=True)
    run = partial(ask, text, table, engine="prolog", seed=1, prior=True, **_SLOW)
    yield "prolog prior/prior growtree", Case(run, threaded=True, prolog=True)


def _others() -> Cases:
    for seed in SEEDS:
        yield f"forward/iris/seed {seed}", Case(partial(_forward, seed=seed), threaded=True)
        yield f"checkpoint/seed {seed}", Case(partial(_resumed, seed=seed), threaded=True)
    yield "auto/haberman", Case(_haberman, threaded=True)
    auto = partial(ask, MH_ONLY["max_features"][1], TABLES["classes"], seed=1, **_CHAINS)
    yield "auto/mh", Case(auto, threaded=True)
    yield "arviz", Case(_arviz)
    for name, (table, text) in {**PROGRAMS, **MH_ONLY}.items():
        yield f"words/{name}", Case(partial(_words, text, TABLES[table]))


def _forward(threads: int, seed: int) -> dict[str, Any]:
    table = pl.read_csv("examples/iris/iris.csv")
    options = {"seed": seed, "draws": 20, "threads": threads, "memory": _MEMORY}
    return questions(slp.load("growtree").prior(table, **options), table[::30])


def _resumed(threads: int, seed: int) -> dict[str, Any]:
    table = TABLES["classes"]
    file = Path(f"run {seed} {threads}.checkpoint")
    options = {**_CHAINS, "engine": "mh", "checkpoint": file, "threads": threads, "memory": _MEMORY}
    program = slp.load("growtree")
    program.posterior(table, seed=seed, **options)
    gone_on = program.posterior(table, resume=True, **{**options, "draws": 40})
    file.unlink()
    return questions(gone_on, table[::4])


def _haberman(threads: int) -> dict[str, Any]:
    table = pl.read_csv("examples/haberman/haberman.csv")
    program = slp.load("examples/haberman/prior.slp")
    options = {"seed": 1, "draws": 20, "threads": threads, "memory": _MEMORY}
    return questions(program.posterior(table, **options), table[::30])


def _arviz(_: int) -> dict[str, Any]:
    data = slp.load("growtree").posterior(
        TABLES["classes"], engine="mh", seed=1, memory=_MEMORY, **_CHAINS
    )
    found = data.to_arviz()
    groups = {name: getattr(found, name) for name in ("posterior", "sample_stats")}
    return {
        name: {v: [list(group[v].dims), group[v].values] for v in sorted(group.data_vars)}
        for name, group in groups.items()
    }


def _words(text: str, table: pl.DataFrame, _: int) -> dict[str, Any]:
    """What a program is in words, and what expands it; and its best tree held to it."""
    program = slp.parse(text)
    return {
        "describe": program.describe(),
        "explain": program.explain(table),
        "parameters": program.parameters,
        "warnings": [w.to_dict() for w in program.warnings],
        "checked": [r.to_dict() for r in _GIVEN.check(program, table)],
    }


_GIVEN = slp.Tree.from_dict(
    {
        "feature": "dose",
        "threshold": 1.5,
        "left": {},
        "right": {
            "feature": "age",
            "threshold": 38,
            "left": {"feature": "age", "threshold": 17.5, "left": {}, "right": {}},
            "right": {},
        },
    }
)
