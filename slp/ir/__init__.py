"""The intermediate representations: frozen, printable data without behaviour.

Entry points: `program` (`CheckedProgram`), `constraints` (what passes ask of a constraint, support;
`boxes`, `automaton`, `box_automaton`, `cells`), `leaves` (what is said of leaves), `schema`
(`Schema`: what lowering knows of a table), `tree_grammar` (`TreeGrammar`: the finite weighted
grammar that engines run; its docstring is the contract for states, rules and split classes).

Beside them: `words` (a program and its constraints in sentences) and `grammar_text` (a grammar as
text). Analysis makes programs, lowering makes grammars from them, and inference runs grammars. This
room imports none of the three.
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.ir.boxes import Box
    from slp.ir.program import CheckedProgram

__all__ = [
    "Box",
    "CheckedProgram",
]

# Whoever needs one module of this room does not load the others.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.ir.boxes": "Box",
        "slp.ir.program": "CheckedProgram",
    },
)
