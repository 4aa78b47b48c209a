"""From a column to a coded feature: its kind, its cuts, its codes (see `slp.columns`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp import kernels
from slp.columns import MISSING, ColumnKind, Numeric
from slp.columns.declared import has_levels, kind_of_levels, kind_of_numbers, kind_with_side
from slp.data.cells import cell_text
from slp.data.columns import Column, labels_of
from slp.data.conversion import cell_type
from slp.data.faults import check_range, check_usable, missing_error, read_levels, read_numbers
from slp.data.feature_kind import Feature
from slp.data.near_ties import near_tie_warnings
from slp.data.table import code_type
from slp.data.texts import text_warnings
from slp.data.words import first_row
from slp.data.written import as_written
from slp.errors import DataError, Diagnostic
from slp.ir.program import Bins, Cuts, FeatureDeclaration
from slp.ir.whole import is_whole
from slp.messages.cells import (
    INFINITE_VALUES,
    MISSING_EVERYWHERE,
    MISSING_IN_LEVELS,
    MISSING_IN_NUMBERS,
    MISSING_IS_A_LEVEL,
    MISSING_IS_A_TEST,
    NUMBERS_CANNOT_MISS,
    NUMBERS_COINCIDE,
    TEXT_IN_BINNED,
    TEXT_IN_NUMERIC,
)
from slp.messages.columns import TOO_MANY_BINS
from slp.messages.directives import DENSITY_FAR_AWAY, DENSITY_OF_KIND
from slp.messages.names import atom, plural

MOST_BINS = 100_000
#: Standard deviations from the mean of thresholds whose squares are doubles.
_FARTHEST = 1e150
_NO_ORDER = "categories in an order that is not used, unless you declare them `ordinal([...])`"

_Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A feature, its codes (n,), and its warnings. `one_bin`: no cut or bin separates its
    values. `notes` as `ColumnKind.notes`."""

    feature: Feature
    codes: NDArray[Any]
    warnings: tuple[Diagnostic, ...] = ()
    one_bin: bool = False
    notes: tuple[tuple[str, str], ...] = ()

    def in_few_bytes(self) -> CodedColumn:
        """The same with codes of the smallest type that has all codes of the feature."""
        return replace(self, codes=self.codes.astype(code_type(self.feature.kind.n_codes)))


def code_column(
    column: Column, declared: FeatureDeclaration, weights: _Floats | None = None
) -> CodedColumn:
    """Code one feature column. `weights`, shape (n,), are those of its rows, for quantiles.

    Raises
    ------
    DataError
        E411, E412, E420, E421 for its cells; E422 infinite values; E423 whole numbers that coincide
        as floats; E429 too many bins; E438 a level of none of the declared ones; E439 a number out
        of the declared range; E446 too many levels for splits by subsets;
        E145: a density of the thresholds of what is no plain number.
    """
    coded = _coded(column, declared, weights)
    notes: tuple[tuple[str, str], ...] = ()
    if column.categories and declared.kind is None and coded.feature.kind.categorical:
        notes = ((_NO_ORDER, ", ".join(column.categories)),)
    comma = declared.decimal == "comma"
    feature = replace(coded.feature, cells=cell_type(column), comma=comma)
    if declared.density is not None:
        feature = _with_density(feature, declared)
    return replace(coded, feature=feature, notes=notes)


def _with_density(feature: Feature, declared: FeatureDeclaration) -> Feature:
    """The feature with the declared density of its thresholds. Raises DataError E145."""
    density, kind = declared.density, feature.kind
    assert density is not None
    if type(kind) is not Numeric or kind.missing_code is not None or kind.values is None:
        raise DataError(DENSITY_OF_KIND(declared.span, feature=feature.name))
    ends = [float(kind.values[i]) for i in (0, -1)] if len(kind.values) else []
    if any(abs(x / density.sd - density.mean / density.sd) > _FARTHEST for x in ends):
        raise DataError(DENSITY_FAR_AWAY(declared.span, feature=feature.name))
    return replace(feature, density=density)


