"""What the posterior says: the summary, the evidence, the trees, the use of features."""

from __future__ import annotations

import math
from collections.abc import Iterator

from slp.errors import BudgetError, UnsupportedError, UsageError
from slp.leaves import label_text, rounded_text
from slp.messages.names import plural
from slp.report.html import Content, Html, details, facts, joined, listing, table, tag
from slp.report.tree_lists import legend, tree_list
from slp.results import (
    Candidate,
    FeatureUse,
    Posterior,
    bounds_in_words,
    derivations_note,
    error_note,
    estimate_text,
    evidence_text,
    number_of_trees_text,
    partition_note,
)
from slp.trees import SoftTree, Tree, in_sample_fit

#: Trees that are shown, and features that are listed.
SHOWN_TREES = 3
_SHOWN_FEATURES = 40
_SHOWN_USES = 3
#: Trees behind the first with more leaves than these are closed until the reader opens them.
_LEAVES_OPEN = 12
_GATES = (
    "The trees are soft: a row is sent to both sides of each question, with probabilities that add "
    "up to 1. They are equal where the value is the threshold; behind "
    "\N{PLUS-MINUS SIGN} stands how far from it they are 73 % and 27 %. So rows of groups are no "
    "whole numbers. Where a question is on a sum of all features, the feature with the largest "
    "weight is shown."
)


def trust(posterior: Posterior) -> tuple[bool, str]:
    """Whether the numbers can be used as they are, and why (not)."""
    if posterior.stacked is not None:
        return False, f"This is {posterior.stacked.words()}."
    found, grown, drawn = posterior.trust, posterior.trees_found, posterior.diagnostics
    if grown is not None:
        trees = "one tree" if grown == 1 else plural(grown, "tree")
        return False, f"These numbers are of {trees} that a search found, not of all trees."
    if drawn is None and posterior.parameters is not None:
        return True, f"The numbers are estimates without draws: {posterior.parameters.how}."
    if drawn is None:
        return True, "The numbers are exact: they are sums over all trees, no estimates."
    if found.standing == "not known":
        return False, f"Do not use these numbers: {found.faults[0]} how good they are."
    if found.standing == "not converged":
        return False, f"Do not use these numbers, not converged: {'; '.join(found.faults)}."
    return True, (
        f"The numbers are estimates from {plural(sum(drawn.draws), 'drawn tree')}. Checks of the "
        "draws found no problem. Each number has an error of estimation."
    )


def summary(posterior: Posterior) -> Html:
    """A summary for a reader who knows the subject, and not the method."""
    good, why = trust(posterior)
    box = tag("p", why, class_="good" if good else "bad", **({} if good else {"role": "note"}))
    return joined([box, *(tag("p", sentence) for sentence in _sentences(posterior))])


def _sentences(posterior: Posterior) -> Iterator[str]:
    if posterior.stacked is not None:
        for sentence in posterior.stacked.sentences():
            yield f"{sentence[0].upper()}{sentence[1:]}."
        return
    name, table_ = posterior.table.response, posterior.table
    rows = plural(table_.n_rows, "row")
    told = "after the data" if posterior.likelihood else "before the data: this is the prior"
    yield (
        f"A decision tree asks questions about {plural(len(table_.features), 'feature')} and "
        f"predicts {name} from the answers. This page says which trees are probable {told}. The "
        f"table has {rows}."
    )
    if posterior.trees_summed is not None:
        yield (
            f"A prediction adds up what {plural(posterior.trees_summed, 'tree')} say, so no tree "
            "is the best one."
        )
    else:
        yield from _best_sentences(posterior)
    yield from _use_sentences(posterior)
    yield from _cost_sentences(posterior)
    yield from _mass_sentences(posterior)
    if not posterior.likelihood:
        return
    yield (
        "A probability here is a degree of belief: it follows from the program and the table "
        "together. Another program gives other numbers."
    )


def _best_sentences(posterior: Posterior) -> Iterator[str]:
    """The best tree."""
    best, table_ = posterior.map(), posterior.table
    tree = best.tree
    groups = "puts all rows in one group" if tree.n_leaves == 1 else f"has {tree.n_leaves} groups"
    asked = sorted(set(tree.features))
    about = f" and asks about {_and(asked)}" if asked else ""
    yield f"The {_called(best)} {groups}{about}. {standing(best)}"
    if posterior.likelihood and isinstance(tree, Tree):
        for sentence in in_sample_fit(table_, tree):
            yield f"{sentence[0].upper()}{sentence[1:]}."


def shown_trees(posterior: Posterior) -> list[Candidate]:
    """The best trees; of a saved search the best one alone."""
    try:
        return posterior.k_best(SHOWN_TREES)
    except UnsupportedError:
        return [posterior.map()]


