"""Engine `enumerate`: every derivation one by one (`derivations`), and plain sums over them
(`sums`)."""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.reference.enumeration.sums import Enumeration

__all__ = ["Enumeration"]

# The options of all engines are read without it.
__getattr__, __dir__ = late_names(__name__, {"slp.reference.enumeration.sums": "Enumeration"})
