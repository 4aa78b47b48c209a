"""Features that formulas make of columns: `:- define(bmi, weight / (height/100)^2).`"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import DIRECTIVES, Declared, span_of
from slp.columns.formula import (
    FUNCTIONS,
    MOST_PARTS,
    DefinedFeature,
    Formula,
    Undefined,
    names_of,
    wrong_part,
)
from slp.errors import Related
from slp.messages import Wording
from slp.messages import definitions as words
from slp.messages.names import joined
from slp.syntax import term_to_text
from slp.terms import Atom, Number, Struct, Term, Var, list_items, subterms, with_args

_UNDEFINED: dict[Term, Undefined] = {
    Struct("undefined", (Atom(way),)): way for way in ("error", "missing")
}


def read_definitions(
    declared: Mapping[str, Declared], findings: Findings
) -> tuple[DefinedFeature, ...]:
    """The definitions, in their order. Faulty ones give findings and are left out, with those that
    are made of them."""
    sound = {name: d for name, d in declared.items() if _is_sound(name, d, findings)}
    try:
        graph = {name: set(names_of(d.args[0])) & sound.keys() for name, d in sound.items()}
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as e:
        _tell_circle(e.args[1], sound, findings)
        return ()
    found: dict[str, DefinedFeature] = {}
    for name in (n for n in order if n in sound):
        d = sound[name]
        names = names_of(d.args[0])
        if (declared.keys() - found.keys()) & set(names):
            continue  # one that it names has a finding of its own
        named = [found[n].formula for n in names if n in found]
        lost = any(formula.undefined == "missing" for formula in named)
        said = _UNDEFINED[(list_items(d.args[1]) or [])[0]] if len(d.args) > 1 else None
        if said == "error" and lost:
            findings.add(words.ERROR_OF_MISSING(d.span, name=name))
            continue
        term = _written_out(d.args[0], found)
        if term is None:
            findings.add(words.TOO_MANY_PARTS(d.span, name=name, most=MOST_PARTS))
            continue
        formula = Formula(term, said or ("missing" if lost else "error"))
        found[name] = DefinedFeature(name, formula, names, d.span)
    return tuple(found[name] for name in declared if name in found)


def _is_sound(name: str, d: Declared, findings: Findings) -> bool:
    """Whether a declaration is well-formed by itself; findings if not."""
    before = len(findings.in_order())
    part = wrong_part(d.args[0])
    if part is not None:
        findings.add(_told(part)(span_of(part, d.span), part=_text(part), known=_known()))
    elif not names_of(d.args[0]):
        findings.add(words.FORMULA_WITHOUT_COLUMN(d.span, name=name))
    for options in d.args[1:]:
        items = list_items(options)
        if items is None or len(items) != 1 or items[0] not in _UNDEFINED:
            usage = f"{DIRECTIVES['define'][1:-3]}, [undefined(missing)])."
            findings.add(words.NO_WAY_OF_UNDEFINED(span_of(options, d.span), usage=usage))
    return len(findings.in_order()) == before


def _told(part: Term) -> Wording:
    if isinstance(part, Var):
        return words.VARIABLE_IN_FORMULA
    return words.NO_NUMBER if isinstance(part, Number) else words.NO_ARITHMETIC


def _text(part: Term) -> str:
    return f"{part.name}/{len(part.args)}" if isinstance(part, Struct) else term_to_text(part)


def _known() -> str:
    return joined(f"`{name}`" for name in dict.fromkeys(name for name, _ in FUNCTIONS))


def _written_out(own: Term, known: Mapping[str, DefinedFeature]) -> Term | None:
    """A formula with the definitions that it names written out, None if it has too many parts."""
    inner = {n: known[n].formula.term for n in names_of(own) if n in known}
    sizes = {n: sum(1 for _ in subterms(term)) for n, term in inner.items()}
    parts = [sizes.get(t.name, 1) if isinstance(t, Atom) else 1 for t in subterms(own)]
    return _replaced(own, inner) if sum(parts) <= MOST_PARTS else None


def _replaced(term: Term, inner: Mapping[str, Term]) -> Term:
    if isinstance(term, Struct):
        return with_args(term, tuple(_replaced(a, inner) for a in term.args))
    return inner.get(term.name, term) if isinstance(term, Atom) else term


def _tell_circle(names: list[str], declared: Mapping[str, Declared], findings: Findings) -> None:
    """E181, at the first of the definitions; the names begin and end with the same one."""
    first, *others = sorted({*names}, key=lambda name: declared[name].span.start)
    related = [Related("and this", declared[name].span) for name in others]
    found = words.CIRCLE if others else words.OF_ITSELF
    findings.add(found(declared[first].span, related=related, names=_arrow(reversed(names))))


def _arrow(names: Iterable[str]) -> str:
    return " of ".join(f"`{name}`" for name in names)
