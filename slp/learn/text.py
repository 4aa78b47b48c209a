"""A program's text for learning: the places of its numbers, and the text with other numbers.

Only the tokens of learned numbers are replaced, so comments and layout stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import Declared, collect_directives
from slp.analysis.sources.files import Use, read_everything
from slp.analysis.sources.parameters import (
    names_in,
    names_of_value,
    read_parameters,
    resolve_parameters,
)
from slp.source import SourceFile, SourceSpan
from slp.syntax import parse_program, term_to_text
from slp.syntax.ast import Clause, Directive
from slp.terms import Atom, Number, Struct, Term, functor, list_items


@dataclass(frozen=True)
class Replacement:
    """A replacement of the characters `start <= i < end` of the text."""

    start: int
    end: int
    text: str


def edited(file: SourceFile, edits: Iterable[Replacement]) -> SourceFile:
    """The file with all edits made; they must not overlap."""
    text = file.text
    for edit in sorted(edits, key=lambda e: -e.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return replace(file, text=text)


def with_values(file: SourceFile, values: Mapping[str, float]) -> SourceFile:
    """The file of a sound program with these values of its parameters in its text, in place of
    priors too; the file itself where they are its own. Parameters that are not named stay."""
    text = ProgramText(file)
    own, unknown = text.parameters({}), text.unknown
    changed = {
        n: x
        for n, x in values.items()
        if (x != own[n] or n in unknown) and (n in unknown or not text.is_computed(n))
    }
    # A value that follows from others is written only where it was set to another.
    follows = text.parameters(changed)
    changed |= {n: x for n, x in values.items() if x != follows[n]}
    return edited(file, text.parameter_edits(changed)) if changed else file


def with_max_depth(file: SourceFile, depth: int) -> SourceFile:
    """The file of a sound program with this limit of depth in place of its own, or at its end."""
    return edited(file, [ProgramText(file).max_depth_edit(depth)])


class ProgramText:
    """The text of a sound program, with its declarations of parameters and feature weights."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self._source = parse_program(file)
        read = read_everything(self._source, Findings())
        self._items, self._uses = read.items, read.uses
        self._directives = collect_directives(self._items, Findings())

    def parameters(self, given: Mapping[str, float]) -> dict[str, float]:
        """The values of all parameters, given the values of some."""
        return resolve_parameters(self._directives, self._uses, given, Findings())

    @property
    def unknown(self) -> set[str]:
        """The parameters that have a prior in place of a value."""
        return set(read_parameters(self._directives, self._uses, {}, Findings())[1])

    def mentioned_with(self, names: Iterable[str]) -> set[str]:
        """`names` and all parameters from which their values are computed."""
        out: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in out:
                out.add(name)
                todo += self._computed_from.get(name, ())
        return out

    def is_computed(self, name: str) -> bool:
        """Whether a parameter's value is computed from others."""
        return bool(self._computed_from.get(name))

    @cached_property
    def _computed_from(self) -> dict[str, set[str]]:
        values = {name: d.args[0] for name, d in self._declared.items()}
        for use in reversed([use for use in self._uses if use.depth == 0]):
            values |= {override.name: override.value for override in use.overrides}
        return {name: names_of_value(value) & values.keys() for name, value in values.items()}

    def learnable(self, parameters: Iterable[str]) -> list[str]:
        """Those of `parameters` that labels or feature weights use, that nothing else uses, and
        that are not computed from others."""
        used: set[str] = set()
        elsewhere: set[str] = set()
        for placed in self._items:
            item = placed.item
            if isinstance(item, Clause):
                used |= names_in(item.label) if item.label is not None else set()
                elsewhere |= names_in(item.head)
                elsewhere |= names_in(item.body) if item.body is not None else set()
            elif (key := functor(item.goal)) is not None and key[0] == "feature_weight":
                used |= names_in(item.goal)
            elif key is not None and key[0] not in ("param", "use"):
                elsewhere |= names_in(item.goal)
        known = set(self._declared)
        free = self.mentioned_with(used & known) - self.mentioned_with(elsewhere & known)
        return [name for name in parameters if name in free and not self.is_computed(name)]

    @property
    def _declared(self) -> dict[str, Declared]:
        return self._directives.of("param")

    # --- where numbers stand ---------------------------------------------------------------------

    def holds(self, span: SourceSpan | None) -> bool:
        """Whether a place is in this file (not in a file that it uses)."""
        return span is not None and span.file == self.file

    def feature_weights(self) -> dict[str, float]:
        """The feature weights that the file itself gives as numbers."""
        out = {}
        for name, declared in self._directives.of("feature_weight").items():
            value = declared.args[0]
            if declared.depth == 0 and isinstance(value, Number):
                out[name] = float(value.value)
        return out

    def number_edit(self, old: Term, text: str) -> Replacement:
        """The edit that replaces the number at the place of a term."""
        assert old.span is not None, "what is learned stands in the file"
        return Replacement(old.span.start, old.span.end, text)

    def feature_weight_edit(self, name: str, value: float) -> Replacement:
        """The edit that replaces a feature weight."""
        return self.number_edit(self._directives.of("feature_weight")[name].args[0], written(value))

    def max_depth_edit(self, depth: int) -> Replacement:
        """The edit that limits the depth. A declaration in the file counts more than those of files
        that it uses."""
        declared = self._directives.single.get(("support", "max_depth"))
        if declared is not None and declared.depth == 0:
            return self.number_edit(declared.args[0], str(depth))
        end = len(self.file.text)
        return Replacement(end, end, f"\n:- support([max_depth({depth})]).\n")

    def parameter_edits(self, values: Mapping[str, float]) -> list[Replacement]:
        """The edits that set parameters: at their declarations, or in the `use` directive that
        declares them."""
        left = dict(values)
        edits = []
        for use, goal in self._own_uses():
            for override in use.overrides:
                if override.name in left:
                    edits.append(self.number_edit(override.value, written(left.pop(override.name))))
            theirs = _declared_by(use)
            new = [n for n in left if n in theirs and self._declared[n].depth > 0]
            if new:
                edits.append(_overrides(goal, {name: left.pop(name) for name in new}))
        for name, value in left.items():
            edits.append(self.number_edit(self._declared[name].args[0], written(value)))
        return edits

    def _own_uses(self) -> Iterator[tuple[Use, Struct]]:
        """The `use` directives of the file itself, with their goals."""
        goals = (
            item.goal
            for item in self._source.items
            if isinstance(item, Directive) and (functor(item.goal) or ("",))[0] == "use"
        )
        own = (use for use in self._uses if use.depth == 0)
        for use, goal in zip(own, goals, strict=True):
            assert isinstance(goal, Struct)
            yield use, goal


def _declared_by(use: Use) -> set[str]:
    """The parameters that the files of a `use` directive declare."""
    goals = (p.item.goal for p in use.items if isinstance(p.item, Directive))
    return {
        goal.args[0].name
        for goal in goals
        if functor(goal) == ("param", 2) and isinstance(goal, Struct)
        if isinstance(goal.args[0], Atom)
    }


def _overrides(goal: Struct, values: Mapping[str, float]) -> Replacement:
    """The edit that adds values to a `use` directive."""
    text = ", ".join(f"{_name(name)} = {written(value)}" for name, value in values.items())
    if len(goal.args) == 1:
        end = _end(goal.args[0])
        return Replacement(end, end, f", [{text}]")
    end = _end(goal.args[1]) - 1
    return Replacement(end, end, f", {text}" if list_items(goal.args[1]) else text)


def _end(term: Term) -> int:
    assert term.span is not None, "terms that were read have a place"
    return term.span.end


def _name(name: str) -> str:
    return term_to_text(Atom(name))


def written(value: float) -> str:
    """A number as Prolog text, with all its digits."""
    return term_to_text(Number(value))
