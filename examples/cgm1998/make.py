"""Makes rows.csv: 800 rows of the tree of Chipman, George & McCulloch (1998), which they use to
show where samplers get stuck. The rows are simulated anew, as theirs were.

    python make.py

With x1 uniform on 1, ..., 10, x2 on a, b, c, d, and noise of standard deviation 2, the mean of y is

    x2 in {c, d}:  1 for x1 <= 3,  5 for 3 < x1 <= 7,  8 for x1 > 7
    x2 in {a, b}:  8 for x1 <= 5,  2 for x1 > 5
"""

import csv
import random
from statistics import NormalDist


def mean(x1, x2):
    if x2 in "cd":
        return 1 if x1 <= 3 else 5 if x1 <= 7 else 8
    return 8 if x1 <= 5 else 2


chance = random.Random(1998)
with open("rows.csv", "w", encoding="utf-8", newline="") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["x1", "x2", "y"])
    for _ in range(800):
        x1, x2 = 1 + int(chance.random() * 10), "abcd"[int(chance.random() * 4)]
        y = NormalDist(mean(x1, x2), 2).inv_cdf(chance.random())
        rows.writerow([x1, x2, round(y, 2)])
