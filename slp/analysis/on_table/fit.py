"""Whether a program and a table fit: names, classes, kinds of columns, useless declarations."""

from __future__ import annotations

from collections.abc import Collection

from slp.analysis.derivations.row_labels import check_rows_on_table, named_classes
from slp.analysis.findings import Findings
from slp.analysis.on_table.box_edges import check_box_edges
from slp.analysis.on_table.facts import FactsOfTable
from slp.data.cells import cell_text
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.errors import DataError, Diagnostic
from slp.ir.guards import features_in_guards
from slp.ir.names import unknown_classes, unknown_features
from slp.ir.program import CheckedProgram, SplitBody
from slp.messages import on_table as words
from slp.messages.groups import GROUP_AS_COLUMN
from slp.messages.names import atom, name_help
from slp.resolution import StateRules
from slp.terms import Atom, variables


def check_names(
    program: CheckedProgram, features: Collection[str], response: str | None, findings: Findings
) -> None:
    """Find the features that a program names and a table lacks, as `unknown_features`."""
    for found in unknown_features(program, features, response):
        findings.add(found)


def check_ignored(program: CheckedProgram, columns: Collection[str]) -> tuple[Diagnostic, ...]:
    """Warnings about ignored columns that a table does not have. A column with a similar name would
    become a feature."""
    findings = Findings()
    for name in program.ignored:
        if name not in columns:
            span, help = program.spans.get(f"ignore:{name}"), name_help(name, columns, "column")
            findings.add(words.NOTHING_TO_IGNORE(span, name=name, help=help))
    return findings.in_order()


def check_program_on_table(
    program: CheckedProgram, table: Table, states: StateRules
) -> tuple[Diagnostic, ...]:
    """Warnings about how a program fits a table. `states` are the states with their rules on this
    table.

    Raises
    ------
    DataError
        The program names a feature or a class that the table does not have, or bounds a categorical
        feature.
    """
    findings = Findings()
    check_names(program, table.feature_names, table.response, findings)
    for group in program.groups.values():
        if group.name in (*table.feature_names, table.response):
            span = next(iter(group.spans.values()), None)
            findings.add(GROUP_AS_COLUMN(span, name=group.name))
    checker = _TableChecker(program, table, findings)
    checker.guards()
    checker.classes()
    checker.kinds()
    checker.constraints()
    checker.boxes()
    checker.room()
    check_box_edges(program, table, findings)
    check_rows_on_table(program, states, table.n_rows, findings)
    if findings.has_errors:
        raise DataError(findings.in_order())
    return findings.in_order()


class _TableChecker:
    def __init__(self, program: CheckedProgram, table: Table, findings: Findings) -> None:
        self.program = program
        self.table = table
        self.findings = findings
        self.features: dict[str, Feature] = {f.name: f for f in table.features}
        self.facts = FactsOfTable(program, table)

    def guards(self) -> None:
        for name, span in features_in_guards(self.program):
            if name not in self.features:
                help = name_help(name, self.features, "feature")
                self.findings.add(words.GUARD_ON_UNKNOWN_FEATURE(span, name=name, help=help))

    def classes(self) -> None:
        classes = list(map(cell_text, self.table.leaf.classes))
        rows = [("rows(Class, N)", name, span) for name, span in named_classes(self.program)]
        for found in unknown_classes(self.program, classes, self.table.response, rows):
            self.findings.add(found)

    def kinds(self) -> None:
        for box in self.program.boxes.values():
            for name in box.bounds:
                if self.facts.is_categorical(name):
                    self.findings.add(words.BOX_OVER_LEVELS(box.span, name=name, box=box.name))
        self.sides()
        self.orders()
        self.levels()
        refused = {f.name: f.kind.not_by_level for f in self.table.features}
        for rule in self.program.rules:
            body = rule.body
            if isinstance(body, SplitBody) and isinstance(body.feature, Atom):
                name = body.feature.name
                wording = refused.get(name)
                if wording is not None and isinstance(body.threshold, Atom):
                    what = f"`split({name}, {body.threshold.name})`"
                    out = f"leave {what} out"
                    self.findings.add(wording(rule.span, what=what, name=name, instead=out))

    def levels(self) -> None:
        """Find rules that name a level of a column whose order its type tells, not the program."""
        for rule in self.program.rules:
            body = rule.body
            if not (isinstance(body, SplitBody) and isinstance(body.feature, Atom)):
                continue
            name = body.feature.name
            kind = self.features[name].kind if name in self.features else None
            if kind is None or kind.categorical or not kind.names or name in self.program.orders:
                continue
            if isinstance(body.threshold, Atom):
                order = ", ".join(map(atom, kind.names))
                level, own = body.threshold.name, atom(name)
                self.findings.add(
                    words.ORDER_NOT_DECLARED(
                        rule.span, name=name, atom=own, level=level, order=order
                    )
                )

    def orders(self) -> None:
        """Find rules that need all tests, where these depend on the rows of a box."""
        refused = [(f.name, w) for f in self.table.features if (w := f.kind.not_named) is not None]
        for rule in self.program.rules if refused else ():
            body = rule.body
            if not isinstance(body, SplitBody):
                continue
            own = body.feature.name if isinstance(body.feature, Atom) else None
            tested = [(name, wording) for name, wording in refused if own in (None, name)]
            if not tested:
                continue
            (name, wording), found = tested[0], []
            if body.measure == "all":
                found.append(("the measure `all`", "take another measure"))
            later = (*body.after, body.left, body.right)
            if set(variables(body.threshold)) & {v for t in later for v in variables(t)}:
                found.append(("a rule that uses what its split asks", "leave that out"))
            for what, out in found:
                self.findings.add(wording(rule.span, what=what, name=name, instead=out))

    def sides(self) -> None:
        """Find what does not go with splits that leave points without a side, constraints apart."""
        if self.program.edits is not None:
            for found in self.facts.untold("`edittree`", self.program.edits.span):
                self.findings.add(found)
        if self.program.soft:
            instead = "take an engine of hard trees"
            for found in self.facts.untold("soft trees", None, instead):
                self.findings.add(found)

    def constraints(self) -> None:
        """Find constraints that do not go with this table, leave one tree, or exclude none."""
        for c in self.program.constraints:
            for found in c.check_on_table(self.facts):
                self.findings.add(found)

    def boxes(self) -> None:
        about = [c.about for c in self.program.constraints]
        about += [own.box for own in self.program.box_leaves]
        used = {box.name: box for box in about if box is not None}
        for box in used.values():
            for name, (low, high) in box.bounds.items():
                values = self.features[name].kind.values if name in self.features else None
                if values is None or len(values) == 0:
                    continue
                least, most = float(values[0]), float(values[-1])
                if high <= least or low > most:
                    found = words.BOX_WITHOUT_ROWS(
                        box.span, box=box.name, feature=name, least=least, most=most
                    )
                    self.findings.add(found)

    def room(self) -> None:
        """Find limits that leave one tree on this table."""
        min_leaf = self.program.support.min_leaf
        if min_leaf > 1 and 2 * min_leaf > self.table.n_rows:
            span = self.program.spans.get("support:min_leaf")
            self.findings.add(
                words.MIN_LEAF_LEAVES_ONE(span, count=min_leaf, rows=self.table.n_rows)
            )
        weight = self.program.support.min_weight
        sizes, least = self.table.sizes(min_leaf, weight)
        if weight is not None and 2 * least > sizes.sum():
            span = self.program.spans.get("support:min_weight")
            self.findings.add(words.MIN_WEIGHT_LEAVES_ONE(span, weight=weight))
