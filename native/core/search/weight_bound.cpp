#include "search/weight_bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "log_sum.hpp"
#include "problem/applicable_rules.hpp"
#include "problem/rule_steps.hpp"

namespace slp::search {

namespace {

constexpr std::size_t kMostPairs = 64;

}  // namespace

WeightBound::WeightBound(const Problem& problem)
    : problem_(problem), nonpositive_(problem.grammar.normalise) {
    const Grammar& grammar = problem.grammar;
    equal_weights_ = !grammar.grouped();
    for (std::size_t f = 0; f < problem.table.features.size(); ++f) {
        binary_ = binary_ && problem.table.features[f].n_codes <= 2;
        equal_weights_ = equal_weights_ && grammar.feature_weights[f] == grammar.feature_weights[0];
    }
    logs_.resize(std::max<std::size_t>(problem.table.features.size(), 32) + 1);
    for (std::size_t i = 1; i < logs_.size(); ++i) {
        logs_[i] = std::log(static_cast<double>(i));
    }
    if (!grammar.normalise && !grammar.states.open()) {
        nonpositive_ = true;
        for (const Rules& rules : grammar.states) {
            for (const Rule& rule : rules) {
                nonpositive_ = nonpositive_ && rule.log_weight <= 0 && !rule.rows.labelled;
            }
        }
    }
}

const WeightBound::Facts& WeightBound::new_facts(std::int32_t state) {
    const auto at = static_cast<std::size_t>(state);
    auto made = std::make_unique<Facts>();
    find_facts(state, *made);
    if (at >= facts_.size()) {
        facts_.resize(at + 1);
    }
    facts_[at] = std::move(made);
    return *facts_[at];
}

// Weights are divided by the sum over the rules that apply, which is at least that over the rules
// that surely do, and at most that over all.
void WeightBound::find_facts(std::int32_t state, Facts& out) {
    const Grammar& grammar = problem_.grammar;
    const Rules& rules = grammar.states[static_cast<std::size_t>(state)];
    const bool by_rows =
        std::ranges::any_of(rules, [](const Rule& rule) { return !rule.rows.empty(); });
    out.simple = grammar.min_leaf == 1 && !by_rows;
    const auto surely_applies = [&](const Rule& rule) {
        return PlainBox{.majority = false, .splits = false}.reach(grammar, rule).applies;
    };
    double others = -INFINITY, sure = -INFINITY, splits = -INFINITY;
    for (const Rule& rule : rules) {
        if (rule.kind == RuleKind::split) {
            splits = log_sum(splits, rule.log_weight);
            for (const FeatureSteps& steps : rule_steps(problem_, rule)) {
                out.simple = out.simple && steps.kind == Steps::open;
            }
            continue;
        }
        others = log_sum(others, rule.log_weight);
        if (surely_applies(rule)) {
            sure = log_sum(sure, rule.log_weight);
        }
    }
    const auto above = [&](const Rule& rule, double certain) {
        if (by_rows) {
            return grammar.normalise    ? 0.0
                   : rule.rows.labelled ? static_cast<double>(INFINITY)
                                        : rule.log_weight;
        }
        const double sum = surely_applies(rule) ? certain : log_sum(certain, rule.log_weight);
        return rule.log_weight - (grammar.normalise ? sum : 0.0);
    };
    out.stop_above.fill(-INFINITY);
    out.stop_below.fill(-INFINITY);
    for (const bool several : {false, true}) {
        const double certain = several && out.simple ? log_sum(sure, splits) : sure;
        const double most = several ? log_sum(others, splits) : others;
        for (const Rule& rule : rules) {
            double high = -INFINITY, low = -INFINITY;
            if (rule.kind == RuleKind::leaf) {
                high = above(rule, certain);
                low = by_rows || !rule.majority.empty()
                          ? -INFINITY
                          : rule.log_weight - (grammar.normalise ? most : 0.0);
            } else if (rule.kind == RuleKind::call) {
                const Facts& called = facts(rule.state);
                high = log_product(above(rule, certain), called.stop_above[several]);
                low = by_rows ? -INFINITY
                              : rule.log_weight - (grammar.normalise ? most : 0.0) +
                                    called.stop_below[several];
            }
            out.stop_above[several] = std::max(out.stop_above[several], high);
            out.stop_below[several] = std::max(out.stop_below[several], low);
        }
    }
    if (!out.simple) {  // it may be that no split is valid
        out.stop_above[1] = std::max(out.stop_above[0], out.stop_above[1]);
    }
    for (const Rule& rule : rules) {
        const double weight = above(rule, out.simple ? log_sum(sure, splits) : sure);
        if (rule.kind == RuleKind::call) {
            out.calls.emplace_back(weight, rule.state);
        } else if (rule.kind == RuleKind::split) {
            const bool in_sum = out.simple && !by_rows && grammar.normalise;
            out.splits.push_back(
                split_of(rule, in_sum ? rule.log_weight - log_sum(sure, splits) : weight));
        }
    }
    for (auto& levels : out.split) {
        levels.fill(NAN);
    }
    out.split_above.fill(NAN);
}

WeightBound::SplitRuleBound WeightBound::split_of(const Rule& rule, double log_weight) const {
    SplitRuleBound out{log_weight, &rule, {}, false};
    for (std::size_t i = 0; i < rule.transitions.size() && !out.any_pair; i += 2) {
        const std::pair pair(rule.transitions[i], rule.transitions[i + 1]);
        if (pair.first >= 0 && (out.pairs.empty() || out.pairs.back() != pair) &&
            std::ranges::find(out.pairs, pair) == out.pairs.end()) {
            out.pairs.push_back(pair);
            out.any_pair = out.pairs.size() > kMostPairs;
        }
    }
    return out;
}

double WeightBound::new_split_above(std::int32_t state, std::uint32_t rows) {
    double out = -INFINITY;
    const double narrow = log_split(state, rows == 2, kLevels);
    for (const SplitRuleBound& split : facts(state).splits) {
        out = std::max(out, log_probability(*split.rule, facts(state).simple, rows));
    }
    // Through calls the split probability is not followed.
    return facts(state).calls.empty() ? log_product(out, narrow) : narrow;
}

WeightBound::OneSplit WeightBound::one_split(std::int32_t state) {
    const Facts& own = facts(state);
    const bool is_one = own.simple && own.calls.empty() && own.splits.size() == 1 &&
                        own.splits[0].pairs.size() == 1;
    if (!is_one) {
        return {nullptr, 0.0, -1, -1};
    }
    const SplitRuleBound& split = own.splits[0];
    return {split.rule, split.log_weight, split.pairs[0].first, split.pairs[0].second};
}

double WeightBound::log_any(std::int32_t state, bool several, std::size_t levels) {
    const Facts& own = facts(state);
    double out = std::max(own.stop_above[1], log_split(state, true, levels));
    return several ? out : std::max(out, own.stop_above[0]);
}

double WeightBound::log_split(std::int32_t state, bool two_rows, std::size_t levels) {
    if (levels == 0) {
        return flat();
    }
    facts(state);
    double& kept = facts_[static_cast<std::size_t>(state)]->split[levels][two_rows];
    if (!std::isnan(kept)) {
        return kept;
    }
    double out = -INFINITY;
    for (const SplitRuleBound& split : facts(state).splits) {
        double below = split.any_pair ? 2 * flat() : -INFINITY;
        for (const auto& [left, right] : split.any_pair ? decltype(split.pairs){} : split.pairs) {
            const double a = log_any(left, false, levels - 1);
            const double b = log_any(right, false, levels - 1);
            // One side of three rows or more has two.
            below = std::max(
                below, two_rows ? log_product(a, b)
                                : std::max(log_product(log_any(left, true, levels - 1), b),
                                           log_product(a, log_any(right, true, levels - 1))));
        }
        const double log_split = split.rule->measure == Measure::per_feature
                                 ? log_probability(*split.rule, facts(state).simple, 2)
                                 : 0.0;
        out = std::max(out, log_product(split.log_weight, below) +
                                (levels < kLevels ? log_split : 0.0));
    }
    for (const auto& [weight, called] : facts(state).calls) {
        out = std::max(out, log_product(weight, log_split(called, two_rows, levels)));
    }
    return facts_[static_cast<std::size_t>(state)]->split[levels][two_rows] = out;
}

// At most this is the probability of a split of a box. A box of m distinct rows has at least log2 m
// splits, as features of v values that part it into m have product of v at least m, and v - 1
// splits; on two-valued features each is on a feature of its own.
double WeightBound::log_probability(const Rule& rule, bool simple, std::uint32_t rows) const {
    const double least = simple && rows > 1 ? static_cast<double>(std::bit_width(rows - 1)) : 1.0;
    const auto n_features = static_cast<double>(problem_.table.features.size());
    const double equal_shares = rule.weights.empty() ? n_features : 1.0 / std::ranges::max(rule.weights);
    return log_probability_above(rule.measure, binary_ && equal_weights_, least, equal_shares);
}

}  // namespace slp::search
