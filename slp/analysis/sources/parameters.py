"""Values of the parameters. `use` directives override defaults, and callers override both.

A value is arithmetic over numbers and other parameters, such as `:- param(beta, 2 * alpha).`. The
declarations may have any order. In place of a value may stand a prior, `beta(2, 1)`: the value is
then not known, and the prior's mean stands for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeGuard

from slp.analysis.findings import Findings
from slp.analysis.sources.directives import Declared, Directives
from slp.analysis.sources.files import Use
from slp.errors import Related, SlpError
from slp.ir.parameter_priors import DISTRIBUTIONS, ParameterPrior
from slp.ir.schema import MOST_LEAVES
from slp.messages import directives as words
from slp.messages import unknown_parameters as unknown_words
from slp.messages.names import name_help
from slp.resolution import evaluate
from slp.source import SourceSpan
from slp.syntax.ast import Directive
from slp.terms import Atom, Struct, Term, functor, subterms

#: The numbers of a prior lie between these: the nodes of its rules are computed to many digits.
_LEAST, _MOST = 0.01, 1000.0


class Values:
    """Evaluates the arithmetic in directives and facts, and reports faults in it."""

    def __init__(self, parameters: Mapping[str, float], findings: Findings) -> None:
        self.parameters = parameters
        self.findings = findings

    def number(self, term: Term, what: str, span: SourceSpan) -> float | None:
        """Value of a term, infinities allowed. None, and a finding, if it has none."""
        try:
            value = float(evaluate(term, self.parameters))
        except SlpError as e:
            self.findings.take(e)
            return None
        except OverflowError:
            value = math.inf
        if math.isnan(value):
            self.findings.add(words.NOT_A_NUMBER(term.span or span, what=what))
            return None
        return value

    def positive(self, term: Term, what: str, span: SourceSpan) -> float | None:
        """A finite number above 0. None, and a finding, for anything else."""
        value = self.number(term, what, span)
        if value is not None and not 0 < value < math.inf:
            self.findings.add(words.NOT_POSITIVE(term.span or span, what=what, value=value))
            return None
        return value

    def amount(self, term: Term, what: str, span: SourceSpan) -> float | None:
        """A finite number of at least 0. None, and a finding, for anything else."""
        value = self.number(term, what, span)
        if value is not None and not 0 <= value < math.inf:
            self.findings.add(words.NOT_AN_AMOUNT(term.span or span, what=what, value=value))
            return None
        return value

    def whole(self, term: Term, what: str, span: SourceSpan, least: int) -> int | None:
        """An integer of at least `least`. None, and a finding, for anything else."""
        value = self.number(term, what, span)
        if value is None:
            return None
        if not math.isfinite(value) or value != int(value) or value < least:
            self.findings.add(
                words.NOT_WHOLE(term.span or span, what=what, value=value, least=least)
            )
            return None
        return int(value)


def names_in(term: Term) -> set[str]:
    """Names of the constants and functors in a term."""
    return {t.name for t in subterms(term) if type(t) is Atom or type(t) is Struct}


def names_of_value(term: Term) -> set[str]:
    """The same of a parameter's value, without the name of a prior."""
    return set[str]().union(*map(names_in, term.args)) if _is_prior(term) else names_in(term)


def _is_prior(term: Term) -> TypeGuard[Struct]:
    return functor(term) in {(name, 2) for name in DISTRIBUTIONS}


def resolve_parameters(
    directives: Directives, uses: Iterable[Use], given: Mapping[str, float], findings: Findings
) -> dict[str, float]:
    """The value of every declared parameter, of one that has a prior its mean. A faulty one gives a
    finding and has the value 1."""
    return read_parameters(directives, uses, given, findings)[0]


def read_parameters(
    directives: Directives, uses: Iterable[Use], given: Mapping[str, float], findings: Findings
) -> tuple[dict[str, float], dict[str, ParameterPrior]]:
    """The same, and the priors of those that have no value."""
    declared = directives.of("param")
    for use in uses:
        _apply_overrides(use, declared, findings)
    fixed = _checked_given(given, declared, findings)
    priors: dict[str, ParameterPrior] = {}
    return _evaluate_all(declared, fixed, priors, findings), priors


