"""Directives, second pass: typed declarations, once the parameters have their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from slp.analysis.directives import (
    DIRECTIVES,
    Declared,
    Directives,
    name_of,
    span_of,
)
from slp.analysis.findings import Findings
from slp.analysis.parameters import Values
from slp.data.cells import cell_text
from slp.ir.leaf_models import LEAF_MODELS
from slp.ir.program import Bins, Cuts, Failure, FeatureDeclaration, LeafDeclaration, Support
from slp.messages import Wording
from slp.messages import directives as words
from slp.messages.names import name_help, plural
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, functor, list_items


@dataclass
class Declarations:
    """The declarations, with the names of `slp.ir.program.Program`."""

    support: Support = field(default_factory=Support)
    failure: Failure = "restrict"
    weights: bool = False
    response: str | None = None
    event: str | None = None
    class_order: tuple[str, ...] | None = None
    leaf: LeafDeclaration | None = None
    features: tuple[FeatureDeclaration, ...] = ()
    ignored: tuple[str, ...] = ()
    feature_weights: dict[str, float] = field(default_factory=dict)
    spans: dict[str, SourceSpan] = field(default_factory=dict)


def read_declarations(directives: Directives, values: Values, findings: Findings) -> Declarations:
    """The typed declarations. A faulty one gives a finding and keeps its default."""
    out = Declarations(weights=("weights",) in directives.single)
    for key, declared in directives.single.items():
        out.spans[":".join(k for k in key if k)] = declared.span
    reader = _Reader(values, findings)
    single = directives.single
    if ("response",) in single:
        reader.response(single["response",], out)
    if ("failure",) in single:
        out.failure = reader.failure(single["failure",])
    if ("leaf",) in single:
        out.leaf = reader.leaf(single["leaf",])
    out.support = reader.support(directives)
    out.features = tuple(
        f for n, d in directives.of("feature").items() if (f := reader.feature(n or None, d))
    )
    for name, declared in directives.of("feature_weight").items():
        weight = values.positive(declared.args[0], f"the weight of `{name}`", declared.span)
        out.feature_weights[name] = 1.0 if weight is None else weight
    out.ignored = tuple(directives.ignored)
    out.spans.update({f"ignore:{n}": s for n, s in directives.ignored.items()})
    return out


class _Reader:
    def __init__(self, values: Values, findings: Findings) -> None:
        self.values = values
        self.findings = findings

    def response(self, d: Declared, out: Declarations) -> None:
        out.response = name_of(d.args[0], "the response", d.span, self.findings)
        if len(d.args) == 1:
            return
        more = d.args[1]
        items = list_items(more)
        if functor(more) == ("event", 1) and isinstance(more, Struct):
            out.event = name_of(more.args[0], "the column of events", d.span, self.findings)
        elif items and len(items) == 1 and functor(items[0]) == ("ordinal", 1):
            out.class_order = self.class_order(items[0], d)
        else:
            self.findings.add(words.NO_SECOND_RESPONSE(d.span, usage=DIRECTIVES["response"]))

    def class_order(self, term: Term, d: Declared) -> tuple[str, ...] | None:
        """The classes in a list, from the lowest to the highest, as text."""
        assert isinstance(term, Struct)
        items = list_items(term.args[0]) or []
        names = [
            cell_text(t.value)
            if isinstance(t, Number)
            else name_of(t, "a class", d.span, self.findings)
            for t in items
        ]
        if len(items) < 2 or len(set(names)) < len(names):
            usage = DIRECTIVES["response"]
            self.findings.add(words.NO_CLASS_ORDER(span_of(term, d.span), usage=usage))
            return None
        found = tuple(n for n in names if n is not None)
        return found if len(found) == len(names) else None

    def failure(self, d: Declared) -> Failure:
        if d.args[0] == Atom("condition"):
            return "condition"
        if d.args[0] != Atom("restrict"):
            self.findings.add(words.NO_FAILURE_MODE(d.span, usage=DIRECTIVES["failure"]))
        return "restrict"

    def support(self, directives: Directives) -> Support:
        found = {"min_leaf": 1, "max_depth": -1}
        for name, least in (("min_leaf", 1), ("max_depth", 0)):
            if (d := directives.single.get(("support", name))) is not None:
                value = self.values.whole(d.args[0], f"`{name}`", d.span, least)
                found[name] = found[name] if value is None else value
        deepest = found["max_depth"]
        return Support(found["min_leaf"], None if deepest < 0 else deepest)

    # --- leaf models ---------------------------------------------------------------------------

    def leaf(self, d: Declared) -> LeafDeclaration | None:
        key = functor(d.args[0])
        if key is None or key[0] not in LEAF_MODELS:
            name = key[0] if key else ""
            help = name_help(name, LEAF_MODELS, "leaf model")
            wording = words.NO_LEAF_MODEL if key else words.LEAF_MODEL_NOT_NAMED
            self.findings.add(wording(d.span, name=name, help=help))
            return None
        model, names = d.args[0], LEAF_MODELS[key[0]].parameters
        args = model.args if isinstance(model, Struct) else ()
        if key == ("dirichlet", 1) and list_items(args[0]) is not None:
            numbers = self.concentrations(args[0], d)
        elif len(args) == len(names):
            numbers = [
                self.hyperparameter(key[0], n, a, d) for n, a in zip(names, args, strict=True)
            ]
        else:
            arguments, listed = plural(len(args), "argument"), ", ".join(names)
            self.findings.add(
                words.LEAF_MODEL_ARGUMENTS(d.span, model=key[0], arguments=arguments, names=listed)
            )
            return None
        found = tuple(n for n in numbers if n is not None)
        return LeafDeclaration(key[0], found, d.span) if len(found) == len(numbers) else None

    def hyperparameter(self, model: str, name: str, term: Term, d: Declared) -> float | None:
        what = f"`{name}` of `{model}`"
        if name not in LEAF_MODELS[model].real:
            return self.values.positive(term, what, d.span)
        value = self.values.number(term, what, d.span)
        if value is not None and value in (float("inf"), float("-inf")):
            self.findings.add(words.NOT_FINITE(span_of(term, d.span), what=what, value=value))
            return None
        return value

    def concentrations(self, term: Term, d: Declared) -> list[float | None]:
        items = list_items(term) or []
        if len(items) < 2:
            self.findings.add(words.ONE_CONCENTRATION(span_of(term, d.span)))
            return [None]
        return [self.values.positive(t, "a number of `dirichlet`", d.span) for t in items]

    # --- features ------------------------------------------------------------------------------

    def feature(self, name: str | None, d: Declared) -> FeatureDeclaration | None:
        items = list_items(d.args[0])
        if items is None:
            self.findings.add(words.NO_FEATURE_LIST(span_of(d.args[0], d.span)))
            return None
        before = len(self.findings.in_order())
        kind: Literal["numeric", "categorical"] | None = None
        coding: Cuts | Bins | None = None
        for item in items:
            if isinstance(item, Atom) and item.name in ("numeric", "categorical"):
                if kind is not None:
                    self.clash(words.TWO_TYPES, name, item, d)
                kind = "numeric" if item.name == "numeric" else "categorical"
            else:
                if coding is not None:
                    self.clash(words.CUT_TWICE, name, item, d)
                coding = self.coding(item, d)
        if coding is not None and kind == "categorical":
            self.clash(words.CATEGORICAL_AND_CUT, name, d.args[0], d)
        if name is None and kind is not None:
            self.clash(words.TYPE_OF_ALL, name, d.args[0], d)
        if len(self.findings.in_order()) > before:
            return None
        return FeatureDeclaration(name, kind, coding, d.span)

    def clash(self, wording: Wording, name: str | None, term: Term, d: Declared) -> None:
        feature = "every feature (`_`)" if name is None else f"`{name}`"
        self.findings.add(wording(span_of(term, d.span), feature=feature))

    def coding(self, item: Term, d: Declared) -> Cuts | Bins | None:
        key = functor(item)
        readers: dict[tuple[str, int], Callable[[Struct, Declared], Cuts | Bins | None]] = {
            ("cuts", 1): self.cuts,
            ("bins", 2): self.bins,
        }
        if isinstance(item, Struct) and key in readers:
            return readers[key](item, d)
        wording = words.NO_FEATURE_DECLARATION if key else words.DECLARATION_NOT_NAMED
        self.findings.add(wording(span_of(item, d.span), name=key[0] if key else ""))
        return None

    def cuts(self, item: Struct, d: Declared) -> Cuts | None:
        terms = list_items(item.args[0])
        if not terms:
            self.findings.add(words.NO_CUTS(span_of(item, d.span)))
            return None
        numbers = [self.values.number(t, "a cut", d.span) for t in terms]
        cuts = tuple(n for n in numbers if n is not None)
        if len(cuts) < len(numbers):
            return None
        if any(a >= b for a, b in zip(cuts, cuts[1:], strict=False)) or not _finite(cuts):
            self.findings.add(
                words.CUTS_DO_NOT_RISE(span_of(item, d.span), cuts=_sorted_text(cuts))
            )
            return None
        return Cuts(cuts)

    def bins(self, item: Struct, d: Declared) -> Bins | None:
        kind = item.args[0]
        if kind not in (Atom("quantile"), Atom("width")):
            self.findings.add(words.NO_KIND_OF_BINS(span_of(kind, d.span)))
            return None
        count = self.values.whole(item.args[1], "the number of bins", d.span, 2)
        if count is None:
            return None
        return Bins("quantile" if kind == Atom("quantile") else "width", count)


def _finite(numbers: tuple[float, ...]) -> bool:
    return all(abs(n) != float("inf") for n in numbers)


def _sorted_text(numbers: tuple[float, ...]) -> str:
    return "[" + ", ".join(f"{n:g}" for n in sorted(set(numbers)) if abs(n) != float("inf")) + "]"