def _coded(column: Column, declared: FeatureDeclaration, weights: _Floats | None) -> CodedColumn:
    if declared.missing == "side" and column.kind != "unusable":
        return _code_side(column, declared, weights)
    categorical = has_levels(declared, numeric=column.numeric)
    if categorical and declared.missing == "level" and column.kind != "unusable":
        return _code_levels_and_missing(column, declared)
    of_numbers = NUMBERS_CANNOT_MISS if declared.missing == "level" else MISSING_IN_NUMBERS
    check_usable(column, MISSING_IN_LEVELS if categorical else of_numbers)
    if declared.levels is not None:
        return _code_order(column, declared, declared.levels)
    if categorical:
        return _code_levels(column, declared, () if declared.kind else text_warnings(column))
    return _code_numbers(column, declared, weights)


def _code_side(
    column: Column, declared: FeatureDeclaration, weights: _Floats | None
) -> CodedColumn:
    """Codes the values that are present. Missing values get the last code."""
    there = np.flatnonzero(~column.missing)
    if not len(there):
        raise missing_error(column.name, column.missing, MISSING_EVERYWHERE)
    own = replace(declared, missing=None)
    coded = _coded(column.rows(there), own, None if weights is None else weights[there])
    kind = kind_with_side(declared, coded.feature.kind, holes=len(there) < len(column.cells))
    if MISSING in kind.names:
        raise DataError(MISSING_IS_A_TEST(name=column.name, level=MISSING))
    codes = np.full(len(column.cells), kind.n_codes - 1, np.int32)
    codes[there] = coded.codes
    feature = Feature(column.name, kind)
    one_bin = coded.one_bin and kind.missing_code is None
    return replace(coded, feature=feature, codes=codes, one_bin=one_bin)


def _code_order(
    column: Column, declared: FeatureDeclaration, order: tuple[str, ...]
) -> CodedColumn:
    kind = kind_of_numbers(declared)
    assert kind.numbers is not None
    codes = kernels.code_by_cuts(read_levels(column, order), kind.numbers)
    return CodedColumn(Feature(column.name, kind), codes)


def _code_levels(
    column: Column, declared: FeatureDeclaration, warnings: tuple[Diagnostic, ...] = ()
) -> CodedColumn:
    labels, codes = labels_of(column)
    levels = tuple(map(cell_text, labels))
    kind = kind_of_levels(declared, levels)
    return CodedColumn(Feature(column.name, kind), _in_order(kind, levels, codes), warnings)


