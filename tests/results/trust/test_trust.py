"""Whether a run may be used: the judgement of figures, and every place that shows it."""

from __future__ import annotations

import pickle
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.cli.sample import sample_command
from slp.report.answer import trust
from slp.results.trust.diagnostics import diagnostics_of
from slp.results.trust.judgement import Convergence, standing_together
from slp.runner import Move

GOOD = {"leaves": Convergence(1.0, 900.0, 900.0)}
ALIKE = {"leaves": Convergence(None, None, None)}
#: Two draws of each chain, from where it begins: nothing can be told.
FEW = {"engine": "mh", "draws": 8, "warmup": 0, "thin": 1, "rounds": 1}
UNTOLD = "too few draws to tell"


@pytest.mark.parametrize(
    ("convergence", "draws", "known", "standing", "word"),
    [
        (GOOD, [500] * 4, {}, "converged", ""),
        (GOOD, [3] * 4, {}, "not known", UNTOLD),
        (GOOD, [500] * 4, {"out_of_time": True}, "not known", "no time was left"),
        (GOOD, [900, 0, 0, 0], {}, "not known", "too few chains"),
        (GOOD, [900], {}, "not known", "too few chains"),
        (ALIKE, [500] * 4, {}, "converged", ""),
        (ALIKE, [10] * 4, {}, "not converged", "few draws: 40"),
        ({"leaves": Convergence(1.02, 900, 900)}, [900] * 2, {}, "not converged", "disagree"),
        ({"leaves": Convergence(1.0, 900, 90)}, [900], {}, "not converged", "few effective draws"),
        (GOOD, [500] * 8, {"effective_islands": 8.0}, "converged", ""),
        (GOOD, [500] * 8, {"effective_islands": 1.5}, "not converged", "1.5 of 8 islands"),
        (GOOD, [500] * 3, {"effective_islands": 3.0}, "not known", "too few islands"),
    ],
)
def test_figures_are_judged(
    convergence: Any, draws: list[int], known: dict[str, Any], standing: str, word: str
) -> None:
    tally = Counter({Move("q_uc", "accepted"): 9})
    have = diagnostics_of(convergence, [tally], draws, **known)
    assert have.standing == standing
    assert have.converged == (standing == "converged") == (not have.warnings)
    assert word in "; ".join(have.warnings)


@pytest.mark.parametrize(
    ("engine", "kind"), [("exact", "exact"), ("modal", "found"), ("search", "found")]
)
def test_what_is_no_estimate_has_nothing_to_converge(engine: str, kind: str) -> None:
    found = slp.parse(":- use(growtree).").posterior([[1.0], [2.0]], ["a", "b"], engine=engine)
    assert (found.trust.kind, found.trust.standing, found.trust.faults) == (kind, "converged", ())
    assert not found.trust.by_clock


def test_draws_are_judged_by_their_diagnostics() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        found = slp.parse(":- use(growtree).").posterior([[1.0], [2.0]], ["a", "b"], **FEW)
    assert found.diagnostics is not None and found.trust.kind == "estimate"
    assert found.trust.standing == "not known" and found.trust.faults == (UNTOLD,)


def test_the_worst_of_several_runs_counts() -> None:
    assert standing_together(["converged", "not known"]) == "not known"
    assert standing_together(["not known", "not converged"]) == "not converged"
    assert standing_together([]) == "converged"


# --- where it is shown ----------------------------------------------------------------------------


def table() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(40, 2))
    return X, (X[:, 0] > 0).astype(int)


def said(ask: Callable[[], Any]) -> tuple[Any, list[str]]:
    """An answer, and the codes of the warnings that it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = ask()
    found = [w.message for w in caught if isinstance(w.message, slp.SlpWarning)]
    return answer, [warning.diagnostic.code for warning in found]


def test_python_says_once_that_too_few_draws_tell_nothing(tmp_path: Path) -> None:
    program = slp.parse(":- use(growtree).")
    posterior, codes = said(lambda: program.posterior(*table(), seed=1, **FEW))
    assert codes == ["W547"]
    assert posterior.diagnostics.warnings == (UNTOLD,)
    assert posterior.diagnostics.standing == "not known"
    assert not trust(posterior)[0] and UNTOLD in trust(posterior)[1]
    assert said(lambda: posterior.predict(table()[0]))[1] == []
    posterior.save(tmp_path / "run.slpz")
    loaded, codes = said(lambda: slp.load_posterior(tmp_path / "run.slpz"))
    assert codes == ["W547"] and loaded.diagnostics.warnings == (UNTOLD,)
    shown = CliRunner().invoke(slp_command, ["show", str(tmp_path / "run.slpz")])
    assert f"NOT KNOWN: {UNTOLD}" in shown.stdout


def test_an_estimator_says_it_at_fit_and_where_it_was_read() -> None:
    X, y = table()
    fitted, codes = said(lambda: slp.SLPTreeClassifier(random_state=0, **FEW).fit(X, y))
    assert codes == ["W547"] and said(lambda: fitted.predict(X))[1] == []
    read = pickle.loads(pickle.dumps(fitted))
    assert said(lambda: read.predict(X))[1] == ["W547"] and said(lambda: read.predict(X))[1] == []


def test_two_independent_draws_are_too_few() -> None:
    program = slp.parse(":- use(growtree).")
    few, codes = said(lambda: program.prior(*table(), engine="forward", seed=1, draws=2))
    assert few.diagnostics.standing == "not known" and codes == ["W547"]
    enough, codes = said(lambda: program.prior(*table(), engine="forward", seed=1, draws=8))
    assert enough.diagnostics.converged and codes == []


FLAGS = "--engine mh -n 8 --warmup 0 --thin 1 --rounds 1 --seed 1".split()


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("slp-sample growtree DATA", f"NOT KNOWN: {UNTOLD}"),
        ("slp-sample growtree DATA --json", '"standing": "not known"'),
        ("compare growtree denison DATA --folds 2", "?: of a run"),
        ("cv growtree DATA --folds 2", "NOT KNOWN: do not use"),
        ("tune growtree DATA --grid alpha=0.5,0.9", "?: a run"),
        ("predict growtree DATA DATA", ""),
        ("map growtree DATA", ""),
    ],
)
def test_commands_say_it(tmp_path: Path, command: str, shown: str) -> None:
    X, y = table()
    rows = [f"{a},{b},{c}" for (a, b), c in zip(X.tolist(), y.tolist(), strict=True)]
    data = tmp_path / "data.csv"
    data.write_text("\n".join(["a,b,y", *rows]))
    name, *words = [str(data) if word == "DATA" else word for word in command.split()]
    called = sample_command if name == "slp-sample" else slp_command
    words = words if name == "slp-sample" else [name, *words]
    flags = FLAGS if name not in ("predict", "map") else [f for f in FLAGS if f not in ("-n", "8")]
    result = CliRunner().invoke(called, [*words, *flags])
    assert result.exit_code == 0, result.output
    assert shown in result.stdout
    assert "do not use the numbers" in result.stderr
