"""What an engine is: how it is called, what it takes, what it refuses, and how it runs.

An engine is added as one package and one line in `slp.engines.registry`. The commands' flags,
Python's keywords and `slp engines` come from its options.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from slp.budgets import Deadline
from slp.errors import Diagnostic

if TYPE_CHECKING:
    from slp.problem.problem import Problem
    from slp.results.choice import Choice
    from slp.results.posterior import Posterior

__all__ = ["Engine", "NoOptions", "Progress", "Request", "option"]

#: Called now and then with a count of what is done and a word about the phase.
Progress: TypeAlias = Callable[[int, str], None]


def option(default: Any, doc: str, *, least: int | None = None, metavar: str | None = None) -> Any:
    """A field of an engine's options: its default, what it does, the least number that it takes,
    and what stands for its value in the help of commands."""
    return field(default=default, metadata={"doc": doc, "least": least, "metavar": metavar})


@dataclass(frozen=True)
class NoOptions:
    """The options of an engine that takes none."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What every engine is asked for.

    Attributes
    ----------
    choice : which engine, and why.
    likelihood : whether the posterior is wanted; False for the prior.
    draws : how many are kept, all chains or islands together.
    seed : of the draws; None takes one from the system.
    memory : bytes that the whole process may take.
    deadline : when to be done.
    threads : how many to run; no result depends on it.
    progress : told how far the run is, where somebody looks.
    allow_code : whether goals and functions that the program names may run.
    advise : whether to look for changes of the program that would fit, where it does not.
    instead : what goes on where the time of exact sums ends, given bounds on the log evidence; None
        where the run then ends.
    """

    choice: Choice
    likelihood: bool
    draws: int
    seed: int | None
    memory: int
    deadline: Deadline
    threads: int
    progress: Progress | None
    allow_code: bool
    advise: bool
    instead: Callable[[tuple[float, float] | None], Posterior] | None = None


class Engine(Protocol):
    """An engine. It holds nothing of a run.

    Attributes
    ----------
    name : as commands and `slp.Program.posterior` know it.
    title : what it does, in a line.
    gives : what its numbers are: exact, or estimates with an error.
    refuses : what it does not take, in words.
    needs_grammar : whether it takes only programs that have a finite tree grammar; else `Problem`
        holds that of all trees where the program has none.
    Options : a frozen dataclass whose fields are made by `option`.
    """

    name: str
    title: str
    gives: str
    refuses: str
    needs_grammar: bool
    Options: type[Any]

    def refusal(self, problem: Problem, options: Any) -> tuple[Diagnostic, ...]:
        """Why it does not take this problem; empty if it does."""
        ...

    def run(self, problem: Problem, request: Request, options: Any) -> Posterior:
        """The distribution over trees.

        Raises
        ------
        SlpError
            The budget is too small, no tree satisfies the program, or an option is wrong.
        """
        ...
