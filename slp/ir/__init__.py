"""The intermediate representations: frozen data that can be printed, and nothing that acts on it.

Entry points: `program` (`Program`: a program that has been checked), `schema` (`Schema`: what
lowering may know of a table), `tree_grammar` (`TreeGrammar`: the finite weighted grammar that
engines run; its docstring is the contract for states, rules and split classes).

Beside them `words` (a program and its constraints in sentences) and `grammar_text` (a grammar as
text). Analysis makes programs, lowering makes grammars from them, inference runs these;
this room imports none of the three.
"""
