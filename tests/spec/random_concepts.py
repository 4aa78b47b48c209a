"""Random hierarchies of levels."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.spec.random_tables import RandomTable, quoted


def with_concepts(rng: random.Random, table: RandomTable) -> RandomTable:
    """The table with concepts for the levels of its first feature, which get more names."""
    name = table.features[0]
    atom = quoted(name)
    columns, kinds = dict(table.columns), dict(table.kinds)
    n = len(columns[name])
    columns[name] = rng.choices(("ash", "beech", "cod", "dace", "elm")[: rng.randint(2, 5)], k=n)
    kinds[name] = "categorical"
    told = [d for d in table.directives if f"feature({atom}," not in d and "is_a(" not in d]
    if rng.random() < 0.3:
        said = rng.choice(("categorical", "categorical, new(error)", "categorical, missing(level)"))
        told.append(f":- feature({atom}, [{said}]).")
        if "missing" in said:
            there, *others = columns[name]
            columns[name] = [there, *(None if rng.random() < 0.3 else x for x in others)]
    above = _random_hierarchy(rng, sorted({x for x in columns[name] if x is not None}))
    alone = rng.random() < 0.4
    told += [
        f"is_a({low}, {high})." if alone else f"is_a({atom}, {low}, {high})."
        for low, high in above.items()
    ]
    cuts = {f: own for f, own in table.cuts.items() if f != name}
    return replace(
        table, columns=columns, kinds=kinds, directives=tuple(told), cuts=cuts, above={name: above}
    )


def _random_hierarchy(rng: random.Random, levels: list[str]) -> dict[str, str]:
    """Groups of names joined again and again; some levels stay alone, some are only known."""
    above: dict[str, str] = {}
    names = rng.sample(levels, len(levels))
    for i in range(rng.randint(1, 3)):
        if not names:
            break
        concept = f"c{i}"
        own = [names.pop() for _ in range(min(len(names), rng.choice((1, 2, 2, 3))))]
        if rng.random() < 0.4:
            own.append(f"extra{i}")
        above |= dict.fromkeys(own, concept)
        names.insert(rng.randint(0, len(names)), concept)
    return above
