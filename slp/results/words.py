"""Numbers of a posterior in words, the same in summaries and reports.

An estimate has its Monte Carlo error only if the draws have converged. Otherwise the
error means nothing.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from slp.results.estimate import with_error

if TYPE_CHECKING:
    from slp.results.posterior import Posterior
    from slp.results.trust.diagnostics import Diagnostics


def estimate_text(
    value: float, error: float | None, found: Diagnostics | None, *, drawn: bool = False
) -> str:
    """A number as text. It is exact if there are no diagnostics, unless it is `drawn`: an average
    over independent draws that an exact engine made. Otherwise its Monte Carlo error follows, or a
    mark if the draws have not converged."""
    if found is None and not drawn:
        return f"{value:.4f}"
    if found is not None and not found.converged:
        return f"{value:.4f}?"
    return with_error(value, error)


def error_note(found: Diagnostics | None, *, drawn: bool = False) -> str:
    """What stands behind the numbers of `estimate_text`, in brackets; empty for exact ones."""
    if found is None and not drawn:
        return ""
    return f" (? {found.standing})" if found and not found.converged else " (+- Monte Carlo error)"


def evidence_text(posterior: Posterior) -> str:
    """The log evidence and what kind of number it is, or why it is not known."""
    value, error = posterior.log_evidence, posterior.log_evidence_error
    if value is None:
        return f"not known: {posterior.no_evidence}"
    if posterior.log_evidence_kind != "estimate":
        return f"{value:.6f}, exact"
    if posterior.trust.summed:
        return f"{value:.6f}, estimate, {error:.1g} from that by fewer values of parameters"
    told = f"{_to_error(value, error)}, estimate"
    found = posterior.diagnostics
    if found is None or found.converged or found.errors_of_islands:
        return f"{told}, Monte Carlo standard error {error:.2g}"
    if found.standing == "not known":
        return f"{told} ({found.warnings[0]} its error)"
    return f"{told} (not converged, its error is not known)"


def _to_error(value: float, error: float | None) -> str:
    """A value with two digits of its error."""
    if not error or not math.isfinite(error):
        return f"{value:.6g}"
    return f"{value:.{max(0, 1 - math.floor(math.log10(error)))}f}"


def derivations_note(posterior: Posterior) -> str | None:
    """What must be said where trees are ranked by their derivations; None where they are not."""
    if posterior.trees_summed is not None or posterior.map().derivation_log_joint is None:
        return None
    return (
        "a tree may have several derivations: ranks, bounds, certificates and numbers of trees are "
        "of derivations, and a tree may be listed for each of its own"
    )


def partition_note(posterior: Posterior) -> str | None:
    """What must be said where a tree stands for others; None where it does not."""
    if not posterior.record.by_partition:
        return None
    return (
        "every split is by `partition`: a tree stands for all trees that part the rows alike, "
        "whichever features they split on"
    )


def number_of_trees_text(count: int | float) -> str:
    """The number of trees: an int is exact."""
    if count == math.inf:
        return f"more than {sys.float_info.max:.0e}"
    return f"{count:,}" if isinstance(count, int) else f"about {count:.2g}"
