"""Directives, second pass: typed declarations, once the parameters have their values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import cast, get_args

from slp.analysis.declarations.definitions import read_definitions
from slp.analysis.declarations.features import FeatureReader, read_order
from slp.analysis.findings import Findings
from slp.analysis.sources.directives import (
    DIRECTIVES,
    Declared,
    Directives,
    code_text,
    name_of,
    span_of,
)
from slp.analysis.sources.parameters import Values
from slp.columns.formula import DefinedFeature
from slp.ir.constraints import Support
from slp.ir.decisions import ClassLoss, FeatureCost
from slp.ir.leaves import LeafDeclaration
from slp.ir.program import EventCodes, Failure, FeatureDeclaration, SumOfTrees
from slp.ir.thresholds import NormalThresholds
from slp.ir.weights_prior import DISTRIBUTION_OF_WEIGHTS, WeightsPrior
from slp.leaves import SIGNATURES
from slp.leaves.signature import NumberList
from slp.messages import directives as words
from slp.messages.definitions import COST_OF_PART
from slp.messages.names import name_help, plural
from slp.messages.sums import NAMED_NUMBERS, NO_SHARE, TOO_MANY_IN_SUM
from slp.messages.unknown_weights import NO_WEIGHTS_PRIOR
from slp.source import SourceSpan
from slp.terms import NIL, Atom, Struct, Term, functor, list_items

#: The most trees of a sum.
MOST_IN_SUM = 10_000


@dataclass
class Declarations:
    """The declarations, with the names of `slp.ir.program.CheckedProgram`."""

    support: Support = field(default_factory=Support)
    failure: Failure = "restrict"
    weights: bool = False
    response: str | None = None
    event: str | None = None
    event_codes: EventCodes | None = None
    exposure: str | None = None
    class_order: tuple[str, ...] | None = None
    leaf: LeafDeclaration | None = None
    features: tuple[FeatureDeclaration, ...] = ()
    definitions: tuple[DefinedFeature, ...] = ()
    ignored: tuple[str, ...] = ()
    feature_weights: dict[str, float] = field(default_factory=dict)
    weights_prior: WeightsPrior | None = None
    row_weight: str | None = None
    costs: tuple[FeatureCost, ...] = ()
    losses: tuple[ClassLoss, ...] = ()
    sum_of: SumOfTrees | None = None
    spans: dict[str, SourceSpan] = field(default_factory=dict)


def read_declarations(directives: Directives, values: Values, findings: Findings) -> Declarations:
    """The typed declarations. A faulty one gives a finding and keeps its default."""
    out = Declarations(weights=("weights",) in directives.single)
    for key, declared in directives.single.items():
        out.spans[":".join(k for k in key if k)] = declared.span
    reader = _DeclarationReader(values, findings)
    single = directives.single
    if ("response",) in single:
        reader.response(single["response",], out)
    if ("failure",) in single:
        out.failure = reader.failure(single["failure",])
        if out.weights and out.failure == "backtrack":
            findings.add(words.BACKTRACKING_OF_WEIGHTS(single["failure",].span))
    if ("trees",) in single:
        out.sum_of = reader.sum_of(single["trees",])
    if ("leaf",) in single:
        out.leaf = reader.leaf(single["leaf",])
        if out.leaf is not None and ("trees",) in single:
            out.leaf = replace(out.leaf, trees=out.sum_of.count if out.sum_of else 1)
    out.support = reader.support(directives)
    features = FeatureReader(values, findings)
    out.features = tuple(
        f for n, d in directives.of("feature").items() if (f := features.declaration(n or None, d))
    )
    out.features += tuple(
        f for n, d in directives.of("thresholds").items() if (f := reader.thresholds(n, d))
    )
    if any(f.name is None and f.missing == "side" for f in out.features):
        for f in out.features:
            if f.splits is not None and f.missing is None:
                findings.add(words.SUBSETS_AND_SIDES(f.span, feature=f"`{f.name}`"))
    for name, declared in directives.of("feature_weight").items():
        weight = values.positive(declared.args[0], f"the weight of `{name}`", declared.span)
        out.feature_weights[name] = 1.0 if weight is None else weight
    if (d := single.get(("feature_weights",))) is not None:
        out.weights_prior = reader.weights_prior(d)
    if (d := single.get(("row_weight",))) is not None:
        out.row_weight = name_of(d.args[0], "the weight of rows", d.span, findings)
    out.costs, out.losses = reader.costs(directives), reader.losses(directives)
    out.definitions = read_definitions(directives.of("define"), findings)
    _check_costs(out, findings)
    out.ignored = tuple(directives.ignored)
    out.spans.update({f"ignore:{n}": s for n, s in directives.ignored.items()})
    return out


def read_leaf_model(d: Declared, values: Values, findings: Findings) -> LeafDeclaration | None:
    """The leaf model that the first argument of a declaration is."""
    return _DeclarationReader(values, findings).leaf(d)


def _check_costs(out: Declarations, findings: Findings) -> None:
    """Refuse the cost of a definition that another one names: its columns have costs."""
    named = {n: d.name for d in out.definitions for n in d.names}
    for cost in out.costs:
        if cost.feature in {d.name for d in out.definitions} & named.keys():
            findings.add(COST_OF_PART(cost.span, name=cost.feature, other=named[cost.feature]))


class _DeclarationReader:
    def __init__(self, values: Values, findings: Findings) -> None:
        self.values = values
        self.findings = findings

    def response(self, d: Declared, out: Declarations) -> None:
        out.response = name_of(d.args[0], "the response", d.span, self.findings)
        if len(d.args) == 1:
            return
        more = d.args[1]
        items = list_items(more)
        if isinstance(more, Struct) and more.name == "event" and len(more.args) <= 3:
            out.event = name_of(more.args[0], "the column of events", d.span, self.findings)
            if len(more.args) > 1:
                out.event_codes = self.event_codes(more.args[1:], d)
        elif functor(more) == ("exposure", 1) and isinstance(more, Struct):
            out.exposure = name_of(more.args[0], "the column of exposure", d.span, self.findings)
        elif items and len(items) == 1 and functor(items[0]) == ("ordinal", 1):
            out.class_order = read_order(items[0], words.NO_CLASS_ORDER, d.span, self.findings)
        else:
            self.findings.add(words.NO_SECOND_RESPONSE(d.span, usage=DIRECTIVES["response"]))

    def weights_prior(self, d: Declared) -> WeightsPrior | None:
        """`dirichlet(a)`, or `dirichlet(a/d)` where no parameter is called `d`."""
        term = d.args[0]
        if functor(term) != (DISTRIBUTION_OF_WEIGHTS, 1) or not isinstance(term, Struct):
            self.findings.add(NO_WEIGHTS_PRIOR(span_of(term, d.span)))
            return None
        a, divided = term.args[0], False
        if isinstance(a, Struct) and functor(a) == ("/", 2):
            divided = a.args[1] == Atom("d") and "d" not in self.values.parameters
            a = a.args[0] if divided else a
        value = self.values.positive(a, "the concentration of a feature's weight", d.span)
        return None if value is None else WeightsPrior(value, divided, d.span)

    def event_codes(self, args: tuple[Term, ...], d: Declared) -> EventCodes | None:
        """The codes of events, and those of durations whose end was not seen where they are
        named; each is one code or a list."""
        named: list[tuple[str, ...]] = []
        for term in args:
            items = list_items(term)
            read = [
                code_text(t, "a code of events", d.span, self.findings)
                for t in ([term] if items is None else items)
            ]
            named.append(tuple(code for code in read if code is not None))
            if len(named[-1]) < len(read):
                return None
        codes = [code for own in named for code in own]
        if not all(named) or len(set(codes)) < len(codes):
            self.findings.add(words.NO_EVENT_CODES(span_of(args[0], d.span)))
            return None
        return EventCodes(*named)

    def thresholds(self, name: str, d: Declared) -> FeatureDeclaration | None:
        """The density of the thresholds of a feature."""
        term = d.args[0]
        if functor(term) != ("normal", 2) or not isinstance(term, Struct):
            self.findings.add(words.NOT_A_DENSITY(d.span, usage=DIRECTIVES["thresholds"]))
            return None
        mean = self.values.number(term.args[0], "the mean of thresholds", d.span)
        sd = self.values.positive(term.args[1], "the standard deviation of thresholds", d.span)
        if mean is None or sd is None:
            return None
        if math.isinf(mean):
            self.findings.add(words.NOT_A_DENSITY(d.span, usage=DIRECTIVES["thresholds"]))
            return None
        return FeatureDeclaration(name, density=NormalThresholds(mean, sd), span=d.span)

    def failure(self, d: Declared) -> Failure:
        name = d.args[0]
        for known in get_args(Failure):
            if name == Atom(known):
                return cast(Failure, known)
        self.findings.add(words.NO_FAILURE_MODE(d.span, usage=DIRECTIVES["failure"]))
        return "restrict"

    def support(self, directives: Directives) -> Support:
        found = {"min_leaf": 1, "max_depth": -1}
        for name, least in (("min_leaf", 1), ("max_depth", 0)):
            if (d := directives.single.get(("support", name))) is not None:
                value = self.values.whole(d.args[0], f"`{name}`", d.span, least)
                found[name] = found[name] if value is None else value
        deepest = found["max_depth"]
        weight = None
        if (d := directives.single.get(("support", "min_weight"))) is not None:
            weight = self.values.positive(d.args[0], "`min_weight`", d.span)
            if found["min_leaf"] > 1:
                self.findings.add(words.TWO_LEAST_LEAVES(d.span))
        return Support(found["min_leaf"], None if deepest < 0 else deepest, weight)

    def costs(self, directives: Directives) -> tuple[FeatureCost, ...]:
        return tuple(
            FeatureCost(name, amount, d.span)
            for name, d in directives.of("cost").items()
            if (amount := self.values.amount(d.args[0], f"the cost of `{name}`", d.span))
            is not None
        )

    def losses(self, directives: Directives) -> tuple[ClassLoss, ...]:
        out = []
        for key, d in directives.single.items():
            if key[0] == "loss":
                what = f"the loss of `{key[2]}` where `{key[1]}` is true"
                amount = self.values.amount(d.args[0], what, d.span)
                if amount is not None:
                    out.append(ClassLoss(key[1], key[2], amount, d.span))
        return tuple(out)

    def sum_of(self, d: Declared) -> SumOfTrees | None:
        count = self.values.whole(d.args[0], "`trees`", d.span, 1)
        if count is not None and count > MOST_IN_SUM:
            self.findings.add(TOO_MANY_IN_SUM(d.span, most=MOST_IN_SUM, count=count))
            return None
        return None if count is None else SumOfTrees(count, span=d.span)

    # --- leaf models ---------------------------------------------------------------------------

    def leaf(self, d: Declared) -> LeafDeclaration | None:
        key = functor(d.args[0])
        if key is None or key[0] not in SIGNATURES:
            name = key[0] if key else ""
            help = name_help(name, SIGNATURES, "leaf model")
            wording = words.NO_LEAF_MODEL if key else words.LEAF_MODEL_NOT_NAMED
            self.findings.add(wording(d.span, name=name, help=help))
            return None
        model, signature = d.args[0], SIGNATURES[key[0]]
        names = signature.parameters
        args = model.args if isinstance(model, Struct) else ()
        columns: tuple[str, ...] = ()
        if signature.stands_for is not None and not args:
            return LeafDeclaration(*signature.stands_for, d.span)
        if signature.named:
            return self.named_numbers(key[0], args, d)
        if signature.most_columns and args:
            read = self.columns(key[0], args[0], d)
            if read is None:
                return None
            columns, args = read, args[1:]
        parted = self.list_at_end(key[0], args, d)
        if parted is None:
            return None
        args, listed = parted
        if not args and (columns or listed):
            numbers = []
        elif len(args) == len(names):
            numbers = [
                self.hyperparameter(key[0], n, a, d) for n, a in zip(names, args, strict=True)
            ]
        else:
            arguments = plural(len(args) + bool(columns), "argument")
            given = ", ".join([*["[x1, x2]"] * bool(signature.most_columns), *names])
            usage = f"{key[0]}({given})" if given else key[0]
            if signature.numbers is not None and not signature.numbers.alone:
                usage = signature.written
            self.findings.add(
                words.LEAF_MODEL_ARGUMENTS(d.span, model=key[0], arguments=arguments, form=usage)
            )
            return None
        found = tuple(n for n in numbers if n is not None)
        if len(found) < len(numbers):
            return None
        return LeafDeclaration(key[0], found, d.span, columns, listed)

    def named_numbers(
        self, model: str, args: tuple[Term, ...], d: Declared
    ) -> LeafDeclaration | None:
        """The declaration of a model whose numbers are named, with the defaults of those that are
        not given; none are given where there are no arguments."""
        signature = SIGNATURES[model]
        given = {
            arg.args[0].name: arg.args[1]
            for arg in args
            if isinstance(arg, Struct)
            and functor(arg) == ("=", 2)
            and isinstance(arg.args[0], Atom)
        }
        needed = [{n for n, default in own.items() if default is None} for own in signature.named]
        form = next(
            (
                own
                for own, least in zip(signature.named, needed, strict=True)
                if least <= given.keys() <= own.keys()
            ),
            None,
        )
        if form is None or len(given) < len(args):
            self.findings.add(NAMED_NUMBERS(d.span, model=model, form=f"`{signature.written}`"))
            return None
        if not args:
            return LeafDeclaration(model, (), d.span)
        numbers = {name: default for name, default in form.items()}
        for name, term in given.items():
            value = self.hyperparameter(model, name, term, d)
            if value is None:
                return None
            if name in signature.shares and value >= 1:
                self.findings.add(NO_SHARE(span_of(term, d.span), q=value))
                return None
            numbers[name] = value
        values = tuple(value for value in numbers.values() if value is not None)
        return LeafDeclaration(model, values, d.span, names=tuple(numbers))

    def columns(self, model: str, term: Term, d: Declared) -> tuple[str, ...] | None:
        """The names of columns in a list, each once."""
        items, place = list_items(term), span_of(term, d.span)
        most = SIGNATURES[model].most_columns
        if not items or len(items) > most:
            self.findings.add(words.NO_COLUMN_LIST(place, model=model, most=most))
            return None
        what = f"a column of `{model}`"
        names = [name_of(t, what, d.span, self.findings) for t in items]
        found = tuple(name for name in names if name is not None)
        twice = [name for i, name in enumerate(found) if name in found[:i]]
        if twice:
            self.findings.add(words.COLUMN_TWICE(place, model=model, name=twice[0]))
        return None if twice or len(found) < len(names) else found

    def hyperparameter(self, model: str, name: str, term: Term, d: Declared) -> float | None:
        what = f"`{name}` of `{model}`"
        if name not in SIGNATURES[model].real:
            return self.values.positive(term, what, d.span)
        value = self.values.number(term, what, d.span)
        if value is not None and value in (float("inf"), float("-inf")):
            self.findings.add(words.NOT_FINITE(span_of(term, d.span), what=what, value=value))
            return None
        return value

    def list_at_end(
        self, model: str, args: tuple[Term, ...], d: Declared
    ) -> tuple[tuple[Term, ...], tuple[float, ...]] | None:
        """The arguments before the model's list of numbers, and its numbers."""
        form, n = SIGNATURES[model].numbers, len(SIGNATURES[model].parameters)
        there = bool(args) and list_items(args[-1]) is not None
        if form is None or (form.alone and not (there and len(args) == 1)):
            return args, ()
        if not form.alone and len(args) == n and not there:
            listed, rest = self.numbers(model, NIL, form, d), args
        elif not there and len(args) == n + 1:
            usage = SIGNATURES[model].written
            place = span_of(args[-1], d.span)
            self.findings.add(words.NO_NUMBER_LIST(place, model=model, form=usage))
            return None
        elif form.alone or len(args) == n + 1:
            listed, rest = self.numbers(model, args[-1], form, d), args[:-1]
        else:
            return args, ()
        return None if listed is None else (rest, listed)

    def numbers(
        self, model: str, term: Term, form: NumberList, d: Declared
    ) -> tuple[float, ...] | None:
        """The numbers of a list."""
        what = f"{form.one} of `{model}`"
        read = [self.values.positive(t, what, d.span) for t in list_items(term) or []]
        found = tuple(n for n in read if n is not None)
        if len(found) < len(read):
            return None
        fault = form.fault(found)
        if fault is not None:
            self.findings.add(fault(span_of(term, d.span)))
        return None if fault is not None else found
