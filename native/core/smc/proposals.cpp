// Decides the same open goal of several particles.

#include <algorithm>
#include <cmath>

#include "smc/filter.hpp"

namespace slp::smc {

namespace {

// The number of the first that holds, of those among which there is one.
template <typename Values, typename Holds>
std::size_t number_of(const Values& values, const Holds& holds) {
    return static_cast<std::size_t>(std::ranges::find_if(values, holds) - values.begin());
}

}  // namespace

// --- `prior` and `empirical` ------------------------------------------------------------------

void Filter::decide_as_program(mcmc::Randomness& random, Island& island, const Group& group) {
    const auto rules = process_.alternatives();
    double highest = -INFINITY;
    for (const auto& alternative : rules) {
        highest = std::max(highest, alternative.log_weight);
    }
    weights_.clear();
    for (const auto& alternative : rules) {
        weights_.push_back(std::exp(alternative.log_weight - highest));
    }
    for (std::uint32_t i = group.first; i != kNone; i = goals_[i].next) {
        ParticleGoal& goal = goals_[i];
        const mcmc::Taken* const kept = given(goal);
        const auto is_kept = [kept](const auto& own) { return own.rule == kept->rule; };
        const std::size_t at =
            kept != nullptr ? number_of(rules, is_kept) : random.among(weights_);
        const auto& alternative = rules[at];
        const Rule& rule = process_.rule(alternative);
        goal.taken.rule = alternative.rule;
        goal.log_factor = process_.log_total();
        if (rule.kind == RuleKind::call) {
            goal.taken.feature = mcmc::kCall;
            goal.left_state = rule.state;
            goal.left_box = group.box;
        }
    }
    for (const auto& alternative : rules) {
        if (process_.rule(alternative).kind == RuleKind::split) {
            draw_splits(random, island, group, static_cast<std::size_t>(alternative.rule));
        }
    }
}

// The splits of the goals that took a rule.
void Filter::draw_splits(mcmc::Randomness& random, Island& island, const Group& group,
                         std::size_t rule) {
    of_rule_.clear();
    for (std::uint32_t i = group.first; i != kNone; i = goals_[i].next) {
        if (goals_[i].taken.rule == static_cast<std::int32_t>(rule)) {
            of_rule_.push_back(i);
        }
    }
    if (of_rule_.empty()) {
        return;
    }
    const auto masses = process_.splits().masses(rule);
    features_.clear();
    for (const std::uint32_t i : of_rule_) {
        const mcmc::Taken* const kept = given(goals_[i]);
        const std::size_t f = kept != nullptr ? static_cast<std::size_t>(kept->feature)
                                              : random.among(masses.of_feature);
        if (on_feature_[f].empty()) {
            features_.push_back(static_cast<std::uint32_t>(f));
        }
        on_feature_[f].push_back(i);
    }
    const double log_total = masses.log_total;
    for (const std::uint32_t f : features_) {
        draw_cuts(random, island, group, rule, f, log_total);
        on_feature_[f].clear();
    }
}

// The cuts of the goals on one feature, and the boxes that they lead to.
void Filter::draw_cuts(mcmc::Randomness& random, Island& island, const Group& group,
                       std::size_t rule, std::size_t f, double log_total) {
    process_.splits().list(rule, f, splits_);
    sums_.clear();
    double sum = 0.0;
    bool alike = true;
    for (const auto& split : splits_) {
        sums_.push_back(sum += split.weight);
        alike = alike && split.weight == splits_[0].weight;
    }
    const bool uniformly = alike || plan_.proposal == ParticleProposal::empirical;
    chosen_.clear();
    for (const std::uint32_t i : on_feature_[f]) {
        ParticleGoal& goal = goals_[i];
        const mcmc::Taken* const kept = given(goal);
        const auto is_kept = [kept](const auto& own) {
            return own.cut.number() == kept->cut.number();
        };
        const std::size_t cut = kept != nullptr ? number_of(splits_, is_kept)
                                : uniformly     ? random.index(splits_.size())
                                                : random.among_sums(sums_);
        goal.log_factor += log_total;
        if (!alike && uniformly) {  // the cut's probability over the probability to take it
            const auto n = static_cast<double>(splits_.size());
            goal.log_factor += std::log(splits_[cut].weight) - std::log(sum) + std::log(n);
        }
        goal.left_box = static_cast<std::uint32_t>(cut);  // until the boxes are known
        chosen_.push_back(goal.left_box);
    }
    std::sort(chosen_.begin(), chosen_.end());
    chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());
    cuts_.clear();
    for (const std::uint32_t cut : chosen_) {
        cuts_.push_back(splits_[cut].cut);
    }
    sides_.find(*island.boxes[group.box].rows, f, cuts_, needs_likelihood());
    for (const std::uint32_t i : on_feature_[f]) {
        ParticleGoal& goal = goals_[i];
        const auto& split = splits_[goal.left_box];
        const auto at = std::lower_bound(chosen_.begin(), chosen_.end(), goal.left_box);
        const auto j = static_cast<std::size_t>(at - chosen_.begin());
        const Side &left = sides_.left(j), &right = sides_.right(j);
        goal.taken.feature = static_cast<std::int32_t>(f);
        goal.taken.cut = split.cut;
        goal.left_state = split.left_state;
        goal.right_state = split.right_state;
        goal.log_factor += gain(island.boxes[group.box], left, right);
        goal.left_box = box_of_side(island, group, goal.taken, true, left);
        goal.right_box = box_of_side(island, group, goal.taken, false, right);
    }
}

