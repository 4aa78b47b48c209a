"""The ground nonterminals that a program reaches from its start, without a table.

States are explored in layers. Layer k has the states that are reached with k splits; breadth-first
search follows rules that call another nonterminal for the same box. Exploration stops after about
`MOST_STATES` states, or if proofs take long. Then, and where children depend on the split, the
result is not `complete`, and unreached states are unknown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from slp.analysis.findings import Findings
from slp.analysis.sources.parameters import names_in
from slp.budgets.seconds import check_time
from slp.errors import Related, SlpError
from slp.ir.names import named_features
from slp.ir.program import CallBody, CheckedProgram, SplitBody, TreeRule
from slp.ir.schema import ANY_FEATURE, MOST_LEAVES
from slp.messages.derivations import ENDLESS_STATES
from slp.messages.places import in_state
from slp.resolution import STATE_LIMITS, Meter, RuleInstance, StateRules, threshold_outcomes
from slp.resolution.machine.faults import NeedsPrologError
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Atom, Term, subterms

_NO_SETTINGS: Mapping[str, SourceSpan] = MappingProxyType({})

#: Number of states after which the exploration stops.
MOST_STATES = 300

#: Largest number of states that those of one layer reach without a split,
_MOST_CALLED = 1000
#: and largest growth of a state's terms (number of parts) on the way.
_MOST_GROWTH = 300

#: Number of inferences after which the exploration stops (those of one state: `STATE_LIMITS`).
_MOST_INFERENCES = 500_000

#: Weight of an inference at a threshold in this count: queries there are short.
_WEIGHT_AT_THRESHOLDS = 4

#: Number of features that are tried where children depend on the split.
_MOST_FEATURES = 30

_LEAF = Atom("leaf")


@dataclass
class StateSpace:
    """States with their rule instances, in the order in which they were reached.

    `instances[s]` is None if proofs failed with an error, which was reported. `calls[s]` are the
    states that instances of `s` reach without a split, each with the rule. `origin[s]` is the rule
    that first led to `s`, None for the start. `unbounded` tells that the exploration met an endless
    path of calls without splits, which was reported.
    """

    instances: dict[Term, list[RuleInstance] | None] = field(default_factory=dict)
    calls: dict[Term, list[tuple[Term, TreeRule]]] = field(default_factory=dict)
    origin: dict[Term, TreeRule | None] = field(default_factory=dict)
    complete: bool = True
    unbounded: bool = False


def explore(
    program: CheckedProgram,
    states: StateRules,
    findings: Findings,
    settings: Mapping[str, SourceSpan] = _NO_SETTINGS,
) -> StateSpace:
    """The states reachable from the program's start. `settings` are the places where `use` gives
    values to parameters, for messages."""
    explorer = _Explorer(program, states, findings, settings)
    if program.start is not None:
        layer = [states.state(program.start)]
        explorer.space.origin[layer[0]] = None
        while layer and explorer.goes_on:
            layer = explorer.layer(layer)
        explorer.space.complete &= not layer
    return explorer.space


class _Explorer:
    def __init__(
        self,
        program: CheckedProgram,
        states: StateRules,
        findings: Findings,
        settings: Mapping[str, SourceSpan],
    ) -> None:
        self.program = program
        self.settings = settings
        self.states = states
        self.findings = findings
        self.space = StateSpace()
        self.blamed: set[tuple[str, int]] = set()
        self.inferences = 0
        self.features = _possible_features(program)

    @property
    def goes_on(self) -> bool:
        """Whether there is time for another layer."""
        in_time = self.inferences < _MOST_INFERENCES and len(self.space.instances) < MOST_STATES
        return in_time and not self.space.unbounded

    def layer(self, first: list[Term]) -> list[Term]:
        """Explore states and all that they reach without a split. Returns the states that one split
        reaches."""
        seen = self.space.instances
        waiting = deque(dict.fromkeys(first))
        below: dict[Term, None] = {}
        called = 0
        largest = _MOST_GROWTH + max((_parts(state) for state in waiting), default=0)
        while waiting:
            state = waiting.popleft()
            if state in seen:
                continue
            if self.inferences >= _MOST_INFERENCES or len(seen) >= MOST_STATES + _MOST_CALLED:
                self.space.complete = False
                return []
            self.look_at(state)
            for child, rule in self.space.calls[state]:
                if child not in seen:
                    self.space.origin.setdefault(child, rule)
                    waiting.append(child)
                    called += 1
                    if called > _MOST_CALLED or _parts(child) > largest:
                        self.endless(child, rule)
                        return []
            below |= dict.fromkeys(self.children(state))
        return [s for s in below if s not in seen]

    def look_at(self, state: Term) -> None:
        """Find the instances of a state, and the states that it calls."""
        check_time("checking the program")
        self.space.calls[state] = []
        meter = Meter(STATE_LIMITS)
        try:
            instances = self.states.instances(state, meter)
            calls = [(i.body.goal, i.rule) for i in instances if isinstance(i.body, CallBody)]
            for goal, rule in calls:
                child = self.states.state(goal)
                self.space.calls[state].append((child, rule))
            self.space.instances[state] = instances
        except SlpError as e:
            if not isinstance(e, NeedsPrologError):  # that error is no fault of the program
                self.blame(e, state)
            self.space.instances[state] = None
            self.space.complete = False
        self.inferences += meter.inferences

    def blame(self, error: SlpError, state: Term) -> None:
        """Add the findings of proofs, each place once and not for every state."""
        for d in error.diagnostics:
            key = (d.code, d.span.start if d.span else -1)
            if key not in self.blamed:
                self.blamed.add(key)
                d = replace(d, related=(*d.related, *self.set_by_use(d.span)))
                self.findings.add(in_state(d, state_text(state)))

    def set_by_use(self, label: SourceSpan | None) -> list[Related]:
        """Where `use` sets parameters of the label at this place."""
        rule = next((r for r in self.program.rules if label and r.label.span == label), None)
        names = sorted(names_in(rule.label) & self.settings.keys()) if rule is not None else ()
        return [Related(f"`{name}` is set here", self.settings[name]) for name in names]

    def children(self, state: Term) -> Iterator[Term]:
        """States that one split leads to."""
        for instance in self.space.instances[state] or ():
            if self.inferences >= _MOST_INFERENCES:
                self.space.complete = False
                return
            for child in self.children_of(instance):
                if child != _LEAF:
                    self.space.origin.setdefault(child, instance.rule)
                    yield child

    def children_of(self, instance: RuleInstance) -> Iterator[Term]:
        body = instance.body
        if not isinstance(body, SplitBody):
            return
        if not instance.depends_on_split:
            yield self.states.state(body.left)
            yield self.states.state(body.right)
            return
        # Only a table tells which features there are and which are numeric. The features that the
        # program names are tried as numeric ones. A guard that then fails may be meant for levels.
        self.space.complete = False
        for feature in self.features:
            meter = Meter(STATE_LIMITS)
            try:
                names = self.states.level_numbers.get(feature, {})
                database = self.states.database
                found = threshold_outcomes(database, instance, feature, None, meter, names)
            except SlpError:
                continue
            finally:
                self.inferences += _WEIGHT_AT_THRESHOLDS * meter.inferences
            for outcome in found.outcomes if found is not None else ():
                yield from outcome or ()

    def endless(self, state: Term, rule: TreeRule) -> None:
        self.space.unbounded = True
        self.findings.add(
            ENDLESS_STATES(rule.span, state=state_text(state), most_leaves=MOST_LEAVES)
        )


def _possible_features(program: CheckedProgram) -> list[str]:
    """Names that may be features: those used as features, those in guards and facts, and one other
    name."""
    names = dict.fromkeys(name for name, _ in named_features(program))
    for rule in program.rules:
        if isinstance(rule.body, SplitBody):
            for guard in rule.body.after:
                names |= dict.fromkeys(sorted(names_in(guard)))
    for clause in program.clauses:
        if len(names) >= _MOST_FEATURES:
            break
        names |= dict.fromkeys(sorted(names_in(clause.head)))
    return [*list(names)[:_MOST_FEATURES], ANY_FEATURE]


def _parts(term: Term) -> int:
    """Number of atoms, numbers, variables and functors in a term."""
    return sum(1 for _ in subterms(term))


def state_text(state: Term) -> str:
    """A state for a message, shortened if it is long."""
    text = term_to_text(state)
    return f"`{text}`" if len(text) <= 40 else f"`{text[:37]}...`"
