"""E0xx, W0xx: files and syntax."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

# --- files ---------------------------------------------------------------------------------------

E001 = Entry(
    "E001: a program cannot be read",
    cause="There is no such file, it is a folder, a pipe or a device, or you may not read it.",
    remedy="Name a file.",
    example="slp check no_such_file.slp",
)
PROGRAM_NOT_READ = E001.says("cannot read {path}: {reason}")

E002 = Entry(
    "E002: a program is not UTF-8 text",
    cause="The file has a byte that UTF-8 text does not have there.",
    remedy="Save the file as UTF-8.",
    example="slp check latin1.slp",
)
NOT_UTF_8 = E002.says("{path} is not UTF-8 text (byte {byte})", AS_REMEDY)

E003 = Entry(
    "E003: there is no such program",
    cause="There is no library prior of this name, or a table stands where a program belongs.",
    remedy="Take a name that the help line gives. The program comes first, then the table.",
    example="slp check data.csv",
)
TABLE_FOR_A_PROGRAM = E003.says(
    "{path} is a table by its name, and a program belongs here",
    "the program comes first, then the table: slp-sample prior.slp data.csv",
)
NO_LIBRARY_PRIOR = E003.says("there is no library prior '{name}'", "{help}")

# --- size ----------------------------------------------------------------------------------------

E052 = Entry(
    "E052: the program is too large",
    cause="A program has more than 10,000,000 characters, or 1,000,000 words and signs.",
    remedy="Keep in the program what it reasons with. Put rows of data into a table.",
    example="a file of 20 MB",
)
TOO_LARGE = E052.says(
    "{what} has more than {limit}",
    "keep in the program what it reasons with; put rows of data into a table, long constants out",
)

E053 = Entry(
    "E053: there are too many mistakes",
    cause="There are more than 1,000 mistakes. The rest is not told.",
    remedy="Mend these, then look again.",
    example="a file of 2,000 lines, each of which is `a b.`",
)
TOO_MANY_MISTAKES = E053.says(
    "there are more than {limit} mistakes, of which these are the first", AS_REMEDY
)

W053 = Entry(
    "W053: there are too many warnings",
    cause="There are more than 1,000 warnings. The rest is not told.",
    remedy="Mend these, then look again.",
    example="a file of 2,000 clauses `p(X).`",
)
TOO_MANY_WARNINGS = W053.says(
    "there are more than {limit} warnings, of which these are the first", AS_REMEDY
)

# --- tokens --------------------------------------------------------------------------------------

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
    cause="A word begins with a digit and is no number.",
    remedy="Write a number such as 12, 1_000, 0.5, 1.0e-3, 0xff, 0o17, 0b101, 1.0Inf or 0'c. A "
    "name may not begin with a digit.",
    example="a(1x).",
)
BAD_NUMBER = E014.says(
    "{text} is no number",
    "numbers look like 12, 1_000, 0.5, 1.0e-3, 0xff, 0o17, 0b101, 1.0Inf or 0'c; a name may not "
    "begin with a digit",
)

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

# --- brackets ------------------------------------------------------------------------------------

E020 = Entry(
    "E020: a bracket is never closed",
    cause="The clause ends before a bracket is closed.",
    remedy="Close the bracket before the clause ends.",
    example="a(b.",
)
UNCLOSED_BRACKET = E020.says(
    "this {bracket} is never closed", "close it with {closing} before the clause ends"
)

E021 = Entry(
    "E021: a bracket closes nothing",
    cause="A closing bracket has no opening one.",
    remedy="Take it away, or open it.",
    example="a).",
)
UNOPENED_BRACKET = E021.says(
    "this {bracket} closes nothing", "take it away, or open it with {opening}"
)

E022 = Entry(
    "E022: brackets do not match",
    cause="A closing bracket is of another kind than the one opened last.",
    remedy="Close first what was opened last.",
    example="a(b].",
)
MISMATCHED_BRACKETS = E022.says(
    "{bracket} cannot close {opening}", "close first what was opened last, here with {closing}"
)

E023 = Entry(
    "E023: brackets are nested too deeply",
    cause="More than 500 brackets are open at once.",
    remedy="Give parts of the term names of their own.",
    example="a((((...)))).   (with 501 brackets)",
)
TOO_DEEP = E023.says("brackets are nested more than {limit} deep here", AS_REMEDY)

E024 = Entry(
    "E024: an atom has empty brackets",
    cause="A name is followed by brackets with nothing between them.",
    remedy="Write the atom without brackets.",
    example="a().",
)
EMPTY_BRACKETS = E024.says(
    "there is nothing between these brackets", "write an atom without brackets: {name}"
)

E025 = Entry(
    "E025: brackets are empty",
    cause="Brackets that group a term have nothing between them.",
    remedy="Put a term between them or take them away.",
    example="a :- ().",
)
EMPTY_GROUP = E025.says("there is nothing between these brackets", AS_REMEDY)

E026 = Entry(
    "E026: an argument is missing",
    cause="There is no term before or after a comma between arguments or items of a list.",
    remedy="Put a term there, or take the comma away.",
    example="a(,).",
)
EMPTY_ARGUMENT = E026.says("an argument is missing here", "put a term here, or take the comma away")

E027 = Entry(
    "E027: a list has more than one tail",
    cause="A list has one tail, which stands alone after one bar.",
    remedy="Write [A, B | Tail], with items before the bar and the tail alone after it.",
    example="a([b|c|d]).",
)
LIST_TAIL = E027.says("a list has one tail, after one bar", AS_REMEDY)

# --- operators -----------------------------------------------------------------------------------

E030 = Entry(
    "E030: an operator is missing",
    cause="Two terms stand side by side with no operator between them.",
    remedy="Put a comma or an operator between them, or quote an atom of several words.",
    example="a b.",
)
OPERATOR_EXPECTED = E030.says(
    "{left} and {right} stand side by side with no operator between them",
    "put a comma or an operator between them; an atom of several words goes in single quotes",
)

E031 = Entry(
    "E031: a blank stands before an argument list",
    cause="A blank parts a name from the bracket with its arguments.",
    remedy="Write the opening bracket right after the name.",
    example="p (x).",
)
BLANK_BEFORE_BRACKET = E031.says(
    "a blank parts {name} from its arguments",
    "write the opening bracket right after the name: {name}(",
)

E032 = Entry(
    "E032: a full stop is missing",
    cause="A line begins with a new term, and the clause before it does not end.",
    remedy="Put a full stop at the end of the clause before.",
    example="a\nb.",
)
MISSING_FULL_STOP = E032.says(
    "the clause before this line does not end", "put a full stop after {left}"
)

E033 = Entry(
    "E033: the last clause does not end",
    cause="The program ends in the middle of a clause.",
    remedy="Put a full stop at the end.",
    example="a",
)
UNFINISHED_CLAUSE = E033.says(
    "the program ends in the middle of a clause", "put a full stop after {last}"
)

E034 = Entry(
    "E034: a label is not followed by `::`",
    cause="A number or an expression stands in front of a head without `::`.",
    remedy="Write Label :: Head.",
    example="0.5 t --> leaf.",
)
LABEL_WITHOUT_OPERATOR = E034.says(
    "the label {label} is not followed by ::", "write {label} :: {head}"
)

E035 = Entry(
    "E035: operators need brackets",
    cause="Of two operators beside each other the priorities do not say which comes first.",
    remedy="Put brackets around the part that belongs together.",
    example="a = b = c.",
)
PRIORITY_CLASH = E035.says(
    "{inner} (priority {inner_priority}) cannot stand beside {outer} (which takes up to {limit}) "
    "without brackets",
    AS_REMEDY,
)

E036 = Entry(
    "E036: a clause has two labels",
    cause="`::` stands twice in a clause, which has one label.",
    remedy="Write Label :: Head --> Body.",
    example="a :: b :: c.",
)
TWO_LABELS = E036.says("a clause has one label, so :: cannot stand twice", AS_REMEDY)

E039 = Entry(
    "E039: a clause is an annotated disjunction",
    cause="`::` stands on both sides of `;`, and a clause has one label and one head.",
    remedy="Write the alternatives as clauses of one predicate: 0.3 :: pick(a). 0.7 :: pick(b).",
    example="0.3 :: a ; 0.7 :: b.",
)
ANNOTATED_DISJUNCTION = E039.says(
    "a clause has one label and one head, so :: cannot stand on both sides of ;",
    "write the alternatives as clauses of one predicate: 0.3 :: pick(a). 0.7 :: pick(b).",
)

E037 = Entry(
    "E037: an operand is missing",
    cause="There is no term before or after an operator.",
    remedy="Put a term there, or take the operator away.",
    example="a :- .",
)
MISSING_OPERAND = E037.says(
    "there is no term {side} {operator}", "put a term there, or take {operator} away"
)

E038 = Entry(
    "E038: op/3 declares no operator",
    cause="The priority, the type or the name in a directive op/3 is none, or the name is fixed.",
    remedy="Write op(Priority, Type, Name), as in :- op(700, xfx, ===>).",
    example=":- op(1300, xfx, a).",
)
_OP = "write op(Priority, Type, Name), as in :- op(700, xfx, ===>)"
OP_PRIORITY = E038.says(
    "op/3 cannot do this: its priority is no integer from 0 to {largest}", AS_REMEDY
)
OP_TYPE = E038.says("op/3 cannot do this: its type is none of {types}", AS_REMEDY)
OP_NO_ATOM = E038.says("op/3 cannot do this: the operator is no atom", AS_REMEDY)
OP_FIXED = E038.says("op/3 cannot do this: the meaning of {name} is fixed", AS_REMEDY)

# --- clauses -------------------------------------------------------------------------------------

E040 = Entry(
    "E040: a full stop ends nothing",
    cause="A full stop stands where no clause has begun.",
    remedy="Take it away.",
    example=".",
)
LONELY_FULL_STOP = E040.says("this full stop ends nothing", AS_REMEDY)

E041 = Entry(
    "E041: a variable has arguments",
    cause="A name with arguments begins with a capital or `_`, as a variable does.",
    remedy="Begin the name with a small letter, or put it in single quotes.",
    example="Tree(D) --> leaf.",
)
VARIABLE_AS_FUNCTOR = E041.says(
    "{name} begins with a capital or _, which makes it a variable, and a variable has no arguments",
    AS_REMEDY,
)

E042 = Entry(
    "E042: a head is a variable",
    cause="A name that begins with a capital or `_` is a variable, which is no head.",
    remedy="Begin the name with a small letter, or put it in single quotes.",
    example="Tree --> leaf.",
)
VARIABLE_AS_HEAD = E042.says(
    "{name} begins with a capital or _, which makes it a variable, and a variable is no head",
    AS_REMEDY,
)

E043 = Entry(
    "E043: a clause has no head",
    cause="A clause is about an atom or about name(arguments), and this is about something else.",
    remedy="Write Label :: name(arguments) --> body, where the label and the body may be missing.",
    example="1.",
)
NO_HEAD = E043.says(
    "{text} is no head: a clause is about an atom or about name(arguments)", AS_REMEDY
)

E044 = Entry(
    "E044: a label is followed by one colon",
    cause="A label is followed by two colons, not by one.",
    remedy="Write Label :: Head.",
    example="0.5 : t --> leaf.",
)
SINGLE_COLON = E044.says("a label is followed by two colons, not by one", "write {label} :: {head}")

E045 = Entry(
    "E045: a directive is empty",
    cause="Nothing follows `:-`.",
    remedy="Write the directive after `:-`, as in :- start(tree).",
    example=":- .",
)
EMPTY_DIRECTIVE = E045.says(
    "this directive says nothing", "write the directive after :-, as in :- start(tree)."
)

E046 = Entry(
    "E046: a program asks a question",
    cause="`?-` asks a question, which a program cannot do.",
    remedy="Write :- for a directive; ask questions with: slp query FILE GOAL.",
    example="?- a.",
)
QUERY = E046.says("?- asks a question, which a program cannot do", AS_REMEDY)

E047 = Entry(
    "E047: a clause is written with `=>`",
    cause="Clauses with `=>` are not part of the language.",
    remedy="Write :- for a logical clause, --> for a tree rule.",
    example="a => b.",
)
OTHER_ARROW = E047.says("clauses with => are not part of the language", AS_REMEDY)

E048 = Entry(
    "E048: a label stands in a body",
    cause="`::` stands behind the arrow of a clause.",
    remedy="Write Label :: Head --> Body.",
    example="t --> 1 :: leaf.",
)
LABEL_IN_BODY = E048.says(":: belongs before the head, not into the body", AS_REMEDY)

E049 = Entry(
    "E049: a directive has a label",
    cause="`::` stands in a directive.",
    remedy="Write the clause as Label :: Head :- Body, or the directive without ::.",
    example=":- 1 :: a.",
)
LABELLED_DIRECTIVE = E049.says("a directive has no label", AS_REMEDY)

E050 = Entry(
    "E050: one term is expected",
    cause="A text that stands for one term, such as a goal, holds none or several.",
    remedy="Give one term, such as tree(0).",
    example="slp query coin.slp 'coin(X). coin(Y).'",
)
ONE_TERM = E050.says("one term is expected here, and this text has {count}", AS_REMEDY)
