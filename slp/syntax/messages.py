"""Every message about the syntax of a program, as a table.

`MESSAGES` holds each message once: a stable code, what is wrong, what to do about it, and texts
that bring it about. The parser takes its wording from here, and a test parses every example and
looks for the code. `{names}` in a wording are filled in by `SyntaxMessage.at`.
"""

from __future__ import annotations

from dataclasses import dataclass

from slp.errors import Diagnostic, Related
from slp.source import SourceSpan

__all__ = ["MESSAGES", "MOST_MISTAKES", "SyntaxMessage", "excerpt"]

_EXCERPT_LENGTH = 40
_READ_LENGTH = 1000  # of a long text, as much of each end is looked at for an excerpt

#: Mistakes of one program that are told, at most.
MOST_MISTAKES = 1000


@dataclass(frozen=True)
class SyntaxMessage:
    """One kind of syntax error. `examples` are whole programs that contain it, and nothing else."""

    code: str
    message: str
    help: str
    examples: tuple[str, ...]

    def at(self, span: SourceSpan, *related: Related, **details: object) -> Diagnostic:
        """This message about the text `span`, with `details` filled into its wording."""
        message, help = self.message.format(**details), self.help.format(**details)
        return Diagnostic(self.code, message, span, help, related)


def excerpt(text: str) -> str:
    """`text` on one line, shortened in the middle to be quoted in a message."""
    if len(text) > 2 * _READ_LENGTH:
        text = f"{text[:_READ_LENGTH]} ... {text[-_READ_LENGTH:]}"
    line = " ".join(text.split())
    if len(line) <= _EXCERPT_LENGTH:
        return line
    half = _EXCERPT_LENGTH // 2
    return f"{line[: half - 2]} ... {line[-half + 3 :]}"


# --- size ----------------------------------------------------------------------------------------

TOO_LARGE = SyntaxMessage(
    "E052",
    "{what} has more than {limit}",
    "keep in the program what it reasons with; put rows of data into a table, long constants out",
    (),
)
TOO_MANY_MISTAKES = SyntaxMessage(
    "E053",
    "there are more than {limit} mistakes, of which these are the first",
    "mend these, then look again",
    (),
)
TOO_MANY_WARNINGS = SyntaxMessage(
    "W053",
    "there are more than {limit} warnings, of which these are the first",
    "mend these, then look again",
    (),
)


def too_many(further: Diagnostic) -> Diagnostic:
    """What stands for `further` and all that would come after it."""
    is_error = further.severity == "error"
    message = TOO_MANY_MISTAKES if is_error else TOO_MANY_WARNINGS
    text = message.message.format(limit=f"{MOST_MISTAKES:,}")
    return Diagnostic(message.code, text, further.span, message.help, (), further.severity)


# --- tokens --------------------------------------------------------------------------------------

UNCLOSED_QUOTE = SyntaxMessage(
    "E010",
    "this {quote} is never closed",
    "close it on the same line; inside, write the quote twice, a line end as \\n",
    ("a('b).\n", 'a("b).\n', "a('b\nc').\n", "a(`b).\n"),
)
UNCLOSED_COMMENT = SyntaxMessage(
    "E011",
    "this comment is never closed",
    "end it with */",
    ("a. /* b", "a :- b, /* c."),
)
NESTED_COMMENT = SyntaxMessage(
    "E051",
    "a comment begins inside a comment",
    "take this /* away: comments do not nest in standard Prolog, but do in SWI-Prolog",
    ("/* a /* b */ c.", "a /* /* */.", "a. /* b /*/"),
)
BACKQUOTED = SyntaxMessage(
    "E012",
    "text in backquotes has no meaning here",
    "write 'name' for an atom or \"text\" for a string",
    ("a(`b`).",),
)
ILLEGAL_CHARACTER = SyntaxMessage(
    "E013",
    "the character {character} cannot stand here",
    "outside quotes a program is made of letters, digits, _ and the usual ASCII signs; "
    "put a name with other characters in single quotes",
    ("a :- \x00.", "a(\u20ac).", "p(x\u00b2)."),
)
BAD_NUMBER = SyntaxMessage(
    "E014",
    "{text} is no number",
    "numbers look like 12, 1_000, 0.5, 1.0e-3, 0xff, 0o17, 0b101, 1.0Inf or 0'c; "
    "a name may not begin with a digit",
    ("a(1x).", "a(0xg).", "a(1.5e).", "a(1_000.5).", "a(0'ab).", "a(1r3).", "a(0'\\x41\\)."),
)
NUMBER_TOO_LARGE = SyntaxMessage(
    "E015",
    "this number is too large",
    "floats reach to 1.7e308 and integers to {digits} digits; write 1.0Inf for infinity",
    ("a(1.0e400).", "a(1" + 1000 * "0" + ").", "a(0x" + 1000 * "f" + ")."),
)
BAD_ESCAPE = SyntaxMessage(
    "E016",
    "{text} is no escape sequence",
    "the escapes are \\n \\t \\r \\a \\b \\f \\v \\e \\s \\\\ \\' \\\" \\` \\xHH\\ \\OOO\\ "
    "\\uHHHH \\UHHHHHHHH and a backslash at the end of the line; write a backslash as \\\\",
    ("a('\\q').", 'a("\\xg").', "a('\\x41').", "a('\\u12').", "a('\\x110000\\').", "a('\\8')."),
)
QUOTED_NIL = SyntaxMessage(
    "E017",
    "the quoted atom '[]' is not the empty list",
    "write [] for the empty list, or take another name",
    ("a('[]').",),
)
STRAY_POINT = SyntaxMessage(
    "E018",
    "a full stop cannot stand inside a clause",
    "end the clause with a full stop and a blank or a line end; "
    "put a name that contains a point in single quotes",
    ("a.b.", "p(x.y) :- q.", "p(1.e5)."),
)
DICT = SyntaxMessage(
    "E019",
    "{name}{{...}} would be a dict in SWI-Prolog, which programs do not have",
    "put a blank before {{ where a guard is meant",
    ("a{b: 1}.", "p :- X{b}.", "p :- \\+{b}."),
)

