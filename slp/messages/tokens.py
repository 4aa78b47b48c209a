"""E0xx, W0xx: tokens."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E010 = Entry(
    "E010: a quote is never closed",
    cause="A quote is opened, and the line ends before it is closed.",
    remedy="Close it on the same line. Inside, write the quote twice, and a line end as `\\n`.",
    example="a('b).",
)
UNCLOSED_QUOTE = E010.says(
    "this {quote} is never closed",
    "close it on the same line; inside, write the quote twice, a line end as \\n",
)

E011 = Entry(
    "E011: a comment is never closed",
    cause="The program ends inside a comment `/* ...`.",
    remedy="End it with */.",
    example="a. /* b",
)
UNCLOSED_COMMENT = E011.says("this comment is never closed", AS_REMEDY)

E051 = Entry(
    "E051: a comment begins inside a comment",
    cause="`/*` stands inside a comment, and systems of Prolog differ in what that means.",
    remedy="Take the inner `/*` away.",
    example="/* a /* b */ c.",
)
NESTED_COMMENT = E051.says(
    "a comment begins inside a comment",
    "take this /* away: comments do not nest in standard Prolog, but do in SWI-Prolog",
)

E012 = Entry(
    "E012: text stands in backquotes",
    cause="Text in backquotes has no meaning in a program.",
    remedy="Write 'name' for an atom, or \"text\" for a string.",
    example="a(`b`).",
)
BACKQUOTED = E012.says(
    "text in backquotes has no meaning here", "write 'name' for an atom or \"text\" for a string"
)

E013 = Entry(
    "E013: a character cannot stand outside quotes",
    cause="Outside quotes a program is made of letters, digits, `_` and the usual ASCII signs.",
    remedy="Put a name with other characters in single quotes.",
    example="a(€).",
)
ILLEGAL_CHARACTER = E013.says(
    "the character {character} cannot stand here",
    "outside quotes a program is made of letters, digits, _ and the usual ASCII signs; put a name "
    "with other characters in single quotes",
)

E014 = Entry(
    "E014: a number is malformed",
    cause="A word begins with a digit and is no number, or a decimal point is missing, or stands "
    "first.",
    remedy="Write a number such as 12, 1_000, 0.5, 1.0e-3, 0xff, 0o17, 0b101, 1.0Inf or 0'c. A "
    "name may not begin with a digit.",
    example="a(1x).",
)
BAD_NUMBER = E014.says(
    "{text} is no number",
    "numbers look like 12, 1_000, 0.5, 1.0e-3, 0xff, 16'ff, 0o17, 0b101, 1.0Inf or 0'c; a name "
    "may not begin with a digit",
)
MINUS_BEFORE_RADIX = E014.says("{text} is no number", "put a blank behind the minus: - {number}")
NO_DECIMAL_POINT = E014.says("{text} is no number", "write a decimal point: {number}")
NO_LEADING_DIGIT = E014.says("{text} is no number", "write a digit before the point: 0{text}")

E015 = Entry(
    "E015: a number is too large",
    cause="Floats reach to 1.7e308, and integers to 1,000 digits.",
    remedy="Write a smaller number, or 1.0Inf for infinity.",
    example="a(1.0e400).",
)
NUMBER_TOO_LARGE = E015.says(
    "this number is too large",
    "floats reach to 1.7e308 and integers to {digits} digits; write 1.0Inf for infinity",
)

E016 = Entry(
    "E016: an escape sequence is unknown",
    cause="A backslash in quotes is followed by something that is no escape sequence.",
    remedy="Write a backslash as `\\\\`, or take one of the escapes that the help line lists.",
    example="a('\\q').",
)
BAD_ESCAPE = E016.says(
    "{text} is no escape sequence",
    "the escapes are \\n \\t \\r \\a \\b \\f \\v \\e \\s \\\\ \\' \\\" \\` \\xHH\\ \\OOO\\ "
    "\\uHHHH \\UHHHHHHHH and a backslash at the end of the line; write a backslash as \\\\",
)

E017 = Entry(
    "E017: '[]' is quoted",
    cause="The quoted atom '[]' is not the empty list, though it looks like it.",
    remedy="Write [] for the empty list, or take another name.",
    example="a('[]').",
)
QUOTED_NIL = E017.says("the quoted atom '[]' is not the empty list", AS_REMEDY)

E018 = Entry(
    "E018: a full stop stands inside a clause",
    cause="A point stands where it neither ends a clause nor belongs to a number.",
    remedy="End the clause with a full stop and a blank; quote a name that contains a point.",
    example="a.b.",
)
STRAY_POINT = E018.says(
    "a full stop cannot stand inside a clause",
    "end the clause with a full stop and a blank or a line end; put a name that contains a point "
    "in single quotes",
)

E019 = Entry(
    "E019: a dict of SWI-Prolog stands in a program",
    cause="A name touches `{`, which SWI-Prolog reads as a dict. Programs have none.",
    remedy="Put a blank before { where a guard is meant.",
    example="a{b: 1}.",
)
DICT = E019.says(
    "{name}{{...}} would be a dict in SWI-Prolog, which programs do not have", AS_REMEDY
)
