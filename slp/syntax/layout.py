"""The layout of one clause or directive: on one line if it fits, else with a line for each goal.

A clause is divided into segments: its opening (all before the body) and its goals. A comment after
a segment on the same line belongs to this segment. Any other comment comes before the segment that
follows it or that it interrupts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from slp.source import SourceFile, SourceSpan
from slp.syntax.ast import Clause, Comment, Statement
from slp.syntax.lark_parser import Tokens
from slp.syntax.operators import ARGUMENT_PRIORITY, CLAUSE_PRIORITY, OperatorTable
from slp.syntax.printer import SYMBOL_CHARACTERS, term_pieces
from slp.syntax.tokens import token_end
from slp.terms import Struct, Term

_LINE_LENGTH = 100
_INDENT = "    "
_LABEL_LIMIT = 1149  # greatest priority of a label or a head beside ::


@dataclass(frozen=True)
class Columns:
    """Common widths of neighbouring clauses: the label before `::`, the head before the arrow."""

    label: int = 0
    head: int = 0


@dataclass
class Line:
    """One line of the program: code, or a comment of its own; and the comments after it."""

    text: str
    behind: list[str] = field(default_factory=list)


@dataclass
class _Segment:
    """The opening of an item, or a goal of its body.

    `ends` are the offsets after which comments on the same line belong to the segment: its end, and
    for an opening also the end of the arrow, which may have a line of its own.
    """

    pieces: list[str]
    span: SourceSpan
    ends: tuple[int, ...]
    before: list[str] = field(default_factory=list)  # comments on lines of their own
    behind: list[str] = field(default_factory=list)  # comments on the same line


def comment_text(comment: Comment) -> str:
    """The text of a comment, without blanks at the ends of its lines."""
    return "\n".join(line.rstrip() for line in comment.text.split("\n"))


def opening_texts(clause: Clause, table: OperatorTable) -> tuple[str, str]:
    """Label ("" if there is none) and head of a clause, for the widths of columns."""
    label, head = _opening_pieces(clause, table)
    return "".join(label), "".join(head)


def item_lines(
    item: Statement,
    table: OperatorTable,
    columns: Columns,
    inside: Sequence[Comment],
    behind: Sequence[str],
) -> list[Line]:
    """The lines of an item, with the comments `inside` it and those `behind` it."""
    segments = list(_segments(item, table, columns))
    _attach(inside, segments)
    behind = _behind_full_stop(segments[-1], behind)
    line = _one_line(segments)
    is_commented = any(s.behind for s in segments) or any(s.before for s in segments[1:])
    if len(line) <= _LINE_LENGTH and not is_commented:
        return [*map(Line, segments[0].before), Line(line, behind)]
    # The arrow of a clause that continues below is not aligned.
    segments[0].pieces = next(_segments(item, table, Columns(columns.label))).pieces
    lines = _several_lines(segments)
    lines[-1] = Line(_with_full_stop(lines[-1].text), behind)
    return lines


def _behind_full_stop(last: _Segment, behind: Sequence[str]) -> list[str]:
    """The comments on the last line: the last segment's, if they fit there, and the item's."""
    moved, last.behind = last.behind, []
    if behind and any(comment.startswith("%") for comment in moved):
        last.before += moved
        return [*behind]
    return [*moved, *behind]


def _one_line(segments: Sequence[_Segment]) -> str:
    opening, *goals = ("".join(segment.pieces) for segment in segments)
    return _with_full_stop(f"{opening} {', '.join(goals)}" if goals else opening)


def _several_lines(segments: Sequence[_Segment]) -> list[Line]:
    opening, *goals = segments
    texts = [*opening.before, *_filled(opening.pieces, "", 2 * _INDENT if goals else _INDENT)]
    lines = [*map(Line, texts)]
    lines[-1].behind = opening.behind
    for i, goal in enumerate(goals):
        comma = [","] if i + 1 < len(goals) else []
        texts = [_INDENT + comment for comment in goal.before]
        texts += _filled([*goal.pieces, *comma], _INDENT, 2 * _INDENT)
        lines += map(Line, texts)
        lines[-1].behind = goal.behind
    return lines


def _with_full_stop(line: str) -> str:
    return line + (" ." if line[-1] in SYMBOL_CHARACTERS else ".")


# --- segments ------------------------------------------------------------------------------------


def _segments(item: Statement, table: OperatorTable, columns: Columns) -> Iterator[_Segment]:
    if not isinstance(item, Clause):
        goal = _pieces(item.goal, table, CLAUSE_PRIORITY - 1)
        yield _Segment([":-", " ", *goal], item.span, (item.span.end,))
        return
    label, head = _opening_pieces(item, table)
    pieces = [*_padded(label, columns.label), " ", "::", " "] if label else []
    pieces += _padded(head, columns.head) if item.arrow else head
    pieces += [" ", item.arrow] if item.arrow else []
    end = item.span.end if item.head.span is None else item.head.span.end
    opening = SourceSpan(item.span.file, item.span.start, end)
    if item.body is None:
        yield _Segment(pieces, opening, (end,))
        return
    yield _Segment(pieces, opening, (end, _arrow_end(item, end)))
    goals = _goals(item.body)
    limit = ARGUMENT_PRIORITY if len(goals) > 1 else CLAUSE_PRIORITY - 1
    for term in goals:
        span = term.span or item.span
        yield _Segment(_pieces(term, table, limit), span, (span.end,))


def _arrow_end(clause: Clause, head_end: int) -> int:
    """The end of a clause's arrow, which follows its head."""
    text = clause.span.file.text
    between = SourceFile("", text[head_end : clause.span.end])
    return next((head_end + token_end(t) for t in Tokens(between) if t == clause.arrow), head_end)


