#include "modal/called_states.hpp"

#include <algorithm>

#include "problem/edges.hpp"

namespace slp::modal {

void CalledStates::enter(std::int32_t state, const RowSet& set, StopLabels& labels,
                         RowWeights& weights) {
    reached_.clear();
    weights_.clear();
    slots_.clear();
    // Preorder over calls: those of a state are pushed last to first.
    stack_.assign(1, {state, -1, 0});
    while (!stack_.empty()) {
        Reached here = stack_.back();
        stack_.pop_back();
        here.first_weight = weights_.size();
        const StateFacts& facts = labels.facts(here.state);
        const auto own = weights.of(here.state, set.sums[kData], set.statistics());
        weights_.insert(weights_.end(), own.begin(), own.end());
        const Rules& of_state = rules(here);
        const auto number = static_cast<std::int64_t>(reached_.size());
        for (std::size_t r = of_state.size(); r-- > 0;) {
            if (of_state[r].kind == RuleKind::call && own[r] > -INFINITY) {
                stack_.push_back({of_state[r].state, number, r});
            }
        }
        for (std::size_t r = 0; r < of_state.size(); ++r) {
            if (of_state[r].kind == RuleKind::split) {
                slots_.push_back(
                    {&of_state[r], facts.steps[r], own[r], -INFINITY, reached_.size()});
            }
        }
        reached_.push_back(here);
    }
}

LeafWeights CalledStates::weigh(const RowSet& set, std::span<const std::uint8_t> open) {
    const auto statistics = set.statistics();
    LeafWeights out;
    std::size_t slot = 0;
    for (Reached& here : reached_) {
        const Rules& of_state = rules(here);
        const double* const own = weights_.data() + here.first_weight;
        if (here.parent >= 0) {
            const Reached& above = reached_[static_cast<std::size_t>(here.parent)];
            here.log_calls = above.log_calls - above.log_normaliser +
                             weights_[above.first_weight + here.call];
        }
        const std::size_t first_slot = slot;
        applicable_.clear();
        for (std::size_t r = 0; r < of_state.size(); ++r) {
            const Rule& rule = of_state[r];
            const bool counts =
                rule.kind == RuleKind::leaf    ? problem_.grammar.condition ||
                                                     has_majority(rule.majority, statistics)
                : rule.kind == RuleKind::split ? open[slot++] != 0
                                               : true;
            if (counts) {
                applicable_.push_back(own[r]);
            }
        }
        double top = -INFINITY, sum = 0.0;
        for (const double weight : applicable_) {
            top = std::max(top, weight);
        }
        for (const double weight : applicable_) {
            sum += top > -INFINITY ? std::exp(weight - top) : 0.0;
        }
        here.log_normaliser = problem_.grammar.normalise && sum > 0 ? top + std::log(sum) : 0.0;
        for (std::size_t s = first_slot; s < slot; ++s) {
            slots_[s].log_weight = here.log_calls - here.log_normaliser + slots_[s].log_own;
        }
        for (std::size_t r = 0; r < of_state.size(); ++r) {
            if (of_state[r].kind == RuleKind::leaf &&
                has_majority(of_state[r].majority, statistics)) {
                const double weight = here.log_calls + own[r] - here.log_normaliser;
                out.best = std::max(out.best, weight);
                log_add(out.sum, weight);
            }
        }
    }
    return out;
}

}  // namespace slp::modal
