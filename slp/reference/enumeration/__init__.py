"""Engine `enumerate`: every derivation one by one (`derivations`), and plain sums over them
(`sums`)."""

from slp.reference.enumeration.sums import Enumeration

__all__ = ["Enumeration"]
