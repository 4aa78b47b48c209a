// The label of stopping on one side of a split, without looking at the side's own splits.
//
// The leaf rules of the side's state are weighed against its other rules, where labels are
// normalised: a split rule is taken to apply if the side has two distinct rows or more, twice
// min_leaf rows or more, and the rule some transition. (That is exact where min_leaf is 1 and no
// constraint forbids splits.)

#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "modal/row_sums.hpp"
#include "problem/problem.hpp"
#include "problem/rule_steps.hpp"

namespace slp::modal {

// Thrown where the caller of the growth says that it must end.
struct Interrupted {};

// What is known of a state's own rules without rows.
struct StateFacts {
    // For each rule, where its cuts lead by feature.
    std::vector<std::vector<FeatureSteps>> steps;
    // For each rule, whether its measure is taken over some transition.
    std::vector<std::uint8_t> taken_over;
    // Whether some rule may take a transition, and whether some label depends on rows.
    bool splits = false, by_rows = false;
    bool known = false;
};

// What is known of a state and all that it calls, without rows.
struct StopFacts {
    // Whether some split rule may take a transition.
    bool splits = false;
    // Whether the label of stopping depends only on whether the side may split; then those two
    // labels (not, may), as logs: of the best leaf rule, and as `StopLabels::of` gives them.
    bool fixed = false;
    double best[2] = {0.0, 0.0}, label[2] = {0.0, 0.0};
    bool known = false;
};

// One for each thread.
class StopLabels {
public:
    // `go_on` is asked for each state that is new; Interrupted is thrown if it says no.
    StopLabels(const Problem& problem, std::function<bool()> go_on)
        : problem_(problem),
          go_on_(std::move(go_on)),
          least_(2.0 * static_cast<double>(problem.grammar.min_leaf)),
          weights_(problem) {}

    // Looks at no state that it calls.
    const StateFacts& facts(std::int32_t state);
    // Looks at all states that it calls.
    const StopFacts& stops(std::int32_t state);

    // Log of the label of stopping on a side with these sums: -inf if nothing can become of it, 0
    // if it must split.
    double of(std::int32_t state, const double* sums);

    bool may_split(const double* sums) const {
        return sums[kDistinct] >= 2.0 && sums[kData] >= least_;
    }

private:
    const Rules& rules(std::int32_t state) const {
        return problem_.grammar.states[static_cast<std::size_t>(state)];
    }
    StateFacts facts_of(std::int32_t state) const;
    // Those of the states that it calls are known.
    StopFacts stops_of(std::int32_t state);
    // Log of the label of the best leaf rule, through calls; -inf if there is none. `stops` of the
    // states that it calls are known.
    double best(std::int32_t state, bool may_split, const double* sums);
    static double worth(double label, bool may_split, bool splits) {
        return label == -INFINITY && may_split && splits ? 0.0 : label;
    }

    const Problem& problem_;
    std::function<bool()> go_on_;
    double least_;
    RowWeights weights_;
    std::deque<StateFacts> facts_;  // references to which stay valid
    std::deque<StopFacts> stops_;
    std::vector<std::int32_t> stack_;
};

}  // namespace slp::modal
