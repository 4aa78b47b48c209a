"""Seeded cases: a random table, a random program for it, and the specification's answers."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from slp.compile import CompiledModel, compile_model, compile_program
from slp.errors import ProgramError
from slp.ir.program import Program
from slp.source import SourceFile
from tests.spec.brute_force import BruteForce, Row, TooManyDerivationsError
from tests.spec.random_programs import random_program
from tests.spec.random_tables import RandomTable, random_row, random_table


@dataclass(frozen=True)
class Case:
    """A program on a table, compiled, with every derivation at hand."""

    text: str
    table: RandomTable
    model: CompiledModel
    spec: BruteForce
    new_rows: tuple[Row, ...]

    def __repr__(self) -> str:
        return f"\n{self.text}\n{self.table.frame()}"


@cache
def random_case(seed: int, limit: int = 1500) -> Case:
    """The case of a seed; tables on which there are more than `limit` derivations lose rows."""
    rng = random.Random(seed)
    table = random_table(rng)
    text, program = _consistent_program(rng, table)
    while True:
        model = compile_model(program, table.frame())
        try:
            spec = BruteForce(program, table.example(model.table), table.leaf, limit)
        except TooManyDerivationsError:
            table = table.without_last_row()
            continue
        rows = tuple(random_row(rng, table) for _ in range(4))
        return Case(text, table, model, spec, rows)


def _consistent_program(rng: random.Random, table: RandomTable) -> tuple[str, Program]:
    """A program whose constraints do not contradict each other (E142 is drawn again)."""
    while True:
        text = random_program(rng, table)
        try:
            return text, compile_program(SourceFile("test.slp", text))
        except ProgramError as error:
            if {d.code for d in error.diagnostics} != {"E142"}:
                raise
