"""Trees grown greedily: `plan` (how, and the tree that comes of it), `core` (in the C++ core), and
`pruning` (from a grown tree to one that satisfies the tests on finished trees)."""
