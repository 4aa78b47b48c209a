"""E0xx, W0xx: brackets, operators and clauses."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.other_languages import INSTEAD_OF_DENSITIES

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
HASH_FOR_COMMENT = E030.says("`#` begins no comment", "a comment begins with `%`")
QUOTED_OPERATOR = E030.says(
    "an operator in quotes is a name, not an operator",
    "write `{operator}` without quotes, or the name and its arguments in brackets",
)
OPERATOR_MISTAKEN = E030.says("{operator} is no operator", "write {meant}")

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
    remedy="Write Label :: Head :- Body, or Label :: Head --> Body for a tree rule.",
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
DISJUNCTION_OF_PAIRS = E039.says(
    "a clause has one head, so `;` cannot stand between heads",
    "write the alternatives as clauses of one predicate: {clauses}",
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
    remedy="Write Label :: name(arguments) :- body, or --> for a tree rule; label and body may "
    "be missing.",
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
COLON_AFTER_NAME = E044.says(
    "a label is followed by two colons, not by one",
    "write {label} :: {head} if {label} is a label; there are no modules",
)

NO_DENSITIES = E044.says("{text} names a distribution of numbers", INSTEAD_OF_DENSITIES)

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
    remedy="Ask questions with: slp query FILE GOAL.",
    example="?- a.",
)
QUERY = E046.says("?- asks a question, which a program cannot do", "ask: slp query FILE {goal}")

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
    remedy="Write Label :: Head :- Body, or Label :: Head --> Body for a tree rule.",
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
