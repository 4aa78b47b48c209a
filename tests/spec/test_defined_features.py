"""Features that formulas make of columns, against enumeration on a table that has them as columns.

Each case is a random program on a random table with one or two definitions, whose constraints name
defined features and columns alike. `pytest -m '' FILE` runs 2,000.
"""

from __future__ import annotations

import math
import random
import warnings
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from slp.compile import compile_problem, compile_program
from slp.errors import DataError, ProgramError, SlpError, SlpWarning
from slp.ir.made import Made
from slp.program import dead_weight, no_tree
from slp.source import SourceFile
from slp.trees import check_tree
from tests.spec import test_statements as statement_cases
from tests.spec.brute_force import BruteForce, Row, TooManyDerivationsError, ValueMissingError
from tests.spec.cases import Case
from tests.spec.pipeline import tree_of
from tests.spec.random_constraints import with_preferences
from tests.spec.random_programs import random_program
from tests.spec.random_tables import RandomTable, random_row, random_table
from tests.spec.test_against_enumeration import (
    compare_features,
    compare_totals,
    compare_trees,
    posterior_of,
)

N_CASES = 2000
N_STATEMENTS = 200

#: Formulas over two columns or definitions, as the language and Python have them. Exponentials and
#: logarithms are those of NumPy: others differ in the last digit, on which a box may end.
FORMULAS = {
    "{f} - {g}": lambda f, g: f - g,
    "{f} + 2 * {g}": lambda f, g: f + 2 * g,
    "{f} * {g}": lambda f, g: f * g,
    "max({f}, {g})": lambda f, g: max(f, g),
    "min({f}, 0.5)": lambda f, g: min(f, 0.5),
    "abs({f})": lambda f, g: abs(f),
    "{f} / ({g}^2 + 1)": lambda f, g: f / (g**2 + 1),
    "exp(-abs({f} / 4))": lambda f, g: float(np.exp(np.array([-abs(f / 4)]))[0]),
    "log({f}^2 + 0.5)": lambda f, g: float(np.log(np.array([f**2 + 0.5]))[0]),
    "sqrt(abs({f}))": lambda f, g: math.sqrt(abs(f)),
}


@dataclass(frozen=True)
class DefinedTable(RandomTable):
    """A table, with the defined features as columns behind the others, which users do not give."""

    formulas: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({n: x for n, x in self.columns.items() if n not in self.formulas})

    def made(self, values: dict[str, Any]) -> dict[str, Any]:
        """Values of columns in a row, with those of the defined features."""
        for name, (form, f, g) in self.formulas.items():
            values[name] = FORMULAS[form](float(values[f]), float(values[g]))
        return values


def with_definitions(rng: random.Random, table: RandomTable) -> DefinedTable | None:
    """The table with one or two definitions over its numbers; None if it has none."""
    known = [f for f in table.features if table.kinds[f] != "categorical"]
    if not known:
        return None
    formulas, lines = {}, {}
    for name in ("made", "more")[: rng.choice((1, 1, 2))]:
        form = rng.choice(list(FORMULAS))
        f, g = rng.choice(known), rng.choice(known)
        formulas[name] = form, f, g
        text = form.format(f=_quoted(f), g=_quoted(g))
        lines[name] = f":- define({name}, {text})."
        known.append(name)
    order = rng.sample(list(lines), len(lines))  # a formula may name one that is defined below
    found = DefinedTable(
        dict(table.columns),
        {**table.kinds, **dict.fromkeys(formulas, "numeric")},
        (*table.directives, *(lines[name] for name in order)),
        table.leaf,
        table.ignored,
        table.cuts,
        formulas=formulas,
    )
    rows = [
        found.made({n: x[i] for n, x in table.columns.items()})
        for i in range(len(table.columns["y"]))
    ]
    columns = {n: [row[n] for row in rows] for n in (*table.columns, *order)}
    return replace(found, columns=columns)


def _quoted(name: str) -> str:
    return name if name.isalpha() else f"'{name}'"


@cache
def defined_case(seed: int, limit: int = 1500, *, together: bool = False) -> Case:
    """With `together` features are in groups, and some constraints are preferences."""
    rng = random.Random(f"defined {seed}")
    while (case := _case(rng, limit, together)) is None:
        continue
    return case


def _case(rng: random.Random, limit: int, together: bool) -> Case | None:
    """A case; None where the table would have to lose a class of the response, or numbers."""
    table = with_definitions(rng, random_table(rng))
    if table is None:
        return None
    text = random_program(rng, table, groups=together).replace(":- response(y).\n", "")
    if together:
        text = with_preferences(rng, text, table)
    if "seen" not in table.columns:  # the response is not the last column that users give
        text += ":- response(y).\n"
    try:
        program = compile_program(SourceFile("test.slp", text))
    except ProgramError as error:
        # No tree satisfies it, or a definition that another one names has a cost of its own.
        assert {d.code for d in error.diagnostics if d.severity == "error"} <= {"E142", "E183"}
        return None
    while True:
        try:
            model = compile_problem(program, table.frame())
        except DataError as error:  # the shorter table has lost a class
            assert {d.code for d in error.diagnostics} == {"E431"}
            return None
        if len(getattr(table.leaf, "classes", ())) != len(model.table.leaf.classes):
            return None
        try:
            spec = BruteForce(program, table.example(model.table), table.leaf, limit)
        except TooManyDerivationsError:
            table = table.without_last_row()
            continue
        return Case(text, table, model, spec, tuple(new_row(rng, table) for _ in range(4)), ())