def _use_sentences(posterior: Posterior) -> Iterator[str]:
    try:
        uses = posterior.split_probabilities()
    except BudgetError as error:
        yield f"The use of features is not known: {error.diagnostics[0].message}."
        return
    if not any(use.probability for use in uses.values()):
        yield "No tree asks about a feature."
        return
    first = sorted(uses.items(), key=lambda item: -item[1].probability)[:_SHOWN_USES]
    told = [f"{name} ({_percent(use.probability)}{_prior_of(use)})" for name, use in first]
    yield f"The probability that a tree asks about a feature is highest for {_and(told)}."


def _prior_of(use: FeatureUse) -> str:
    """The prior's probability, to stand behind the posterior's."""
    if use.prior_probability is None:
        return ""
    return f"; before the data {_percent(use.prior_probability)}"


def _called(best: Candidate) -> str:
    if not best.certified:
        return "best tree that was found"
    several = best.derivation_log_joint is not None
    return "tree of the most probable derivation" if several else "most probable tree"


def standing(best: Candidate) -> str:
    """The probability of a tree, and whether a better one may exist, as sentences."""
    sentences = []
    if best.log_posterior is not None:
        sentences.append(f"Its probability among all trees is {math.exp(best.log_posterior):.4g}.")
    elif best.grown:
        sentences.append("Its probability is not known.")
    else:
        sentences.append("It was drawn; its probability is not known.")
    if not best.certified:
        sentences.append("There may be better trees.")
    return " ".join(sentences)


def _and(names: list[str]) -> str:
    shown = names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _percent(p: float) -> str:
    """A probability, rounded so that no certain-looking number is uncertain."""
    if 0 < p < 0.005:
        return "below 0.5 %"
    return "above 99.5 %" if 0.995 < p < 1 else f"{100 * p:.0f} %"


# --- evidence ----------------------------------------------------------------------------------


def evidence(posterior: Posterior) -> Html:
    """The log evidence, what kind of number it is, and what it is for."""
    if not posterior.likelihood:
        return tag("p", "This is the prior. It has no evidence, because it has seen no response.")
    told: list[tuple[Content, Content]] = []
    told.append((f"log P({posterior.table.response} | features)", evidence_text(posterior)))
    bounds = posterior.log_evidence_bounds
    if posterior.log_evidence_kind != "exact" and bounds is not None:
        told.append(("bounds", bounds_in_words(bounds)))
    if posterior.evidence_note is not None:
        told.append(("note", posterior.evidence_note))
    if posterior.parameters is not None:
        told += [(own.name, own.words()) for own in posterior.parameters.beliefs]
    use = (
        "Two programs for the same table and response can be compared by it: the one with the "
        "higher number explains the response better. A difference of 3 is a factor of 20."
    )
    if posterior.no_bayes_factor is not None:
        use = "It cannot be compared with that of another program; the note says why."
    return joined([facts(told), tag("p", use)])


# --- trees and features ------------------------------------------------------------------------


def trees(posterior: Posterior) -> Html:
    """The best trees as lists."""
    classes = posterior.table.leaf.classes
    explained = (
        "Begin at the top, answer each question, and go on at the answer. A group shows the class "
        "that is most probable in it, the probability with its 90 % interval, and the rows of that "
        "class of all its rows."
        if classes
        else "Begin at the top, answer each question, and go on at the answer. A group shows what "
        "is expected in it, with its 90 % interval, and its rows."
    )
    parts: list[Content] = [tag("p", explained), legend(classes)]
    if posterior._result.kind == "soft":
        parts.insert(1, tag("p", _GATES))
    if (note := derivations_note(posterior)) is not None:
        parts.append(tag("p", f"{note.capitalize()}."))
    if (note := partition_note(posterior)) is not None:
        parts.append(tag("p", f"{note.capitalize()}."))
    for i, found in enumerate(shown_trees(posterior), start=1):
        name = _called(found).capitalize() if i == 1 and found.certified else f"Tree {i}"
        size = f"{plural(found.tree.n_leaves, 'group')}. {standing(found)}"
        shown = tree_list(_to_show(found.tree), classes)
        if i > 1 and found.tree.n_leaves > _LEAVES_OPEN:
            shown = details("Show this tree", shown)
        parts += [tag("h3", name), tag("p", size), shown]
        parts += [tag("p", sentence) for sentence in _what_it_costs(posterior, found.tree)]
    try:
        count = posterior.tree_count()
    except BudgetError as error:
        parts += [
            tag("p", f"The number of trees is left out: {d.message}") for d in error.diagnostics
        ]
        return joined(parts)
    if count is not None:
        parts.append(
            tag("p", f"Trees of probability above 0 on this table: {number_of_trees_text(count)}.")
        )
    return joined(parts)


