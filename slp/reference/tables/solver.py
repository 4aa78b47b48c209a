"""What `slp.resolution.tables.solved` asks of a backend."""

from slp.reference.tables.best import best_proofs
from slp.reference.tables.bounds import bounds_of, success_of
from slp.reference.tables.draws import draws_of
from slp.reference.tables.weighing import PlainWeighing

#: See `slp.resolution.tables.solved.Solver`.
weighing = PlainWeighing

__all__ = ["best_proofs", "bounds_of", "draws_of", "success_of", "weighing"]