def _opening_pieces(clause: Clause, table: OperatorTable) -> tuple[list[str], list[str]]:
    if clause.label is None:
        return [], _pieces(clause.head, table, CLAUSE_PRIORITY - 1)
    label = _pieces(clause.label, table, _LABEL_LIMIT)
    return label, _pieces(clause.head, table, _LABEL_LIMIT)


def _pieces(term: Term, table: OperatorTable, limit: int) -> list[str]:
    return term_pieces(term, table, limit=limit, as_written=True)


def _padded(pieces: list[str], width: int) -> list[str]:
    blanks = width - sum(map(len, pieces))
    return [*pieces, " " * blanks] if blanks > 0 else pieces


def _goals(body: Term) -> list[Term]:
    goals = []
    while isinstance(body, Struct) and body.name == "," and len(body.args) == 2:
        goals.append(body.args[0])
        body = body.args[1]
    return [*goals, body]


def _attach(comments: Sequence[Comment], segments: Sequence[_Segment]) -> None:
    """Assign each comment to its segment. One alone before the full stop belongs to the last
    segment."""
    ends = [segment.span.end for segment in segments]
    for comment in comments:
        i = bisect_right(ends, comment.span.start)
        is_within = i < len(segments) and comment.span.start >= segments[i].span.start
        if i > 0 and not is_within and _is_on_line(segments[i - 1], comment):
            segments[i - 1].behind.append(comment_text(comment))
        else:
            segments[min(i, len(segments) - 1)].before.append(comment_text(comment))


def _is_on_line(segment: _Segment, comment: Comment) -> bool:
    """Whether a comment can stay on the line of a segment: it is there, and no comment before it
    ends the line."""
    if any(other.startswith("%") or "\n" in other for other in segment.behind):
        return False
    text, start = comment.span.file.text, comment.span.start
    return any(end <= start and "\n" not in text[end:start] for end in segment.ends)


# --- lines ---------------------------------------------------------------------------------------


def _filled(pieces: Sequence[str], indent: str, further_indent: str) -> list[str]:
    """The pieces on as many lines as they need. Lines break at blanks, preferably after a comma."""
    lines: list[str] = []
    words: list[str] = []  # of the current line
    width = len(indent)
    for word in _words(pieces):
        if words and width + 1 + len(word) > _LINE_LENGTH - 1:  # one column is kept for , or .
            cut = next((k for k in range(len(words), 0, -1) if words[k - 1].endswith(",")), 0)
            cut = cut or len(words)
            lines.append(indent + " ".join(words[:cut]))
            words, indent = words[cut:], further_indent
            width = len(indent) + sum(map(len, words)) + len(words)
        words.append(word)
        width += len(word) + (len(words) > 1)
    return [*lines, indent + " ".join(words)]


def _words(pieces: Sequence[str]) -> Iterator[str]:
    word: list[str] = []
    for piece in pieces:
        if piece == " ":
            yield "".join(word)
            word = []
        else:
            word.append(piece)
    yield "".join(word)
