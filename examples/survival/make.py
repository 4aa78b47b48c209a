"""Makes trial.csv: 300 patients after a first treatment, half of them kept on a drug. The data are
invented.

    python make.py

Each month a patient relapses with a probability that grows with the stage; the drug divides it by
three in the first two stages and does nothing in the others. Half of the patients are followed for
at most 30 months.
"""

import csv
import random

STAGES = ["i", "ii", "iii", "iv"]
MONTHLY = {"i": 0.02, "ii": 0.04, "iii": 0.06, "iv": 0.12}


def patient(chance):
    """A row: age, stage, drug, months, and what happened then."""
    age = 40 + int(chance.random() * 40)
    stage = STAGES[int(chance.random() * 4)]
    drug = "yes" if chance.random() < 0.5 else "no"
    risk = MONTHLY[stage] * (1 / 3 if drug == "yes" and stage in ("i", "ii") else 1)
    followed = 12 + int(chance.random() * 36)
    for month in range(1, followed):
        if chance.random() < risk:
            return [age, stage, drug, month, "relapse"]
    return [age, stage, drug, followed, "well"]


chance = random.Random(1)
with open("trial.csv", "w", encoding="utf-8", newline="") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["age", "stage", "drug", "months", "status"])
    rows.writerows(patient(chance) for _ in range(300))
