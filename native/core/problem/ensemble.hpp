// Finished trees laid out flat, to send many rows down many trees. It knows no table and no engine.
//
// Dimension letters: U trees, N nodes and K leaves of all trees together, d features, m rows, q
// numbers of each leaf.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slp {

class Ensemble {
public:
    // The nodes of one tree after the other, each in preorder: features (N,), -1 of a leaf;
    // operands (N,), the threshold below which a row goes left, or, of features with levels, the
    // code that equals it; others (N,), the code that goes right where a test says no side of a
    // third one, else NaN; starts (U + 1,), where each tree begins, and N; levels (d,), whether a
    // feature has levels.
    Ensemble(std::span<const std::int32_t> features, std::span<const double> operands,
             std::span<const double> others, std::span<const std::int64_t> starts,
             std::span<const bool> levels);

    std::size_t n_trees() const { return roots_.size(); }
    std::size_t n_features() const { return n_features_; }
    std::size_t n_leaves() const { return n_leaves_; }

    struct Shapes {
        std::vector<std::int64_t> n_leaves, depth;  // (U,)
        std::vector<std::int64_t> splits;           // (U, d): how often each feature is split on
    };
    Shapes shapes() const;

    // m rows (m, d). An ensemble without features has rows, too.
    struct Rows {
        const double* values;
        std::size_t m;
    };

    // The leaf that each row ends in, to out (U, m): leaves are numbered from 0 as they stand, one
    // tree after the other; -1 where a split does not say the row's side. The rows are distributed
    // over threads.
    void leaves(const Rows& rows, std::size_t n_threads, std::int64_t* out) const;

    // The sums of the rows that end in each leaf: statistics (m, k), out (K, k). Rows are added in
    // their order; the trees are distributed over threads. A row without a side is left out.
    void sums(std::span<const double> statistics, std::size_t k, const Rows& rows,
              std::size_t n_threads, double* out) const;

    // The sum over the trees of weight times the numbers of the leaf that a row ends in: values (K,
    // q), weights (U,), out (m, q), NaN where a split does not say the row's side. Trees are added
    // in their order, so the number of threads does not change the result.
    void average(std::span<const double> values, std::size_t q, std::span<const double> weights,
                 const Rows& rows, std::size_t n_threads, double* out) const;

private:
    // A split, its left side the next node; or a leaf, with its number in place of `right`.
    struct EnsembleNode {
        double operand, other;
        std::int32_t feature;  // -1: a leaf
        std::uint32_t right;
        bool level;
    };

    static constexpr std::uint32_t kNoLeaf = UINT32_MAX;

    // The leaf of a row; kNoLeaf where a split does not say its side.
    std::uint32_t leaf_of(std::size_t tree, const double* row) const;

    std::size_t n_features_, n_leaves_ = 0;
    std::vector<EnsembleNode> nodes_;
    std::vector<std::uint32_t> roots_;
};

}  // namespace slp
