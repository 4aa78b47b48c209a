#include "modal/called_states.hpp"

#include <algorithm>

#include "log_sum.hpp"
#include "problem/key.hpp"

namespace slp::modal {

// Log of what the weights of a state's rules are divided by, at least: without its splits.
double CalledStates::least_divisor(const Rules& of_state, std::span<const double> own,
                                   std::span<const double> statistics) const {
    ApplicableRules applicable(problem_.grammar);
    for (std::size_t r = 0; r < of_state.size(); ++r) {
        applicable.add(
            of_state[r], own[r],
            [&](const auto& classes) { return has_majority(classes, statistics); },
            [] { return RuleReach{false, false}; });
    }
    return applicable.log_divisor();
}

void CalledStates::leave_out(std::int32_t state, double weight) {
    left_out_ = std::max(left_out_, weight);
    const States& states = problem_.grammar.states;
    if (!states.open() || states.least_leaves(static_cast<std::size_t>(state)) < 2) {
        left_out_that_stops_ = std::max(left_out_that_stops_, weight);
    }
}

bool CalledStates::enter(std::int32_t state, const RowSet& set, StopLabels& labels,
                         RowWeights& weights, double floor, std::size_t most) {
    reached_.clear();
    weights_.clear();
    slots_.clear();
    left_out_ = left_out_that_stops_ = -INFINITY;
    // Preorder over calls: those of a state are pushed last to first.
    stack_.assign(1, {state, -1, 0});
    while (!stack_.empty()) {
        if (reached_.size() == most) {
            return false;
        }
        Reached here = stack_.back();
        stack_.pop_back();
        here.first_weight = weights_.size();
        const StateFacts& facts = labels.facts(here.state);
        const auto own = weights.of(here.state, set.sums[kData], set.statistics());
        weights_.insert(weights_.end(), own.begin(), own.end());
        const Rules& of_state = rules(here);
        const auto number = static_cast<std::int64_t>(reached_.size());
        const double over = least_divisor(of_state, own, set.statistics());
        for (std::size_t r = of_state.size(); r-- > 0;) {
            if (of_state[r].kind == RuleKind::call && own[r] > -INFINITY) {
                Reached called{of_state[r].state, number, r};
                called.most = here.most + own[r] - over;
                called.path = split_mix(here.path + r + 1);
                if (called.most >= floor) {
                    stack_.push_back(called);
                } else {
                    leave_out(called.state, called.most);
                }
            }
        }
        for (std::size_t r = 0; r < of_state.size(); ++r) {
            if (of_state[r].kind == RuleKind::split) {
                slots_.push_back({&of_state[r], slots_.size(), facts.steps[r], own[r], -INFINITY,
                                  reached_.size()});
            }
        }
        reached_.push_back(here);
    }
    return true;
}

void CalledStates::name_by_path() {
    for (Slot& slot : slots_) {
        const Reached& at = reached_[slot.state];
        const Rules& of_state = rules(at);
        const auto rule = static_cast<std::uint64_t>(slot.rule - of_state.data());
        slot.name = split_mix(at.path + rule + 1);
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
            here.log_calls = above.log_calls - above.log_divisor +
                             weights_[above.first_weight + here.call];
        }
        const std::size_t first_slot = slot;
        ApplicableRules applicable(problem_.grammar);
        reach_.clear();
        for (std::size_t r = 0; r < of_state.size(); ++r) {
            const bool has_split = of_state[r].kind == RuleKind::split && open[slot++] != 0;
            reach_.push_back(applicable.add(
                of_state[r], own[r],
                [&](const auto& classes) { return has_majority(classes, statistics); },
                [&] { return RuleReach{has_split, has_split}; }));
        }
        here.log_divisor = applicable.log_divisor();
        for (std::size_t s = first_slot; s < slot; ++s) {
            slots_[s].log_weight = here.log_calls - here.log_divisor + slots_[s].log_own;
        }
        for (std::size_t r = 0; r < of_state.size(); ++r) {
            if (of_state[r].kind == RuleKind::leaf && reach_[r].open) {
                const double weight = here.log_calls + own[r] - here.log_divisor;
                out.best = std::max(out.best, weight);
                out.sum = log_sum(out.sum, weight);
            }
        }
    }
    return out;
}

}  // namespace slp::modal