def _in_order(
    kind: ColumnKind, levels: tuple[str, ...], codes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Codes by the places of levels as codes of a kind, whose levels may have another order."""
    if kind.names[: len(levels)] == levels:
        return codes
    return np.array([kind.names.index(level) for level in levels], np.int32)[codes]


def _code_levels_and_missing(column: Column, declared: FeatureDeclaration) -> CodedColumn:
    """Missing values are the level `MISSING`, which comes last."""
    present = column.rows(np.flatnonzero(~column.missing))
    plain = replace(declared, splits=None)
    coded = _code_levels(present, plain, () if declared.kind else text_warnings(present))
    levels = coded.feature.kind.names
    if MISSING in levels:
        raise DataError(MISSING_IS_A_LEVEL(name=column.name, level=MISSING))
    codes = np.full(len(column.cells), len(levels), np.int32)
    codes[~column.missing] = coded.codes
    if column.missing.any():
        levels = (*levels, MISSING)
    kind = kind_of_levels(declared, levels, "level")
    codes = _in_order(kind, levels, codes)
    return replace(coded, feature=Feature(column.name, kind), codes=codes)


def _code_numbers(
    column: Column, declared: FeatureDeclaration, weights: _Floats | None
) -> CodedColumn:
    coding = declared.coding
    column = as_written(column, declared.unit, comma=declared.decimal == "comma")
    x = read_numbers(column, TEXT_IN_NUMERIC if coding is None else TEXT_IN_BINNED)
    if declared.range is not None:
        check_range(column.name, x, declared.range, declared.unit)
    if isinstance(coding, Cuts):
        return _code_by_cuts(column, x, np.array(coding.cuts, dtype=np.float64), declared)
    _check_finite(column.name, x)
    if coding is not None:
        cuts = _bin_cuts(column.name, x, coding, weights)
        return _code_by_cuts(column, x, cuts, declared)
    values, codes = kernels.code_values(x)
    _check_distinct(column, values)
    warnings = near_tie_warnings(column.name, x, codes)
    kind = kind_of_numbers(declared, values, column.formula)
    return CodedColumn(Feature(column.name, kind), codes, warnings)


def _code_by_cuts(
    column: Column, x: _Floats, cuts: _Floats, declared: FeatureDeclaration
) -> CodedColumn:
    name = column.name
    codes = kernels.code_by_cuts(x, cuts)
    one_bin = bool((codes == codes[0]).all() and x.min() < x.max())
    warnings = near_tie_warnings(name, x[np.isfinite(x)], codes[np.isfinite(x)])
    kind = kind_of_numbers(declared, cuts, column.formula)
    return CodedColumn(Feature(name, kind), codes, warnings, one_bin)


def _check_finite(name: str, x: NDArray[np.float64]) -> None:
    infinite = np.isinf(x)
    if infinite.any():
        rows, row = plural(int(infinite.sum()), "row"), first_row(infinite)
        raise DataError(INFINITE_VALUES(name=name, rows=rows, row=row, atom=atom(name)))


def _check_distinct(column: Column, values: NDArray[np.float64]) -> None:
    """Refuse integers that coincide as floats, as can happen beyond 2^53. Different rows would be
    merged."""
    if column.cells.dtype.kind not in "iuO" or np.abs(values[[0, -1]]).max() < 2**53:
        return
    lost = len(np.unique(column.cells)) - len(values)
    if lost > 0:
        raise DataError(NUMBERS_COINCIDE(name=column.name, lost=lost, atom=atom(column.name)))


# --- bins --------------------------------------------------------------------------------------


def _bin_cuts(name: str, x: _Floats, bins: Bins, weights: _Floats | None) -> _Floats:
    if bins.count > MOST_BINS:
        raise DataError(TOO_MANY_BINS(name=name, bins=bins.count, most=MOST_BINS))
    if bins.kind == "quantile":
        return quantile_cuts(x, bins.count, weights)
    return width_cuts(x, bins.count)


def quantile_cuts(x: _Floats, count: int, weights: _Floats | None = None) -> _Floats:
    """Cuts at the quantiles i / count, 0 < i < count, of the finite values x (n,); between all
    distinct values, halfway, where there are no more of them than bins.

    Quantile p is the value at place p (n - 1) of the sorted rows (repeats counted, from 0), linear
    between two rows: NumPy's and R's default (type 7 in Hyndman & Fan 1996). A row of weight w is
    w rows. Equal cuts are one, and a cut at the least value is dropped, as it parts nothing; so
    there may be fewer bins.
    """
    values = np.unique(x)
    if len(values) <= count:
        each = Numeric(values)
        return np.array([each.threshold(i, i + 1) for i in range(len(values) - 1)])
    places = np.arange(1, count) / count
    # Quartering, because the distance of two values can be beyond the largest float.
    scale = 1.0 if _spans(x) else 0.25
    if weights is None:
        return _proper_cuts(np.quantile(x * scale, places) / scale, x)
    return _proper_cuts(_weighted_quantiles(x * scale, places, weights) / scale, x)


def _weighted_quantiles(x: _Floats, places: _Floats, weights: _Floats) -> _Floats:
    """`np.quantile` of the rows (n,) repeated as often as their weights say; of real weights, the
    least value that has a share `places` of the weight at it and below."""
    order = np.argsort(x, kind="stable")
    ends = np.cumsum(weights[order])
    if not is_whole(weights).all():
        found = np.searchsorted(ends, places * ends[-1] * (1 - 1e-12))
        return np.asarray(x[order[found.clip(max=len(x) - 1)]], np.float64)
    place = places * (ends[-1] - 1)
    low = np.floor(place)
    a, b = (
        x[order[np.searchsorted(ends, low + i, side="right").clip(max=len(x) - 1)]] for i in (0, 1)
    )
    t = place - low
    return np.asarray(np.where(t < 0.5, a + (b - a) * t, b - (b - a) * (1 - t)), np.float64)


def width_cuts(x: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Cuts that part the range of the finite values x (n,) into `count` bins of equal width."""
    share = np.arange(1, count) / count
    return _proper_cuts(x.min() * (1 - share) + x.max() * share, x)


def _spans(x: NDArray[np.float64]) -> bool:
    """Whether the range of x is a float."""
    with np.errstate(over="ignore"):
        return bool(np.isfinite(x.max() - x.min()))


def _proper_cuts(cuts: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    cuts = np.unique(cuts)
    return np.asarray(cuts[(cuts > x.min()) & (cuts <= x.max())])
