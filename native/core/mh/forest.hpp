// Drawn trees laid out for prediction, many rows at once.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/geometry.hpp"
#include "exact/problem.hpp"
#include "mh/proof.hpp"

namespace slp::mh {

// Dimension letters: T trees, K leaves of all trees together, m new rows, d features, q numbers of
// each leaf.
class Forest {
public:
    Forest(const exact::Problem& problem, const exact::Geometry& geometry)
        : problem_(problem), geometry_(geometry) {}

    void add(const Proof& proof);

    std::size_t n_trees() const { return roots_.size(); }
    // K rows of statistics, trees in the order in which they were added, leaves in preorder.
    const std::vector<double>& leaf_statistics() const { return statistics_; }

    // Mean over the trees of the leaves' numbers: values (K * q), rows (m * d) of values or codes of
    // levels (no level of the table: a number that is no code), out (m * q).
    void average(std::span<const double> values, std::size_t q, std::span<const double> rows,
                 std::size_t m, double* out) const;
    // The leaf that each row ends in, out (m * T).
    void leaves(std::span<const double> rows, std::size_t m, std::uint32_t* out) const;

private:
    // A split, its left side the next node; or a leaf, with its number in place of `right`.
    struct Node {
        double threshold;  // of a test on a level, its code
        std::int32_t feature;  // -1: a leaf
        std::uint32_t right;
        bool level;
    };

    std::uint32_t leaf_of(std::size_t tree, const double* row) const;

    const exact::Problem& problem_;
    const exact::Geometry& geometry_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> roots_;
    std::vector<double> statistics_;
    std::uint32_t n_leaves_ = 0;
};

}  // namespace slp::mh