# --- brackets ------------------------------------------------------------------------------------

UNCLOSED_BRACKET = SyntaxMessage(
    "E020",
    "this {bracket} is never closed",
    "close it with {closing} before the clause ends",
    ("a(b.", "a :- [b, c.", "a --> {b, c.", "a(b). c(d. e."),
)
UNOPENED_BRACKET = SyntaxMessage(
    "E021",
    "this {bracket} closes nothing",
    "take it away, or open it with {opening}",
    ("a).", "a :- b]. c.", "a --> b}, c."),
)
MISMATCHED_BRACKETS = SyntaxMessage(
    "E022",
    "{bracket} cannot close {opening}",
    "close first what was opened last, here with {closing}",
    ("a(b].", "a([b)].", "a --> {b)."),
)
TOO_DEEP = SyntaxMessage(
    "E023",
    "brackets are nested more than {limit} deep here",
    "give parts of the term names of their own",
    ("a" + 1000 * "(" + "b" + 1000 * ")" + ".",),
)
EMPTY_BRACKETS = SyntaxMessage(
    "E024",
    "there is nothing between these brackets",
    "write an atom without brackets: {name}",
    ("a().", "a :- b()."),
)
EMPTY_GROUP = SyntaxMessage(
    "E025",
    "there is nothing between these brackets",
    "put a term between them or take them away",
    ("a :- ().",),
)
EMPTY_ARGUMENT = SyntaxMessage(
    "E026",
    "an argument is missing here",
    "put a term here, or take the comma away",
    ("a(,).", "a(b,,c).", "a(b,).", "a([,b]).", "a([b,])."),
)
LIST_TAIL = SyntaxMessage(
    "E027",
    "a list has one tail, after one bar",
    "write [A, B | Tail], with items before the bar and the tail alone after it",
    ("a([b|c|d]).", "a([b|c,d]).", "a([|b]).", "a([b|])."),
)

# --- operators -----------------------------------------------------------------------------------

