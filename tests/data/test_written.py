"""Numbers in text with a unit or a decimal comma: as the same table in numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp

N = 20
RNG = np.random.default_rng(4)
X = RNG.normal(30, 5, N).round(1)
Y = np.where(RNG.random(N) < np.where(X > 30, 0.8, 0.2), "a", "b")

WRITTEN = {
    "29,3 %": ([f"{x} %".replace(".", ",") for x in X], "[unit('%'), decimal(comma)]"),
    "29.3%": ([f"{x}%" for x in X], "[unit('%')]"),
    "10 mg": ([f"{x} mg" for x in X], "[numeric, unit(mg)]"),
    "no-break space": ([f"{x}\u00a0mg" for x in X], "[unit(mg)]"),
    "some with a unit": ([f"{x}{' mg' * (i % 2)}" for i, x in enumerate(X)], "[unit(mg)]"),
    "before": ([f"$ {x}" for x in X], "[unit('$')]"),
    "comma alone": ([str(x).replace(".", ",") for x in X], "[decimal(comma)]"),
    "powers": ([f"{x / 10}e+01 mg".replace(".", ",") for x in X], "[unit(mg), decimal(comma)]"),
    "bins": ([f"{x} mg" for x in X], "[unit(mg), bins(quantile, 4)]"),
    "a range": ([f"{x} mg" for x in X], "[unit(mg), range(0, 90)]"),
    "numbers": (X, "[unit(mg), decimal(comma)]"),
}


@pytest.mark.thinned(5)
@pytest.mark.parametrize("missing", ["", ", missing(side)"])
@pytest.mark.parametrize("writing", WRITTEN)
def test_text_reads_as_its_numbers(writing: str, missing: str, tmp_path: Path) -> None:
    cells, declared = WRITTEN[writing]
    declared = declared.replace("]", f"{missing}]") if missing else declared
    program = slp.parse(f":- use(growtree). :- feature(x, {declared}).")
    holes = [None if missing and i % 6 == 5 else i for i in range(N)]
    text = pl.DataFrame({"x": [None if i is None else cells[i] for i in holes], "y": Y})
    plain = pl.DataFrame({"x": [None if i is None else X[i] for i in holes], "y": Y})
    have = program.posterior(text, draws=0, seed=1)
    want = program.posterior(plain, draws=0, seed=1)
    assert have.log_evidence == want.log_evidence
    assert have.map_tree() == want.map_tree()
    have.save(tmp_path / "run.slpz")
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    for posterior in (have, loaded):
        for rows in (text, plain):
            if not missing:
                assert (posterior.predict_proba(rows) == want.predict_proba(plain)).all()


def test_the_response_and_the_regressors_are_read_too() -> None:
    y = X * 2 + 1
    lines = ":- use(growtree). :- leaf(normal_linear([x])). :- feature(x, [unit(mg)])."
    program = slp.parse(f"{lines} :- feature(y, [unit('%'), decimal(comma)]).")
    text = pl.DataFrame(
        {"x": [f"{x} mg" for x in X], "y": [f"{v:.1f} %".replace(".", ",") for v in y]}
    )
    plain = pl.DataFrame({"x": X, "y": [float(f"{v:.1f}") for v in y]})
    have, want = (program.posterior(t, draws=0, seed=1) for t in (text, plain))
    assert have.log_evidence == want.log_evidence
    classes = (
        ":- use(growtree). :- feature(y, [unit('%'), decimal(comma)]). :- feature(x, [unit(mg)])."
    )
    assert slp.parse(classes).posterior(text, draws=0, seed=1).table.leaf.classes == ()


FAULTS = [
    (["1 mg", "2 g"], "[unit(mg)]", "E421", "row 2 holds `2 g`"),
    (["1,5", "1.500"], "[decimal(comma)]", "E421", "declared with a decimal comma, but row 2"),
    (["1,5", "1.234,5"], "[decimal(comma)]", "E421", "row 2 holds `1.234,5`"),
    (["1,5", "two"], "[decimal(comma)]", "E421", "row 2 holds `two`"),
    (["1,5 mg", "2"], "[unit(mg)]", "E421", "row 1 holds `1,5 mg`"),
    (["1,234,567", "2"], "[decimal(comma)]", "E421", "row 1 holds `1,234,567`"),
    (["1", "2"], "[decimal(point)]", "E102", "`decimal` is for text"),
    (["1", "2"], "[decimal(comma), decimal(comma)]", "E102", "says twice how"),
    (["1", "2"], "[categorical, decimal(comma)]", "E102", "has levels"),
    (["1", "2"], "[subsets, decimal(comma)]", "E102", ""),
    (["1", "2"], "[missing(level), decimal(comma)]", "E102", ""),
]


@pytest.mark.parametrize(("cells", "declared", "code", "told"), FAULTS)
def test_faults(cells: list[str], declared: str, code: str, told: str) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(f":- use(growtree). :- feature(x, {declared}).").posterior(
            pl.DataFrame({"x": cells, "y": ["a", "b"]}), draws=0
        )
    assert caught.value.diagnostics[0].code == code
    assert told in str(caught.value)


def test_a_declaration_for_all_does_not_say_it_and_words_do() -> None:
    with pytest.raises(slp.ProgramError, match="stands for all"):
        slp.parse(":- use(growtree). :- feature(_, [decimal(comma)]).")
    program = slp.parse(":- use(growtree). :- feature(x, [unit('%'), decimal(comma)]).")
    told = "x is measured in % and is written with a decimal comma and is numeric."
    assert told in str(program.explain())