def new_row(rng: random.Random, table: DefinedTable) -> Row:
    row = dict(zip(table.features, random_row(rng, table), strict=True))
    for name in table.formulas:
        row.pop(name)
    for name in row:
        if table.kinds[name] != "categorical":
            row[name] = max(-1e6, min(1e6, float(row[name])))
    row = table.made(row)
    return tuple(row[f] for f in table.features)


@pytest.mark.thinned(50)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_posterior(seed: int) -> None:
    case = defined_case(seed)
    if not case.spec.derivations:
        with pytest.raises(SlpError):
            posterior_of(case)
        return
    posterior = posterior_of(case)
    compare_totals(case, posterior)
    compare_trees(case, posterior)
    compare_features(case, posterior)
    check_predictions(case, posterior)
    check_constraints(case)


@pytest.mark.thinned(50)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_groups_and_preferences_beside_them(seed: int) -> None:
    case = defined_case(seed, 400, together=True)
    if not case.spec.derivations:
        with pytest.raises(SlpError):
            posterior_of(case)
        return
    posterior = posterior_of(case)
    compare_totals(case, posterior)
    compare_trees(case, posterior)
    compare_features(case, posterior)
    check_constraints(case)


def check_predictions(case: Case, posterior: Any) -> None:
    """Of rows that have the columns alone."""
    table = case.table
    assert isinstance(table, DefinedTable)
    names = table.features
    own = [n for n in names if n not in table.formulas]
    cells = [dict(zip(names, row, strict=True)) for row in case.new_rows]
    frame = pl.DataFrame({n: [table.shown(n, row[n]) for row in cells] for n in own})
    try:
        want = np.array([case.spec.predictive(row) for row in case.new_rows])
    except ValueMissingError:
        with pytest.raises(DataError, match="E44[25]"):
            posterior.predict(frame)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)  # of levels that the table lacks
        if case.model.table.leaf.classes:
            have = posterior.predict_proba(frame)
        else:
            have = posterior.predict(frame)[:, None]
    np.testing.assert_allclose(
        have, want, rtol=case.rounding, atol=case.rounding, err_msg=repr(case)
    )


def check_constraints(case: Case) -> None:
    """The check of finished trees accepts each tree of the program."""
    for key in list(case.spec.tree_prior())[:10]:
        found = check_tree(tree_of(key), case.model.program)
        hard = [result for result in found if result.against is None]
        assert all(result.holds is not False for result in hard), (case, key)


# --- what a split counts as ----------------------------------------------------------------------


def lies_in(feature: str, group: set[str], direct: dict[str, tuple[str, ...]]) -> bool:
    """By the definition: it is in the group, or made of features alone that lie there."""
    if feature in group:
        return True
    return feature in direct and all(lies_in(f, group, direct) for f in direct[feature])


@pytest.mark.parametrize("seed", range(50))
def test_within_is_what_is_made_of_the_group_alone(seed: int) -> None:
    rng = random.Random(seed)
    names, direct = list("abc"), {}
    for name in "defg":
        direct[name] = tuple(rng.sample(names, rng.randint(1, 2)))
        names.append(name)
    pairs = list(direct.items())
    rng.shuffle(pairs)
    group = rng.sample(names, 3)
    found = Made(tuple(pairs)).within(group)
    assert found[:3] == tuple(group)
    assert set(found) == {n for n in names if lies_in(n, set(group), direct)}


# --- contradictions and dead weight --------------------------------------------------------------


def defined_table(rng: random.Random) -> RandomTable:
    """A table with definitions, and with the response as its program has to name it."""
    while (table := with_definitions(rng, random_table(rng))) is None or "seen" in table.columns:
        continue
    return replace(table, directives=(*table.directives, ":- response(y)."))


def program_of(rng: random.Random, table: RandomTable) -> str:
    """A program that names the response once."""
    return "\n".join(dict.fromkeys(random_program(rng, table).splitlines())) + "\n"


@pytest.mark.thinned(50)
@pytest.mark.parametrize("seed", range(N_STATEMENTS))
def test_statements(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `slp check` finds on a table, as tests/spec/test_statements.py has it."""
    for room in (no_tree, dead_weight):
        for name in vars(room):
            if name.startswith("_SECONDS"):
                monkeypatch.setattr(room, name, 300.0)
    monkeypatch.setattr(statement_cases, "random_table", defined_table)
    monkeypatch.setattr(statement_cases, "random_program", program_of)
    case = statement_cases.StatementCase(seed)
    classes = case.problem.table.leaf.classes
    if len(getattr(case.table.leaf, "classes", ())) != len(classes):
        return  # the table has lost a class with its rows
    found = no_tree.find_no_tree(case.problem)
    if not case.trees(tuple(case.statements)):
        statement_cases.check_contradiction(case, *found)
    elif found:
        statement_cases.check_one_leaf(case, *found)
    else:
        statement_cases.check_dead_weight(case, dead_weight.find_dead_weight(case.problem))
