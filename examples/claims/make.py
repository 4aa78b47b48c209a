"""Makes policies.csv: 500 insurance policies with their claims. The data are invented.

    python make.py

Claims are Poisson with a rate per year: 0.4 for drivers below 25, else 0.1, and twice as many in
town with cars of more than 100 kW.
"""

import csv
import random
from math import exp


def count(chance, mean):
    """A Poisson number: how many uniform numbers can be multiplied before exp(-mean) is passed."""
    product, n = chance.random(), 0
    while product > exp(-mean):
        product, n = product * chance.random(), n + 1
    return n


def policy(chance):
    """A row: age, place, kilowatts, years, claims."""
    age = 18 + int(chance.random() * 60)
    place = "town" if chance.random() < 0.5 else "country"
    kilowatts = 40 + 10 * int(chance.random() * 12)
    years = round(0.1 + 2.9 * chance.random(), 1)
    rate = (0.4 if age < 25 else 0.1) * (2 if place == "town" and kilowatts > 100 else 1)
    return [age, place, kilowatts, years, count(chance, rate * years)]


chance = random.Random(2)
with open("policies.csv", "w", encoding="utf-8", newline="") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["age", "place", "kilowatts", "years", "claims"])
    rows.writerows(policy(chance) for _ in range(500))
