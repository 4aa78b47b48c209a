#include "mcmc/local_process.hpp"

#include <algorithm>
#include <cmath>

namespace slp::mcmc {

LocalProcess::LocalProcess(const Problem& problem, const Geometry& geometry)
    : problem_(problem),
      weights_(problem),
      statistics_(problem.leaf.n_statistics()),
      splits_(problem, geometry) {}

bool LocalProcess::draw(Randomness& random, Rows rows, std::int32_t state, std::int32_t rule,
                        double end_early, Choice& out) {
    if (!enter(rows, state)) {
        return false;
    }
    const Rules& rules = *rules_;
    std::size_t alternative = alternatives_.size();
    if (rule >= 0) {
        while (alternatives_[--alternative].rule != rule) {
        }
    } else if (end_early > 0 && random.happens(end_early)) {
        const auto leaf = std::ranges::find_if(alternatives_, [&](const RuleAlternative& own) {
            return rules[static_cast<std::size_t>(own.rule)].kind == RuleKind::leaf;
        });
        alternative = static_cast<std::size_t>(leaf - alternatives_.begin());
    }
    if (alternative == alternatives_.size()) {
        alternative = random.among(alternative_weights_);
    }
    take_rule(alternative, out);
    const auto r = static_cast<std::size_t>(out.taken.rule);
    if (rules[r].kind == RuleKind::split) {
        splits_.draw(random, r, out);
    }
    return true;
}

bool LocalProcess::take(const Taken& taken, Choice& out) {
    if (!find_rule(taken.rule, out)) {
        return false;
    }
    const auto r = static_cast<std::size_t>(taken.rule);
    const bool splits = (*rules_)[r].kind == RuleKind::split;
    return splits ? splits_.find(r, taken, out) : out.taken.feature == taken.feature;
}

bool LocalProcess::take_part_by_key(std::int32_t rule, Key left, Choice& out) {
    return find_rule(rule, out) &&
           splits_.find_part(static_cast<std::size_t>(rule), left, out);
}

bool LocalProcess::find_rule(std::int32_t rule, Choice& out) const {
    const auto found = std::ranges::find(alternatives_, rule, &RuleAlternative::rule);
    if (found == alternatives_.end()) {
        return false;
    }
    take_rule(static_cast<std::size_t>(found - alternatives_.begin()), out);
    return true;
}

bool LocalProcess::enter(Rows rows, std::int32_t state) {
    rows_ = rows;
    rules_ = &problem_.grammar.states[static_cast<std::size_t>(state)];
    splits_.enter(rows, state);
    has_statistics_ = can_split_ = can_stop_ = false;
    alternatives_.clear();
    const std::span<const double> log_weights = weights_.of(state, rows);
    std::size_t n_applicable = 0;
    double top = -INFINITY, normaliser = 0.0;
    const auto add = [&](double log_weight) {  // to the normaliser, on the scale of `top`
        ++n_applicable;
        if (log_weight > top) {
            normaliser = normaliser * std::exp(top - log_weight) + 1.0;
            top = log_weight;
        } else {
            normaliser += log_weight > -INFINITY ? std::exp(log_weight - top) : 0.0;
        }
    };
    for (std::size_t r = 0; r < log_weights.size(); ++r) {
        if (log_weights[r] == -INFINITY) {
            continue;
        }
        const LocalSplits::Reach found = reach(r);
        if (found.applicable) {
            add(log_weights[r]);
        }
        if (found.open) {
            can_split_ = can_split_ || (*rules_)[r].kind == RuleKind::split;
            can_stop_ = can_stop_ || (*rules_)[r].kind == RuleKind::leaf;
            alternatives_.push_back({static_cast<std::int32_t>(r), log_weights[r]});
        }
    }
    if (alternatives_.empty()) {
        return false;
    }
    double highest = -INFINITY;
    for (const RuleAlternative& alternative : alternatives_) {
        highest = std::max(highest, alternative.log_weight);
    }
    alternative_weights_.clear();
    double total = 0.0;
    for (const RuleAlternative& alternative : alternatives_) {
        alternative_weights_.push_back(std::exp(alternative.log_weight - highest));
        total += alternative_weights_.back();
    }
    const bool normalise = problem_.grammar.normalise;
    const double log_normaliser = normalise ? top + std::log(normaliser) : 0.0;
    for (RuleAlternative& alternative : alternatives_) {
        alternative.log_weight -= log_normaliser;
    }
    log_total_ = normalise && n_applicable == alternatives_.size()
                     ? 0.0
                     : highest - log_normaliser + std::log(total);
    return true;
}

void LocalProcess::take_rule(std::size_t alternative, Choice& out) const {
    const RuleAlternative& taken = alternatives_[alternative];
    const Rule& rule = (*rules_)[static_cast<std::size_t>(taken.rule)];
    out = Choice{};
    out.taken.rule = taken.rule;
    out.rule_point = alternatives_.size() > 1;
    out.log_draw = taken.log_weight - log_total_;
    out.log_excess = log_total_;
    out.can_split = can_split_;
    out.can_stop = can_stop_;
    if (rule.kind == RuleKind::call) {
        out.taken.feature = kCall;
        out.left_state = rule.state;
    }
}

LocalSplits::Reach LocalProcess::reach(std::size_t r) {
    const Rule& rule = (*rules_)[r];
    const bool condition = problem_.grammar.condition;
    switch (rule.kind) {
        case RuleKind::leaf: {
            const bool allowed = leaf_allowed(rule);
            return {allowed || condition, allowed};
        }
        case RuleKind::call: return {true, true};
        case RuleKind::split: break;
    }
    return splits_.reach(r);
}

bool LocalProcess::leaf_allowed(const Rule& rule) {
    if (rule.majority.empty()) {
        return true;
    }
    if (!has_statistics_) {
        problem_.leaf.sum(rows_, statistics_.data());
        has_statistics_ = true;
    }
    return has_majority(rule.majority, statistics_);
}

}  // namespace slp::mcmc
