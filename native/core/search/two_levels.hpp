// Two levels of splits at once: bounds on the sides of all splits of a box, from the statistics of
// the four parts that each pair of splits makes.
//
// The statistics of the part on the left of both splits are counted by words of bits (as in
// MurTree, Demirović et al. 2022); those of the other three follow by subtraction. So each side
// gets the bound that opening it would give, without its rows: its number of splits, so their
// shares, are exact. Proof: docs/search.md.
//
// For classes, and states with leaf rules and one split rule that leads to one pair of states from
// every cell, where leaves may have one row.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "search/alike.hpp"
#include "search/leaf_bound.hpp"
#include "search/split_planes.hpp"
#include "search/varying_features.hpp"
#include "search/weight_bound.hpp"

namespace slp::search {

class TwoLevels {
public:
    TwoLevels(const Problem& problem, const LeafBound& leaf, WeightBound& weights,
              const RowBits& bits, Budget& budget);

    // Prepares for the sides of a box's splits; false if that does not apply, or takes too long.
    // sums: over the left side of each split, width() numbers for each; own: over the box. All
    // must stay where they are.
    bool prepare(const Box& box, std::span<const BoxSplit> splits, const double* sums,
                 const double* own);
    // The rows of the same box, where they are now.
    void move_to(const Box& box) { varying_.move_to(box); }
    // An upper bound on the log of the value of any derivation that splits one side of a split, in
    // a state; +inf if the state is not one of the above.
    double log_split_above(std::size_t split, bool left, std::int32_t state);
    // After it: the split of the side that is worth this, where both its parts only stop; else
    // null.
    const BoxSplit* last_split() const { return last_split_; }

    // About the log of the largest value of one split of the side, both parts of which stop: the
    // weight of its rule is at most the one taken. -inf where the other is +inf.
    double log_stump(std::size_t split, bool left, std::int32_t state);

private:
    // A split of the side and what it is worth, and whether features that vary were counted.
    struct SideSplit {
        double value, log_probability;
        std::size_t split;
        bool counted;
    };
    bool list_splits(std::size_t split, bool left, const WeightBound::OneSplit& found);
    // Add what the parts are worth.
    template <typename Part>
    void add_parts(std::size_t split, bool left, const WeightBound::OneSplit& found,
                   const Part& value);
    void add_leaves(std::size_t split, bool left, const WeightBound::OneSplit& found);
    template <typename Part>
    double of_parts(std::size_t split, bool left, std::size_t j,
                    const WeightBound::OneSplit& found, const Part& value);
    const SideSplit& best_pair() const;
    bool is_last(std::int32_t state, const WeightBound::OneSplit& found);
    // What a part of the box is worth at most, if at least so many features vary on it.
    double part(std::int32_t state, Sizes sizes, std::uint32_t varying, const double* sums);
    void count_splits(std::size_t split, bool left);
    void find_alike(const Box& box, std::span<const BoxSplit> splits);
    bool is_mirrored(std::size_t j) const { return !(splits_[j].left == splits_[alike_[j]].left); }

    const Problem& problem_;
    const LeafBound& leaf_;
    WeightBound& weights_;
    VaryingFeatures varying_;
    SplitPlanes planes_;
    std::size_t k_, width_;
    bool plain_;
    // After `prepare`, only the number of the box's rows is used, not the rows.
    Box box_;
    std::span<const BoxSplit> splits_;
    const double *sums_ = nullptr, *own_ = nullptr;
    // For the split and side that were asked for last: sums and distinct rows of the side's left
    // parts, and the number of the side's splits on each feature.
    std::size_t counted_split_ = SIZE_MAX;
    bool counted_left_ = false;
    std::vector<double> parts_, buffer_, leaves_, weights_of_feature_;
    std::vector<std::uint32_t> distinct_;
    std::vector<SideSplit> pairs_;
    // The first split of the same weight that parts the box alike; the sides may be exchanged.
    std::vector<std::uint32_t> alike_;
    Alike parts_met_;
    const BoxSplit* last_split_ = nullptr;
    std::vector<std::uint8_t> is_split_;
};

}  // namespace slp::search
