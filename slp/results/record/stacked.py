"""`Stacked`: how members were stacked by prediction, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass

#: What the page, the report and JSON say first.
TITLE = "not a posterior: an average of {members} members stacked by prediction"


@dataclass(frozen=True)
class Stacked:
    """How members were stacked.

    Attributes
    ----------
    weights : of the K members, which sum to 1; members differ in their random numbers alone.
    rows_of_members : how many rows of the table the members saw.
    rows_of_weights : how many others chose the weights.
    log_predictive : the mean log predictive density (of classes: probability) of a row of those
        that chose the weights. It is too good by what the weights fit of these rows.
    log_predictive_equal : the same of equal weights.
    log_predictive_best : the same of the best member alone.
    """

    weights: tuple[float, ...]
    rows_of_members: int
    rows_of_weights: int
    log_predictive: float
    log_predictive_equal: float
    log_predictive_best: float

    @property
    def effective(self) -> float:
        """How many members of equal weight count as much: 1 / sum of w_k^2."""
        return 1.0 / sum(weight**2 for weight in self.weights)

    @property
    def is_sound(self) -> bool:
        """Whether these are weights, and numbers of rows."""
        alike = bool(self.weights) and abs(sum(self.weights) - 1.0) < 1e-6
        return alike and min(self.weights) >= 0 and min(self._rows) >= 1

    @property
    def _rows(self) -> tuple[int, int]:
        return self.rows_of_members, self.rows_of_weights

    def words(self) -> str:
        """What it is, as the page says it first."""
        return TITLE.format(members=len(self.weights))

    def sentences(self) -> tuple[str, ...]:
        """How it was made, and how well it predicts."""
        seen, chose = self._rows
        return (
            f"the members saw {seen:,} rows; {chose:,} others, set aside before, chose the weights",
            f"the weights count as much as those of {self.effective:.1f} equal members",
            f"log predictive of a row that chose the weights: {self.log_predictive:.4f} (equal "
            f"weights {self.log_predictive_equal:.4f}, the best member alone "
            f"{self.log_predictive_best:.4f}); of new rows it is somewhat lower",
            "it predicts; it has no evidence, no draws and no probabilities of trees, and knows no "
            "errors",
        )
