"""Goals about trees, proved on trees as terms: the probability of an answer is that of the trees
that give it (docs/tree-goals.md).

`ask` asks a distribution, `goal` reads and checks a goal and asks single trees, `library` has the
predicates, `facts` what they ask of a tree, `rows` the rows that they name, and `answers` what
users get.
"""
