"""Engine `enumerate`: every derivation one by one (`derivations`), and plain sums over them
(`sums`)."""
