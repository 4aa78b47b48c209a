"""The declarations of a feature: its kind, cuts, unit and range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import DIRECTIVES, Declared, code_text, name_of, span_of
from slp.analysis.sources.parameters import Values
from slp.columns import declared, numbers_in
from slp.ir.program import Bins, Cuts, FeatureDeclaration, LevelSplits
from slp.messages import Wording
from slp.messages import directives as words
from slp.messages.numbers import number_text
from slp.source import SourceSpan
from slp.terms import Atom, Struct, Term, functor, list_items

#: What a declaration must not say twice, and the message for it.
_TWICE = {
    "kind": words.TWO_TYPES,
    "coding": words.CUT_TWICE,
    "unit": words.TWO_UNITS,
    "range": words.TWO_RANGES,
    "decimal": words.TWO_DECIMALS,
    "missing": words.TWO_MISSING,
    "new": words.TWO_WAYS_OF_NEW,
    "splits": words.TWO_SUBSETS,
}


def read_order(
    term: Term, wording: Wording, span: SourceSpan, findings: Findings
) -> tuple[str, ...] | None:
    """The names in `ordinal([...])`, at least two and each once, as text. None, and a finding (in
    this wording for the list), for anything else."""
    assert isinstance(term, Struct)
    items = list_items(term.args[0]) or []
    names = [code_text(t, "a class or level", span, findings) for t in items]
    if len(items) < 2 or len(set(names)) < len(names):
        findings.add(wording(span_of(term, span), usage=DIRECTIVES["response"]))
        return None
    found = tuple(n for n in names if n is not None)
    return found if len(found) == len(names) else None


class FeatureReader:
    """Reads the directives `feature`."""

    def __init__(self, values: Values, findings: Findings) -> None:
        self.values = values
        self.findings = findings

    def declaration(self, name: str | None, d: Declared) -> FeatureDeclaration | None:
        """The declarations for a feature, or for all (None). Faults give findings, and None."""
        items = list_items(d.args[0])
        if items is None:
            self.findings.add(words.NO_FEATURE_LIST(span_of(d.args[0], d.span)))
            return None
        before = len(self.findings.in_order())
        said: dict[str, Any] = {}
        for item in items:
            part, value = self._part(item, d)
            if part in said:
                self._clash(_TWICE[part], name, item, d)
            said[part] = value
        for wording in declared.clashes(name, said):
            self._clash(wording, name, d.args[0], d)
        if len(self.findings.in_order()) > before:
            return None
        kind = said.get("kind")
        levels = kind if isinstance(kind, tuple) else None
        return FeatureDeclaration(
            name,
            declared.kind_said(said) if levels is None else "ordinal",
            said.get("coding"),
            levels,
            said.get("unit"),
            said.get("range"),
            said.get("missing"),
            said.get("new"),
            said.get("decimal"),
            said.get("splits"),
            d.span,
        )

    def _part(self, item: Term, d: Declared) -> tuple[str, Any]:
        """What an item of the list declares, and its value; an order of levels as their tuple."""
        if isinstance(item, Atom) and item.name in ("numeric", "categorical"):
            return "kind", item.name
        match functor(item):
            case ("ordinal", 1):
                return "kind", self._levels(item, d)
            case ("unit", 1):
                assert isinstance(item, Struct)
                return "unit", name_of(item.args[0], "a unit", d.span, self.findings)
            case ("range", 2):
                return "range", self._range(item, d)
            case ("decimal", 1):
                assert isinstance(item, Struct)
                return "decimal", self._decimal(item, d)
            case ("missing", 1):
                assert isinstance(item, Struct)
                return "missing", self._missing(item, d)
            case (declared.SPLITS, 0 | 1):
                return "splits", self._splits(item, d)
            case ("new", 1):
                assert isinstance(item, Struct)
                return "new", self._new(item, d)
        return "coding", self._coding(item, d)

    def _levels(self, item: Term, d: Declared) -> tuple[str, ...] | None:
        """The levels of an ordinal feature; numbers must increase."""
        found = read_order(item, words.NO_ORDER_OF_LEVELS, d.span, self.findings)
        numbers = None if found is None else numbers_in(found)
        if numbers is not None and any(a >= b for a, b in zip(numbers, numbers[1:], strict=False)):
            self.findings.add(words.LEVELS_DO_NOT_RISE(span_of(item, d.span)))
            return None
        return found

    def _range(self, item: Term, d: Declared) -> tuple[float, float] | None:
        assert isinstance(item, Struct)
        low, high = (self.values.number(t, "an end of the range", d.span) for t in item.args)
        if low is None or high is None:
            return None
        if not low < high:
            self.findings.add(words.EMPTY_RANGE(span_of(item, d.span), low=low, high=high))
            return None
        return low, high

    def _decimal(self, item: Struct, d: Declared) -> str | None:
        if item.args[0] == Atom("comma"):
            return "comma"
        self.findings.add(words.NO_DECIMAL_SIGN(span_of(item, d.span)))
        return None

    def _missing(self, item: Struct, d: Declared) -> str | None:
        how = item.args[0]
        if isinstance(how, Atom) and how.name in ("error", "level", "side"):
            return how.name
        self.findings.add(words.NO_WAY_OF_MISSING(span_of(item, d.span)))
        return None

    def _new(self, item: Struct, d: Declared) -> str | None:
        how = item.args[0]
        if isinstance(how, Atom) and how.name in ("error", "average", "larger"):
            return how.name
        self.findings.add(words.NO_WAY_OF_NEW(span_of(item, d.span)))
        return None

    def _splits(self, item: Term, d: Declared) -> LevelSplits | None:
        """How levels are split, by a name or the most levels in brackets."""
        if not isinstance(item, Struct):
            return declared.splits_up_to()
        argument = item.args[0]
        if isinstance(argument, Atom) and argument.name in declared.NAMED_SPLITS:
            return declared.NAMED_SPLITS[argument.name]
        if isinstance(argument, Atom) and argument.name not in self.values.parameters:
            self.findings.add(words.NO_LIMIT_OF_SUBSETS(span_of(item, d.span)))
            return None
        most = self.values.whole(argument, "the number of levels", d.span, 2)
        if most is None:
            return None
        found = declared.splits_up_to(most)
        if found is None:
            self.findings.add(words.NO_LIMIT_OF_SUBSETS(span_of(item, d.span)))
        return found

    def _clash(self, wording: Wording, name: str | None, term: Term, d: Declared) -> None:
        feature = "every feature (`_`)" if name is None else f"`{name}`"
        self.findings.add(wording(span_of(term, d.span), feature=feature))

    def _coding(self, item: Term, d: Declared) -> Cuts | Bins | None:
        key = functor(item)
        readers: dict[tuple[str, int], Callable[[Struct, Declared], Cuts | Bins | None]] = {
            ("cuts", 1): self._cuts,
            ("bins", 2): self._bins,
        }
        if isinstance(item, Struct) and key in readers:
            return readers[key](item, d)
        wording = words.NO_FEATURE_DECLARATION if key else words.DECLARATION_NOT_NAMED
        self.findings.add(wording(span_of(item, d.span), name=key[0] if key else ""))
        return None

    def _cuts(self, item: Struct, d: Declared) -> Cuts | None:
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

    def _bins(self, item: Struct, d: Declared) -> Bins | None:
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
    finite = sorted(n for n in set(numbers) if abs(n) != float("inf"))
    return f"[{', '.join(map(number_text, finite))}]"
