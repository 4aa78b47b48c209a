"""Seeded cases: a random table, a random program for it, and the specification's answers."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from slp.columns import MISSING
from slp.compile import compile_problem, compile_program
from slp.errors import DataError, ProgramError
from slp.ir.program import CheckedProgram, SplitBody
from slp.problem.problem import Problem
from slp.source import SourceFile
from tests.spec.brute_force import BruteForce, Example, Row, TooManyDerivationsError, TreeKey
from tests.spec.example import Groups
from tests.spec.program_text import ProgramText
from tests.spec.random_concepts import with_concepts
from tests.spec.random_constraints import with_box_leaves, with_preferences, with_thresholds
from tests.spec.random_programs import (
    MIXING_RULES,
    MIXING_RULES_OF_ANY,
    PARTITION_RULES,
    RANGE_RULES,
    Rules,
    random_program,
)
from tests.spec.random_rows import ROW_RULES
from tests.spec.random_tables import RandomTable, random_row, random_table
from tests.spec.table_kinds import (
    in_order,
    with_alike,
    with_exposures,
    with_extremes,
    with_lines,
    with_missing_levels,
    with_missing_sides,
    with_orders,
    with_subsets,
    with_tables,
    with_weights,
    with_zeros,
)


@dataclass(frozen=True)
class Case:
    """A program on a table, compiled, with every derivation at hand."""

    text: str
    table: RandomTable
    model: Problem
    spec: BruteForce
    new_rows: tuple[Row, ...]
    other_trees: tuple[TreeKey, ...]  # some of them with probability above zero

    @cached_property
    def rounding(self) -> float:
        """The least difference of logs that says something: of log likelihoods beyond 1e4, 450
        units in the last place."""
        most = max((abs(self.spec.log_likelihood(d)) for d in self.spec.derivations), default=0.0)
        return max(1e-9, 1e-13 * most)

    @property
    def measures(self) -> set[str]:
        """Measures of the program's splits."""
        bodies = (rule.body for rule in self.model.program.rules)
        return {body.measure for body in bodies if isinstance(body, SplitBody)}

    def __repr__(self) -> str:
        return f"\n{self.text}\n{self.table.frame()}"


@cache
def random_case(
    seed: int,
    limit: int = 1500,
    *,
    rows: bool = False,
    orders: bool = False,
    weights: bool = False,
    least_weight: bool = False,
    missing_level: bool = False,
    missing_side: bool = False,
    ranges: bool = False,
    lines: bool = False,
    exposures: bool = False,
    zeros: bool = False,
    subsets: bool = False,
    ordered: bool = False,
    tables: bool = False,
    extremes: bool = False,
    partition: bool = False,
    groups: bool = False,
    concepts: bool = False,
    preferences: bool = False,
    thresholds: bool = False,
    boxes: bool = False,
) -> Case:
    """The case of a seed; tables on which there are more than `limit` derivations lose rows. With
    `rows` its program asks for the rows of the box, with `orders` features are ordinal, with
    `weights` rows have weights, with `least_weight` also a limit of the weight in a leaf, with
    `missing_level` categorical features miss values, with `missing_side` features of all kinds,
    ordinal ones too, and rows have weights now and then, with `ranges` all splits have the measure
    `range`, with `lines` leaves hold lines, with `exposures` responses are counts with exposures,
    and rows have weights now and then, with `zeros` they are durations or such counts, with times
    and exposures of 0, with `subsets` splits are by subsets of levels, likewise, with `ordered` in
    the order of the response, which is classes without weights, with `tables` the
    leaf model is `by_table` (`leaf_formulas.ByTable`), which is to be registered, with `extremes`
    gaps and weights are tiny or huge, and most programs mix measures, with
    `partition` some splits are by that measure, and two features part the rows alike, with `groups`
    some features are in groups, and levels are split by subsets now and then, with `concepts`
    levels of the first feature are in a hierarchy, with `preferences` it has some, and rows have
    weights now and then, with `thresholds` the cuts of some features of numbers have a density,
    with `boxes` leaves in some boxes have priors of their own."""
    rng = random.Random(seed)
    table = random_table(rng)
    while (ranges and not ProgramText(rng, table).of_numbers) or (lines and not table.numeric):
        table = random_table(rng)
    while ordered and not isinstance(table.columns["y"][0], str):
        table = random_table(rng)
    while partition and (alike := with_alike(rng, table)) is None:
        table = random_table(rng)
    if partition:
        table = alike
    if orders or (missing_side and rng.random() < 0.3):
        table = with_orders(rng, table)
    if missing_level:
        table = with_missing_levels(rng, table)
    if tables:
        table = with_tables(rng, table)
    if exposures:
        table = with_exposures(rng, table)
    if zeros:
        table = with_zeros(rng, table)
    if subsets or ordered or (groups and rng.random() < 0.2):
        table = with_subsets(rng, table)
    if ordered:
        table = in_order(table)
    some = (missing_side and rng.random() < 0.1) or ((exposures or subsets) and rng.random() < 0.3)
    if weights or least_weight or some:
        table = with_weights(rng, table)
    if missing_side:
        table = with_missing_sides(rng, table)
    if lines:
        table = with_lines(rng, table)
    if concepts:
        table = with_concepts(rng, table)
    if extremes:
        table = with_extremes(rng, table)
    rules = ROW_RULES if rows else RANGE_RULES if ranges else PARTITION_RULES if partition else None
    if extremes:
        rules = MIXING_RULES if table.numeric == table.features else MIXING_RULES_OF_ANY
    if preferences and rng.random() < 0.2:
        table = with_weights(rng, table)
    drawn = rules, least_weight, ranges, groups, preferences
    text, program = _consistent_program(rng, table, *drawn)
    if thresholds:
        while (more := with_thresholds(rng, text, table)) is None:
            table = random_table(rng)
            while ranges and not ProgramText(rng, table).of_numbers:
                table = random_table(rng)
            text, program = _consistent_program(rng, table, rules, least_weight, ranges, groups)
        text, program = more, compile_program(SourceFile("test.slp", more))
    if boxes:
        while (found := _with_boxes(rng, text, table)) is None:
            table = random_table(rng)
            text, program = _consistent_program(rng, table, *drawn)
        text, program = found
    while True:
        try:
            model = compile_problem(program, table.frame())
        except DataError as error:
            codes = {d.code for d in error.diagnostics if d.severity == "error"}
            if concepts and codes == {"E175"}:  # of a row that was left out
                table = with_concepts(rng, table)
            elif not ordered or codes != {"E155"}:
                raise
            text, program = _consistent_program(rng, table, *drawn)
            continue
        try:
            spec = BruteForce(program, table.example(model.table), table.leaf, limit)
        except TooManyDerivationsError:
            table = table.without_last_row()
            continue
        rows = tuple(random_row(rng, table) for _ in range(4))
        trees = tuple(_other_tree(rng, spec) for _ in range(6))
        return Case(text, table, model, spec, rows, trees)


