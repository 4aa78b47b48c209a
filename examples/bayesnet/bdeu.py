"""The posterior over Bayesian networks on a small table, from the proofs of `network.slp`.

    python examples/bayesnet/bdeu.py

The likelihood of a network is BDeu: a Dirichlet prior on each row of each conditional probability
table, which together are worth `EQUIVALENT_ROWS` rows, integrated out (Heckerman, Geiger &
Chickering 1995, Learning Bayesian networks: the combination of knowledge and statistical data,
Machine Learning 20; Buntine 1991). With r levels of a variable, q configurations of its parents,
N_jk rows with configuration j and level k, N_j = sum over k of N_jk, and a = EQUIVALENT_ROWS,

    log P(column | parents) = sum over j of  [  lgamma(a / q) - lgamma(a / q + N_j)
        + sum over k of  lgamma(a / (r q) + N_jk) - lgamma(a / (r q))  ]

and the log-likelihood of a network is the sum over its variables.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from functools import cache
from itertools import permutations
from math import exp, lgamma, prod
from pathlib import Path

HERE = Path(__file__).resolve().parent
EQUIVALENT_ROWS = 1.0


@cache
def table() -> dict[str, list[str]]:
    """The columns of sprinkler.csv."""
    with (HERE / "sprinkler.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


@cache
def log_family(child: str, parents: tuple[str, ...]) -> float:
    """log P(column of the child | its parents), with the child's table integrated out."""
    columns = table()
    levels = {name: len(set(column)) for name, column in columns.items()}
    r, q = levels[child], prod(levels[name] for name in parents)
    configurations = list(zip(*(columns[name] for name in parents), strict=True))
    configurations = configurations or [()] * len(columns[child])
    rows = Counter(configurations)
    cells = Counter(zip(configurations, columns[child], strict=True))
    a_row, a_cell = EQUIVALENT_ROWS / q, EQUIVALENT_ROWS / (r * q)
    of_rows = sum(lgamma(a_row) - lgamma(a_row + n) for n in rows.values())
    return of_rows + sum(lgamma(a_cell + n) - lgamma(a_cell) for n in cells.values())


def log_likelihood(answer: dict[str, list[list[str]]]) -> float:
    """BDeu of the network whose arcs are `Arcs`."""
    parents: dict[str, list[str]] = {name: [] for name in table()}
    for cause, effect in answer["Arcs"]:
        parents[effect].append(cause)
    return sum(log_family(child, tuple(sorted(found))) for child, found in parents.items())


def main() -> None:
    """Print the most probable networks, and the probability of each arc: exact, as the program has
    200 networks only. Where they are too many, `Program.sample_proofs` draws them."""
    import slp

    found = slp.load(HERE / "network.slp").query("network(Arcs)")
    networks = [json.loads(re.sub(r"\w+", r'"\g<0>"', str(a["Arcs"]))) for a in found.answers]
    weights = [
        answer.mass * exp(log_likelihood({"Arcs": arcs}))
        for answer, arcs in zip(found.answers, networks, strict=True)
    ]
    total = sum(weights)
    shares = sorted(
        ((w / total, arcs) for w, arcs in zip(weights, networks, strict=True)), reverse=True
    )
    print("probability  network")
    for share, arcs in shares[:5]:
        print(f"{share:.4f}       {', '.join(f'{cause} -> {effect}' for cause, effect in arcs)}")
    print("\nprobability  arc")
    for arc in permutations(table(), 2):
        probability = sum(share for share, arcs in shares if list(arc) in arcs)
        print(f"{probability:.4f}       {' -> '.join(arc)}")


if __name__ == "__main__":
    main()