OPERATOR_EXPECTED = SyntaxMessage(
    "E030",
    "{left} and {right} stand side by side with no operator between them",
    "put a comma or an operator between them; an atom of several words goes in single quotes",
    ("a b.", "p :- q r.", "p(X Y).", "a :- b, c d.", "p('x' 'y').", "p([a b])."),
)
BLANK_BEFORE_BRACKET = SyntaxMessage(
    "E031",
    "a blank parts {name} from its arguments",
    "write the opening bracket right after the name: {name}(",
    ("p (x).", "p :- q (x).", "1 :: tree (D) --> leaf."),
)
MISSING_FULL_STOP = SyntaxMessage(
    "E032",
    "the clause before this line does not end",
    "put a full stop after {left}",
    ("a\nb.", "1 :: t --> leaf\n1 :: s --> leaf.", ":- start(t)\nt --> leaf."),
)
UNFINISHED_CLAUSE = SyntaxMessage(
    "E033",
    "the program ends in the middle of a clause",
    "put a full stop after {last}",
    ("a", "a. b", "a :- b, % c", "a :-."),
)
LABEL_WITHOUT_OPERATOR = SyntaxMessage(
    "E034",
    "the label {label} is not followed by ::",
    "write {label} :: {head}",
    ("0.5 t --> leaf.", "1/2 t(D) --> leaf.", "1 - x^(1+D) t(D) --> leaf."),
)
PRIORITY_CLASH = SyntaxMessage(
    "E035",
    "{inner} (priority {inner_priority}) cannot stand beside {outer} "
    "(which takes up to {limit}) without brackets",
    "put brackets around the part that belongs together",
    ("a = b = c.", "a :- b :- c.", "a --> b --> c.", "p :- x is 2 ** 3 ** 4.", "p(a = \\+ b)."),
)
TWO_LABELS = SyntaxMessage(
    "E036",
    "a clause has one label, so :: cannot stand twice",
    "write Label :: Head --> Body",
    ("a :: b :: c.", "1 :: 2 :: t --> leaf."),
)
ANNOTATED_DISJUNCTION = SyntaxMessage(
    "E039",
    "a clause has one label and one head, so :: cannot stand on both sides of ;",
    "write the alternatives as clauses of one predicate: 0.3 :: pick(a). 0.7 :: pick(b).",
    ("0.3 :: a ; 0.7 :: b.", "0.3 :: a ; 0.3 :: b ; 0.4 :: c."),
)
MISSING_OPERAND = SyntaxMessage(
    "E037",
    "there is no term {side} {operator}",
    "put a term there, or take {operator} away",
    ("a :- .", "a, .", "p(a + ).", ", a.", "a :- b, , c.", "p :- (a ; b, ).", "a --> b, {c, }."),
)
BAD_OP = SyntaxMessage(
    "E038",
    "op/3 cannot do this: {reason}",
    "write op(Priority, Type, Name), as in :- op(700, xfx, ===>)",
    (
        ":- op(1300, xfx, a).",
        ":- op(700, xxx, a).",
        ":- op(700, xfx, ',').",
        ":- op(P, xfx, a).",
        ":- op(200, xf, a).",
        ":- op(700, xfx, [a, 1]).",
    ),
)

# --- clauses -------------------------------------------------------------------------------------

LONELY_FULL_STOP = SyntaxMessage(
    "E040",
    "this full stop ends nothing",
    "take it away",
    (".", "a. . b."),
)
VARIABLE_AS_FUNCTOR = SyntaxMessage(
    "E041",
    "{name} begins with a capital or _, which makes it a variable, and a variable has no arguments",
    "begin the name with a small letter, or put it in single quotes",
    ("Tree(D) --> leaf.", "p :- X(a).", "_p(a)."),
)
VARIABLE_AS_HEAD = SyntaxMessage(
    "E042",
    "{name} begins with a capital or _, which makes it a variable, and a variable is no head",
    "begin the name with a small letter, or put it in single quotes",
    ("Tree --> leaf.", "1 :: T --> leaf.", "X."),
)
NO_HEAD = SyntaxMessage(
    "E043",
    "{text} is no head: a clause is about an atom or about name(arguments)",
    "write Label :: name(arguments) --> body, where the label and the body may be missing",
    ("1.", "0.5 --> leaf.", "1 :: 2 --> leaf.", '"a" :- b.', "[a] --> b.", "{a}.", "a, b :- c."),
)
SINGLE_COLON = SyntaxMessage(
    "E044",
    "a label is followed by two colons, not by one",
    "write {label} :: {head}",
    ("0.5 : t --> leaf.", "1/2 : t(D) --> leaf."),
)
EMPTY_DIRECTIVE = SyntaxMessage(
    "E045",
    "this directive says nothing",
    "write the directive after :-, as in :- start(tree).",
    (":- .",),
)
QUERY = SyntaxMessage(
    "E046",
    "?- asks a question, which a program cannot do",
    "write :- for a directive; ask questions with: slp query FILE GOAL",
    ("?- a.",),
)
OTHER_ARROW = SyntaxMessage(
    "E047",
    "clauses with => are not part of the language",
    "write :- for a logical clause, --> for a tree rule",
    ("a => b.", "1 :: a => b."),
)
LABEL_IN_BODY = SyntaxMessage(
    "E048",
    ":: belongs before the head, not into the body",
    "write Label :: Head --> Body",
    ("t --> 1 :: leaf.", "p :- 0.5 :: q."),
)
LABELLED_DIRECTIVE = SyntaxMessage(
    "E049",
    "a directive has no label",
    "write the clause as Label :: Head :- Body, or the directive without ::",
    (":- 1 :: a.",),
)
ONE_TERM = SyntaxMessage(
    "E050",
    "one term is expected here, and this text has {count}",
    "give one term, such as tree(0)",
    (),
)

MESSAGES: tuple[SyntaxMessage, ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, SyntaxMessage)
)
