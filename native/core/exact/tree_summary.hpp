// What is known of all trees of an item, as one record: their weight, the best one, their number,
// and expectations over a random one. Records of items follow from those of the sides of their
// splits, so a pass finds all of it at once where it keeps few items (level_sums.hpp).

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/side_sums.hpp"

namespace slp::exact {

// Where the expectations are. `levels`: the most levels of splits of a tree. States are numbered
// from 0 among those that trees reach.
struct SummaryLayout {
    std::size_t d = 0, levels = 0, n_states = 0;

    // By feature the probability that the tree splits on it.
    std::size_t used(std::size_t feature) const { return feature; }
    // Probability of 1 leaf, 2, ....
    std::size_t leaves() const { return d; }
    std::size_t n_leaves() const { return std::size_t{1} << levels; }
    // Probability of depth 0, 1, ....
    std::size_t depth() const { return leaves() + n_leaves(); }
    // By state the expected number of leaves at boxes that cannot be split, and at others; and by
    // feature that of splits on it.
    std::size_t alone(std::size_t state) const { return depth() + levels + 1 + state * (2 + d); }
    std::size_t stops(std::size_t state) const { return alone(state) + 1; }
    std::size_t splits(std::size_t state) const { return alone(state) + 2; }
    std::size_t size() const { return alone(n_states); }
};

struct TreeSummary {
    double log_total = -INFINITY, log_best = -INFINITY, count = 0;
    // By the layout.
    std::vector<double> numbers;
};

// Adds up the choices at an item.
class SummarySum {
public:
    explicit SummarySum(const SummaryLayout& layout)
        : layout_(&layout), numbers_(layout.size(), 0.0) {}

    // A leaf, in a state; whether the box can be split.
    void add_leaf(double log_weight, std::size_t state, bool can_split);
    // A split, in a state, on a feature. log_weight: without the sides. left_state, right_state:
    // those of the sides, whose trees have one split at most.
    void add_split(double log_weight, std::size_t state, std::size_t feature, const SideSum& left,
                   std::size_t left_state, const SideSum& right, std::size_t right_state);
    // The same with sides of any trees.
    void add_split(double log_weight, std::size_t state, std::size_t feature,
                   const TreeSummary& left, const TreeSummary& right);
    void merge(const SummarySum& other);
    TreeSummary found() const;

private:
    // The part of a choice, on the scale of these sums.
    double choice(double log_weight, double log_best, double count);
    void rescale(double scale);
    void add_side(double part, const SideSum& side, std::size_t state);

    const SummaryLayout* layout_;
    double scale_ = -INFINITY, total_ = 0, log_best_ = -INFINITY, count_ = 0;
    std::vector<double> numbers_;
};

}  // namespace slp::exact
