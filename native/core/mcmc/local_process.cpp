#include "mcmc/local_process.hpp"

#include <algorithm>
#include <cmath>

namespace slp::mcmc {

namespace {

// Choices among more rules are weighed each time.
constexpr std::size_t kMostRulesKnown = 32;

}  // namespace

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
    const auto& alternatives = here_->alternatives;
    std::size_t alternative = alternatives.size();
    if (rule >= 0) {
        while (alternatives[--alternative].rule != rule) {
        }
    } else if (end_early > 0 && random.happens(end_early)) {
        const auto leaf = std::ranges::find_if(alternatives, [&](const RuleAlternative& own) {
            return rules[static_cast<std::size_t>(own.rule)].kind == RuleKind::leaf;
        });
        alternative = static_cast<std::size_t>(leaf - alternatives.begin());
    }
    if (alternative == alternatives.size()) {
        alternative = random.among(here_->weights);
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
    const auto& alternatives = here_->alternatives;
    const auto found = std::ranges::find(alternatives, rule, &RuleAlternative::rule);
    if (found == alternatives.end()) {
        return false;
    }
    take_rule(static_cast<std::size_t>(found - alternatives.begin()), out);
    return true;
}

bool LocalProcess::enter(Rows rows, std::int32_t state) {
    rows_ = rows;
    rules_ = &problem_.grammar.states[static_cast<std::size_t>(state)];
    splits_.enter(rows, state);
    has_statistics_ = false;
    const std::span<const double> log_weights = weights_.of(state, rows);
    reach_.clear();
    for (std::size_t r = 0; r < log_weights.size(); ++r) {
        reach_.push_back(reach_of(
            problem_.grammar, (*rules_)[r], log_weights[r],
            [&](const auto& classes) { return has_majority(classes, statistics()); },
            [&] { return splits_.reach(r); }));
    }
    here_ = &choice_of(static_cast<std::size_t>(state), log_weights);
    return !here_->alternatives.empty();
}

const LocalProcess::RuleChoice& LocalProcess::choice_of(std::size_t state,
                                                        std::span<const double> log_weights) {
    const auto by_rows = [](const Rule& rule) { return !rule.rows.empty(); };
    if (reach_.size() > kMostRulesKnown || std::ranges::any_of(*rules_, by_rows)) {
        weigh(log_weights, weighed_);
        return weighed_;
    }
    std::uint64_t pattern = 0;
    for (const RuleReach& own : reach_) {
        pattern = pattern << 2 | std::uint64_t{own.applies} << 1 | std::uint64_t{own.open};
    }
    if (state >= known_.size()) {
        known_.resize(state + 1);
    }
    std::vector<KnownChoice>& known = known_[state];
    for (const KnownChoice& own : known) {
        if (own.pattern == pattern) {
            return own.choice;
        }
    }
    known.push_back({pattern, {}});
    weigh(log_weights, known.back().choice);
    return known.back().choice;
}

void LocalProcess::weigh(std::span<const double> log_weights, RuleChoice& out) const {
    out = RuleChoice{};
    ApplicableRules applicable(problem_.grammar);
    bool all_open = true;
    for (std::size_t r = 0; r < log_weights.size(); ++r) {
        applicable.add(reach_[r], log_weights[r]);
        all_open = all_open && reach_[r].open == reach_[r].applies;
        if (reach_[r].open) {
            out.can_split = out.can_split || (*rules_)[r].kind == RuleKind::split;
            out.can_stop = out.can_stop || (*rules_)[r].kind == RuleKind::leaf;
            out.alternatives.push_back({static_cast<std::int32_t>(r), log_weights[r]});
        }
    }
    if (out.alternatives.empty()) {
        return;
    }
    double highest = -INFINITY;
    for (const RuleAlternative& alternative : out.alternatives) {
        highest = std::max(highest, alternative.log_weight);
    }
    double total = 0.0;
    for (const RuleAlternative& alternative : out.alternatives) {
        out.weights.push_back(std::exp(alternative.log_weight - highest));
        total += out.weights.back();
    }
    const double log_divisor = applicable.log_divisor();
    for (RuleAlternative& alternative : out.alternatives) {
        alternative.log_weight -= log_divisor;
    }
    out.log_total = problem_.grammar.normalise && all_open
                        ? 0.0
                        : highest - log_divisor + std::log(total);
}

void LocalProcess::take_rule(std::size_t alternative, Choice& out) const {
    const RuleAlternative& taken = here_->alternatives[alternative];
    const Rule& rule = (*rules_)[static_cast<std::size_t>(taken.rule)];
    out = Choice{};
    out.taken.rule = taken.rule;
    out.rule_point = here_->alternatives.size() > 1;
    out.log_draw = taken.log_weight - here_->log_total;
    out.log_excess = here_->log_total;
    out.can_split = here_->can_split;
    out.can_stop = here_->can_stop;
    if (rule.kind == RuleKind::call) {
        out.taken.feature = kCall;
        out.left_state = rule.state;
    }
}

std::span<const double> LocalProcess::statistics() {
    if (!has_statistics_) {
        problem_.leaf.sum(rows_, statistics_.data());
        has_statistics_ = true;
    }
    return statistics_;
}

}  // namespace slp::mcmc
