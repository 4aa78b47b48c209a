"""All engines by name. A package is imported when its engine is used."""

from __future__ import annotations

from copy import copy
from dataclasses import Field, fields
from types import MappingProxyType
from typing import Any

from slp.engines.contract import Engine
from slp.errors import UsageError
from slp.late import late_import
from slp.messages.inference import NO_ENGINE
from slp.messages.names import nearest

#: Name, and the module whose `ENGINE` it is.
ENGINES = {
    "exact": "slp.engines.exact.engine",
    "chart": "slp.reference.chart.engine",
    "enumerate": "slp.reference.enumeration.engine",
    "mh": "slp.engines.mcmc.engine",
    "smc": "slp.engines.smc.engine",
    "modal": "slp.engines.modal.engine",
    "search": "slp.engines.search.engine",
    "rjhmc": "slp.engines.rjhmc.engine",
    "additive": "slp.engines.additive.engine",
    "prolog": "slp.reference.prolog.engine",
    "forward": "slp.engines.mcmc.independent",
    "stacked": "slp.engines.stacked.engine",
}

#: Name of an engine, and the module that has its plain version: the specification. It runs where
#: there is no compiled core, and for what the core does not take.
PLAIN = {
    "exact": "slp.reference.chart",
    "mh": "slp.reference.mh.samplers",
    "smc": "slp.reference.smc.filter",
    "modal": "slp.reference.modal.growth",
    "search": "slp.reference.search",
    "additive": "slp.reference.additive.sums",
}


def plain_engine(name: str) -> Any:
    """The module with the plain version of an engine. Beside it and `ENGINES`, only
    `slp.resolution.tables.solved` and tests import `slp.reference`."""
    return late_import(PLAIN[name])


def engine_named(name: str) -> Engine[Any]:
    """The engine of a name.

    Raises
    ------
    UsageError
        E509: there is no such engine.
    """
    if name not in ENGINES:
        names = ["auto", *ENGINES]
        near = nearest(str(name), names)
        raise UsageError(NO_ENGINE(name=name, nearest=near, names=", ".join(names)))
    engine: Engine[Any] = late_import(ENGINES[name]).ENGINE
    return engine


def all_options() -> dict[str, Field[Any]]:
    """The options of all engines by name. One that several engines take has one field, whose
    default is None where theirs differ."""
    found: dict[str, list[Field[Any]]] = {}
    for name in ENGINES:
        for field in fields(engine_named(name).Options):
            found.setdefault(field.name, []).append(field)
    return {name: _of_all(same) for name, same in found.items()}


def _of_all(same: list[Field[Any]]) -> Field[Any]:
    """An option of several engines. Where no value is given, each takes its own default."""
    if len({field.default for field in same}) == 1:
        return same[-1]
    told = dict.fromkeys(
        field.metadata["doc"] + ("" if field.default is None else f" ({field.default})")
        for field in same
    )
    out = copy(same[-1])
    out.default = None
    out.metadata = MappingProxyType({**out.metadata, "doc": "; ".join(told)})
    return out
