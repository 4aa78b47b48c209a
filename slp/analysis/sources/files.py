"""Reads a program and all files that it uses into one list of items.

`:- use(growtree, [alpha = 0.9]).` is replaced by the items of the library prior `growtree`, and `:-
use('boxes.slp').` by those of a file in the folder of the using file. A file that is used twice is
read once. Every item has a *depth*: 0 in the program itself, 1 in the files that it uses, and so
on. If two files declare the same thing, the smaller depth counts (see
`slp.analysis.sources.directives`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from slp.analysis.findings import Findings
from slp.analysis.sources.edits import EDITTREE, SETTINGS, EditUse
from slp.errors import Diagnostic, ProgramError, Related
from slp.folders import RefusedError
from slp.ir.program import UsedFile
from slp.messages import directives as words
from slp.messages.names import name_help
from slp.messages.sources import PROGRAM_NOT_READ
from slp.resources import prior_file, prior_names
from slp.source import SourceFile, SourceSpan
from slp.syntax import parse_recovering, term_to_text
from slp.syntax.ast import Clause, Directive, SourceProgram, Statement
from slp.terms import Atom, Struct, Term, Text, arguments, functor, list_items


@dataclass(frozen=True)
class Placed:
    """An item and its depth: 0 in the program itself, 1 in the files that it uses, and so on."""

    item: Statement
    depth: int


@dataclass(frozen=True)
class Override:
    """`name = value` in the list of a `use` directive."""

    name: str
    value: Term
    span: SourceSpan


@dataclass(frozen=True)
class Use:
    """A `use` directive: its name, its settings, and the items that replace it. `whole` tells
    whether all of these could be read."""

    target: str
    overrides: tuple[Override, ...]
    items: tuple[Placed, ...]
    depth: int
    whole: bool = True


@dataclass(frozen=True)
class Everything:
    """What a program and the files that it uses say.

    Attributes
    ----------
    items : of the program, with the items of used files in place of `use` directives.
    uses : the `use` directives.
    edit_uses : those among them that name `edittree`.
    files : the program's file, and those that it uses.
    assumed : whether the program sums up trees of which it says nothing, so each is `SUMMED`.
    """

    items: tuple[Placed, ...]
    uses: tuple[Use, ...]
    edit_uses: tuple[EditUse, ...]
    files: tuple[UsedFile, ...]
    assumed: bool = False


#: The prior of each tree of a sum, where the program has none (Chipman, George & McCulloch 2010).
SUMMED = ":- use(growtree, [alpha = 0.95, beta = 2]).\n"


def read_everything(source: SourceProgram, findings: Findings) -> Everything:
    """Read a program and all files that it uses."""
    reader = _SourceReader(findings)
    items = reader.items_of(source, 0, (_key(source.file.name),))
    assumed = not reader.edit_uses and _only_sums(items)
    if assumed:
        (use,) = parse_recovering(SourceFile("<trees>", SUMMED))[0].items
        assert isinstance(use, Directive)
        items += reader.use(use, source.file, 0, (_key(source.file.name),))
    files = reader.with_own(source.file)
    return Everything(items, tuple(reader.uses), tuple(reader.edit_uses), files, assumed)


def _only_sums(items: Sequence[Placed]) -> bool:
    """Whether a program says that trees are summed up, and has no rules for them."""
    statements = [placed.item for placed in items]
    directives = [functor(item.goal) for item in statements if isinstance(item, Directive)]
    rules = any(isinstance(item, Clause) and item.arrow == "-->" for item in statements)
    return ("trees", 1) in directives and not rules


def used_files(source: SourceFile) -> tuple[UsedFile, ...]:
    """A program's file, and those that it uses, as far as they can be read. Mistakes are not told
    of."""
    program, _ = parse_recovering(source)
    reader = _SourceReader(Findings())
    with suppress(ProgramError):  # too many mistakes; what was read until then is known
        reader.items_of(program, 0, (_key(source.name),))
    return reader.with_own(source)


def _key(name: str) -> str:
    """The key that identifies a file, for all of its names."""
    return str(Path(name).resolve()) if "\0" not in name else name


def _names_nothing(args: Sequence[Term], span: SourceSpan) -> Diagnostic:
    """The finding for a `use` directive that names no prior and no file."""
    if len(args) in (1, 2) and isinstance(args[0], Text):
        return words.USE_OF_STRING(span, name=term_to_text(Atom(args[0].value)))
    return words.USE_NAMES_NOTHING(span)


class _SourceReader:
    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.uses: list[Use] = []
        self.edit_uses: list[EditUse] = []
        self.already: dict[str, tuple[Placed, ...]] = {}
        self.files: list[UsedFile] = []
        self.broken: set[str] = set()  # files with a clause that could not be read

    def with_own(self, file: SourceFile) -> tuple[UsedFile, ...]:
        """The program's file, then those that it uses, each once."""
        return (UsedFile("", "", file), *dict.fromkeys(self.files))

    def items_of(
        self, source: SourceProgram, depth: int, above: tuple[str, ...]
    ) -> tuple[Placed, ...]:
        """The items of one file and of the files that it uses. `above`: those on the way to it."""
        out: list[Placed] = []
        for item in source.items:
            if isinstance(item, Directive) and (functor(item.goal) or ("",))[0] == "use":
                out += self.use(item, source.file, depth, above)
            else:
                out.append(Placed(item, depth))
        return tuple(out)

    def use(
        self, item: Directive, user: SourceFile, depth: int, above: tuple[str, ...]
    ) -> tuple[Placed, ...]:
        goal = item.goal
        args = arguments(goal)
        if len(args) not in (1, 2) or not isinstance(args[0], Atom):
            self.findings.add(_names_nothing(args, item.span))
            self.findings.lacks_text = True
            return ()
        target = args[0].name
        overrides = self.overrides(args[1], item.span) if len(args) == 2 else ()
        if target == "edittree":
            return self.edittree(overrides, user, item.span, depth)
        file = self.file_of(target, user, item.span)
        if file is None:
            self.findings.lacks_text = True
            return ()
        key = f"library prior {target}" if target in prior_names() else _key(file.name)
        if key in above:
            self.cycle(above, key, item.span)
            return ()
        fresh = key not in self.already
        self.files.append(UsedFile(user.name, target, file))
        if fresh:
            program, found = parse_recovering(file)
            for diagnostic in found:
                self.findings.add(diagnostic)
            if found:
                self.findings.lacks_text = True
                self.broken.add(key)
            self.already[key] = self.items_of(program, depth + 1, (*above, key))
        whole = key not in self.broken
        self.uses.append(Use(target, overrides, self.already[key], depth, whole))
        return self.already[key] if fresh else ()

    def edittree(
        self, overrides: tuple[Override, ...], user: SourceFile, span: SourceSpan, depth: int
    ) -> tuple[Placed, ...]:
        """The items for the prior `edittree`, which is no file: its parameter, and a record of its
        settings."""
        settings = {o.name: o.value for o in overrides if o.name in SETTINGS}
        for override in overrides:
            if override.name not in (*SETTINGS, "p"):
                name = override.name
                help = name_help(name, (*SETTINGS, "p"), "parameter")
                self.findings.add(
                    words.NO_PARAMETER_OF(override.span, program="edittree", name=name, help=help)
                )
        parameters = tuple(o for o in overrides if o.name == "p")
        span_of_p = parameters[0].span if parameters else None
        self.edit_uses.append(EditUse(settings, user.folders, span, span_of_p))
        if len(self.edit_uses) > 1:
            return ()
        program, _ = parse_recovering(SourceFile("<edittree>", EDITTREE))
        items = tuple(Placed(item, depth + 1) for item in program.items)
        self.uses.append(Use("edittree", parameters, items, depth))
        return items

    def cycle(self, above: tuple[str, ...], key: str, span: SourceSpan) -> None:
        names = [Path(k).name for k in (*above[above.index(key) :], key)]
        self.findings.add(words.CIRCLE_OF_FILES(span, name=names[0], way=" -> ".join(names)))

    def file_of(self, target: str, user: SourceFile, span: SourceSpan) -> SourceFile | None:
        """The file that `use` names. None, and a finding, if there is none."""
        if user.saved is not None:
            return user.saved[user.name, target]
        if target in prior_names():
            return prior_file(target)
        if "/" not in target and not target.endswith(".slp"):
            near = name_help(target, [*prior_names(), "edittree"], "prior")
            self.findings.add(words.UNKNOWN_PRIOR(span, name=target, names=near))
            return None
        try:
            return user.used(target)
        except RefusedError as e:
            self.findings.take(e, span)
            return None
        except ProgramError as e:
            for diagnostic in e.diagnostics:
                help = diagnostic.help
                if diagnostic.code == PROGRAM_NOT_READ.entry.code:
                    help = f"the name is taken from the folder of {user.name}"
                self.findings.add(replace(diagnostic, span=span, help=help))
            return None

    def overrides(self, term: Term, span: SourceSpan) -> tuple[Override, ...]:
        """The `name = value` pairs of a `use` directive's second argument."""
        out: dict[str, Override] = {}
        items = list_items(term)
        for item in [term] if items is None else items:
            name = item.args[0] if functor(item) == ("=", 2) and isinstance(item, Struct) else None
            if items is None or not isinstance(name, Atom) or not isinstance(item, Struct):
                self.findings.add(words.USE_SETS_NOTHING(getattr(item, "span", None) or span))
                continue
            where = item.span or span
            if name.name in out:
                first = Related("first given here", out[name.name].span)
                self.findings.add(
                    words.PARAMETER_GIVEN_TWICE(where, related=[first], name=name.name)
                )
            out.setdefault(name.name, Override(name.name, item.args[1], where))
        return tuple(out.values())
