"""Goals about trees: the probability of an answer is that of the trees that give it
(docs/tree-goals.md).

`ask` asks a distribution, `goal` reads and checks a goal and asks single trees, `library` has the
predicates, `facts` what they ask of a tree, `rows` the rows that they name, and `answers` what
users get. `by_sums` asks all trees at once: `symbolic` proves a goal for a tree that is not known,
and `formulas` has the probability of what that proof needs.
"""
