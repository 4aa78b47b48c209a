"""The intermediate representations: frozen, printable data without behaviour.

Entry points: `program` (`CheckedProgram`), `constraints` (what a program asks of trees), `schema`
(`Schema`: what lowering knows of a table), `tree_grammar` (`TreeGrammar`: the finite weighted
grammar that engines run; its docstring is the contract for states, rules and split classes).

Beside them: `words` (a program and its constraints in sentences) and `grammar_text` (a grammar as
text). Analysis makes programs, lowering makes grammars from them, and inference runs grammars. This
room imports none of the three.
"""
