// The states that a goal reaches by calls, and the weights of their rules in its box.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "modal/row_sums.hpp"
#include "modal/stop_labels.hpp"
#include "problem/problem.hpp"

namespace slp::modal {

// A split rule of one of the states. All logs are of weights under the program.
struct Slot {
    const Rule* rule;
    // Where its cuts lead, by feature.
    std::span<const FeatureSteps> steps;
    // The rule's own, -inf if it does not exist in the box; and with calls and normalisers.
    double log_own, log_weight = -INFINITY;
    std::size_t state;  // among those reached
};

// What the leaf rules weigh: the best of them, and all together.
struct LeafWeights {
    double best = -INFINITY, sum = -INFINITY;
};

class CalledStates {
public:
    explicit CalledStates(const Problem& problem) : problem_(problem) {}

    // Goes to a goal.
    void enter(std::int32_t state, const RowSet& set, StopLabels& labels, RowWeights& weights);

    std::vector<Slot>& slots() { return slots_; }
    const std::vector<Slot>& slots() const { return slots_; }

    // Weighs the rules; `open`: for each slot whether the box has a split that it may take.
    LeafWeights weigh(const RowSet& set, std::span<const std::uint8_t> open);

private:
    // Parents come first; `call` is the rule of the parent that leads here.
    struct Reached {
        std::int32_t state;
        std::int64_t parent;
        std::size_t call;
        // Where the weights of its rules begin; logs of the weight of the calls that lead here, and
        // of what its rules' weights are divided by.
        std::size_t first_weight = 0;
        double log_calls = 0.0, log_normaliser = 0.0;
    };
    const Rules& rules(const Reached& reached) const {
        return problem_.grammar.states[static_cast<std::size_t>(reached.state)];
    }

    const Problem& problem_;
    std::vector<Reached> reached_, stack_;
    std::vector<double> weights_, applicable_;
    std::vector<Slot> slots_;
};

// Adds, on the scale of logs.
inline void log_add(double& sum, double value) {
    if (value > -INFINITY) {
        const double top = std::max(sum, value);
        sum = top + std::log1p(std::exp(std::min(sum, value) - top));
    }
}

}  // namespace slp::modal
