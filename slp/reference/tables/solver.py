"""What `slp.resolution.tables.solved` asks of a backend."""

from slp.reference.tables.best import best_proofs
from slp.reference.tables.bounds import bounds_of, success_of
from slp.reference.tables.draws import draws_of

__all__ = ["best_proofs", "bounds_of", "draws_of", "success_of"]
