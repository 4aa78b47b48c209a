"""The contract of engines: name, options, what they refuse, and how they run.

An engine is added as one package and one line in `slp.engines.registry`. The commands' flags,
Python's keywords and `slp engines` come from its options. `docs/adding-an-engine.md` shows one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from slp.budgets import Deadline
from slp.errors import Diagnostic
from slp.runner.effort import DEFAULT

if TYPE_CHECKING:
    from slp.problem.problem import Problem
    from slp.results.record.choice import EngineChoice
    from slp.results.record.result import Result

#: Called regularly with a count of the work done (finished boxes, of a sampler steps), and the name
#: of its part. Where it has a method `first_answer`, a run that draws gives that the modal tree, a
#: `slp.results.record.parts.Candidate`, before it begins (`slp.engines.first_answer`).
Progress: TypeAlias = Callable[[int, str], None]

T = TypeVar("T")


def option(
    default: Any, doc: str, *, least: float | None = None, metavar: str | None = None
) -> Any:
    """A field of an engine's options: its default, its description, the least number allowed (an
    int for a whole number, a float for a real one), and the placeholder of its value in the help
    of commands."""
    return field(default=default, metadata={"doc": doc, "least": least, "metavar": metavar})


def effort_option() -> Any:
    """The field `effort` of the options of an engine whose runs have a length
    (`slp.runner.effort`)."""
    return option(
        DEFAULT,
        "quick, default or thorough: how long a run is where no other option says it",
        metavar="LEVEL",
    )


@dataclass(frozen=True)
class NoOptions:
    """The empty options."""


@dataclass(frozen=True, kw_only=True)
class DrawingOptions:
    """The options of every engine that draws."""

    checkpoint: str | Path | None = option(None, "save the run in this file", metavar="FILE")
    resume: bool = option(False, "go on with the run in the checkpoint")


@dataclass(frozen=True, kw_only=True)
class Request:
    """The arguments of a run that every engine takes.

    Attributes
    ----------
    choice : which engine, and why.
    likelihood : whether the posterior is wanted; False for the prior.
    draws : the number kept by all chains or islands together.
    seed : of the draws; None takes one from the system.
    memory : bytes that the whole process may take.
    deadline : when the run must end.
    threads : the number of threads; no result depends on it.
    progress : the function that is told how far the run is, if any.
    allow_code : whether goals and functions that the program names may run.
    advise : whether to look for changes that would make a program fit that does not.
    instead : continues the run when the time of exact sums ends, given bounds on the log evidence;
        None if the run then ends.
    """

    choice: EngineChoice
    likelihood: bool
    draws: int
    seed: int | None
    memory: int
    deadline: Deadline
    threads: int
    progress: Progress | None
    allow_code: bool
    advise: bool
    instead: Callable[[tuple[float, float] | None], Result] | None = None


class Engine(Protocol[T]):
    """An engine, whose options are of type T. It has no state of a run."""

    @property
    def name(self) -> str:
        """The name in commands and in `slp.Program.posterior`."""
        ...

    @property
    def title(self) -> str:
        """What it does, in a line."""
        ...

    @property
    def gives(self) -> str:
        """Whether its numbers are exact, or estimates with an error."""
        ...

    @property
    def refuses(self) -> str:
        """A phrase for what it does not take."""
        ...

    @property
    def needs_grammar(self) -> bool:
        """Whether it takes only programs with a finite tree grammar. If not, and the program has
        none, `Problem` holds the grammar of all trees."""
        return True

    @property
    def few_states(self) -> bool:
        """Whether a run reaches few states of a grammar, as one that grows a tree does. Lowering
        then lists fewer of them before the others stay open."""
        return False

    @property
    def soft_trees(self) -> bool:
        """Whether it takes soft trees alone, as all other engines take hard trees alone."""
        return False

    @property
    def needs_weights(self) -> bool:
        """Whether it needs the weights of trees, which are not known where derivations
        backtrack."""
        return True

    @property
    def takes_unknown(self) -> bool:
        """Whether it averages over the values of parameters that have a prior in place of one
        (`CheckedProgram.unknown`)."""
        return False

    @property
    def refuses_options(self) -> bool:
        """Whether all its refusals are of options; they are then a `UsageError`. Those of other
        engines are an `UnsupportedError`, also where they are of an option."""
        return False

    @property
    def Options(self) -> type[T]:  # noqa: N802, a class by its name
        """A frozen dataclass whose fields are made by `option`."""
        ...

    def refusal(self, problem: Problem, options: T) -> tuple[Diagnostic, ...]:
        """Why it does not take this problem with these options; empty if it does."""
        return ()

    def outside_core(self, problem: Problem, options: T) -> str | None:
        """Why it runs in Python for a problem, as the end of a sentence about the compiled core.
        None if it runs there, or always in Python, or if the choice of the engine has said it."""
        return None

    def run(self, problem: Problem, request: Request, options: T) -> Result:
        """The distribution over trees, found until the deadline.

        Raises
        ------
        SlpError
            The budget is too small, no tree satisfies the program, or an option is wrong.
        """
        ...
