"""`Program`: what `slp.load` returns, the one object from which users reach everything else."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast

from slp.analysis import expand_on_table, expand_program
from slp.compile import CompiledModel, compile_model, compile_program
from slp.data import Table, read_frame
from slp.errors import Diagnostic, SlpError, SlpWarning, UsageError
from slp.infer import Posterior, Sampling, infer
from slp.infer.compiled import estimate_size
from slp.infer.memory import memory_budget
from slp.infer.posterior import check_count
from slp.ir import program as ir
from slp.ir.tree_grammar import TreeGrammar
from slp.ir.words import describe_prior
from slp.learn import (
    Learned,
    Observation,
    ProgramText,
    learn_labels,
    learn_parameters,
    observations_of_file,
    observations_of_text,
)
from slp.lower import explain_program
from slp.proof_sampling import LogLikelihood, ProofSampling, SampledProofs, sample_proofs
from slp.proofs import DEFAULT_LIMITS, Limits
from slp.proofs.prolog_predicates import prolog_function
from slp.proofs.terms import Text
from slp.query import Draws, QueryResult, run_draws, run_query
from slp.resources import prior_file
from slp.source import SourceFile
from slp.syntax import parse_term
from slp.trees import CheckResult, Tree
from slp.trees.predicates import HOSTS, asked_predicates, with_predicates

__all__ = ["LearnResult", "Program", "check", "load", "parse"]

HOSTS["prolog"] = prolog_function


class SamplingOptions(TypedDict, total=False):
    """The options of `slp.infer.Sampling`, by name."""

    chains: int
    warmup: int
    thin: int
    proposal: str
    rungs: int
    checkpoint: str | Path | None
    resume: bool


class ProofSamplingOptions(TypedDict, total=False):
    """The options of `slp.proof_sampling.ProofSampling`, by name."""

    chains: int
    warmup: int
    thin: int
    proposal: str
    checkpoint: str | Path | None
    resume: bool


class Program:
    """A checked stochastic logic program over decision trees.

    Attributes
    ----------
    ir : the program as frozen data (`slp.ir.program.Program`).
    source : the file it was read from.
    warnings : what the checker found that is no error.
    """

    def __init__(
        self,
        source: SourceFile,
        parameters: Mapping[str, float] | None = None,
        tree: Tree | None = None,
    ) -> None:
        self.source = source
        self._tree = tree
        self.ir: ir.Program = compile_program(source, parameters, tree)
        self._required: tuple[ir.Predicate, ...] = ()

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Findings of the checker that are no errors."""
        return self.ir.warnings

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters and their values."""
        return dict(self.ir.parameters)

    def with_parameters(self, **parameters: float) -> Program:
        """The same program with other parameter values (those not named go back to the file's).

        Raises
        ------
        ProgramError
            A name that the program does not declare, or a value that its labels do not allow.
        """
        return Program(self.source, parameters, self._tree)._with(self._required)

    def require(self, function: Callable[[Any], bool], local: bool = False) -> Program:
        """Add a constraint: a function that is True of what may be, False of what may not.

        It is asked by the engine `mh`, of finished trees (`Tree`) or, if it is `local`, of each
        node with its split (`TreeNode`); the same answer for the same tree or node. The program
        itself is changed, and given back.

        Raises
        ------
        UsageError
            E655: `function` cannot be called.
        """
        return self._with((_predicate_of(function, local),))

    def _with(self, required: tuple[ir.Predicate, ...]) -> Program:
        self._required += required
        self.ir = replace(self.ir, constraints=(*self.ir.constraints, *required))
        return self

    def describe(self) -> str:
        """The program's meaning in words, a sentence a line."""
        return "\n".join(describe_prior(self.ir))

    def expand(self, X: Any = None, y: Any = None) -> str:
        """The tree rules as the ordinary clauses that they stand for.

        With a table `X`, `y` (see `posterior`), a program that can be queried: the proofs of
        `prior(Tree)` are the derivations of trees on the table. Constraints are refused (E163).
        """
        if X is None:
            return expand_program(self.ir)
        return expand_on_table(self.ir, self.compile(X, y).table)

    def compile(self, X: Any, y: Any = None) -> CompiledModel:
        """Table and tree grammar for `X`, `y` (see `posterior`), for engines and the curious."""
        return compile_model(self.ir, X, y)

    def explain(self, X: Any = None, y: Any = None) -> str:
        """Meaning in words, states and rules, whether exact inference is possible and why (not)."""
        if X is None:
            return explain_program(self.ir, None)
        model = compile_model(self.ir, X, y)
        text = explain_program(self.ir, model.table.schema(self.ir.support.min_leaf))
        size = None if model.not_exact else estimate_size(model.grammar, model.table)
        return text if size is None else f"{text}\n\nOne exact pass: {size} (estimate)."

    def posterior(
        self,
        X: Any,
        y: Any = None,
        *,
        engine: str = "auto",
        seed: int | None = None,
        draws: int = 1000,
        memory: int | str | None = None,
        time: float | str | None = None,
        threads: int | None = None,
        progress: Callable[[int, str], None] | None = None,
        allow_code: bool = False,
        **sampling: Unpack[SamplingOptions],
    ) -> Posterior:
        """The posterior over decision trees given a table.

        Parameters
        ----------
        X : pandas or polars frame, or array of shape (n, d). A frame may hold the response: the
            column that the program declares, else the last one.
        y : the response, shape (n,), where `X` does not hold it; or the name of its column.
        engine : `"auto"`, or the name of an engine.
        seed : of the draws; None takes one from the system.
        draws : how many draws to keep, all chains together; 0 for none. Exact summaries do not
            depend on it.
        memory : budget, as bytes or `"4GiB"`; None is half of what is free.
        time : how long it may compute, as seconds or `"5m"`; None is without a limit. An exact
            engine that reaches it raises `BudgetError`, a sampler keeps what it has drawn.
        threads : how many to run; None is one for each core. No result depends on it.
        progress : called now and then with the number of boxes (of a sampler, steps) done and a
            word about the phase.
        allow_code : whether predicates that the program names, `python("module:function")`, may
            run. A program is data otherwise, and runs nothing.
        sampling : for engines that draw, see `slp.infer.Sampling`: `chains`, `warmup`, `thin`,
            `proposal`, `rungs`, `checkpoint`, `resume`.

        Raises
        ------
        SlpError
            A fault in the table or the options, a budget that is too small, or no tree that
            satisfies the program.
        """
        options = Sampling(**sampling)
        return self._run(
            X, y, True, engine, seed, draws, memory, time, threads, progress, allow_code, options
        )

    def prior(
        self,
        X: Any,
        y: Any = None,
        *,
        engine: str = "auto",
        seed: int | None = None,
        draws: int = 1000,
        memory: int | str | None = None,
        time: float | str | None = None,
        threads: int | None = None,
        progress: Callable[[int, str], None] | None = None,
        allow_code: bool = False,
        **sampling: Unpack[SamplingOptions],
    ) -> Posterior:
        """The prior over the trees that the table allows: `posterior` without the likelihood."""
        options = Sampling(**sampling)
        return self._run(
            X, y, False, engine, seed, draws, memory, time, threads, progress, allow_code, options
        )

    def query(
        self,
        goal: str,
        *,
        given: str | None = None,
        best: int = 0,
        tolerance: float = 1e-12,
        limits: Limits = DEFAULT_LIMITS,
        engine: str = "python",
        allow_code: bool = False,
    ) -> QueryResult:
        """Answers to a goal with their probabilities, by a search for its proofs.

        Parameters
        ----------
        goal : Prolog text, such as `"member(X, [a, b]), coin(X)"`.
        given : a goal that must succeed too; variables of the same name are shared.
        best : how many of the most probable proofs to keep.
        tolerance : the search goes on until what it has not looked at has at most this mass.
        limits : where it gives up before that, and bounds what it has not seen.
        engine : `"python"`, or `"prolog"` for SWI-Prolog, which must be installed.
        allow_code : let goals `prolog(...)` do under SWI-Prolog whatever they want.

        Raises
        ------
        SlpError
            A fault in the goal or an option, or in the program as far as the goal uses it.
        """
        return run_query(
            self.ir,
            goal,
            given=given,
            best=best,
            tolerance=tolerance,
            limits=limits,
            engine=engine,
            allow_code=allow_code,
        )

    def draw(
        self,
        goal: str,
        draws: int = 1,
        *,
        given: str | None = None,
        failure: str = "rejection",
        seed: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
        engine: str = "python",
        allow_code: bool = False,
    ) -> Draws:
        """Independent draws of a goal's proofs: what they answer.

        Parameters
        ----------
        goal, given, engine, allow_code : as in `query`.
        draws : how many.
        failure : `"rejection"` (draws have the probabilities of `query`) or `"backtracking"` (they
            have not, if proofs fail).
        seed : None takes one from the system.
        limits : of one draw.

        Raises
        ------
        SlpError
            A fault in the goal or an option, or in the program as far as the goal uses it; limits
            that are reached; no proof to draw.
        """
        return run_draws(
            self.ir,
            goal,
            draws,
            given=given,
            failure=failure,
            seed=seed,
            limits=limits,
            engine=engine,
            allow_code=allow_code,
        )

    def sample_proofs(
        self,
        goal: str,
        log_likelihood: LogLikelihood | str | None = None,
        *,
        given: str | None = None,
        draws: int = 1000,
        seed: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
        progress: Callable[[int, str], None] | None = None,
        engine: str = "python",
        allow_code: bool = False,
        **sampling: Unpack[ProofSamplingOptions],
    ) -> SampledProofs:
        """Draws of a goal's proofs by Metropolis-Hastings: prior times likelihood.

        Parameters
        ----------
        goal, given, engine, allow_code : as in `query`; the engine proves a goal that is the
            log-likelihood, too. Both draw the same from the same seed.
        log_likelihood : a function of an answer, a mapping from the goal's named variables to
            numbers, lists and Prolog text, that gives a number (-inf: impossible); or a goal of the
            program, as text, that binds the variable `LogLikelihood`. None for the prior.
        draws : how many to keep, all chains together.
        seed : None takes one from the system.
        limits : of one proof; those that need more are left out.
        progress : called now and then with the number of steps done and a word about them.
        sampling : `chains`, `warmup`, `thin`, `proposal`, `checkpoint`, `resume`, as in
            `posterior`.

        Raises
        ------
        SlpError
            A fault in the goal, an option or the log-likelihood, or in the program as far as the
            goal uses it; no proof to start from.
        """
        if seed is not None:
            check_count("seed", seed)
        return sample_proofs(
            self.ir,
            goal,
            log_likelihood,
            given=given,
            draws=draws,
            seed=seed,
            sampling=ProofSampling(**sampling),
            limits=limits,
            progress=progress,
            engine=engine,
            allow_code=allow_code,
        )

    def learn(
        self,
        *data: Any,
        goal: str | None = None,
        only: Sequence[str] = (),
        failures: bool = True,
        tolerance: float = 1e-9,
        iterations: int = 1000,
        memory: int | str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> LearnResult:
        """The program with the labels, parameters and feature weights that make data most likely.

        Parameters
        ----------
        data : observed goals, as text (`"same(heads)"`, or `"36 :: same(heads)"` for 36 of them),
            or tables, each a frame or a pair (X, y); files of either as `pathlib.Path`.
        goal : what all goals are answers to; None for the most general goal of their predicate.
        only : predicates, parameters and features to learn; everything that can be if empty.
        failures : whether failed derivations are accounted for. Without, labels are learned by
            plain expectation-maximisation, which is right where no derivation fails.
        tolerance : iterate until one gains no more than this in log-likelihood.
        iterations : at most so many.
        memory : budget for each table, as bytes or `"4GiB"`; None is half of what is free.
        limits : of the search for the proofs of one goal.

        Raises
        ------
        SlpError
            A fault in the data or an option, observations without a proof, sums that are cut off.
        """
        if not 0 <= tolerance < float("inf"):
            help = "give a number from 0 up"
            raise UsageError(Diagnostic("E720", f"`tolerance` cannot be {tolerance}", help=help))
        check_count("iterations", iterations)
        text = ProgramText(self.source)
        given = {n: x for n, x in self.parameters.items() if not text.is_computed(n)}

        def compiles(parameters: Mapping[str, float]) -> bool:
            try:
                compile_program(self.source, {**given, **parameters})
            except SlpError:
                return False
            return True

        goals, tables = _observed(self.ir, data)
        if tables:
            learned = learn_parameters(
                self.ir,
                text,
                tables,
                only=only,
                compiles=compiles,
                memory=memory_budget(memory),
                tolerance=tolerance,
                iterations=iterations,
            )
        else:
            learned = learn_labels(
                self.ir,
                text,
                goals,
                goal=None if goal is None else parse_term(goal),
                only=only,
                compiles=compiles,
                failures=failures,
                tolerance=tolerance,
                iterations=iterations,
                limits=limits,
            )
        return LearnResult(**vars(learned), program=Program(learned.file))

    def _run(
        self,
        X: Any,
        y: Any,
        likelihood: bool,
        engine: str,
        seed: int | None,
        draws: int,
        memory: int | str | None,
        time: float | str | None,
        threads: int | None,
        progress: Callable[[int, str], None] | None,
        allow_code: bool,
        sampling: Sampling,
    ) -> Posterior:
        model = compile_model(with_predicates(self.ir, allow_code), X, y)
        _warn(model.warnings)

        def recompile(program: ir.Program) -> tuple[TreeGrammar, Table]:
            changed = compile_model(program, X, y)
            return changed.grammar, changed.table

        posterior = infer(
            model.program,
            model.grammar,
            model.table,
            engine=engine,
            seed=seed,
            draws=draws,
            memory=memory,
            time=time,
            likelihood=likelihood,
            progress=progress,
            threads=threads,
            sampling=sampling,
            not_exact=model.not_exact,
            recompile=recompile,
        )
        posterior.predicates = asked_predicates(model.program.constraints)
        return posterior

    def __repr__(self) -> str:
        return f"Program({self.source.name!r}, parameters={self.parameters})"


@dataclass(frozen=True)
class LearnResult(Learned):
    """What was learned: `program` is the program of the text `file`."""

    program: Program

    @property
    def text(self) -> str:
        """The learned program's text."""
        return self.file.text

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON."""
        return {
            "method": self.method,
            "converged": self.converged,
            "iterations": len(self.log_likelihoods) - 1,
            "log_likelihoods": list(self.log_likelihoods),
            "learned": [
                {"kind": c.kind, "name": c.name, "before": c.before, "after": c.after}
                for c in self.changes
            ],
            "program": self.text,
        }


#: Ends of the names of files that hold tables.
_TABLE_FILES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")


def _observed(program: ir.Program, data: Iterable[Any]) -> tuple[list[Observation], list[Table]]:
    """Observed goals and tables among data."""
    goals: list[Observation] = []
    tables: list[Table] = []
    for item in data:
        if isinstance(item, str):
            goals += observations_of_text(item)
        elif isinstance(item, Path) and not item.name.lower().endswith(_TABLE_FILES):
            goals += observations_of_file(SourceFile.read(item))
        else:
            X, y = item if isinstance(item, tuple) else (item, None)
            X = read_frame(X) if isinstance(X, Path) else X
            tables.append(compile_model(program, X, y).table)
    if goals and tables:
        help = "learn from one kind, then from the other"
        message = "goals and tables cannot be learned from together"
        raise UsageError(Diagnostic("E288", message, help=help))
    return goals, tables


def _predicate_of(function: Callable[[Any], bool], local: bool) -> ir.Predicate:
    """A function as a constraint, by the name that it was defined with."""
    if not callable(function):
        message = f"`require` takes a function, not {function!r}"
        help = "give a function of a tree, as in `require(small)`"
        raise UsageError(Diagnostic("E655", message, help=help))
    kind = type(function)
    name = getattr(function, "__qualname__", kind.__qualname__)
    return ir.Predicate("python", Text(f"{function.__module__}:{name}"), local, function=function)


def _warn(findings: Iterable[Diagnostic]) -> None:
    for finding in findings:
        warnings.warn(SlpWarning(finding), stacklevel=4)


def load(path: str | Path, /, **parameters: float | Tree) -> Program:
    """Read a program from a `.slp` file, or a prior of the library by its name (`"growtree"`).

    A `Tree` as `tree` is the one that `edittree` edits, whatever the file says:
    `slp.load("edittree", tree=given, p=0.9)`.

    Raises
    ------
    ProgramError
        The file cannot be read, or with every mistake in it.
    """
    name = str(path)
    if not Path(path).exists() and name.isidentifier():
        if name == "edittree":
            return _program(SourceFile(name, ":- use(edittree).\n"), parameters)
        return _program(prior_file(name), parameters)
    return _program(SourceFile.read(path), parameters)


def parse(text: str, name: str = "<text>", /, **parameters: float | Tree) -> Program:
    """Read a program from text; `name` is what messages call it, parameters are as for `load`.

    Raises
    ------
    ProgramError
        With every mistake in the text.
    """
    return _program(SourceFile(name, text), parameters)


def check(
    tree: Tree,
    *constraints: str | Program | Callable[[Tree], bool],
    X: Any = None,
    y: Any = None,
    allow_code: bool = False,
) -> list[CheckResult]:
    """Whether a tree of any origin satisfies constraints, without a posterior.

    Parameters
    ----------
    constraints : each the text of a constraint (`"first(age)"`); text that ends in a full stop, of
        clauses that the other texts may use (boxes, `:- leaf(...)`), and whose own constraints and
        limits are checked; a program; or a function of the tree that is True or False.
    X, y, allow_code : as for `Tree.check`.

    Raises
    ------
    SlpError
        A fault in a text or the table, or a function that does not answer.
    """
    texts = [c.rstrip() for c in constraints if isinstance(c, str)]
    shared = "\n".join([*(t for t in texts if t.endswith(".")), ":- use(growtree).\n"])

    def results(program: Program) -> list[CheckResult]:
        return tree.check(program, X, y, allow_code=allow_code)

    found: list[CheckResult] = []
    for constraint in constraints:
        if isinstance(constraint, Program):
            found += results(constraint)
        elif not isinstance(constraint, str):
            found += results(parse(":- use(growtree).\n").require(constraint))
        elif constraint.rstrip().endswith("."):
            found += results(parse(f"{constraint}\n:- use(growtree).\n", "<clauses>"))
        else:
            stated = parse(f":- constraint({constraint}).\n{shared}", "<constraint>")
            found += results(stated)[:1]
    return found


def _program(source: SourceFile, parameters: Mapping[str, float | Tree]) -> Program:
    """A program from what callers give by name: numbers, and perhaps a tree."""
    tree = parameters.get("tree")
    if not isinstance(tree, Tree):
        return Program(source, cast(Mapping[str, float], parameters))
    numbers = {name: value for name, value in parameters.items() if name != "tree"}
    return Program(source, cast(Mapping[str, float], numbers), tree)
