// The states that a goal reaches by calls, and the weights of their rules in its box.
//
// A prior that distributes leaves (`pinball`) reaches n^2 / 2 states at the root of a table of n
// rows. So a goal that reaches many enters first those whose calls weigh much, and GoalScorer says
// below which weight a state cannot matter.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "modal/row_sums.hpp"
#include "modal/stop_labels.hpp"
#include "problem/applicable_rules.hpp"
#include "problem/problem.hpp"

namespace slp::modal {

// A split rule of one of the states. All logs are of weights under the program.
struct Slot {
    const Rule* rule;
    // Tells it from other slots: its number; where the goal reaches many states, a hash of the
    // rules that lead to it, which does not depend on how many were entered.
    std::uint64_t name;
    // Where its cuts lead, by feature.
    std::span<const FeatureSteps> steps;
    // The rule's own, -inf if it does not exist in the box; and with calls and divisors.
    double log_own, log_weight = -INFINITY;
    std::size_t state;  // among those reached
};

// What the leaf rules weigh: the best of them, and all together.
struct LeafWeights {
    double best = -INFINITY, sum = -INFINITY;
};

// A goal that reaches more states reaches many. The Python reference has the same number.
inline constexpr std::size_t kManyStates = 256;

class CalledStates {
public:
    explicit CalledStates(const Problem& problem) : problem_(problem) {}

    // Goes to a goal, and to the states whose calls have a log weight of at least `floor`, as far
    // as it is known without the splits: at most that. `most`: it stops where they are more; false
    // then.
    bool enter(std::int32_t state, const RowSet& set, StopLabels& labels, RowWeights& weights,
               double floor, std::size_t most);

    // Of the states that were not entered, the largest weight of calls; of all, and of those that
    // may stop.
    double left_out() const { return left_out_; }
    double left_out_that_stops() const { return left_out_that_stops_; }

    std::size_t size() const { return reached_.size(); }
    // Names the slots by the rules that lead to them.
    void name_by_path();

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
        double log_calls = 0.0, log_divisor = 0.0;
        // log_calls at most; and a hash of the calls.
        double most = 0.0;
        std::uint64_t path = 0;
    };
    const Rules& rules(const Reached& reached) const {
        return problem_.grammar.states[static_cast<std::size_t>(reached.state)];
    }
    double least_divisor(const Rules& of_state, std::span<const double> own,
                            std::span<const double> statistics) const;
    void leave_out(std::int32_t state, double weight);

    const Problem& problem_;
    std::vector<Reached> reached_, stack_;
    std::vector<double> weights_;
    std::vector<RuleReach> reach_;
    std::vector<Slot> slots_;
    double left_out_ = -INFINITY, left_out_that_stops_ = -INFINITY;
};

}  // namespace slp::modal
