"""A program's meaning in plain words, for `slp explain` and for summaries.

Entry points: `describe_constraint` (one constraint, one sentence), `describe_box`, `term_text`, and
`describe_prior` (the whole program, one sentence per line).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from slp.ir import program as ir
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint, Support
from slp.ir.groups import Group
from slp.ir.leaves import ClassShares, LeafDeclaration
from slp.ir.parameter_priors import ParameterPrior
from slp.ir.weights_prior import WeightsPrior
from slp.messages.names import joined
from slp.messages.numbers import interval_text, number_text, settings_text
from slp.source import visible
from slp.terms import Atom, Number, Struct, Term, Text, Var, functor

_MEASURES: dict[ir.Measure, str] = {
    "feature_then_cut": "the feature drawn uniformly among those that can split the box, then the "
    "threshold uniformly among the feature's distinct cuts there",
    "all": "drawn uniformly among all distinct splits of the box",
    "gap": "the feature drawn uniformly among those that can split the box, then the threshold "
    "with probability proportional to the gap that it falls in",
    "each": "every distinct split of the box counting 1",
    "partition": "every way to part the rows of the box counting 1, whichever features give it",
    "per_feature": "each feature with the same probability, spread evenly over its cuts in the "
    "box; the probability of a feature that cannot split there is lost",
    "range": "the feature drawn uniformly, then the threshold uniformly over the range that the "
    "feature has in the whole table",
}


def describe_measure(measure: ir.Measure) -> str:
    """How a split is chosen, as the end of a sentence."""
    return _MEASURES[measure]


def describe_box(box: Box) -> str:
    """A box by its name and bounds: `infant (0 <= age < 24)`."""
    bounds = [_interval(box, f) for f in box.bounds]
    return f"{box.name} ({' and '.join(b for b in bounds if b) or 'everywhere'})"


def _interval(box: Box, feature: str) -> str:
    low, high = box.bounds[feature]
    if low == -math.inf and high == math.inf:
        return ""
    if low == -math.inf:
        return f"{feature} < {box.end_text(feature, high)}"
    if high == math.inf:
        return f"{feature} >= {box.end_text(feature, low)}"
    return f"{box.end_text(feature, low)} <= {feature} < {box.end_text(feature, high)}"


def describe_constraint(constraint: Constraint) -> str:
    """What a tree must satisfy, as one sentence."""
    return visible(constraint.words())


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def describe_prior(program: ir.CheckedProgram, *, fine_print: bool = True) -> list[str]:
    """The whole program in words: start, rules, limits, constraints, leaves, columns. With
    `fine_print` also how labels and measures are renormalised, and the effect of forbidden splits.
    """
    return [visible(sentence) for sentence in _describe_prior(program, fine_print)]


def _describe_prior(program: ir.CheckedProgram, fine_print: bool) -> list[str]:
    if program.edits is not None:
        return _describe_edits(program, program.edits, fine_print)
    lines = _describe_sum(program)
    if program.start is not None:
        lines.append(f"A tree starts as {term_text(program.start)}.")
    lines += [describe_rule(rule, program.weights) for rule in program.rules]
    if program.known_parameters:
        values = settings_text(program.known_parameters)
        lines.append(f"Here {values}.")
    lines += [_describe_unknown(name, prior) for name, prior in program.unknown.items()]
    if fine_print or program.weights:
        lines.append(_describe_choice(program))
    lines += _describe_limits(program)
    lines += [describe_constraint(c) for c in program.constraints]
    if _tells_failure(program, fine_print):
        lines.append(_describe_failure(program))
    lines += _describe_leaves(program) + _describe_columns(program)
    return lines + _describe_decisions(program)


def _describe_sum(program: ir.CheckedProgram) -> list[str]:
    if program.sum_of is None:
        return []
    count = _count(program.sum_of.count, "tree", "trees")
    told = "each with the prior below"
    if program.sum_of.assumed:
        told = "each with the prior growtree, as the program has none"
    return [f"The response is a sum of {count}, {told}."]


def _describe_edits(program: ir.CheckedProgram, edits: ir.EditPrior, fine_print: bool) -> list[str]:
    """The prior of edits of a given tree in words, with the rest of the program."""
    lines = [
        f"Trees are edits of a given one{f' ({edits.file})' if edits.file else ''}, which has "
        f"{_count(edits.tree.n_leaves, 'leaf', 'leaves')}.",
        f"With probability {number_text(edits.p)} it is edited once more, else it is done.",
        "An edit grows a leaf, prunes a pair of leaves or changes a split, all that apply with the "
        "same probability; then the place is drawn uniformly among those that it applies to.",
        f"Its split is drawn among those that are possible there: {_MEASURES[edits.measure]}.",
    ]
    if fine_print:
        lines += [
            "A changed split is another one, under which no box below is empty.",
            "The prior of a tree is the sum over all sequences of edits that lead to it.",
        ]
    if program.parameters.keys() - {"p"}:
        values = settings_text(program.parameters)
        lines.append(f"Here {values}.")
    lines += _describe_limits(program)
    lines += [describe_constraint(c) for c in program.constraints]
    if program.constraints and fine_print:
        lines.append(
            "Constraints are for the finished tree alone; the prior is renormalised over the trees "
            "that satisfy them."
        )
    return lines + _describe_leaves(program) + _describe_columns(program)


def _describe_unknown(name: str, prior: ParameterPrior) -> str:
    return (
        f"The value of {name} is not known: its prior is {prior}, and given a value the prior of "
        "trees is normalised."
    )


def describe_rule(rule: ir.TreeRule, weights: bool) -> str:
    """A rule as one sentence. With `weights` its label is a weight, not a probability."""
    measure = "weight" if weights else "probability"
    rows = [g for g in rule.before if functor(g) in (("rows", 1), ("rows", 2))]
    tests = [g for g in rule.before if g not in rows]
    guards = f", in a box of {joined(map(_rows, rows))}," if rows else ""
    guards += f"{'' if rows else ','} if {_goals(tests)}," if tests else ""
    label = term_text(rule.label)
    return f"{term_text(rule.head)}{guards} {_describe_body(rule)}, with {measure} {label}."


def _rows(goal: Term) -> str:
    """The result of `rows(N)` or `rows(Class, N)`: `N rows`, `N rows of yes`."""
    assert isinstance(goal, Struct)
    of = f" of {term_text(goal.args[0])}" if len(goal.args) == 2 else ""
    return f"{term_text(goal.args[-1])} rows{of}"


def _describe_body(rule: ir.TreeRule) -> str:
    match rule.body:
        case ir.LeafBody():
            return "becomes a leaf"
        case ir.CallBody(goal):
            return f"goes on as {term_text(goal)} with the same box"
        case ir.SplitBody(feature, threshold, measure, after, left, right):
            on = f" on {feature.name}" if isinstance(feature, Atom) else ""
            at = f" at {term_text(threshold)}" if not isinstance(threshold, Var) else ""
            children = (
                f"two {term_text(left)}"
                if left == right
                else f"{term_text(left)} (below the threshold) and {term_text(right)}"
            )
            tests = f", where {_goals(after)}" if after else ""
            return f"splits{on}{at} into {children} ({describe_measure(measure)}){tests}"


def _goals(goals: Iterable[Term]) -> str:
    return " and ".join(term_text(g) for g in goals)


def _describe_choice(program: ir.CheckedProgram) -> str:
    if program.weights:
        return (
            "A tree's weight is the product of the weights of its rules and splits; the prior is "
            "these weights, divided by their sum over all trees."
        )
    return (
        "Where a rule does not apply, the probabilities of the others are scaled up to sum to 1: "
        "rows that no split can part become a leaf."
    )


def describe_support(support: Support) -> list[str]:
    """Each limit as one sentence."""
    out = []
    if support.min_leaf > 1:
        out.append(f"Each side of a split keeps at least {support.min_leaf} rows.")
    if support.min_weight is not None:
        least = number_text(support.min_weight)
        out.append(f"Each side of a split keeps rows that weigh at least {least} together.")
    if support.max_depth is not None:
        out.append(f"No leaf is deeper than {support.max_depth}.")
    return out


def describe_group(group: Group) -> str:
    """A group of features as one sentence."""
    features = joined(group.features)
    return (
        f"The group {group.name} ({features}) is drawn as one feature is, then one of its features."
    )


def describe_weight(feature: str, weight: float) -> str:
    """The weight of a feature as one sentence."""
    return f"Feature {feature} is drawn with weight {number_text(weight)}, where others have 1."


def _describe_weights_prior(prior: WeightsPrior) -> str:
    return f"The weights of the features are not known: their prior is {prior}."


def _describe_limits(program: ir.CheckedProgram) -> list[str]:
    weights = program.feature_weights.items()
    prior = program.weights_prior
    return [
        *describe_support(program.support),
        *map(describe_group, program.groups.values()),
        *([] if prior is None else [_describe_weights_prior(prior)]),
        *(describe_weight(*own) for own in weights),
    ]


def _tells_failure(program: ir.CheckedProgram, fine_print: bool) -> bool:
    if program.failure == "backtrack":  # derivations may fail without constraints, too
        return True
    return bool(program.constraints) and (fine_print or program.failure == "condition")


def describe_preferences() -> str:
    """What preferences do, as one sentence."""
    return (
        "What is preferred takes nothing out: costs multiply the weights of trees, which are "
        "renormalised as a whole."
    )


def _describe_failure(program: ir.CheckedProgram) -> str:
    if all(c.is_preference for c in program.constraints) and program.failure != "backtrack":
        return describe_preferences()
    if program.failure == "condition":
        return (
            "What a constraint forbids keeps its probability and fails; the prior is what does not "
            "fail, renormalised over whole trees."
        )
    told = "Splits and leaves that a constraint forbids are taken out before anything is drawn."
    if program.failure == "backtrack":
        told += (
            " A derivation that cannot go on goes back to its last choice with alternatives that "
            "were not tried, and draws among them."
        )
    return told


def describe_shares(shares: ClassShares) -> str:
    """Class probabilities that are known."""
    told = [f"{number_text(p)} of {outcome}" for outcome, p in shares.shares]
    return f"the class probabilities {joined(told)}, which are known and not learned"


def _describe_leaves(program: ir.CheckedProgram) -> list[str]:
    out = [] if program.leaf is None else [_describe_leaf(program.leaf, "Leaves")]
    for own in program.box_leaves:
        if isinstance(own.prior, LeafDeclaration):
            which = f"Leaves that lie inside the box {describe_box(own.box)}"
            out.append(_describe_leaf(own.prior, which))
    return out


def _describe_leaf(leaf: LeafDeclaration, which: str) -> str:
    args = ", ".join(map(number_text, leaf.args))
    if leaf.names:
        pairs = zip(leaf.names, map(number_text, leaf.args), strict=True)
        args = ", ".join(f"{name} = {number}" for name, number in pairs)
    if leaf.columns:
        line = f"{which} follow a line in {' and '.join(leaf.columns)}: {leaf.model}"
        given = f" with {args}" if args else ", with numbers taken from the response"
        return f"{line}{given}."
    listed = ", ".join(map(number_text, leaf.listed))
    given = ", ".join([args] * bool(args) + [f"[{listed}]"] * bool(listed))
    return f"{which} follow {leaf.model}({given})."


def _describe_columns(program: ir.CheckedProgram) -> list[str]:
    out = []
    if program.response is not None:
        seen = ""
        if program.event is not None:
            codes = program.event_codes
            told = "" if codes is None else f" is {joined(codes.seen, 'or')}"
            seen = f", a duration whose end was seen where {program.event}{told}"
        if program.exposure is not None:
            seen = f", a count whose rate is per unit of {program.exposure}"
        order = program.class_order
        ordered = "" if order is None else f", with classes in the order {' < '.join(order)}"
        out.append(f"The response is {program.response}{seen}{ordered}.")
    others = "Every other" if any(f.name and f.of_kind for f in program.features) else "Every"
    of_kind: dict[str, list[str]] = {"numeric": [], "categorical": []}
    for f in program.features:
        said = f.said.keys() - {"missing", "new", "splits", "density"}
        if f.density is not None:
            of = f"{number_text(f.density.mean)}, {number_text(f.density.sd)}"
            out.append(f"The thresholds of {f.name} have the density normal({of}).")
            continue
        if f.splits is not None:
            out.append(f"{f.name} {f.splits.words()}. A new level at a split {_way_of_new(f)}.")
        elif f.name and said == {"kind"}:
            of_kind[str(f.kind)].append(f.name)
        elif said or f.missing is None:
            out.append(_describe_feature(f, others))
        if f.missing is not None:
            ways = {"level": "is one more level", "side": "takes the side that the split says"}
            way = ways.get(f.missing, "is an error")
            if f.missing == "side" and f.new == "average":
                way += ", or both sides where no row of the table missed it"
            out.append(f"A missing value of {f.name or f'{others.lower()} feature'} {way}.")
    out += _describe_concepts(program)
    for kind, names in of_kind.items():
        if names:
            out.append(f"{joined(names)} {'is' if len(names) == 1 else 'are'} {kind}.")
    for d in program.definitions:
        lost = " Where it has no value, that is missing." * (d.formula.undefined == "missing")
        out.append(f"{d.name} is {d.formula.text}.{lost}")
    if program.ignored:
        out.append(f"Not used: {joined(program.ignored)}.")
    return out


def _describe_concepts(program: ir.CheckedProgram) -> list[str]:
    """The concepts of levels, each with what is right below it."""
    below: dict[str, list[str]] = {}
    for fact in program.is_a:
        below.setdefault(fact.concept, []).append(fact.name)
    told = [f"{concept} is {joined(names, 'or')}" for concept, names in below.items()]
    return [f"Splits of levels ask for concepts too: {'; '.join(told)}."] if told else []


def _describe_decisions(program: ir.CheckedProgram) -> list[str]:
    out = []
    if program.costs:
        costs = joined([f"{c.feature} {number_text(c.amount)}" for c in program.costs])
        out.append(f"A tree that asks a feature of a row costs, once for each: {costs}.")
    if program.losses:
        told = joined(
            [
                f"{number_text(x.amount)} to say {x.said} where {x.truth} is true"
                for x in program.losses
            ]
        )
        out.append(f"A decision costs {told}; else 1 where it is wrong, and 0 where it is right.")
    return out


def _way_of_new(f: ir.FeatureDeclaration) -> str:
    if f.new == "error":
        return "is an error"
    return "takes the side with more rows" if f.new == "larger" else "goes down both sides"


def _describe_feature(f: ir.FeatureDeclaration, others: str) -> str:
    """The declarations of a feature. `others` begins the sentence for features that are not
    named."""
    name = f.name or f"{others} numeric feature"
    if f.levels is not None:
        return f"{name} is ordinal, with levels in the order {' < '.join(f.levels)}."
    measured = "" if f.unit is None else f" is measured in {f.unit} and"
    ranged = "" if f.range is None else f" lies between {interval_text(*f.range, 'and')} and"
    signed = "" if f.decimal is None else " is written with a decimal comma and"
    name = f"{name}{measured}{ranged}{signed}"
    if f.coding is None:
        return f"{name} is {f.kind or 'numeric' if f.of_numbers else 'a feature'}."
    if isinstance(f.coding, ir.Bins):
        kind = "quantile bins" if f.coding.kind == "quantile" else "bins of equal width"
        return f"{name} is cut into {f.coding.count} {kind}."
    return f"{name} is cut at {joined(map(number_text, f.coding.cuts))}."


def term_text(term: Term) -> str:
    """A term on one line, as its author wrote it, or as Prolog text if it was not read from a
    file."""
    if term.span is not None:
        return " ".join(term.span.text.split())
    match term:
        case Atom(name) | Var(name):
            return name
        case Number(value):
            return number_text(value)
        case Text(value):
            return f'"{value}"'
        case Struct(name, args):
            return f"{name}({', '.join(term_text(a) for a in args)})"
