"""Which options of `slp query` each way to answer takes."""

from __future__ import annotations

import click
from click.core import ParameterSource

from slp.errors import UsageError
from slp.messages.commands import (
    FAILURE_IN_CHAIN,
    OPTION_OF_CHAINS,
    OPTION_OF_DRAWS,
    OPTION_OF_PROOFS,
    OPTION_OF_SEARCH,
    OPTION_OF_TREES,
)

_CHAINS = dict.fromkeys(("chains", "warmup", "thin", "checkpoint", "resume"), OPTION_OF_CHAINS)
_PROOFS = ("given", "best", "failure", "tolerance", "log_likelihood", "proposal", *_CHAINS)
_TREES = {"response": OPTION_OF_TREES}
#: For each way to answer: the options without effect, and the words for it.
_NOT_TAKEN = {
    "the search for answers": {"failure": OPTION_OF_DRAWS, **_CHAINS, **_TREES},
    "the drawing of answers": {
        "best": OPTION_OF_SEARCH,
        "tolerance": OPTION_OF_SEARCH,
        **_CHAINS,
        **_TREES,
    },
    "Metropolis-Hastings": {
        "failure": FAILURE_IN_CHAIN,
        "tolerance": OPTION_OF_SEARCH,
        "memory": OPTION_OF_SEARCH,
        **_TREES,
    },
    "a goal about trees": dict.fromkeys(_PROOFS, OPTION_OF_PROOFS),
}


def check_options(way: str) -> None:
    """Refuse options that would have no effect (E723)."""
    context = click.get_current_context()
    for name, wording in _NOT_TAKEN[way].items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(wording(way=way, name=name.replace("_", "-")))
