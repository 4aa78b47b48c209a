"""The prior over the same trees, for numbers that stand beside those of a posterior."""

from __future__ import annotations

from slp.errors import SlpError
from slp.results.record.result import Result


class BesidePrior:
    """The part of `slp.Posterior` that knows its prior, which is made once."""

    _result: Result
    _made: Result | None = None

    def _prior_beside(self) -> Result | str:
        """The prior by the same engine, or why it is not known."""
        if not self._result.likelihood:
            return "this is the prior"
        if self._result.trees_found is not None:
            return f"the engine {self._result.choice.engine} finds trees, and none of a prior"
        if self._made is None:
            try:
                self._made = self._result.prior()
            except SlpError as error:
                return error.diagnostics[0].message
        return self._made
