// The label of stopping on one side of a split, without looking at the side's own splits.
//
// The leaf rules of the side's state are weighed against its other rules, where labels are
// normalised: a split rule counts as applicable if the side has two distinct rows or more, twice
// min_leaf rows or more, and the rule some transition. (That is exact where min_leaf is 1 and no
// constraint forbids splits.)

#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "modal/row_sums.hpp"
#include "problem/problem.hpp"
#include "problem/rule_steps.hpp"

namespace slp::modal {

// What is known of a state without rows.
struct StateFacts {
    // For each rule, where its cuts lead by feature.
    std::vector<std::vector<FeatureSteps>> steps;
    // For each rule, whether its measure is taken over some transition, and may take one.
    std::vector<std::uint8_t> taken_over, open;
    // Whether some split rule, through calls, may take a transition.
    bool splits = false;
    // Whether the label of stopping depends only on whether the side may split; then those two
    // labels (not, may), as logs.
    bool fixed = false;
    double label[2] = {0.0, 0.0};
    bool known = false;
};

// One for each thread.
class StopLabels {
public:
    explicit StopLabels(const Problem& problem)
        : problem_(problem),
          least_(2.0 * static_cast<double>(problem.grammar.min_leaf)),
          weights_(problem) {}

    const StateFacts& facts(std::int32_t state);

    // Log of the label of stopping on a side with these sums: -inf if nothing can become of it, 0
    // if it must split.
    double of(std::int32_t state, const double* sums);

    bool may_split(const double* sums) const {
        return sums[kDistinct] >= 2.0 && sums[kData] >= least_;
    }

private:
    StateFacts make(std::int32_t state);
    // Log of the label of the best leaf rule, through calls; -inf if there is none.
    double best(std::int32_t state, bool may_split, const double* sums);
    static double worth(double label, bool may_split, bool splits) {
        return label == -INFINITY && may_split && splits ? 0.0 : label;
    }

    const Problem& problem_;
    double least_;
    RowWeights weights_;
    std::deque<StateFacts> facts_;  // references to which stay valid
};

}  // namespace slp::modal
