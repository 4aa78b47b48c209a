"""Which column of a table the facts of hierarchies are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slp.columns import MISSING
from slp.data.feature_kind import Feature
from slp.errors import DataError, Diagnostic, Related
from slp.ir.hierarchies import Hierarchy, IsA, contradictions
from slp.messages import hierarchies as words
from slp.messages.names import atom, joined, name_help


def hierarchies_of(
    facts: Sequence[IsA], features: Sequence[Feature]
) -> tuple[dict[str, Hierarchy], list[Diagnostic]]:
    """The hierarchy of each column that facts are about, and warnings of concepts without a level
    (W411). `features` are coded without them.

    Raises
    ------
    DataError
        E175: facts do not fit the columns.
    """
    levels = {f.name: {*f.kind.names} - {MISSING} for f in features if f.kind.categorical}
    own: dict[str, list[IsA]] = {}
    faults: list[Diagnostic] = []
    for part in _connected(facts):
        column = part[0].column
        if column is None:
            names = {name for fact in part for name in (fact.name, fact.concept)}
            fitting = [name for name, known in levels.items() if known & names]
            faults += _of_no_one(part, fitting, levels)
            own.setdefault(fitting[0], []).extend(part) if len(fitting) == 1 else None
        elif column in levels:
            own.setdefault(column, []).extend(part)
        elif column in {f.name for f in features}:
            faults.append(words.NOT_OF_LEVELS(part[0].span, column=column, atom=atom(column)))
        else:
            help = name_help(column, [f.name for f in features], "feature")
            faults.append(words.NO_COLUMN_NAMED(part[0].span, column=column, help=help))
    kinds = {f.name: f.kind for f in features}
    for column, about in own.items():
        found = [contradiction(*found) for found in contradictions(about)]
        faults += found
        if found:
            continue
        faults += _check_concepts(about, column, levels[column])
        if (said := kinds[column].instead_of_concepts) is not None:
            faults.append(words.SPLIT_OTHERWISE(about[0].span, column=column, said=said))
    warnings = [fault for fault in faults if fault.severity == "warning"]
    if len(warnings) < len(faults):
        raise DataError([fault for fault in faults if fault.severity == "error"])
    return {column: Hierarchy.of(about) for column, about in own.items()}, warnings


def _connected(facts: Sequence[IsA]) -> list[list[IsA]]:
    """Facts of one column, or those without a column that are about the same root."""
    parts: dict[tuple[str | None, str], list[IsA]] = {}
    whole = Hierarchy.of(fact for fact in facts if fact.column is None)
    for fact in facts:
        root = whole.path(fact.name)[-1] if fact.column is None else ""
        parts.setdefault((fact.column, root), []).append(fact)
    return list(parts.values())


def _of_no_one(
    part: Sequence[IsA], fitting: Sequence[str], levels: Mapping[str, set[str]]
) -> Iterator[Diagnostic]:
    """What is found where no column, or several, have levels of a hierarchy."""
    fact = part[0]
    if not fitting:
        known = {level for own in levels.values() for level in own}
        help = name_help(fact.name, known, "level") or "leave the facts out"
        yield words.CONCEPT_WITHOUT_LEVEL(fact.span, concept=fact.concept, help=help)
    elif len(fitting) > 1:
        shared = next(
            f for f in part if sum(bool({f.name, f.concept} & levels[c]) for c in fitting) > 0
        )
        told = f"{atom(shared.name)}, {atom(shared.concept)}"
        columns = joined(f"`{name}`" for name in fitting)
        yield words.TWO_COLUMNS_OF_LEVEL(
            shared.span, name=shared.name, columns=columns, atom=atom(fitting[0]), fact=told
        )


def contradiction(fact: IsA, first: IsA | None) -> Diagnostic:
    """The error for a fact that contradicts the first one, or closes a circle (None)."""
    if first is None:
        return words.CIRCLE_OF_CONCEPTS(fact.span, name=fact.name)
    here = [Related("said here", first.span)] if first.span else []
    return words.TWO_CONCEPTS(fact.span, related=here, name=fact.name, concept=first.concept)


def _check_concepts(about: Sequence[IsA], column: str, levels: set[str]) -> Iterator[Diagnostic]:
    """Concepts that are levels, or that no level of the table is under."""
    whole = Hierarchy.of(about)
    held = {name for level in levels for name in whole.path(level)[1:]}
    for concept in dict.fromkeys(fact.concept for fact in about):
        span = next(fact.span for fact in about if fact.concept == concept)
        if concept in levels:
            yield words.CONCEPT_IS_A_LEVEL(span, name=concept, column=column)
        elif concept not in held:
            help = name_help(concept, levels, "level") or "leave the facts out"
            yield words.CONCEPT_WITHOUT_LEVEL(span, concept=concept, help=help)
