// The cuts of a set of rows on one feature, each with the statistics of its left side: one pass
// over the rows, by codes of the distinct values.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::modal {

// A set of rows: distinct rows ascending, their sizes and sums of statistics.
struct RowSet {
    std::span<const std::uint32_t> rows;
    Sizes sizes = 0;
    std::span<const double> statistics;
};

// One for each thread, and level of look-ahead.
class FeatureScan {
public:
    FeatureScan(const Problem& problem, const Geometry& geometry, Budget& budget);

    // Finds the structurally valid cuts, in canonical order. `keys`: whether the keys of left
    // sides are wanted.
    void scan(const RowSet& set, std::uint32_t feature, bool keys);

    struct Cut {
        std::uint32_t low, high;
        Sizes left;
        Key key;
    };
    std::span<const Cut> cuts() const { return {cuts_.data(), n_cuts_}; }
    // Statistics of the side of a cut.
    const double* left(std::size_t cut) const { return sides_.data() + 2 * cut * k_; }
    const double* right(std::size_t cut) const { return sides_.data() + (2 * cut + 1) * k_; }

private:
    struct Bucket {
        Sizes sizes = 0;
        Key key;
    };

    void make_room(std::size_t n_rows, const Feature& feature);
    void fill(const RowSet& set, const Feature& feature, bool keys);
    void add(const RowSet& set, const Cut& cut, const double* left);

    const Problem& problem_;
    const Geometry& geometry_;
    Charge charge_;
    std::size_t k_;
    std::int64_t min_leaf_;
    // By code: sums, and which occur. Cleared after each scan.
    std::vector<Bucket> buckets_;
    std::vector<double> sums_;
    std::vector<std::uint64_t> occupied_;
    std::vector<std::uint32_t> codes_;
    std::vector<Cut> cuts_;
    std::vector<double> sides_, running_;
    std::size_t n_cuts_ = 0;
};

}  // namespace slp::modal