// --- `optimal` --------------------------------------------------------------------------------

void Filter::decide_optimally(mcmc::Randomness& random, Island& island, const Group& group) {
    list_alternatives(island, group);
    const double top = *std::max_element(weights_.begin(), weights_.end());
    sums_.clear();
    double sum = 0.0;
    for (const double log_weight : weights_) {
        sums_.push_back(sum += std::exp(log_weight - top));
    }
    taken_by_.clear();
    for (std::uint32_t i = group.first; i != kNone; i = goals_[i].next) {
        ParticleGoal& goal = goals_[i];
        const mcmc::Taken* const kept = given(goal);
        const auto is_kept = [kept](const Alternative& own) { return own.taken == *kept; };
        const std::size_t at =
            kept != nullptr ? number_of(alternatives_, is_kept) : random.among_sums(sums_);
        const Alternative& taken = alternatives_[at];
        goal.log_factor = top + std::log(sum);
        goal.taken = taken.taken;
        goal.left_state = taken.left_state;
        goal.right_state = taken.right_state;
        goal.left_box = group.box;
        if (taken.taken.feature < 0) {
            continue;
        }
        const auto [first, is_new] = taken_by_.emplace(at, i);
        if (is_new) {
            find_boxes(island, group, goal);
        } else {
            goal.left_box = goals_[first->second].left_box;
            goal.right_box = goals_[first->second].right_box;
        }
    }
}

void Filter::find_boxes(Island& island, const Group& group, ParticleGoal& goal) {
    cuts_.assign(1, goal.taken.cut);
    sides_.find(*island.boxes[group.box].rows, static_cast<std::size_t>(goal.taken.feature), cuts_,
                needs_likelihood());
    goal.left_box = box_of_side(island, group, goal.taken, true, sides_.left(0));
    goal.right_box = box_of_side(island, group, goal.taken, false, sides_.right(0));
}

// Every rule and split. `weights_` has the logs of their weights times their factors of the
// likelihood.
void Filter::list_alternatives(const Island& island, const Group& group) {
    alternatives_.clear();
    weights_.clear();
    const SharedBox& box = island.boxes[group.box];
    for (const auto& alternative : process_.alternatives()) {
        const Rule& rule = process_.rule(alternative);
        const auto r = static_cast<std::size_t>(alternative.rule);
        if (rule.kind != RuleKind::split) {
            const std::int32_t kind = rule.kind == RuleKind::leaf ? mcmc::kLeaf : mcmc::kCall;
            alternatives_.push_back({{alternative.rule, kind, {}}, rule.state, -1});
            weights_.push_back(alternative.log_weight);
            continue;
        }
        const auto masses = process_.splits().masses(r);
        const double log_of_one =
            alternative.log_weight + masses.log_total - std::log(masses.total);
        const std::vector<double> of_feature(masses.of_feature.begin(), masses.of_feature.end());
        for (std::size_t f = 0; f < of_feature.size(); ++f) {
            if (!(of_feature[f] > 0)) {
                continue;
            }
            process_.splits().list(r, f, splits_);
            cuts_.clear();
            double sum = 0.0;
            for (const auto& split : splits_) {
                cuts_.push_back(split.cut);
                sum += split.weight;
            }
            sides_.find(*box.rows, f, cuts_, needs_likelihood());
            const double log_probability = log_of_one + std::log(of_feature[f]) - std::log(sum);
            for (std::size_t j = 0; j < splits_.size(); ++j) {
                const auto& split = splits_[j];
                const Side &left = sides_.left(j), &right = sides_.right(j);
                const double own = split.weight == 1.0 ? 0.0 : std::log(split.weight);
                const mcmc::Taken taken{alternative.rule, static_cast<std::int32_t>(f),
                                        split.cut};
                alternatives_.push_back({taken, split.left_state, split.right_state});
                weights_.push_back(log_probability + own + gain(box, left, right));
            }
        }
    }
}

}  // namespace slp::smc
