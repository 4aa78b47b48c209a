// The cuts of a set of rows on one feature, each with the sums of its left side: one pass over the
// rows, by codes of the distinct values.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "modal/row_sums.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::modal {

// One for each thread, and level of look-ahead.
class FeatureScan {
public:
    FeatureScan(const Problem& problem, const Geometry& geometry, Budget& budget);

    // Finds the structurally valid cuts, in canonical order. `keys`: whether the keys of left
    // sides are wanted.
    void scan(const RowSet& set, std::uint32_t feature, bool keys);

    std::span<const Cut> cuts() const { return {cuts_.data(), n_cuts_}; }
    // Sums of the left sides, W for each cut.
    const double* left() const { return left_.data(); }
    const double* left(std::size_t cut) const { return left_.data() + cut * width_; }
    Key key(std::size_t cut) const { return left_keys_[cut]; }

private:
    template <std::size_t W>
    void add_rows(const RowSet& set, const Feature& feature);
    template <std::size_t W>
    void list_cuts(const RowSet& set, const Feature& feature);
    void make_room(std::size_t n_rows, const Feature& feature, bool keys);
    void find_codes(const RowSet& set, const Feature& feature);
    void list_wide_cuts(const RowSet& set, const Feature& feature, bool keys);
    void add_keys(const RowSet& set, const Feature& feature);
    void list_keys(const RowSet& set, const Feature& feature);

    const Problem& problem_;
    const Geometry& geometry_;
    Charge charge_;
    std::size_t width_;
    double min_leaf_;
    // By code: sums, and which occur. Cleared after each scan.
    std::vector<double> sums_;
    std::vector<std::uint64_t> occupied_;
    std::vector<Key> keys_;
    // The codes that occur, ascending.
    std::vector<std::uint32_t> codes_;
    std::vector<Cut> cuts_;
    std::vector<double> left_, running_;
    std::vector<Key> left_keys_;
    std::size_t n_cuts_ = 0;
};

}  // namespace slp::modal