def _with_boxes(
    rng: random.Random, text: str, table: RandomTable
) -> tuple[str, CheckedProgram] | None:
    """The program with priors of boxes that go together; None if the table has no thresholds."""
    while True:
        more = with_box_leaves(rng, text, table)
        if more is None:
            return None
        try:
            return more, compile_program(SourceFile("test.slp", more))
        except ProgramError as error:
            codes = {d.code for d in error.diagnostics if d.severity == "error"}
            if not codes <= {"E142", "E147"}:
                raise


def _other_tree(rng: random.Random, spec: BruteForce) -> TreeKey:
    """A tree of the program with other thresholds that part the rows alike, or any tree at all."""
    if spec.derivations and rng.random() < 0.6:
        return _shifted(rng, spec.example, rng.choice(spec.derivations).tree)
    return any_tree(rng, spec.example, 3)


def _shifted(rng: random.Random, example: Example, tree: TreeKey) -> TreeKey:
    """The tree with thresholds moved up to the next value in the table, except among bins."""
    if tree == "leaf":
        return tree
    feature, test, left, right = tree
    plain, *side = test if isinstance(test, tuple) else (test,)
    if not isinstance(plain, str) and feature not in example.cuts and rng.random() < 0.7:
        column = [row[example.features.index(feature)] for row in example.rows]
        plain = min(x for x in column if not isinstance(x, str) and x >= plain)
        test = (plain, *side) if side else plain
    return (feature, test, _shifted(rng, example, left), _shifted(rng, example, right))


def any_tree(rng: random.Random, example: Example, depth: int) -> TreeKey:
    if depth == 0 or rng.random() < 0.3:
        return "leaf"
    f = rng.randrange(len(example.features))
    feature = example.features[f]
    test = rng.choice(example.cuts.get(feature) or [row[f] for row in example.rows])
    if feature in example.parted and rng.random() < 0.8:
        test = _any_groups(rng, sorted({str(row[f]) for row in example.rows}))
    if feature in example.sided and test != MISSING and rng.random() < 0.8:
        test = (test, rng.choice(("left", "right")))
    left, right = (any_tree(rng, example, depth - 1) for _ in range(2))
    return (feature, test, left, right)


def _any_groups(rng: random.Random, levels: list[str]) -> Groups:
    """Groups of levels, which may leave some out; each has one."""
    sides = [rng.choice(("left", "right", "right", "")) for _ in levels]
    left, right = (
        [x for x, side in zip(levels, sides, strict=True) if side == own]
        for own in ("left", "right")
    )
    return Groups(left or ["none"], right or ["no other"])


def _consistent_program(
    rng: random.Random,
    table: RandomTable,
    rules: Sequence[Rules] | None,
    least_weight: bool,
    ranges: bool,
    groups: bool,
    preferences: bool = False,
) -> tuple[str, CheckedProgram]:
    """A program whose constraints leave a tree on some table (E142 is drawn again)."""
    while True:
        text = random_program(rng, table, rules, "range" if ranges else None, groups=groups)
        if least_weight:
            weight = rng.choice((0.5, 1, 2, 2.7, 3.5, 6))
            text = re.sub(r":- support\(min_leaf.*\n", "", text)
            text += f"\n:- support(min_weight({weight})).\n"
        if preferences:
            text = with_preferences(rng, text, table)
        try:
            return text, compile_program(SourceFile("test.slp", text))
        except ProgramError as error:
            if {d.code for d in error.diagnostics if d.severity == "error"} != {"E142"}:
                raise
