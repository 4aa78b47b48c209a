// Linear systems (I - A) x = b with A, b >= 0: elimination of unknowns, without pivoting.
//
// Where the spectral radius of A is below 1 all pivots are positive, and a pivot is the only
// difference that is formed: all else is sums and products of positive numbers. Where it is not, a
// pivot is not positive (Berman & Plemmons, "Nonnegative matrices in the mathematical sciences",
// 1994, chapter 6). Unknowns with the fewest neighbours go first; once half of what is left is
// neighbours of each, the rest is dense.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace slp::tables {

// Whether to go on; asked now and then. False ends a computation as early as possible.
using GoOn = std::function<bool()>;

class Elimination {
public:
    // EliminationRow and column of each entry of A that may be above 0; an entry may stand twice.
    Elimination(std::size_t n, std::vector<std::pair<std::int32_t, std::int32_t>> entries);

    // Whether the system is small enough once it is filled.
    bool fits() const { return fits_; }
    // The entries' values; false where a pivot is not positive.
    bool factor(std::span<const double> values, const GoOn& go_on);
    std::vector<double> solve(std::span<const double> right) const;

private:
    void order(const std::vector<std::vector<std::int32_t>>& near);
    void subtract(double factor, std::size_t pivot, std::vector<double>& row) const;

    struct EliminationRow {
        std::vector<std::int32_t> left, right;  // places of columns, ascending
        std::vector<double> factors, rest;
        double pivot = 1.0;
        std::vector<std::int32_t> entries;  // of A
    };

    std::size_t n_;
    bool fits_ = true;
    std::vector<std::pair<std::int32_t, std::int32_t>> entries_;
    std::vector<std::size_t> place_;  // in the order of elimination
    std::vector<std::int32_t> ordered_;
    std::vector<EliminationRow> rows_;  // by place
};

}  // namespace slp::tables
