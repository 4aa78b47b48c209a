"""Directives, first pass: their form, and which of several declarations counts.

A directive that sets one thing (`start`, `response`, `leaf`, `failure`, `weights`, a parameter, a
limit of `support`, a feature's declaration or weight) may occur once in a file. A file overrides
the files that it uses: of declarations at different depths the one nearer to the program counts,
and two at the same depth are an error. `constraint`, `prefer`, `ignore` and `leaf(in(Box), ...)`
accumulate. The second pass (`slp.analysis.declarations.typed`) reads the terms when the parameters
have their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from slp.analysis.findings import Findings
from slp.analysis.sources.files import Placed
from slp.constraints import AN_EXAMPLE, FORMS
from slp.data.cells import cell_text
from slp.errors import Diagnostic, Related
from slp.ir.weights_prior import DISTRIBUTION_OF_WEIGHTS
from slp.leaves import OF_CLASSES
from slp.messages import Wording
from slp.messages import directives as words
from slp.messages.names import name_help
from slp.messages.synonyms import MEANT
from slp.resolution.machine.left_out import why_left_out
from slp.source import SourceSpan
from slp.syntax.ast import Directive
from slp.terms import Atom, Number, Struct, Term, Var, conjuncts, functor, list_items

#: The key of a declaration: `("start",)`, `("param", "alpha")`, `("support", "min_leaf")`, ...
Key: TypeAlias = tuple[str, ...]

#: The form of each directive, for messages.
DIRECTIVES = {
    "use": "`:- use(growtree, [alpha = 0.9]).`",
    "param": "`:- param(alpha, 0.95).`",
    "start": "`:- start(tree(0)).`",
    "response": "`:- response(outcome).`, `:- response(time, event(status)).`, "
    "`:- response(time, event(status, 2)).`, `:- response(claims, exposure(years)).` or "
    "`:- response(stage, [ordinal([low, mid, high])]).`",
    "leaf": f"`:- leaf({OF_CLASSES.name}(1)).`, or `:- leaf(in(infant), "
    f"{OF_CLASSES.name}([8, 2])).` of the leaves inside a box",
    "feature": "`:- feature(age, [cuts([18, 40, 65])]).`",
    "feature_weight": "`:- feature_weight(age, 3).`",
    "feature_weights": f"`:- feature_weights({DISTRIBUTION_OF_WEIGHTS}(1)).`, or "
    f"`{DISTRIBUTION_OF_WEIGHTS}(1/d)` of d features",
    "thresholds": "`:- thresholds(age, normal(50, 10)).`",
    "row_weight": "`:- row_weight(w).`",
    "cost": "`:- cost(mri, 120).`",
    "loss": "`:- loss(yes, no, 5).`",
    "define": "`:- define(bmi, weight / (height/100)^2).`",
    "ignore": "`:- ignore(id).` or `:- ignore([id, date]).`",
    "support": "`:- support(min_leaf(5)).` or `:- support([min_leaf(5), max_depth(6)]).`",
    "constraint": f"`:- constraint({AN_EXAMPLE}).`",
    "prefer": f"`:- prefer({AN_EXAMPLE}, 2).`",
    "failure": "`:- failure(restrict).`, `:- failure(condition).` or `:- failure(backtrack).`",
    "weights": "`:- weights.`",
    "trees": "`:- trees(50).`",
}

#: The form of each constraint, for messages.
CONSTRAINTS = {form.name: form.usage for form in FORMS}

#: The arguments of `support`, each with one number.
SUPPORT = ("min_leaf", "min_weight", "max_depth")

#: Directives of Prolog without effect here, so that other systems can read the same file.
_PROLOG = {("op", 3), ("use_module", 1), ("use_module", 2)}

#: Names that arithmetic or every program defines.
_RESERVED = {"pi", "e", "inf", "infinite", "nan", "epsilon", "most_leaves"}


@dataclass(frozen=True)
class Declared:
    """A declaration that counts: its arguments, its place and its depth."""

    args: tuple[Term, ...]
    span: SourceSpan
    depth: int


@dataclass
class Directives:
    """All declarations. `single` has those that set one thing, by their key; `malformed` the names
    of directives that could not be read, each of which has a finding; `constraints` those of
    `constraint`, with one argument, and of `prefer`, with two; `box_leaves` those of `leaf` with
    two arguments."""

    single: dict[Key, Declared] = field(default_factory=dict)
    malformed: set[str] = field(default_factory=set)
    constraints: list[Declared] = field(default_factory=list)
    box_leaves: list[Declared] = field(default_factory=list)
    ignored: dict[str, SourceSpan] = field(default_factory=dict)

    def of(self, kind: str) -> dict[str, Declared]:
        """Declarations of a kind that has names: parameters, features, feature weights, costs."""
        return {key[1]: d for key, d in self.single.items() if key[0] == kind}


def collect_directives(items: Iterable[Placed], findings: Findings) -> Directives:
    """The directives among `items`, checked for their form and for repeats."""
    collector = _Collector(findings)
    for placed in items:
        if isinstance(placed.item, Directive):
            collector.directive(placed.item, placed.depth)
    return collector.found


def name_of(
    term: Term,
    what: str,
    span: SourceSpan,
    findings: Findings,
    wordings: tuple[Wording, Wording] = (words.VARIABLE_IN_DIRECTIVE, words.NO_NAME_IN_DIRECTIVE),
) -> str | None:
    """The name that an atom stands for. None, and a finding that explains the fault, for any other
    term.

    `wordings` are for a variable, and for all other terms.
    """
    if isinstance(term, Atom):
        return term.name
    of_variable, of_others = wordings
    where = span_of(term, span)
    if isinstance(term, Var):
        findings.add(of_variable(where, what=what, name=term.name))
    else:
        findings.add(of_others(where, what=what))
    return None


def code_text(term: Term, what: str, span: SourceSpan, findings: Findings) -> str | None:
    """The cell that a number or an atom stands for, as text. None, and a finding, for any other
    term."""
    return (
        cell_text(term.value) if isinstance(term, Number) else name_of(term, what, span, findings)
    )


def span_of(term: Term, otherwise: SourceSpan) -> SourceSpan:
    """The place of a term, or `otherwise` if it is unknown."""
    return term.span or otherwise


class _Collector:
    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.found = Directives()
        self.forms: dict[tuple[str, int], Callable[[tuple[Term, ...], SourceSpan, int], None]] = {
            ("param", 2): self.param,
            ("start", 1): self.simple("start"),
            ("response", 1): self.simple("response"),
            ("response", 2): self.simple("response"),
            ("leaf", 1): self.simple("leaf"),
            ("leaf", 2): self.box_leaf,
            ("failure", 1): self.simple("failure"),
            ("weights", 0): self.simple("weights"),
            ("trees", 1): self.simple("trees"),
            ("feature", 2): self.feature,
            ("feature_weight", 2): partial(self.named, "feature_weight"),
            ("feature_weights", 1): self.simple("feature_weights"),
            ("thresholds", 2): partial(self.named, "thresholds"),
            ("cost", 2): partial(self.named, "cost"),
            ("define", 2): partial(self.named, "define"),
            ("define", 3): partial(self.named, "define"),
            ("loss", 3): self.loss,
            ("row_weight", 1): self.simple("row_weight"),
            ("ignore", 1): self.ignore,
            ("support", 1): self.support,
            ("constraint", 1): self.constraint,
            ("prefer", 2): self.constraint,
        }

    def directive(self, item: Directive, depth: int) -> None:
        key = functor(item.goal)
        if key in _PROLOG:
            return
        args = item.goal.args if isinstance(item.goal, Struct) else ()
        if key is not None and key in self.forms:
            self.forms[key](args, item.span, depth)
        elif key is not None and key[0] in DIRECTIVES:
            name, arguments = key[0], _arguments(key[1])
            self.found.malformed.add(name)
            self.findings.add(
                words.DIRECTIVE_ARGUMENTS(
                    item.span, name=name, arguments=arguments, usage=DIRECTIVES[name]
                )
            )
        else:
            self.unknown(item, key)

    def unknown(self, item: Directive, key: tuple[str, int] | None) -> None:
        if key is None:
            self.findings.add(words.DIRECTIVE_NOT_NAMED(item.span))
        elif key == (",", 2):
            several = any(_is_known((functor(g) or ("",))[0]) for g in conjuncts(item.goal))
            found = words.TWO_DIRECTIVES if several else words.GOAL_AS_DIRECTIVE
            self.findings.add(found(item.span))
        else:
            self.findings.add(self.no_directive(key[0], item.span))

    @staticmethod
    def no_directive(name: str, span: SourceSpan) -> Diagnostic:
        """The finding for a name that is no directive."""
        if name in SUPPORT:
            return words.LIMIT_AS_DIRECTIVE(span, name=name)
        if name in CONSTRAINTS:
            return words.CONSTRAINT_AS_DIRECTIVE(span, name=name, usage=CONSTRAINTS[name])
        if name in words.FOREIGN_DIRECTIVES:
            shown, help = _SHOWN.get(name, name), words.FOREIGN_DIRECTIVES[name]
            return words.NO_DIRECTIVE(span, name=shown, help=help)
        if name not in MEANT and why_left_out(name) is not None:
            return words.GOAL_AS_DIRECTIVE(span)
        help = MEANT.get(name) or name_help(name, DIRECTIVES, "directive")
        return words.NO_DIRECTIVE(span, name=name, help=help)

    def declare(self, key: Key, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        """Record a declaration. The one nearer to the program counts; two at one depth are an
        error."""
        other = self.found.single.get(key)
        if other is not None and other.depth == depth:
            first = Related("first declared here", other.span)
            self.findings.add(words.DECLARED_TWICE(span, related=[first], what=_key_text(key)))
        elif other is None or depth < other.depth:
            self.found.single[key] = Declared(args, span, depth)

    def simple(self, name: str) -> Callable[[tuple[Term, ...], SourceSpan, int], None]:
        return lambda args, span, depth: self.declare((name,), args, span, depth)

    def named(self, kind: str, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        what = "a parameter" if kind == "param" else "a feature"
        if (name := name_of(args[0], what, span, self.findings)) is not None:
            self.declare((kind, name), args[1:], span, depth)
        else:
            self.found.malformed.add(kind)

    def param(self, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        if isinstance(args[0], Atom) and args[0].name in _RESERVED:
            self.findings.add(words.RESERVED_NAME(span, name=args[0].name))
        else:
            self.named("param", args, span, depth)

    def feature(self, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        if isinstance(args[0], Var) and args[0].name.startswith("_"):
            self.declare(("feature", ""), args[1:], span, depth)
        else:
            self.named("feature", args, span, depth)

    def loss(self, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        classes = [code_text(term, "a class", span, self.findings) for term in args[:2]]
        names = tuple(name for name in classes if name is not None)
        if len(names) == len(classes):
            self.declare(("loss", *names), args[2:], span, depth)

    def ignore(self, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        items = list_items(args[0])
        for item in [args[0]] if items is None else items:
            if (name := name_of(item, "an ignored column", span, self.findings)) is not None:
                self.found.ignored.setdefault(name, span_of(item, span))

    def support(self, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        items = list_items(args[0])
        for item in [args[0]] if items is None else items:
            if functor(item) in {(name, 1) for name in SUPPORT} and isinstance(item, Struct):
                self.declare(("support", item.name), item.args, span_of(item, span), depth)
            else:
                where, usage = span_of(item, span), DIRECTIVES["support"]
                self.findings.add(words.NOT_IN_SUPPORT(where, usage=usage))

    def box_leaf(self, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        self.found.box_leaves.append(Declared(args, span, depth))

    def constraint(self, args: tuple[Term, ...], span: SourceSpan, depth: int) -> None:
        self.found.constraints.append(Declared(args, span, depth))


#: A list as it is written, by its functor.
_SHOWN = {"[|]": "[...]"}


def _is_known(name: str) -> bool:
    """Whether a name has a message of its own as a directive."""
    return name in {*DIRECTIVES, *SUPPORT, *CONSTRAINTS, *words.FOREIGN_DIRECTIVES}


def _key_text(key: Key) -> str:
    return key[0] if len(key) == 1 else f"{key[0]}({', '.join(k or '_' for k in key[1:])})"


def _arguments(count: int) -> str:
    return {0: "no argument", 1: "one argument"}.get(count, f"{count} arguments")
