// Upper bounds on the marginal likelihood of any partition of a box's rows into leaves.
//
// Proofs: docs/search.md. In short: a leaf's marginal likelihood is a mean over parameters of the
// product of its rows' likelihoods. A group of equal rows lies in one leaf.
//
//   classes     Of a group of mixed classes the likelihood is at most the product of
//               (m_c / m)^m_c. The rows of pure groups contribute at most what they would in one
//               leaf for each class (LeafModel::log_pure).
//   counts,     Of a group with events D in exposure E the likelihood under rate r is at most that
//   durations   under r = D / E. Tighter, and dearer: the best parting, whose leaves are runs of
//               the rows in the order of D / E.
//   durations   The same by piece, without the best parting. With an event at a cut, whose piece
//   by pieces   has no time: +inf.
//   numbers,    No bound is proven: +inf.
//   tables
//
// The model says which it is: of a group's likelihood the most (LeafFormula::log_most_likely), and
// the two sums whose ratio orders the runs (LeafFormula::two_sums).

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace slp::search {

// Sums over a set of rows: the leaf model's statistics, then what the bound needs.
class LeafBound {
public:
    // Without likelihood every marginal likelihood is 1.
    LeafBound(const Problem& problem, bool likelihood);

    // Numbers in a sum.
    std::size_t width() const { return width_; }
    void add(std::uint32_t row, double* to) const {
        const double* const own = rows_.data() + row * width_;
        for (std::size_t i = 0; i < width_; ++i) {
            to[i] += own[i];
        }
    }
    void sum(std::span<const std::uint32_t> rows, double* out) const;

    // Log marginal likelihood of one leaf.
    double log_leaf(const double* sums) const {
        return likelihood_ ? leaf_.log_marginal(sums) : 0.0;
    }
    // That of two leaves together: one with the sums at `left`, the other with the rest of `whole`.
    // Of n such pairs, one below the other.
    void log_of_sides(const double* left, std::size_t n, const double* whole, double* out) const {
        if (likelihood_) {
            leaf_.log_of_sides(left, width_, n, whole, out);
        } else {
            std::fill_n(out, n, 0.0);
        }
    }
    // Log of a bound on the product of the marginal likelihoods of any partition into leaves.
    double log_parted(const double* sums) const;
    // The largest product itself, of counts and durations of few different D / E; +inf elsewhere.
    double log_best_parting(std::span<const std::uint32_t> rows);
    bool has_best_parting() const { return !order_.empty(); }

private:
    void add_classes(const Problem& problem);
    void add_rows();
    void order_by(const TwoSums& rate);

    const LeafModel& leaf_;
    bool likelihood_;
    // Whether some group of equal rows has mixed classes.
    bool mixed_ = false;
    // Whether a row's last number is the most that its likelihood can be.
    bool by_rows_ = false;
    std::size_t k_, width_;
    // n * width, row by row.
    std::vector<double> rows_;
    // For counts and durations: each row's place among the different values of D / E.
    std::vector<std::uint32_t> order_;
    // For the rows that were asked for last: their places, sums up to each, and the best parting up
    // to each.
    std::vector<std::uint32_t> places_;
    std::vector<double> by_place_, up_to_, best_;
};

}  // namespace slp::search
