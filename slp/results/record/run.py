"""What a run was asked: the part of a saved run that no result knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slp.ir.boxes import Box
from slp.ir.program import CheckedProgram, LogicClause, UsedFile
from slp.ir.words import describe_prior
from slp.results.record.later import Later
from slp.trees import Tree


@dataclass(frozen=True)
class Logic:
    """What a goal about trees may call: the clauses of a program, and its parameters."""

    clauses: tuple[LogicClause, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class RunRecord:
    """What a run was asked.

    Attributes
    ----------
    files : the text of the program and of all files that it used, its own first.
    parameters : their values, without those that have a prior in place of one.
    words : the program in words, a sentence each; `fine_print` says also what happens where a rule
        or a split does not apply.
    draws : how many were asked for.
    options : those that were given to the engine, by name.
    boxes : the boxes that the program declares.
    by_partition : whether a tree stands for all that part the rows alike (`CheckedProgram`).
    costs : what it costs to ask a feature, of those that have a declared cost.
    logic : the clauses of the program, for goals about its trees.
    """

    files: tuple[UsedFile, ...]
    parameters: Mapping[str, float]
    words: tuple[str, ...]
    fine_print: tuple[str, ...]
    draws: int
    options: Mapping[str, Any] = field(default_factory=dict)
    boxes: tuple[Box, ...] = ()
    by_partition: bool = False
    costs: Mapping[str, float] = field(default_factory=dict)
    logic: Later[Logic] = field(default=Later.known(Logic()), compare=False, repr=False)

    @classmethod
    def of(cls, program: CheckedProgram, draws: int, options: Mapping[str, Any]) -> RunRecord:
        """The record of a program and what its run was given."""
        words = tuple(describe_prior(program, fine_print=False))
        fine_print = tuple(describe_prior(program))
        parameters = {name: float(value) for name, value in program.known_parameters.items()}
        boxes = tuple(program.boxes.values())
        plain = {n: x.to_dict() if isinstance(x, Tree) else x for n, x in options.items()}
        costs = {cost.feature: cost.amount for cost in program.costs}
        return cls(
            program.files,
            parameters,
            words,
            fine_print,
            draws,
            plain,
            boxes,
            program.by_partition,
            costs,
            Later.known(Logic(program.clauses, program.known_parameters)),
        )

    def describe(self, *, fine_print: bool = True) -> str:
        """The program in words, as `slp.Program.describe`."""
        return "\n".join(self.fine_print if fine_print else self.words)
