"""The machine: SLD resolution of goals, with arithmetic and the predicates that can be called.

`store` (bindings and unification; `order` of terms), `loop` (goals, choice points, limits), `solve`
(answers to a goal). `clauses`, `control`, `builtins` and `library` have the predicates that can be
called, two kinds of them in `definitions`, in `replaceable` those that a program may define itself,
in `of_trees` those that ask a tree;
`left_out` those that cannot; `database` joins them for a program. `templates` (clauses
prepared for use), `first_argument` (an index on goals), `arithmetic` and `functions`, `affine`
(numbers that depend on a threshold), `faults` (errors of all rooms of `slp.resolution`).
"""
