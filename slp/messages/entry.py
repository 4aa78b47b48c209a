"""What the catalogue is made of: an entry for each code, and the wordings of its messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal

from slp.errors import Diagnostic, OfTime, Related
from slp.messages.numbers import number_text

if TYPE_CHECKING:
    from slp.source import SourceSpan

#: In place of a help line: the remedy of the entry.
AS_REMEDY = "{remedy}"

#: The help line of a name that is like one that there is.
DID_YOU_MEAN = "did you mean `{nearest}`?"


@dataclass(frozen=True)
class Entry:
    """A code and what it stands for. `E` is an error, `W` a warning.

    Attributes
    ----------
    heading : the code, such as `E612`, a colon, and what is wrong in a few words, the title.
    cause : when this is found.
    remedy : what to do about it.
    example : a program, a table or a command that gives it.
    of_time : see `Diagnostic`.
    """

    heading: str
    cause: str
    remedy: str
    example: str
    of_time: OfTime | None = None

    @property
    def code(self) -> str:
        """Such as `E612`."""
        return self.heading.partition(": ")[0]

    @property
    def title(self) -> str:
        """What is wrong, in a few words."""
        return self.heading.partition(": ")[2]

    @property
    def severity(self) -> Literal["error", "warning"]:
        """What the first letter of the code says."""
        return "warning" if self.code.startswith("W") else "error"

    def says(self, message: str, help: str | None = None, *, may_follow: bool = False) -> Wording:
        """A wording of this entry. `{name}` stands for a value that the place of the fault gives
        (`str.format`). `may_follow` is passed to the findings (see `Diagnostic`)."""
        if help == AS_REMEDY:
            remedy = self.remedy.removesuffix(".").replace("{", "{{").replace("}", "}}")
            help = remedy[0].lower() + remedy[1:]
        return Wording(self, message, help, may_follow)

    def to_text(self) -> str:
        """The entry for a person, as `slp explain CODE` prints it."""
        parts = {"cause": self.cause, "remedy": self.remedy, "example": self.example}
        body = [f"{name:<9}" + text.replace("\n", f"\n{'':<9}") for name, text in parts.items()]
        return "\n".join([f"{self.code}     {self.title}", "", *body])


@dataclass(frozen=True)
class Wording:
    """A message and its help line, with places for values. An empty help line is none. A float is
    written by `number_text`, unless its place says how.

    A value `nearest` that is not None is a name that the user may have meant: the help line then
    asks for it.
    """

    entry: Entry
    message: str
    help: str | None
    may_follow: bool

    def __call__(
        self, span: SourceSpan | None = None, *, related: Sequence[Related] = (), **values: object
    ) -> Diagnostic:
        """The finding, with values in their places."""
        help = self.help if values.get("nearest") is None else DID_YOU_MEAN
        return Diagnostic(
            self.entry.code,
            _filled(self.message, values),
            span,
            _filled(help, values) or None if help else None,
            tuple(related),
            self.entry.severity,
            self.may_follow,
            self.entry.of_time,
        )


class _Places(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, float) and not format_spec:
            return number_text(value)
        return format(value, format_spec)


def _filled(text: str, values: Mapping[str, object]) -> str:
    return _Places().vformat(text, (), values)