def _what_it_costs(posterior: Posterior, tree: Tree | SoftTree) -> Iterator[str]:
    """What a tree's decisions lose, and what its predictions cost, where that is declared."""
    if not isinstance(tree, Tree):
        return
    losses = posterior.loss_of_tree(tree)
    if losses is not None:
        yield f"Its decisions lose {losses:.4g} a row on average, as its groups expect."
    if posterior.record.costs:
        mean = posterior.cost_of_tree(tree).mean
        yield f"To ask what it asks costs {mean:.4g} a row on average."


def _cost_sentences(posterior: Posterior) -> Iterator[str]:
    """What predictions cost, averaged over trees."""
    if not posterior.record.costs or posterior._result.kind in ("soft", "additive"):
        return
    try:
        found = posterior.expected_cost()
    except (BudgetError, UsageError) as error:
        yield f"What predictions cost is not known: {error.diagnostics[0].message}."
        return
    shown = estimate_text(found.value, found.error, None, drawn=found.kind == "estimate")
    yield f"Averaged over trees and rows, to ask what a tree asks costs {_kept_together(shown)}."


def _mass_sentences(posterior: Posterior) -> Iterator[str]:
    """How much of the prior fails, and how probable the constraints are."""
    fails, holds = posterior.failing_mass, posterior.constraint_probability
    if fails is not None:
        yield f"A derivation of the program fails with probability {fails:.4g}."
    if holds is not None:
        drawn = "" if holds.kind == "exact" else f", with a standard error of {holds.error:.2g}"
        yield (
            "A tree of the program without its constraints satisfies them with probability "
            f"{holds.value:.4g}{drawn}."
        )


def _to_show(tree: Tree | SoftTree) -> Tree:
    return tree.as_tree() if isinstance(tree, SoftTree) else tree


def features(posterior: Posterior) -> Html:
    """How probable it is that a tree asks about each feature."""
    try:
        uses = posterior.split_probabilities()
    except BudgetError as error:
        return listing(f"{d.message}; {d.help}" for d in error.diagnostics)
    found, drawn = posterior.diagnostics, posterior.uses_are_drawn

    def number(value: float, error: float) -> str:
        return _kept_together(estimate_text(value, error, found, drawn=drawn))

    rows = sorted(uses.items(), key=lambda item: -item[1].probability)
    beside = posterior.prior_uses_kind is not None
    shown = [
        (
            name,
            number(use.probability, use.probability_error),
            *([_prior_number(use)] if beside else []),
            number(use.expected_splits, use.expected_splits_error),
        )
        for name, use in rows[:_SHOWN_FEATURES]
    ]
    under = ("the same under the prior",) if beside else ()
    heads = ("feature", "P(a tree splits on it)", *under, "expected splits")
    stands = f"The prior's probabilities are {posterior.prior_uses_note}."
    more = len(rows) - len(shown)
    note = error_note(found, drawn=drawn).replace("+-", "\N{PLUS-MINUS SIGN}")
    leaves = number(posterior.expected_leaves(), posterior.expected_leaves_error())
    return joined(
        [
            table(f"How often trees use each feature{note}", heads, shown),
            tag("p", f"{plural(more, 'feature')} more are used less." if more else ""),
            tag("p", stands if posterior.likelihood else ""),
            tag("p", f"Expected number of groups (leaves): {leaves}."),
        ]
    )


def _prior_number(use: FeatureUse) -> str:
    value, error = use.prior_probability, use.prior_probability_error
    return (
        ""
        if value is None
        else _kept_together(estimate_text(value, error, None, drawn=bool(error)))
    )


def _kept_together(number: str) -> str:
    """A number and its error, which no line break parts."""
    return number.replace("+-", "\N{PLUS-MINUS SIGN}").replace(" ", "\N{NO-BREAK SPACE}")


def classes_text(posterior: Posterior) -> str:
    """The classes, with their rows where the table still has them, or the leaf model of numbers."""
    table_ = posterior.table
    if not table_.leaf.classes:
        return f"numbers; leaves follow {rounded_text(table_.leaf.describe())}"
    try:
        total = table_.statistics.sum(axis=0)
    except UnsupportedError as error:  # a run that was saved without its table
        names = ", ".join(map(label_text, table_.leaf.classes))
        return f"{names}; how many rows each has is not known ({error.diagnostics[0].code})"
    pairs = zip(table_.leaf.classes, total, strict=False)  # behind them may be a prior
    return ", ".join(f"{label_text(c)} ({n:.10g} rows)" for c, n in pairs)
