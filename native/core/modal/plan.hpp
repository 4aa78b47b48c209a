// How a modal tree is grown, and the tree that comes of it. The specification is
// slp.reference.modal.growth.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cmath>
#include <memory>
#include <vector>

#include "problem/columns/cut.hpp"
#include "problem/leaf_models.hpp"

namespace slp::modal {

// Scores that differ by less are ties; the first option in canonical order is taken.
inline constexpr double kTie = 1e-9;

struct Plan {
    // Whether the leaves' marginal likelihoods count.
    bool likelihood = true;
    // Whether the sides of a split count the label of stopping.
    bool stop_labels = true;
    // The share of a node's class counts that its Dirichlet prior gets (only without look-ahead).
    double smoothing = 0.0;
    // Levels of splits below a side that its worth sums over.
    std::uint32_t look_ahead = 0;
    // Levels in a row that are split although stopping is best.
    std::uint32_t further = 0;
    // Above this depth options are drawn: with probability in proportion to exp(score /
    // temperature).
    std::uint32_t drawn_levels = 0;
    double temperature = 1.0;
    std::uint64_t seed = 0;
    // The feature that the root must split on; -1 where it is free.
    std::int32_t root_feature = -1;
    // Bytes that the growth may take.
    std::size_t room = SIZE_MAX;
    std::size_t threads = 1;
};

// A split that a goal was given, as it is written down: the name of its slot (called_states.hpp),
// and the cut.
struct SplitTaken {
    std::uint64_t slot = 0;
    std::uint32_t feature = 0;
    Cut cut{};

    friend bool operator==(const SplitTaken& a, const SplitTaken& b) {
        return a.slot == b.slot && a.feature == b.feature && a.cut.number() == b.cut.number();
    }
};

struct GrownNode {
    // Its rows in the array of all.
    std::uint32_t begin = 0, end = 0;
    std::int32_t state = 0;
    std::uint32_t depth = 0;
    // Number in a heap of the first levels, for draws: of the root 1, of children 2p and 2p + 1; 0
    // below these levels.
    std::uint64_t place = 1;
    std::int64_t left = -1, right = -1;
    // Further levels that may still be grown below it.
    std::uint32_t slack = 0;
    bool expanded = false;
    // Whether a split that was not the best option failed below; then it stops.
    bool stops = false;
    // Whether the split taken is worth more than stopping.
    bool gains = false;
    SplitTaken split;
    std::vector<SplitTaken> failed;
    // Logs. For stopping: the weight under the program (-inf if it cannot stop) and the likelihood.
    // For the split: the weight of rule and split, and its score minus the score of stopping (0
    // where it cannot stop).
    double log_stop = -INFINITY, log_likelihood = 0.0, log_split = 0.0, gain = 0.0;
    // What smoothing has added to the leaf model's prior; empty without.
    std::vector<double> added;
};

}  // namespace slp::modal
