"""`slp query` by Metropolis-Hastings: `--proposal`, `--log-likelihood`."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

PAIR = "0.5 :: coin(h).\n0.5 :: coin(t).\npair(X, Y) :- coin(X), coin(Y), X \\= Y.\n"
SHORT = ("--warmup", 20, "--thin", 2, "--seed", 1)


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    path = tmp_path / "pair.slp"
    path.write_text(PAIR)
    module = "def score(answer):\n    return {'h': 2, 't': 0}[answer['X']]\nnumber = 1\n"
    (tmp_path / "scores_of_pairs.py").write_text(module)
    return path


def test_summary_and_best(slp_run, pair: Path) -> None:
    likelihood = "(X = h -> LogLikelihood = 2 ; LogLikelihood = 0)"
    arguments = ("--log-likelihood", likelihood, "--draws", 2000, *SHORT, "--thin", 5, "--best", 1)
    result = slp_run("query", pair, "pair(X, Y)", *arguments)
    assert (result.code, result.err) == (0, "")
    first, second, draws, moves, _, best, *fired = result.out.splitlines()
    assert first.startswith("0.8") and first.endswith("X = h, Y = t") and " +- 0.0" in first
    assert second.endswith("X = t, Y = h")
    assert draws == "2000 draws by Metropolis-Hastings, 4 chains"
    assert moves.startswith("accepted: q_uc ") and moves.endswith("; seed 1")
    assert best == "1. log mass -1.38629, log likelihood 2: X = h, Y = t"
    assert len(fired) == 2


def test_a_function_beside_the_program(slp_run, pair: Path) -> None:
    likelihood = ("--log-likelihood", "scores_of_pairs:score", "--allow-code")
    arguments = (*likelihood, *SHORT, "--draws", 40, "--proposal", "q_ind", "--json")
    found = json.loads(slp_run("query", pair, "pair(X, Y)", *arguments, "--chains", 2).out)
    assert found["semantics"] == "mh" and found["seed"] == 1 and not found["interrupted"]
    assert len(found["draws"]) == 40
    assert {(d["X"], d["log_likelihood"]) for d in found["draws"]} == {("h", 2), ("t", 0)}
    assert set(found["diagnostics"]["acceptance"]) == {"q_ind"}
    assert found["diagnostics"]["draws_by_chain"] == [20, 20]
    assert found["answers"][0].keys() == {"X", "Y", "probability", "error"}


def test_in_prolog(slp_run, pair: Path, janus: ModuleType) -> None:
    """Proofs and the likelihood's goal; the same draws as in Python."""
    likelihood = ("--log-likelihood", "score(X, LogLikelihood)", *SHORT, "--draws", 40)
    pair.write_text(f"{PAIR}score(h, 2).\nscore(t, N) :- N is 3 - 3.\n")
    there = slp_run("query", pair, "pair(X, Y)", *likelihood, "--engine", "prolog")
    assert (there.code, there.err.count("W530")) == (0, there.err.count("warning"))
    assert "40 draws by Metropolis-Hastings in SWI-Prolog, 4 chains\n" in there.out
    here = slp_run("query", pair, "pair(X, Y)", *likelihood)
    assert there.out.replace(" in SWI-Prolog", "") == here.out
    code = (*SHORT, "--engine", "prolog", "--log-likelihood", "prolog(LogLikelihood is 1 + 1)")
    refused = slp_run("query", pair, "pair(X, Y)", *code)
    assert refused.code == 1 and "error[E263]" in refused.err
    run = slp_run("query", pair, "pair(X, Y)", *code, "--allow-code", "--json", "--draws", 8)
    found = json.loads(run.out)
    assert found["engine"] == "prolog" and found["draws"][0]["log_likelihood"] == 2


def test_a_run_that_is_kept(slp_run, pair: Path, tmp_path: Path) -> None:
    kept = ("--proposal", "q_uc", "--checkpoint", tmp_path / "run.json", "--warmup", 5, "--json")
    slp_run("query", pair, "pair(X, Y)", *kept, "--draws", 4, "--seed", 2)
    more = json.loads(slp_run("query", pair, "pair(X, Y)", *kept, "--draws", 8, "--resume").out)
    assert len(more["draws"]) == 8 and more["seed"] == 2


MH_TAKES = ", or sample by Metropolis-Hastings, as with --proposal q_uc"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--log-likelihood", "scores_of_pairs:score"),
            "error[E724]: scores_of_pairs:score runs code, and is refused\n"
            "  help: allow it with --allow-code, if you trust it\n",
        ),
        (
            ("--log-likelihood", "scores_of_pairs:other", "--allow-code"),
            "error[E254]: scores_of_pairs:other cannot be imported: AttributeError: module "
            "'scores_of_pairs' has no attribute 'other'\n"
            "  help: its module must be installed, on the PYTHONPATH, here, or beside the "
            "program's file\n",
        ),
        (
            ("--log-likelihood", "scores_of_pairs:number", "--allow-code"),
            "error[E254]: scores_of_pairs:number is no function\n"
            "  help: name a function of an answer\n",
        ),
        (
            ("--proposal", "q_uc", "--failure", "backtracking"),
            "error[E723]: Metropolis-Hastings does not take --failure\n"
            "  help: leave it out: where a proposal fails, the chain stays where it is\n",
        ),
        *(
            (
                options,
                f"error[E723]: {way} does not take {options[-2 if options[-1] == '2' else -1]}\n"
                f"  help: leave it out{more}\n",
            )
            for options, way, more in (
                (("--proposal", "q_uc", "--tolerance", "2"), "Metropolis-Hastings", ""),
                (("--draws", "3", "--tolerance", "2"), "the drawing of answers", ""),
                (("--draws", "3", "--best", "2"), "the drawing of answers", ""),
                (("--draws", "3", "--chains", "2"), "the drawing of answers", MH_TAKES),
                (("--resume",), "the search for answers", MH_TAKES),
                (("--thin", "2"), "the search for answers", MH_TAKES),
            )
        ),
        (
            ("--checkpoint", "run.json"),
            "error[E723]: the search for answers does not take --checkpoint\n"
            f"  help: leave it out{MH_TAKES}\n",
        ),
        (
            ("--failure", "rejection"),
            "error[E723]: the search for answers does not take --failure\n"
            "  help: leave it out, or ask for draws, as with --draws 100\n",
        ),
    ],
)
def test_what_is_refused(slp_run, pair: Path, arguments: tuple[str, ...], message: str) -> None:
    result = slp_run("query", pair, "pair(X, Y)", *arguments)
    assert (result.code, result.err) == (2, message)
