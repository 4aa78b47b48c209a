"""The prior over the same trees, for numbers that stand beside those of a posterior."""

from __future__ import annotations

from slp.errors import SlpError
from slp.results.record.result import Result


class BesidePrior:
    """The part of `slp.Posterior` that knows its prior, which is made once."""

    _result: Result
    _made: Result | None = None
    _drawn: Result | None = None

    def _prior_beside(self, *, drawn: bool = False) -> Result | str:
        """The prior by the same engine, or why it is not known. With `drawn` it is by independent
        draws, where a sampler's program allows these."""
        if not self._result.likelihood:
            return "this is the prior"
        if self._result.trees_found is not None:
            return f"the engine {self._result.choice.engine} finds trees, and none of a prior"
        try:
            if drawn and self._drawn is None and self._result.drawn_prior is not None:
                self._drawn = self._result.drawn_prior()
            if drawn and self._drawn is not None:
                return self._drawn
            if self._made is None:
                self._made = self._result.prior()
        except SlpError as error:
            return error.diagnostics[0].message
        return self._made
