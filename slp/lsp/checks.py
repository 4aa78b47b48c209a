"""What the editor is told of one text: the findings of `slp check`, and facts for hovering.

No code of a program runs. No file outside the folder of the program is read, but a table that a
setting names may lie anywhere below the folder that is open in the editor.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from slp.analysis import used_files
from slp.budgets import Deadline, held, memory_errors
from slp.compile import find_wrong_names, read_text
from slp.errors import Diagnostic, Related, SlpError
from slp.folders import Folders, folders_of
from slp.lsp.tables import ReadTable, columns_in_words, find_table, named_in, read_table
from slp.program import Meaning, find_meanings, find_mistakes
from slp.source import SourceFile, SourceSpan
from slp.syntax import parse_recovering
from slp.terms import Atom, Struct, functor

#: Seconds that a check may take.
SECONDS = 5


@dataclass(frozen=True)
class Job:
    """A text to check.

    Attributes
    ----------
    path : its file; None for a text that was not saved yet, which can use library priors alone.
    table : the table that a setting names.
    folder : the folder that is open in the editor, where that table is looked up; None: the folder
        of the program.
    """

    text: str
    path: Path | None = None
    table: str | None = None
    folder: Path | None = None

    @property
    def source(self) -> SourceFile:
        """The text with the folders that it may use."""
        if self.path is None:
            return SourceFile("<text>", self.text)
        return SourceFile(str(self.path), self.text, folders_of(self.path, ()))


@dataclass(frozen=True)
class Checked:
    """What was found in a text. Each finding has a place in it; where the fault lies in another
    file or in the table, the place is where the text names that.

    Attributes
    ----------
    meanings : what the parts of the text and of the files that it uses mean.
    columns : the columns of the table, by name, in words.
    """

    found: tuple[Diagnostic, ...]
    meanings: tuple[Meaning, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


def check(job: Job) -> Checked:
    """Check a text, with its table if it names one."""
    source = job.source
    deadline = Deadline.of(SECONDS)
    with held(deadline), memory_errors():
        place, table, found = _table(job, source)
        if table is None or table.frame is None:
            found += find_mistakes(source)
        elif table.whole:
            found += find_mistakes(source, table.frame)
        else:
            found += find_mistakes(source)
            found += _wrong_names(source, table)
    start = place or SourceSpan(source, 0, min(1, len(source.text)))
    return Checked(
        tuple(_placed(finding, source, start) for finding in found),
        # They are read anew, which takes no longer than the findings did.
        _meanings(source) if deadline.spent() <= deadline.left() else (),
        {} if table is None else columns_in_words(table),
    )


def _meanings(source: SourceFile) -> tuple[Meaning, ...]:
    with suppress(SlpError), memory_errors():
        return find_meanings(source)
    return ()


def _table(
    job: Job, source: SourceFile
) -> tuple[SourceSpan | None, ReadTable | None, tuple[Diagnostic, ...]]:
    """The place that names the table, what was read of it, and what is wrong with it."""
    named = named_in(source)
    folders = source.folders
    if named is not None:
        name, place = named
    elif job.table:
        name, place = job.table, None
        if job.folder is not None:
            folders = Folders(job.folder, job.folder)
    else:
        return None, None, ()
    try:
        table = read_table(find_table(folders, name))
    except SlpError as e:
        return place, None, tuple(e.diagnostics)
    return place, table, table.found


def _wrong_names(source: SourceFile, table: ReadTable) -> tuple[Diagnostic, ...]:
    """The names that a table lacks, of which only the first rows were read."""
    with suppress(SlpError):  # a mistake of the text, which `find_mistakes` tells of
        return find_wrong_names(read_text(source)[0], table.frame)
    return ()


def _placed(finding: Diagnostic, source: SourceFile, start: SourceSpan) -> Diagnostic:
    """The finding with a place in the text itself."""
    span = finding.span
    if span is None:
        return replace(finding, span=start)
    if span.file.name == source.name:
        return finding
    at = Related("found here", span)
    return replace(
        finding, span=_use_of(span.file, source) or start, related=(at, *finding.related)
    )


def _use_of(file: SourceFile, source: SourceFile) -> SourceSpan | None:
    """The `use` directive by which a program uses a file, perhaps by other files."""
    files = used_files(source)
    while True:
        used = next((u for u in files if u.file.name == file.name and u.target), None)
        if used is None:
            return None
        if used.user == source.name:
            break
        file = next(u.file for u in files if u.file.name == used.user)
    for item in parse_recovering(source)[0].items:
        goal = getattr(item, "goal", None)
        if isinstance(goal, Struct) and (functor(goal) or ("",))[0] == "use":
            if goal.args[0] == Atom(used.target):
                return item.span
    return None
