"""The canonical layout of a program, for `slp fmt`.

Terms are printed in the style of `slp.syntax.printer`. Numbers and quoted texts stay as written.
Comments are kept, and at most one blank line at each place. In neighbouring labelled clauses of one
predicate, the `::` and the arrows are aligned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from slp.source import SourceFile
from slp.syntax.ast import Clause, Comment, Directive, SourceProgram, Statement
from slp.syntax.clauses import declare_operators
from slp.syntax.layout import Columns, Line, comment_text, item_lines, opening_texts
from slp.syntax.operators import DEFAULT_OPERATORS, OperatorTable
from slp.syntax.parse import parse_program, parse_recovering
from slp.terms import Term, functor

_WIDEST_COLUMN = 40  # a wider label or head is not aligned
_WIDEST_BEFORE_COMMENT = 60  # the comment of a longer line is not aligned


def format_program(source: SourceProgram) -> str:
    """The program in canonical layout, with the same terms and comments. Formatting the result
    again changes nothing.

    `source` must be a whole program (of `parse_program`), because clauses that were not read would
    be lost. A clause stays as written if its layout would need more nested brackets than are
    allowed.

    Raises
    ------
    ProgramError
        The brackets of the layout make the program too large (E052).
    """
    blocks = _blocks(source)
    text = _text(blocks)
    if not _is_text_of(text, source.items):
        for block in blocks:
            block.stays = not block.reads_back()
        text = _text(blocks)
        again = parse_program(SourceFile(source.file.name, text))
        assert _terms(again.items) == _terms(source.items)
    return text


def _is_text_of(text: str, items: Sequence[Statement]) -> bool:
    program, faults = parse_recovering(SourceFile("", text))
    return not faults and _terms(program.items) == _terms(items)


def _terms(items: Sequence[Statement]) -> list[Term]:
    return [item.term for item in items]


def _text(blocks: Sequence[_Block]) -> str:
    _align(blocks)
    lines: list[Line] = []
    for block in blocks:
        lines += [Line("")] if block.has_blank_before else []
        lines += block.lines()
    return "".join(text + "\n" for text in _with_comments(lines))


@dataclass
class _Block:
    """An item or a comment on lines of its own, with its comments."""

    node: Statement | Comment
    table: OperatorTable
    end: int  # end of its text, with the comments after it
    has_blank_before: bool
    inside: list[Comment] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)
    columns: Columns = Columns()
    stays: bool = False  # unchanged

    def lines(self) -> list[Line]:
        """The block's lines."""
        if isinstance(self.node, Comment):
            return [Line(comment_text(self.node), self.behind)]
        if self.stays:
            return [Line(self.node.span.text, self.behind)]
        return item_lines(self.node, self.table, self.columns, self.inside, self.behind)

    def reads_back(self) -> bool:
        """Whether parsing the lines of an item gives its term."""
        if isinstance(self.node, Comment):
            return True
        text = "\n".join(line.text for line in self.lines())
        program, faults = parse_recovering(SourceFile("", text), self.table)
        return not faults and _terms(program.items) == [self.node.term]

    @property
    def predicate(self) -> tuple[str, int] | None:
        """Name and arity, if the block is a labelled clause."""
        if isinstance(self.node, Clause) and self.node.label is not None and not self.stays:
            return functor(self.node.head)
        return None


def _blocks(source: SourceProgram) -> list[_Block]:
    text = source.file.text
    blocks: list[_Block] = []
    table = DEFAULT_OPERATORS
    nodes = sorted([*source.items, *source.comments], key=lambda node: node.span.start)
    for node in nodes:
        last = blocks[-1] if blocks else None
        if isinstance(node, Comment) and last is not None:
            if node.span.start < last.end:
                last.inside.append(node)
                continue
            if "\n" not in text[last.end : node.span.start]:
                last.behind.append(comment_text(node))
                last.end = node.span.end
                continue
        gap = text[last.end : node.span.start] if last is not None else ""
        blocks.append(_Block(node, table, node.span.end, gap.count("\n") > 1))
        if isinstance(node, Directive):
            table = declare_operators(node, table)
    return blocks


def _align(blocks: Sequence[_Block]) -> None:
    """Give the clauses of each group of neighbours their common columns."""
    for group in _groups(blocks):
        clauses = [(b.node, b.table) for b in group if isinstance(b.node, Clause)]
        openings = [(clause, *opening_texts(clause, table)) for clause, table in clauses]
        columns = Columns(
            label=_width(label for _, label, _ in openings),
            head=_width(head for clause, _, head in openings if clause.arrow),
        )
        for block in group:
            block.columns = columns


def _groups(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    """Runs of labelled clauses of one predicate, with no blank line or other item between them."""
    number = 0
    previous: tuple[str, int] | None = None
    keys = []
    for block in blocks:
        predicate = previous if isinstance(block.node, Comment) else block.predicate
        number += block.has_blank_before or predicate != previous
        previous = predicate
        keys.append(number)
    for _, members in groupby(zip(keys, blocks, strict=True), key=lambda pair: pair[0]):
        group = [block for _, block in members if block.predicate is not None]
        if group:
            yield group


def _width(texts: Iterator[str]) -> int:
    return max((len(text) for text in texts if len(text) <= _WIDEST_COLUMN), default=0)


def _with_comments(lines: Sequence[Line]) -> Iterator[str]:
    """The lines as text. Comments after neighbouring lines begin in one column."""
    for has_comment, run in groupby(lines, key=lambda line: bool(line.behind)):
        members = list(run)
        column = max(
            (len(m.text) for m in members if len(m.text) <= _WIDEST_BEFORE_COMMENT), default=0
        )
        for line in members:
            text = line.text.ljust(column) if has_comment else line.text
            yield "  ".join([text, *line.behind])
