"""The tables of Python names in docs/api.md, made from signatures and docstrings.

`python tests/docs/python_page.py` writes them; a test asserts that the page has them. A table
follows a comment: `<!-- python: Tree -->` has the public names of a class, `functions`, `results`
and `errors` those of `slp` itself. A row has the signature, the first paragraph of the docstring,
and a link if `SEE` has one.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import slp
from slp.program.proof_questions import ProofQuestions
from slp.program.tree_questions import TreeQuestions
from slp.results.asking import Asking
from slp.results.contrasts import Contrast, OfDraws, RowQuantity, Uncertain
from slp.results.distributions import Distributions
from slp.results.leave_one_out import LeavesOut
from slp.results.predictions import Predictions
from slp.results.predictive import Predictive
from slp.results.querying import Querying
from slp.results.summaries import Summaries
from slp.results.tree_answers import Trees
from tests.docs.options_page import table_lines

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"

#: Classes with a table each, among them parts of `slp.Program` and `slp.Posterior`.
CLASSES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *(slp.Program, TreeQuestions, ProofQuestions),
        *(
            slp.Posterior,
            Trees,
            Predictions,
            Predictive,
            Distributions,
            Asking,
            Querying,
            Summaries,
            LeavesOut,
        ),
        *(RowQuantity, Contrast, Uncertain, OfDraws),
        *(slp.Tree, slp.TreeNode, slp.CheckResult, slp.AveragedTrees, slp.RepresentativeTree),
    )
}
#: Tables of names of `slp` itself, with their first heading.
GROUPS = {"functions": "function", "results": "class", "errors": "class"}

#: Where more is said about a name.
SEE = {
    "Asking.expected_cost": "decisions.md#what-a-prediction-costs",
    "Asking.explain": "decisions.md#what-one-row-is-asked",
    "Asking.proximity": "decisions.md#what-one-row-is-asked",
    "BudgetError": "exactness.md#when-the-budget-is-reached",
    "Comparison": "comparing.md",
    "CrossValidation": "comparing.md",
    "Draws": "queries.md",
    "LearnResult": "learning.md",
    "LeavesOut.loo": "comparing.md#leaving-each-row-out",
    "Limits": "queries.md",
    "Trees.representative_tree": "exports.md#one-tree-for-all-of-it",
    "Trees.average": "exports.md#an-average-of-trees",
    "Posterior.constraint_probability": "decisions.md"
    "#what-fails-and-how-probable-the-constraints-are",
    "Posterior.diagnostics": "sampling.md#diagnostics",
    "Posterior.edits": "priors.md#edits-of-a-given-tree-edittree",
    "Posterior.left_out": "exactness.md#how-deep-trees-are-followed",
    "Posterior.log_evidence": "priors.md#normalisation-and-evidence",
    "Posterior.no_bayes_factor": "comparing.md#when-there-is-no-bayes-factor",
    "Posterior.predicates": "predicates.md",
    "Trees.rashomon_set": "search.md",
    "Posterior.report": "report.md",
    "Posterior.save": "saving.md",
    "Posterior.say_doubt": "sampling.md#diagnostics",
    "Posterior.to_arviz": "sampling.md#diagnostics",
    "Predictions.decide": "decisions.md",
    "Distributions.restricted_mean": "survival.md",
    "Distributions.survival": "survival.md",
    "Predictive.contrast": "contrasts.md",
    "Predictive.predict_draws": "contrasts.md#draws-of-what-is-predicted",
    "Predictive.quantity": "survival.md#how-sure-it-is",
    "Predictions.predict": "data.md#the-median-of-durations",
    "Predictions.predict_interval": "#intervals-of-probabilities",
    "Program.expand": "language.md#what-slp-expand-prints",
    "Program.explain": "exactness.md#how-large-a-problem-is",
    "Program.learn": "learning.md",
    "Program.require": "predicates.md",
    "ProofQuestions.draw": "queries.md",
    "ProofQuestions.query": "queries.md",
    "ProofQuestions.sample_proofs": "proof-sampling.md",
    "Querying.query": "tree-goals.md",
    "QueryResult": "queries.md",
    "SLPTreeClassifier": "estimators.md",
    "SLPTreeRegressor": "estimators.md",
    "SampledProofs": "proof-sampling.md",
    "Summaries.importances": "modal.md",
    "Summaries.mixture": "priors.md#mixtures-and-which-rule-the-data-favour",
    "Tree.check": "#checking-trees",
    "Tree.from_dict": "#tree-as-json",
    "Tree.from_text": "exports.md#the-text-of-a-tree-read-back",
    "Tree.to_dict": "#tree-as-json",
    "Tree.to_python": "exports.md",
    "Tree.to_rules": "exports.md",
    "Tree.to_sklearn": "estimators.md#trees-of-scikit-learn",
    "Tree.to_sql": "exports.md",
    "Tree.to_text": "#what-a-leaf-shows",
    "TreeAnswers": "tree-goals.md",
    "Tuning": "comparing.md",
    "check": "#checking-trees",
    "compare": "comparing.md",
    "cv": "comparing.md",
    "load": "language.md#files-that-a-program-names",
    "load_posterior": "saving.md",
    "register_leaf_model": "data.md#leaf-models-of-ones-own",
    "tune": "comparing.md",
}

_TABLE = re.compile(r"(<!-- python: (\w+) -->\n)(?:\|.*\n)*")
#: An entry below the heading "Attributes" of a docstring: names, a colon, text on further lines.
_ATTRIBUTE = re.compile(r"^(\w+(?:, \w+)*) : (.+(?:\n +.+)*)", re.MULTILINE)


def with_tables(page: str) -> str:
    """The page with the tables that the docstrings give."""
    return _TABLE.sub(lambda match: match[1] + _table(match[2]), page)


def _table(name: str) -> str:
    heading = GROUPS.get(name) or f"`slp.{_owner(CLASSES[name])}`"
    rows = [(heading, "meaning"), ("---", "---")]
    rows += [(f"`{shown}`", text + _see(place)) for place, shown, text in rows_of(name)]
    return table_lines(rows)


def _owner(kind: type) -> str:
    """The public class that a class is, or is a part of."""
    public = (slp.Program, slp.Posterior, slp.RowQuantity, slp.Contrast)
    return next((owner for owner in public if issubclass(owner, kind)), kind).__name__


def _see(place: str) -> str:
    target = SEE.get(place)
    if target is None:
        return ""
    page, _, anchor = target.partition("#")
    heading = anchor.replace("-", " ").replace("json", "JSON")
    return f" See [{page or heading}]({target})."


def rows_of(table: str) -> Iterator[tuple[str, str, str]]:
    """The rows of a table: the key in `SEE`, the name as it is shown, and what is said of it."""
    if table not in CLASSES:
        for name in members_of_group(table):
            thing = getattr(slp, name)
            shown = f"slp.{name}" + (_arguments(thing) if inspect.isfunction(thing) else "")
            yield name, shown, first_paragraph(thing)
        return
    kind = CLASSES[table]
    members = members_of_class(kind)
    for names, text in attributes_of(kind):
        if left := [name for name in names if name not in members]:
            yield f"{table}.{left[0]}", "`, `".join(left), text
    for name, member in members.items():
        thing = member.__func__ if isinstance(member, classmethod) else member
        shown = name
        if inspect.isfunction(thing):
            shown += _arguments(thing, bound=True)
        yield f"{table}.{name}", shown, first_paragraph(thing)


def members_of_group(group: str) -> list[str]:
    """The names in `slp.__all__` that a group has a row for."""
    return [n for n in slp.__all__ if n not in CLASSES and _group(n) == group]


def _group(name: str) -> str | None:
    thing = getattr(slp, name)
    if inspect.isfunction(thing):
        return "functions"
    if not isinstance(thing, type):
        return None
    is_error = issubclass(thing, Exception) or thing is slp.Diagnostic
    return "errors" if is_error else "results"


def members_of_class(kind: type) -> dict[str, Any]:
    """The public methods and properties that a class defines itself, in their order."""
    kinds = (property, cached_property, classmethod)
    return {
        name: member
        for name, member in vars(kind).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, kinds))
    }


def names_of_class(kind: type) -> set[str]:
    """All names that the table of a class has."""
    listed = {name for names, _ in attributes_of(kind) for name in names}
    return listed | members_of_class(kind).keys()


def attributes_of(kind: type) -> list[tuple[list[str], str]]:
    """The attributes that the docstring of a class lists, with what it says of them."""
    _, _, text = inspect.getdoc(kind).partition("\nAttributes\n----------\n")  # type: ignore[union-attr]
    return [(match[1].split(", "), _sentence(match[2])) for match in _ATTRIBUTE.finditer(text)]


def first_paragraph(thing: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    doc = inspect.getdoc(thing)
    assert doc, f"{thing} has no docstring"
    return _sentence(doc.split("\n\n")[0])


def _sentence(text: str) -> str:
    """Text on one line, as a sentence."""
    text = " ".join(textwrap.dedent(text).split())
    return text[0].upper() + text[1:].removesuffix(".") + "."


def _arguments(function: Any, *, bound: bool = False) -> str:
    """The arguments of a function with their defaults, without types."""
    signature = inspect.signature(function)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    if bound:
        del parameters[0]
    for i, parameter in enumerate(parameters):
        if isinstance(parameter.default, slp.Limits):
            parameters[i] = parameter.replace(default=_Text("slp.Limits()"))
    short = signature.replace(parameters=parameters, return_annotation=signature.empty)
    return str(short).replace("'", '"')


class _Text(str):
    """A default as it is shown."""

    __repr__ = str.__str__


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
