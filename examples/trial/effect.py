"""How much does the drug change the fall of blood pressure: on average, and for whom?"""

import polars as pl

import slp

patients = pl.read_csv("patients.csv")
posterior = slp.load("prior.slp").posterior(patients, draws=0, seed=1)


def effect(group):
    """The change under the drug less that without, of the same patients."""
    return posterior.contrast(
        group.with_columns(drug=1), group.with_columns(drug=0), seed=1
    ).average


for name, group in (
    ("all", patients),
    ("little salt", patients.filter(pl.col("salt") < 9)),
    ("much salt", patients.filter(pl.col("salt") >= 9)),
):
    average = effect(group)
    low, high = average.interval()
    print(f"{name:<12} {average.mean:6.2f} mm Hg (90 %: {low:6.2f} to {high:6.2f})")
