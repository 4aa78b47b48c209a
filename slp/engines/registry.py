"""All engines by name. A package is imported when its engine is used."""

from __future__ import annotations

from copy import copy
from dataclasses import Field, fields
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType
from typing import Any

from slp.engines.contract import Engine
from slp.errors import UsageError
from slp.messages.inference import NO_ENGINE

__all__ = ["ENGINES", "all_options", "engine_named"]

#: Name, and the module whose `ENGINE` it is.
ENGINES = {
    "exact": "slp.engines.exact.engine",
    "chart": "slp.engines.chart.engine",
    "enumerate": "slp.engines.enumeration.engine",
    "mh": "slp.engines.mcmc.engine",
    "smc": "slp.engines.smc.engine",
    "prolog": "slp.swipl.trees.engine",
    "forward": "slp.engines.mcmc.independent",
}


def engine_named(name: str) -> Engine:
    """The engine of a name.

    Raises
    ------
    UsageError
        E509: there is no such engine.
    """
    if name not in ENGINES:
        names = ["auto", *ENGINES]
        near = get_close_matches(str(name), names, n=1)
        nearest = f"did you mean {near[0]}? " if near else ""
        raise UsageError(NO_ENGINE(name=name, nearest=nearest, names=", ".join(names)))
    engine: Engine = import_module(ENGINES[name]).ENGINE
    return engine


def all_options() -> dict[str, Field[Any]]:
    """The options of all engines by name. One that several engines take has one field, whose
    default is None where theirs differ."""
    out: dict[str, Field[Any]] = {}
    for name in ENGINES:
        for found in fields(engine_named(name).Options):
            out[found.name] = _of_both(out.get(found.name, found), found)
    return out


def _of_both(one: Field[Any], other: Field[Any]) -> Field[Any]:
    """An option of two engines: each takes its own default where none is given."""
    if one.default == other.default:
        return other
    out = copy(other)
    told = (f"{f.metadata['doc']} ({f.default})" for f in (one, other))
    out.default, out.metadata = None, MappingProxyType({**other.metadata, "doc": "; ".join(told)})
    return out