def _apply_overrides(use: Use, declared: dict[str, Declared], findings: Findings) -> None:
    theirs = {
        p.item.goal.args[0].name
        for p in use.items
        if isinstance(p.item, Directive)
        and functor(p.item.goal) == ("param", 2)
        and isinstance(p.item.goal, Struct)
        and isinstance(p.item.goal.args[0], Atom)
    }
    for override in use.overrides:
        name = override.name
        if name not in theirs or name not in declared:
            if not use.whole:
                continue  # a file that could not be read may declare it
            help = name_help(name, theirs, "parameter")
            findings.add(
                words.NO_PARAMETER_OF(override.span, program=use.target, name=name, help=help)
            )
        elif declared[name].depth == use.depth:
            first = Related("first given here", declared[name].span)
            findings.add(words.PARAMETER_GIVEN_TWICE(override.span, related=[first], name=name))
        elif declared[name].depth > use.depth:
            declared[name] = Declared((override.value,), override.span, use.depth)


def _checked_given(
    given: Mapping[str, float], declared: Mapping[str, Declared], findings: Findings
) -> dict[str, float]:
    """The caller's values that name a parameter and are finite numbers."""
    out: dict[str, float] = {}
    for name, value in given.items():
        if name not in declared:
            help = name_help(name, declared, "parameter")
            wording = words.MOST_LEAVES_GIVEN if name == MOST_LEAVES else words.NO_PARAMETER
            findings.add(wording(name=name, help=help))
        elif isinstance(value, bool) or not _is_finite(value):
            findings.add(words.PARAMETER_NOT_FINITE(name=name, value=repr(value)))
        else:
            out[name] = value if isinstance(value, int) else float(value)
    return out


def _is_finite(value: object) -> bool:
    try:
        return math.isfinite(value)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False


def _evaluate_all(
    declared: Mapping[str, Declared],
    fixed: Mapping[str, float],
    priors: dict[str, ParameterPrior],
    findings: Findings,
) -> dict[str, float]:
    """Evaluate each default when the parameters that it contains have their values. A prior is
    added to `priors`."""
    done: dict[str, float] = dict(fixed)
    waiting = {name: d for name, d in declared.items() if name not in done}
    while waiting:
        ready = [n for n, d in waiting.items() if not (names_of_value(d.args[0]) & waiting.keys())]
        if not ready:
            break
        for name in ready:
            own = waiting.pop(name)
            if (unknown := names_of_value(own.args[0]) & priors.keys()) != set():
                of = min(unknown)
                findings.add(unknown_words.COMPUTED_OF_UNKNOWN(own.span, name=name, of=of))
            if not _is_prior(own.args[0]):
                done[name] = _value(name, own.args[0], own.span, done, findings)
                continue
            prior = _prior(name, own.args[0], own.span, done, findings)
            done[name] = 1.0 if prior is None else prior.mean
            if prior is not None:
                priors[name] = prior
    for name, d in waiting.items():
        findings.add(words.CIRCULAR_PARAMETER(d.span, name=name))
        done[name] = 1.0
    return {name: done[name] for name in declared}


def _value(
    name: str, term: Term, span: SourceSpan, known: Mapping[str, float], findings: Findings
) -> float:
    try:
        value = evaluate(term, known)
    except SlpError as e:
        findings.take(e)
        return 1.0
    if not _is_finite(value):
        findings.add(words.PARAMETER_NOT_FINITE(span, name=name, value=value))
        return 1.0
    return value


def _prior(
    name: str, term: Struct, span: SourceSpan, known: Mapping[str, float], findings: Findings
) -> ParameterPrior | None:
    a, b = (_value(name, arg, span, known, findings) for arg in term.args)
    distribution = next(own for own in DISTRIBUTIONS if own == term.name)
    if _LEAST <= min(a, b) and max(a, b) <= _MOST:
        return ParameterPrior(distribution, float(a), float(b), span)
    findings.add(unknown_words.NO_PRIOR(span, name=name, least=_LEAST, most=_MOST))
    return None
