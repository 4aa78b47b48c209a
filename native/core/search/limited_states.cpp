#include "search/limited_states.hpp"

#include <algorithm>
#include <cmath>

#include "log_sum.hpp"
#include "problem/rule_steps.hpp"

namespace slp::search {

LimitedStates::LimitedStates(const Problem& problem)
    : problem_(problem),
      takes_table_(problem.table.plain() && !problem.counted() && !problem.grammar.condition &&
                   !problem.grammar.grouped()) {}

// A rule that no cut may take is none: it applies in no box.
bool LimitedStates::splits(const Rule& rule) const {
    return rule.kind == RuleKind::split &&
           std::ranges::any_of(rule_steps(problem_, rule), [](const FeatureSteps& steps) {
               return steps.kind == Steps::open || steps.kind == Steps::mixed;
           });
}

const Rule* LimitedStates::split_rule(const Rules& rules) const {
    const auto found =
        std::ranges::find_if(rules, [&](const Rule& rule) { return splits(rule); });
    return found == rules.end() ? nullptr : &*found;
}

bool LimitedStates::regular(const Rules& rules) const {
    int n_splits = 0;
    for (const Rule& rule : rules) {
        const bool split = splits(rule);
        n_splits += split;
        if (rule.kind == RuleKind::call || !rule.rows.empty() || !rule.majority.empty() ||
            (split && !depends_on_counts(rule.measure))) {
            return false;
        }
    }
    return n_splits <= 1;
}

int LimitedStates::find_levels(std::int32_t state, int most) const {
    const Rules& rules = problem_.grammar.states[static_cast<std::size_t>(state)];
    if (!regular(rules)) {
        return -1;
    }
    const Rule* const split = split_rule(rules);
    if (split == nullptr) {
        return 0;
    }
    if (most == 0) {
        return -1;
    }
    const auto steps = rule_steps(problem_, *split);
    for (std::size_t f = 0; f < steps.size(); ++f) {
        // Which of two levels a cut names depends on the box.
        const bool one_way = !problem_.table.features[f].single() ||
                             steps[f].left == steps[f].right;
        if (steps[f].kind != Steps::open || steps[f].left != steps[0].left ||
            steps[f].right != steps[0].right || !one_way) {
            return -1;
        }
    }
    const int left = find_levels(steps[0].left, most - 1);
    const bool same = left < 0 || steps[0].left == steps[0].right;
    const int right = same ? left : find_levels(steps[0].right, most - 1);
    return right < 0 ? -1 : 1 + std::max(left, right);
}

int LimitedStates::levels(std::int32_t state) {
    if (!takes_table_) {
        return -1;
    }
    const auto at = static_cast<std::size_t>(state);
    if (at >= levels_.size()) {
        levels_.resize(at + 1);
    }
    if (!levels_[at]) {
        levels_[at] = problem_.table.features.empty() ? -1 : find_levels(state, kMostLevels);
    }
    return *levels_[at];
}

const LimitedState& LimitedStates::of(std::int32_t state) {
    const auto at = static_cast<std::size_t>(state);
    if (at >= facts_.size() || !facts_[at]) {
        const LimitedState found = made(state);
        facts_.resize(std::max(facts_.size(), at + 1));
        facts_[at] = found;
    }
    return *facts_[at];
}

LimitedState LimitedStates::made(std::int32_t state) {
    const Grammar& grammar = problem_.grammar;
    const Rules& rules = grammar.states[static_cast<std::size_t>(state)];
    double best = -INFINITY, leaves = -INFINITY;
    int n_leaves = 0;
    for (const Rule& rule : rules) {
        if (rule.kind == RuleKind::leaf) {
            best = std::max(best, rule.log_weight);
            leaves = log_sum(leaves, rule.log_weight);
            n_leaves += rule.log_weight > -INFINITY ? 1 : 0;
        }
    }
    LimitedState out{0,        best, best,              -INFINITY, leaves, leaves,
                     n_leaves, 0.0,  split_rule(rules), -1,        -1};
    const auto less = [&](double weight, double sum) {
        return grammar.normalise && weight > -INFINITY ? weight - sum : weight;
    };
    out.stop_alone = out.stop = less(best, leaves);
    out.leaves_alone = out.leaves = less(leaves, leaves);
    out.most = out.stop_alone;
    if (out.rule != nullptr) {
        const double all = log_sum(leaves, out.rule->log_weight);
        out.stop = less(best, all);
        out.leaves = less(leaves, all);
        out.split = less(out.rule->log_weight, all);
        const FeatureSteps steps = rule_steps(problem_, *out.rule)[0];
        out.left = steps.left;
        out.right = steps.right;
        const LimitedState left = of(out.left), right = of(out.right);
        out.levels = 1 + std::max(left.levels, right.levels);
        out.most = std::max(out.most, out.split + left.most + right.most);
    }
    return out;
}

}  // namespace slp::search
