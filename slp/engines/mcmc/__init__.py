"""Metropolis-Hastings: over derivations of trees (`trees`), over edits of a given tree (`edits`),
over
proofs of a goal (`proofs`). `sample` runs chains over trees, `memory` is what they take."""
