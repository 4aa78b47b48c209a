"""The posterior over Bayesian networks on a small table, by sampling proofs of `network.slp`.

    python examples/bayesnet/bdeu.py [--draws 4000] [--seed 1]

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

import argparse
import csv
from collections import Counter
from functools import cache
from itertools import permutations
from math import lgamma, prod
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
    """Print the most probable networks, and the probability of each arc."""
    import slp

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = slp.load(HERE / "network.slp")
    found = program.sample_proofs(
        "network(Arcs)", log_likelihood, draws=options.draws, thin=50, seed=options.seed
    )
    print("probability  network")
    for answer in found.answers[:5]:
        print(f"{answer.probability:.3f} +- {answer.error:.3f}  {answer['Arcs']}")
    print("\nprobability  arc")
    for arc in (f"[{x}, {y}]" for x, y in permutations(table(), 2)):
        print(f"{sum(a.probability for a in found.answers if arc in a['Arcs']):.3f}  {arc}")
    print(f"\naccepted {found.diagnostics.acceptance['q_uc']:.1%}, seed {found.seed}")


if __name__ == "__main__":
    main()
