"""Makes holidays.pl: the umbrellas of 60 holidays. The data are invented.

    python make.py

The weather changes with probability 0.15 a day, a holiday ends with 0.05; umbrellas are seen on 90
of 100 days of rain, and on 15 of 100 days of sun.
"""

import random


def holiday(chance):
    """What is seen on each day."""
    rain = chance.random() < 0.5
    seen = []
    while True:
        seen.append("wet" if chance.random() < (0.9 if rain else 0.15) else "dry")
        step = chance.random()
        if step < 0.05:
            return seen
        rain = rain != (step < 0.2)


chance = random.Random(1)
with open("holidays.pl", "w", encoding="utf-8", newline="") as file:
    for _ in range(60):
        file.write(f"days([{', '.join(holiday(chance))}]).\n")
