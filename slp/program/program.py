"""`Program`, the object that `slp.load` returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slp.analysis import expand_on_table, expand_program
from slp.budgets import Deadline
from slp.compile import compile_problem, compile_with_states
from slp.constraints.predicate import required
from slp.engines.exact.algorithm import algorithm_in_words
from slp.engines.shared.size import estimate_size
from slp.errors import Diagnostic, NoGrammarError
from slp.ir import program as ir
from slp.ir.constraints import Constraint
from slp.ir.words import describe_prior
from slp.late import late_import, optional_module
from slp.lower import explain_program
from slp.problem.core import MOST_COUNTS, counts_fit
from slp.problem.problem import Problem
from slp.problem.uncertain import refuse_uncertain
from slp.program.progress import Progress, shown_progress
from slp.program.proof_questions import ProofQuestions
from slp.program.tree_questions import TreeQuestions
from slp.resolution import DEFAULT_LIMITS, Limits, StateRules
from slp.source import SourceFile
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.program.learning import LearnResult


class Program(TreeQuestions, ProofQuestions):
    """A checked stochastic logic program over decision trees.

    Attributes
    ----------
    ir : the program as frozen data (`slp.ir.program.CheckedProgram`).
    source : the file that it was read from, as it was read; see `text`.
    warnings : the warnings of the checker.
    """

    def __init__(
        self,
        source: SourceFile,
        parameters: Mapping[str, float] | None = None,
        tree: Tree | None = None,
    ) -> None:
        self.source = source
        self._tree = tree
        self.ir: ir.CheckedProgram
        #: What checking has evaluated, which a table need not do again.
        self._known: StateRules | None
        self.ir, self._known = compile_with_states(source, parameters, tree)
        self._required: tuple[Constraint, ...] = ()

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings of the checker."""
        return self.ir.warnings

    @property
    def parameters(self) -> dict[str, float]:
        """The values of the parameters, by name, without those that have a prior."""
        return self.ir.known_parameters

    @property
    def parameter_priors(self) -> dict[str, str]:
        """The priors of the parameters whose values are not known, by name: `beta(2, 1)`."""
        return {name: str(prior) for name, prior in self.ir.unknown.items()}

    @property
    def feature_weights_prior(self) -> str | None:
        """The prior of feature weights that are not known: `dirichlet(1)`; None where they are."""
        return None if self.ir.weights_prior is None else str(self.ir.weights_prior)

    @property
    def text(self) -> str:
        """The program as text: that of `source`, with the values of `parameters` in place of those
        in the file, so read beside the same files it is this program again. Where Python gave the
        tree of `edittree`, it is `expand()`, which has the tree. Functions of `require` are not in
        it."""
        if self._tree is not None:
            return self.expand()
        file: SourceFile = late_import("slp.learn.text").with_values(self.source, self.parameters)
        return file.text

    def with_parameters(self, **parameters: float) -> Program:
        """The same program with other values of parameters. Parameters that are not named have the
        values of the file.

        Raises
        ------
        ProgramError
            A name that the program does not declare, or a value that makes its labels invalid.
        """
        return Program(self.source, parameters, self._tree)._with(self._required)

    def with_max_depth(self, depth: int) -> Program:
        """The same program with `support(max_depth(depth))` in its `text`: no leaf has more than
        `depth` splits above it. A program that allows no more is itself. The values of its
        parameters are those of the new file.

        Raises
        ------
        ProgramError
            E109: `depth` is no whole number from 0 up.
        """
        own = self.ir.support.max_depth
        if own is not None and isinstance(depth, int) and own <= depth:
            return self
        texts = late_import("slp.learn.text")
        source = texts.with_max_depth(texts.with_values(self.source, self.parameters), depth)
        return Program(source, {}, self._tree)._with(self._required)

    def require(self, function: Callable[[Any], bool], local: bool = False) -> Program:
        """A new program with one more constraint: a function that returns True for allowed trees.
        It gets each finished `slp.Tree` or, if it is `local`, each `slp.TreeNode`.

        It must return the same value for the same tree or node.

        Raises
        ------
        UsageError
            E655: `function` cannot be called.
        """
        return self._with((required(function, local),))

    def _with(self, required: tuple[Constraint, ...]) -> Program:
        ir = replace(self.ir, constraints=(*self.ir.constraints, *required))
        made = self._with_ir(ir)
        made._required = (*self._required, *required)
        return made

    def _with_ir(self, ir: ir.CheckedProgram) -> Program:
        """The program with other data, which its text does not say."""
        made = copy(self)
        made.ir = ir
        return made

    def describe(self, *, fine_print: bool = True) -> str:
        """The program's meaning in words, one sentence per line. Without `fine_print` the text
        omits what happens if a rule or a split does not apply."""
        return "\n".join(describe_prior(self.ir, fine_print=fine_print))

    def expand(self, X: Any = None, y: Any = None) -> str:
        """The tree rules as ordinary clauses. With a table the text is a program that can be
        queried. Programs with constraints are refused (E163).

        `X`, `y` are as for `posterior`. The proofs of `prior(Tree)` are the derivations of trees on
        the table.
        """
        if X is None:
            return expand_program(self.ir)
        refuse_uncertain(self.ir, "a program on a table")
        return expand_on_table(self.ir, self._problem(X, y, finite=False).table)

    def compile(self, X: Any, y: Any = None) -> Problem:
        """The problem that every engine of hard trees is given: `program`, `table`, `grammar`,
        `unsummable` (why no exact engine accepts it), `boxes` and `warnings`. `X` and `y` are as
        for `posterior`."""
        return self._problem(X, y)

    def _problem(self, X: Any, y: Any, *, finite: bool = True) -> Problem:
        return compile_problem(self.ir, X, y, known=self._known, finite=finite)

    def explain(self, X: Any = None, y: Any = None) -> str:
        """A text on the program: its meaning, the components of a mixture, constraints, states and
        rules, and whether exact inference is possible and why (not). With a table it also has the
        size of the problem. For a program of clauses it lists the predicates."""
        if X is None:
            return explain_program(self.ir, None, self._known)
        try:
            model, finite = self._problem(X, y), True
        except NoGrammarError:
            model, finite = self._problem(X, y, finite=False), False
        schema = model.table.schema(self.ir.support.min_leaf)
        text = explain_program(self.ir, schema, self._known)
        summable = finite and not model.unsummable and not model.grammar.backtracks
        size = estimate_size(model) if summable else None
        if summable and not counts_fit(model.grammar, model.table, MOST_COUNTS):
            return f"{text}\n\nOne exact pass: far too large, as each state counts its leaves."
        if size is None:
            return text
        return f"{text}\n\nOne exact pass: {size} (estimate).\n{algorithm_in_words(model)}"

    def learn(
        self,
        *data: Any,
        goal: str | None = None,
        given: str | None = None,
        concentration: float | Mapping[str, float] = 1.0,
        starts: int = 1,
        seed: int | None = None,
        errors: bool = False,
        only: Sequence[str] = (),
        failures: bool = True,
        tolerance: float = 1e-9,
        iterations: int = 1000,
        memory: int | str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        time: float | str | Deadline | None = None,
        progress: Progress | bool | None = None,
    ) -> LearnResult:
        """Learn labels, parameters and feature weights from observed goals or tables, by maximum
        likelihood. The result is an `slp.LearnResult`.

        When the time or the memory ends, or with Ctrl-C, the result is that of the last iteration,
        and `notes` says so.

        Parameters
        ----------
        data : observed goals, as text (`"same(heads)"`, or `"36 :: same(heads)"` for 36 of them),
            or tables, each a frame or a pair (X, y); files of either as `pathlib.Path`.
        goal : the goal that all observations are answers to; None for the most general goal of
            their predicate.
        given : a condition on the variables of `goal`: only answers that satisfy it can be
            observed.
        concentration : of the Dirichlet priors of labels that sum to 1, from 1 (uniform) to 1e6; or
            one for each predicate, by its name, where that of all others stands under `""`.
        starts : how often the iterations begin: with the program's labels, then with drawn ones.
            The best result is kept.
        seed : of the draws of starts; None for a fresh one, which the result has.
        errors : whether `changes` have standard errors, from the observed information.
        only : predicates, parameters and features to learn; if empty, all that can be learned.
        failures : whether failed derivations are accounted for. If not, labels are learned by plain
            expectation-maximisation, which is correct only if no derivation fails.
        tolerance : stop when an iteration gains no more than this in log-likelihood.
        iterations : largest number of iterations.
        memory : budget for each table, as bytes or `"4GiB"`; None is half of the free memory.
        limits : of the search for the proofs of one goal.
        time : seconds, or a time such as `"90s"`; None for no limit.
        progress : True shows the progress on a line of standard error. A function is called from
            time to time with the number of sums made and a word for the phase.

        Raises
        ------
        SlpError
            A fault in the data or an option, observations without a proof, or a search that reached
            a limit.
        """
        # This import is late, because few programs learn.
        deadline = Deadline.of(time)
        with shown_progress(progress) as shown:
            learned: LearnResult = late_import("slp.program.learning").learn(
                self,
                data,
                goal=goal,
                given=given,
                concentration=concentration,
                starts=starts,
                seed=seed,
                errors=errors,
                only=only,
                failures=failures,
                tolerance=tolerance,
                iterations=iterations,
                memory=memory,
                limits=limits,
                deadline=deadline,
                progress=shown,
            )
        return learned

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        shown: str = optional_module("report").program_repr(self)
        return shown

    def __repr__(self) -> str:
        return f"Program({self.source.name!r}, parameters={self.parameters})"
