// Where the cuts of a feature lead under a split rule. Most rules lead to the same two states from
// every cut of a feature; then the cell of a cut need not be looked up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace slp {

enum class Steps : std::uint8_t { open, forbidden, outside, mixed };

// The steps of one rule on one feature; `left` and `right` are the states of the first cell.
struct FeatureSteps {
    Steps kind;
    std::int32_t left, right;
};

// One for each feature; empty for rules that do not split.
inline std::vector<FeatureSteps> rule_steps(const Problem& problem, const Rule& rule) {
    std::vector<FeatureSteps> out;
    for (std::size_t f = 0; f < problem.table.features.size() && rule.kind == RuleKind::split;
         ++f) {
        const std::span<const std::int32_t> to = problem.transitions(rule, f);
        const std::int32_t left = to[0], right = to[1];
        Steps kind = left >= 0            ? Steps::open
                     : left == kForbidden ? Steps::forbidden
                                          : Steps::outside;
        for (std::size_t i = 0; i < to.size(); i += 2) {
            if (to[i] != left || to[i + 1] != right) {
                kind = Steps::mixed;
            }
        }
        out.push_back({kind, left, right});
    }
    return out;
}

}  // namespace slp
