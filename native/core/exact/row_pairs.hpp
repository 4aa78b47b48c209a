// Differences of what is predicted of two new rows: of many pairs, the mean and the mean square
// over all trees and over the parameters of their leaves.
//
// Of an item, given that the tree has it, let m1 be the mean of what its subtree predicts of row 1,
// q1 that of its square, m0 and q0 those of row 0, d and e the means of the difference and of its
// square. Subtrees on both sides of a split are independent given the split, and in a leaf both
// rows have one parameter. Where a split parts the rows,
//
//     d = m1 - m0        e = q1 + q0 - 2 m1 m0        each of the side of its row
//
// and where they go together d and e are those of the side. A row with a part on each side (its
// share s on the left) is their average: slp/reference/chart/pairs.py has the formulas.
//
// Items are opened one by one, twice, whatever the pass: from the root down, for the items that the
// pairs reach, and from the leaves up, for the means. In between the caller tells the moments in
// the leaves that were found. Edges with a probability of at most a cut are left out, so at most
// `kMostLost` of the probability of each pair is; what is lost counts as a prediction of 0.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "budget.hpp"
#include "exact/engine.hpp"

namespace slp::exact {

// The pairs of one batch are bits of a word.
inline constexpr std::size_t kMostPairs = 64;

// The moments of leaves, K of them, in the order of their statistics.
struct LeafMoments {
    std::size_t width;               // J, the numbers that leaves predict by
    std::span<const double> first;   // K * J, their means
    std::span<const double> second;  // K * J, means of their squares; with designs K * J * J
    // n * J: what rows weigh these numbers by; empty where leaves predict the same of every row.
    std::span<const double> ones, zeros;

    // The numbers of a prediction.
    std::size_t depth() const { return ones.empty() ? width : 1; }
};

class PairSweeps;

class RowPairs {
public:
    // ones, zeros: n rows each, at most kMostPairs, as `NewRows::values`; they and the pass, which
    // keeps items, must outlive it.
    RowPairs(const Engine& engine, const Pass& pass, std::span<const double> ones,
             std::span<const double> zeros, std::size_t n, std::size_t memory);
    ~RowPairs();

    // Finds the items. Throws UntoldFault.
    Status down(const Poll& poll);
    // Then: the statistics of their leaves, K * k.
    const std::vector<double>& statistics() const;
    // Then: d and e of each pair, n * depth() each.
    Status up(const LeafMoments& moments, const Poll& poll, std::vector<double>& mean,
              std::vector<double>& square);

private:
    std::unique_ptr<PairSweeps> sweeps_;
};

// Approximate seconds of one core for n pairs, from counts.
double seconds_of_pairs(const Engine& engine, const Pass& pass, std::size_t n);

}  // namespace slp::exact
