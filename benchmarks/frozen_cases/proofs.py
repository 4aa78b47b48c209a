"""Goals of ordinary clauses: queries, draws, sampling of proofs, learning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import slp
from frozen_cases.cases import Case, Cases
from frozen_cases.files import TABLES
from frozen_cases.programs import PROGRAMS
from frozen_cases.trees import PROPOSALS, SEEDS

__all__ = ["cases"]

_TEXTS = {
    "coins": """
0.6 :: coin(heads).
0.4 :: coin(tails).
pair(X, Y) :- coin(X), coin(Y).
same(X) :- pair(X, X).
""",
    "chain": """
0.7 :: word([]).
0.3 :: word([a|W]) :- word(W).
short(W) :- word(W), length(W, N), N < 4.
""",
    "biases": """
1/3 :: bias(0.2).
1/3 :: bias(0.5).
1/3 :: bias(0.8).
seven(P, LogLikelihood) :- LogLikelihood is 7 * log(P) + 3 * log(1 - P).
""",
    "alarm": """
0.1 :: burglary(yes).
0.9 :: burglary(no).
0.95 :: alarm(yes, on).
0.05 :: alarm(yes, off).
0.02 :: alarm(no, on).
0.98 :: alarm(no, off).
heard(B, A) :- burglary(B), alarm(B, A).
""",
}
_GOALS = (
    ("coins", "same(X)", None),
    ("coins", "pair(X, Y)", "X = heads"),
    ("chain", "short(W)", None),
    ("chain", "word([a|W])", "short([a|W])"),
    ("biases", "bias(P)", None),
    ("alarm", "heard(B, A)", "A = on"),
    ("coins", "same(edge)", None),
)
_NETWORK = "examples/bayesnet/network.slp"


def _likelihood(answer: Mapping[str, Any]) -> float:
    p = answer["P"]
    return 7 * math.log(p) + 3 * math.log(1 - p)


_LIKELIHOODS = {"function": _likelihood, "goal": "seven(P, LogLikelihood)"}


def cases() -> Cases:
    """Cases of goals."""
    for engine in ("python", "prolog"):
        prolog = engine == "prolog"
        for text, goal, given in _GOALS:
            name = f"{engine}/{text}/{goal}" + (f" given {given}" if given else "")
            ask = partial(_query, _TEXTS[text], goal, given, engine)
            yield f"query/{name}", Case(ask, prolog=prolog)
            if goal == "same(edge)":
                continue  # a draw of what has no proof goes on up to the limit
            endless = "short" in name  # by backtracking, into ever longer words
            for seed in SEEDS:
                for failure in ("rejection",) if endless else ("rejection", "backtracking"):
                    ask = partial(_draw, _TEXTS[text], goal, given, engine, failure, seed)
                    yield f"draw/{name}/{failure}/seed {seed}", Case(ask, prolog=prolog)
        for seed in SEEDS:
            for text, goal, given in _GOALS[:-1]:
                name = f"proofs/{engine}/{goal}" + (f" given {given}" if given else "")
                for proposal in PROPOSALS:
                    ask = partial(_proofs, _TEXTS[text], goal, given, engine, proposal, seed)
                    yield f"{name}/{proposal}/seed {seed}", Case(ask, prolog=prolog)
            for told, likelihood in (
                ("function", _likelihood),
                ("goal", "seven(P, LogLikelihood)"),
            ):
                ask = partial(_proofs, _TEXTS["biases"], "bias(P)", None, engine, "q_uc", seed)
                ask = partial(ask, likelihood=likelihood)
                yield f"proofs/{engine}/likelihood {told}/seed {seed}", Case(ask, prolog=prolog)
            ask = partial(_proofs, None, "network(Arcs)", None, engine, "q_uc", seed)
            yield f"proofs/{engine}/network/seed {seed}", Case(ask, prolog=prolog)
    for name in ("prior growtree", "rules budget", "rules weights"):
        ask = partial(_on_table, PROGRAMS[name][1])
        yield f"query/on a table/{name}", Case(ask)
    yield "learn/labels", Case(partial(_learn_labels, failures=True))
    yield "learn/labels, plain", Case(partial(_learn_labels, failures=False))
    yield "learn/parameters", Case(_learn_parameters)


def _query(text: str, goal: str, given: str | None, engine: str, _: int) -> dict[str, object]:
    found = slp.parse(text).query(goal, given=given, best=4, tolerance=1e-6, engine=engine)
    return found.to_dict()


def _draw(
    text: str, goal: str, given: str | None, engine: str, failure: str, seed: int, _: int
) -> dict[str, object]:
    program = slp.parse(text)
    found = program.draw(goal, 20, given=given, failure=failure, seed=seed, engine=engine)
    return found.to_dict()


def _proofs(
    text: str | None,
    goal: str,
    given: str | None,
    engine: str,
    proposal: str,
    seed: int,
    _: int,
    likelihood: Any = None,
) -> dict[str, object]:
    program = slp.load(_NETWORK) if text is None else slp.parse(text)
    options: dict[str, Any] = {"draws": 20, "chains": 2, "warmup": 10, "thin": 2}
    found = program.sample_proofs(
        goal, likelihood, given=given, engine=engine, proposal=proposal, seed=seed, **options
    )
    best = [{**p, "log_weight": p.log_weight, "chain": p.chain} for p in found.k_best(3)]
    fired = [[(c.text, c.label) for c in d.clauses] for d in found.draws]
    return {**found.to_dict(), "k_best": best, "fired": fired}


def _on_table(text: str, _: int) -> dict[str, object]:
    program = slp.parse(slp.parse(text).expand(TABLES["classes"][6:10]))
    return program.query("prior(Tree)", best=2).to_dict()


def _learn_labels(_: int, failures: bool) -> dict[str, object]:
    found = slp.load("coins.slp").learn(Path("seen.pl"), failures=failures)
    return found.to_dict()


def _learn_parameters(_: int) -> dict[str, object]:
    text = ":- use(growtree).\n:- param(alpha, 0.5).\n:- param(beta, 1).\n"
    found = slp.parse(text).learn(TABLES["classes"], only=["alpha"], memory="1GiB")
    return found.to_dict()
