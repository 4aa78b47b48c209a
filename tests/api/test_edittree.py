"""Programs that use the prior `edittree`, from Python."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import slp

TREE = slp.Tree.from_dict({"feature": "age", "threshold": 30, "left": {}, "right": {}})
ROWS = pl.DataFrame({"age": [10, 20, 40, 70], "ill": ["no", "no", "yes", "yes"]})
USE = ":- use(edittree, [tree = 't0.json', p = 0.5]).\n"


def test_a_tree_is_named_by_the_program_or_given(tmp_path: Path) -> None:
    (tmp_path / "t0.json").write_text('{"feature": "x", "threshold": 1, "left": {}, "right": {}}')
    file = tmp_path / "prior.slp"
    file.write_text(USE)
    named, given = slp.load(file).ir.edits, slp.load(file, tree=TREE).ir.edits
    assert named is not None
    assert given is not None
    assert (named.file, named.tree.features, named.p) == ("t0.json", ("x",), 0.5)
    assert (given.file, given.tree) == (None, TREE)


def test_by_name_with_parameters() -> None:
    program = slp.load("edittree", tree=TREE, p=0.9)
    assert program.parameters == {"p": 0.9}
    other = program.with_parameters(p=0.7).ir.edits
    assert other is not None
    assert (other.p, other.tree) == (0.7, TREE)


def test_a_number_is_no_tree() -> None:
    with pytest.raises(slp.ProgramError) as caught:
        slp.load("edittree", tree=3.0)
    assert [d.code for d in caught.value.diagnostics] == ["E106", "E107"]


def test_words_and_expansion() -> None:
    program = slp.parse(":- param(k, 2).\n:- use(edittree).\n:- support(max_depth(k)).", tree=TREE)
    words = program.describe()
    assert words.startswith("Trees are edits of a given one, which has 2 leaves.\n")
    assert "With probability 0.8 it is edited once more" in words
    explained = program.explain()
    assert "Exact inference is not possible" in explained
    assert "sequences of edits that lead to it" in explained
    again = slp.parse(program.expand(), tree=TREE)
    assert again.ir.edits == program.ir.edits


def test_what_does_not_fit_the_table_is_said() -> None:
    tree = slp.Tree.from_dict({"feature": "wt", "threshold": 3, "left": {}, "right": {}})
    model = slp.load("edittree", tree=tree).compile(ROWS)
    assert [w.code for w in model.warnings] == ["W630"]


def test_exact_engines_refuse_it() -> None:
    with pytest.raises(slp.UnsupportedError) as caught:
        slp.load("edittree", tree=TREE).posterior(ROWS)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (
        "E301",
        "no exact engine sums over all sequences of edits that `edittree` may make",
    )
