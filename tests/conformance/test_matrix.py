"""Every engine on every kind of column, with and without holes: saved runs, rules, report, picture,
predictions, draws as JSON lines, and words.

A cell is an engine, a kind of column and a declared way of missing values. Its run is saved and
read again, and every question has the same answer before and after, or the saved run refuses it
(E562). What an engine does not take it refuses with a code. CI runs a part of the cells in which
each engine meets a third of the columns and every way; all cells run by
`SLP_MATRIX=all pytest -m '' tests/conformance/test_matrix.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.cli.as_json import posterior_to_json, write_draws
from slp.cli.summary import feature_uses
from slp.engines.registry import ENGINES

#: The words of a declaration, and four distinct values, of which each stands in three rows.
COLUMNS: dict[str, tuple[str, list[Any]]] = {
    "numbers": ("", [0.5, 1.25, 2.5, 7.0]),
    "integers": ("numeric", [1, 2, 3, 7]),
    "cuts": ("cuts([1, 2, 5])", [0.5, 1.5, 2.5, 7.0]),
    "quantiles": ("bins(quantile, 3)", [0.5, 1.25, 2.5, 7.0]),
    "widths": ("bins(width, 3)", [0.5, 1.25, 3.5, 7.0]),
    "unit": ("unit(kg), range(0, 10)", [0.5, 1.25, 2.5, 7.0]),
    "ordinal": ("ordinal([low, mid, high, top])", ["low", "mid", "high", "top"]),
    "ordinal_numbers": ("ordinal([1, 2, 3, 7])", [1, 2, 3, 7]),
    "ordinal_truth": ("ordinal([false, true])", [False, True, False, True]),
    "levels": ("", ["a", "b", "c", "d"]),
    "two_levels": ("", ["a", "b", "a", "b"]),
    "numbers_as_levels": ("categorical", [1, 2, 3, 7]),
    "truth": ("", [False, True, False, True]),
    "truth_as_numbers": ("numeric", [False, True, False, True]),
    "subsets": ("subsets", ["a", "b", "c", "d"]),
    "two_subsets": ("subsets", ["a", "b", "a", "b"]),
    "subsets_larger": ("subsets, new(larger)", ["a", "b", "c", "d"]),
    "subsets_average": ("subsets, new(average)", ["a", "b", "c", "d"]),
    "subsets_ordered": ("subsets(ordered)", ["a", "b", "c", "d"]),
    "one_value": ("", [2.5, 2.5, 2.5, 2.5]),
}
#: What is declared of missing values, and whether rows of the table and rows to predict miss some.
WAYS: dict[str, tuple[str, bool, bool]] = {
    "none": ("", False, False),
    "level": ("missing(level)", True, True),
    "side": ("missing(side)", True, True),
    "side_average": ("missing(side), new(average)", True, True),
    "side_later": ("missing(side), new(average)", False, True),
    "error": ("missing(error)", True, True),
}
#: A program for each engine: another for soft trees, one that backtracks, and edits of a tree.
TREES = ":- use(growtree, [alpha = 0.7]). :- support(max_depth(2)). :- constraint(once(z))."
_MH = {"draws": 12, "warmup": 4, "thin": 1, "rounds": 1, "chains": 2}
RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    name: (name, TREES, {"draws": 6}) for name in ENGINES
} | {
    "mh": ("mh", TREES, _MH),
    "mh_plain": ("mh", TREES + " :- constraint(max_features(1)).", _MH),
    "edits": ("mh", ":- use(edittree). :- start(edittree(split(z, 2, leaf, leaf))).", _MH),
    "smc": ("smc", TREES, {"draws": 8, "islands": 4, "particles": 8}),
    "rjhmc": ("rjhmc", ":- use(rjhmc).", {"draws": 8, "warmup": 4, "chains": 2}),
    "additive": ("additive", TREES + " :- trees(3).", {"draws": 8, "warmup": 4, "chains": 2}),
    "prolog": ("prolog", TREES, {"draws": 8, "warmup": 2, "thin": 1, "chains": 2}),
    "backtracking": (
        "forward",
        TREES + " :- failure(backtrack).",
        {"draws": 8},
    ),
}
#: Codes of what a saved run does not know, and codes that no question may end in.
NOT_SAVED, OF_OURS = {"E562"}, {"E701"}


def cells() -> Iterator[tuple[str, str, str, bool]]:
    """The cells to run, and whether to make a report too."""
    ways, every = list(WAYS), os.environ.get("SLP_MATRIX") == "all"
    for i, run in enumerate(RUNS):
        for j, column in enumerate(COLUMNS):
            for k, way in enumerate(ways):
                if every or ((i + j) % 3 == 0 and (i + j // 3) % len(ways) == k):
                    yield run, column, way, every or (i % 6 == 0 and j < 3)


def rows(column: str, missing: bool) -> pl.DataFrame:
    """Twelve rows, one of which misses the value."""
    values: list[Any] = COLUMNS[column][1] * 3
    if missing:
        values = [*values[:4], None, *values[5:]]
    # The two classes part by the column, but for one row.
    half = [v in COLUMNS[column][1][:2] for v in values]
    y = ["p" if left != (i == 7) else "q" for i, left in enumerate(half)]
    return pl.DataFrame({"c": values, "z": [0, 1, 2, 3, 1, 0] * 2, "y": y}, strict=False)


QUESTIONS: dict[str, Callable[[slp.Posterior, pl.DataFrame], Any]] = {
    "predict_proba": lambda p, new: p.predict_proba(new),
    "predict": lambda p, new: p.predict(new),
    "predict_interval": lambda p, new: p.predict_interval(new, 0.8),
    "predict_error": lambda p, new: p.predict_error(new),
    "split_probabilities": lambda p, new: p.split_probabilities(),
    "root_probabilities": lambda p, new: p.root_probabilities(),
    "leaves": lambda p, new: (p.expected_leaves(), p.expected_depth(), p.leaf_distribution()),
    "rule_probabilities": lambda p, new: [vars(use) for use in p.rule_probabilities()],
    "log_posterior": lambda p, new: p.log_posterior(p.map_tree()),
    "map": lambda p, new: (p.map_tree().to_dict(), p.map_tree().to_text(), p.map().log_joint),
    "json": lambda p, new: posterior_to_json(p, feature_uses(p), draws=3),
    "sample": lambda p, new: [tree.to_dict() for tree in p.sample(3, seed=1)],
    "describe": lambda p, new: p.record.describe(),
}


def answers(
    posterior: slp.Posterior, new: pl.DataFrame, folder: Path, page: Path | None
) -> dict[str, str]:
    """The answer to each question as text, to the bit; the code where one is refused. `page`: where
    to write a report, None for none, which takes a second."""
    found: dict[str, str] = {}

    def ask(name: str, question: Callable[[], Any]) -> None:
        try:
            found[name] = text(question())
        except slp.SlpError as error:
            found[name] = error.diagnostics[0].code

    for name, question in QUESTIONS.items():
        ask(name, lambda question=question: question(posterior, new))
    lines = folder / "draws.jsonl"
    ask("lines", lambda: write_draws(posterior.draws, lines) or lines.read_text("utf-8"))
    if posterior.draws:
        for line in lines.read_text("utf-8").splitlines():
            json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    if page is not None:
        ask("report", lambda: posterior.report(page) or page.stat().st_size > 2000)
        ask("picture", lambda: b"<svg" in slp.plot.picture_bytes(lambda: picture(posterior), "svg"))
    return found


def picture(posterior: slp.Posterior) -> Any:
    """The best tree, drawn."""
    tree = posterior.map_tree()
    return slp.plot.tree(tree.as_tree() if hasattr(tree, "as_tree") else tree)


def text(value: Any) -> str:
    """A value as text that tells numbers apart to the bit."""
    if isinstance(value, np.ndarray):
        return text(value.tolist())
    if isinstance(value, dict):
        return str([(key, text(item)) for key, item in value.items()])
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(text, value))}]"
    return repr(float(value)) if isinstance(value, float) else str(value)


@pytest.mark.thinned(13)
@pytest.mark.parametrize(("run", "column", "way", "report"), list(cells()))
@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
def test_a_saved_run_answers_as_the_run(
    run: str, column: str, way: str, report: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    engine, program, options = RUNS[run]
    if engine == "prolog":
        request.getfixturevalue("janus")
    declared, missing, missing_later = WAYS[way]
    said = ", ".join(filter(None, (COLUMNS[column][0], declared)))
    program += f" :- feature(c, [{said}])." if said else ""
    new = rows(column, missing_later).drop("y")
    page = tmp_path / "page.html" if report else None
    try:
        found = slp.parse(program)
        ask = found.prior if engine == "forward" and run != "backtracking" else found.posterior
        posterior = ask(rows(column, missing), engine=engine, seed=3, threads=1, **options)
        want = answers(posterior, new, tmp_path, page)
        posterior.save(tmp_path / "run.slpz")
    except slp.SlpError as error:
        assert all(d.code.startswith("E") for d in error.diagnostics)
        return
    have = answers(slp.load_posterior(tmp_path / "run.slpz", threads=1), new, tmp_path, page)
    for name, answer in want.items():
        assert answer not in OF_OURS, name
        if have[name] not in NOT_SAVED:
            assert have[name] == answer, name
    if not want["predict_proba"].startswith("E"):
        told = np.array(eval(want["predict_proba"]))
        assert np.isfinite(told).all() and np.allclose(told.sum(axis=1), 1)
