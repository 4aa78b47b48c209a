"""Edits of a given tree, `edittree`, by the core and by the plain engine."""

from __future__ import annotations

from functools import partial
from typing import Any

import slp
from frozen_cases.cases import Case, Cases
from frozen_cases.files import TABLES
from frozen_cases.questions import questions
from frozen_cases.trees import PROPOSALS, SEEDS, always

__all__ = ["cases"]

_GIVEN = slp.Tree.from_dict(
    {
        "feature": "age",
        "threshold": 33,
        "left": {},
        "right": {"feature": "sex", "level": "f", "left": {}, "right": {}},
    }
)
_MORE = {
    "": "",
    "min_leaf": ":- support(min_leaf(2)).",
    "first": ":- constraint(first(age)).",
    "max_features": ":- constraint(max_features(2)).",
}


def cases() -> Cases:
    """Cases of `edittree`."""
    for seed in SEEDS:
        for plain in (False, True):
            engine = "plain edits" if plain else "edits"
            for proposal in PROPOSALS:
                run = partial(_ask, plain=plain, seed=seed, proposal=proposal)
                yield f"{engine}/{proposal}/seed {seed}", Case(run, threaded=True)
            for measure in ("all", "gap"):
                run = partial(_ask, plain=plain, seed=seed, measure=measure)
                yield f"{engine}/measure {measure}/seed {seed}", Case(run, threaded=True)
            for name, text in _MORE.items():
                run = partial(_ask, plain=plain, seed=seed, more=text)
                yield f"{engine}/limits {name}/seed {seed}", Case(run, threaded=True)
            run = partial(_ask, plain=plain, seed=seed, prior=True)
            yield f"{engine}/prior/seed {seed}", Case(run, threaded=True)


def _ask(
    threads: int,
    plain: bool,
    seed: int,
    proposal: str = "q_uc",
    measure: str = "feature_then_cut",
    more: str = "",
    prior: bool = False,
) -> dict[str, Any]:
    text = f":- use(edittree, [p = 0.7, measure = {measure}]).\n{more}\n"
    program = slp.parse(text, tree=_GIVEN)
    if plain:
        program = program.require(always, local=True)
    table = TABLES["classes"]
    options: dict[str, Any] = {"draws": 16, "chains": 2, "warmup": 20, "thin": 2}
    run = program.prior if prior else program.posterior
    found = run(table, seed=seed, threads=threads, proposal=proposal, memory="1GiB", **options)
    return questions(found, table[::4])
