"""Makes patients.csv: a trial of a drug against high blood pressure. The data are invented.

    python make.py

There are 240 patients, treated by lot. Blood pressure falls by 4 mm of mercury in everybody, and by
9 more under the drug in patients who eat much salt. Changes vary with a standard deviation of 6.
"""

import csv
import random
from statistics import NormalDist


def patient(chance):
    """A row: age, salt in grams a day, drug, and the change of blood pressure."""
    age = 35 + int(chance.random() * 45)
    salt = 3 + int(chance.random() * 12)
    drug = int(chance.random() < 0.5)
    mean = -4 - 9 * drug * (salt >= 9)
    return [age, salt, drug, round(NormalDist(mean, 6).inv_cdf(chance.random()), 1)]


chance = random.Random(3)
with open("patients.csv", "w", encoding="utf-8", newline="") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["age", "salt", "drug", "change"])
    rows.writerows(patient(chance) for _ in range(240))
