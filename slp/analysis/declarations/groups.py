"""Facts `of_group(Feature, Group).`, collected by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import name_of
from slp.errors import Related
from slp.ir.groups import Group
from slp.messages import groups as words
from slp.source import SourceSpan
from slp.syntax.ast import Clause
from slp.terms import Struct


def is_group_clause(clause: Clause) -> bool:
    """Whether a clause is about groups: its head is `of_group(...)`, with any arguments."""
    return (
        isinstance(clause.head, Struct) and clause.head.name == "of_group" and clause.arrow != "-->"
    )


def read_groups(clauses: Iterable[Clause], findings: Findings) -> dict[str, Group]:
    """Groups by name, with features in the order of their facts. Malformed facts give findings and
    are left out."""
    spans: dict[str, dict[str, SourceSpan]] = {}
    group_of: dict[str, str] = {}
    for clause in clauses:
        fact = _read_fact(clause, findings)
        if fact is None:
            continue
        feature, group = fact
        if feature in group_of:
            before = group_of[feature]
            here = [Related("first grouped here", spans[before][feature])]
            names = {"feature": feature, "group": before}
            findings.add(words.GROUPED_TWICE(clause.span, related=here, **names))
            continue
        group_of[feature] = group
        spans.setdefault(group, {})[feature] = clause.span
    _check_names(spans, group_of, findings)
    return {name: Group(name, tuple(own), own) for name, own in spans.items()}


def _check_names(
    spans: Mapping[str, Mapping[str, SourceSpan]], group_of: Mapping[str, str], findings: Findings
) -> None:
    """Find groups that are features of a group."""
    for name, own in spans.items():
        if name in group_of:
            where = spans[group_of[name]][name]
            here = [Related("a group of this name is here", next(iter(own.values())))]
            findings.add(words.GROUP_AS_FEATURE(where, related=here, name=name))


def _read_fact(clause: Clause, findings: Findings) -> tuple[str, str] | None:
    head = clause.head
    if not isinstance(head, Struct) or len(head.args) != 2 or clause.body or clause.label:
        findings.add(words.GROUP_IS_NO_FACT(clause.span))
        return None
    wordings = (words.VARIABLE_IN_GROUP, words.NO_NAME_IN_GROUP)
    feature = name_of(head.args[0], "a feature", clause.span, findings, wordings)
    group = name_of(head.args[1], "a group", clause.span, findings, wordings)
    return None if feature is None or group is None else (feature, group)
