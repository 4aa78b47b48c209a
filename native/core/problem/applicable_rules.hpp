// The rules of a state at a box: which of them apply, which a derivation may take, and what their
// weights are divided by.
//
//            applies                                            is open
//   leaf     if no class outnumbers those of its majority;      if no class outnumbers those of its
//            under failure(condition) always                    majority
//   call     always                                             always
//   split    if its measure is taken over some split            if it may take some split
//
// A rule of weight 0 in the box neither applies nor is open. Where the grammar normalises, weights
// are divided by their sum over the rules that apply. The definitions are those of
// slp.problem.rule_weights. What is known of a box's splits differs: edges and samplers look at
// them, blocks and look-ahead know whether there are some.

#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "problem/problem.hpp"

namespace slp {

struct RuleReach {
    bool applies, open;
};

// Whether no class has more rows than these classes, in a box with these statistics; -1 is a class
// that the table lacks. Without classes it holds.
bool has_majority(std::span<const std::int32_t> classes, std::span<const double> statistics);

// A rule at a box. log_weight: its weight there, as the program has it. For a leaf rule with a
// majority `holds(classes)` is asked: whether no class outnumbers these. For a split rule
// `of_splits()` is: its reach by the splits of the box.
template <typename Holds, typename OfSplits>
RuleReach reach_of(const Grammar& grammar, const Rule& rule, double log_weight, Holds holds,
                   OfSplits of_splits) {
    if (log_weight == -INFINITY) {
        return {false, false};
    }
    if (rule.kind == RuleKind::split) {
        return of_splits();
    }
    const bool open = rule.majority.empty() || holds(rule.majority);
    return {open || grammar.condition, open};
}

// Sums the weights of a state's rules that apply at one box.
class ApplicableRules {
public:
    explicit ApplicableRules(const Grammar& grammar) : grammar_(grammar) {}

    // Adds a rule: see `reach_of`.
    template <typename Holds, typename OfSplits>
    RuleReach add(const Rule& rule, double log_weight, Holds holds, OfSplits of_splits) {
        const RuleReach reach = reach_of(grammar_, rule, log_weight, holds, of_splits);
        add(reach, log_weight);
        return reach;
    }
    // Adds a rule whose reach is known.
    void add(RuleReach reach, double log_weight) {
        if (!reach.applies || !grammar_.normalise) {
            return;
        }
        if (log_weight > top_) {
            sum_ = sum_ * std::exp(top_ - log_weight) + 1.0;
            top_ = log_weight;
        } else {
            sum_ += std::exp(log_weight - top_);
        }
    }

    // Log of what the weights of the rules are divided by; 0 where the grammar does not normalise,
    // or no rule applies.
    double log_divisor() const { return sum_ > 0 ? top_ + std::log(sum_) : 0.0; }

    // A weight over the sum; 0 where the grammar does not normalise, or no rule applies.
    double share(double log_weight) const {
        return sum_ > 0 ? std::exp(log_weight - top_) / sum_ : 0.0;
    }

private:
    const Grammar& grammar_;
    // The sum of the weights over the largest one, and its log.
    double top_ = -INFINITY, sum_ = 0.0;
};

// A box of which only two things are known: whether the leaves that need a majority have it, and
// whether the split rules apply, all or none.
struct PlainBox {
    bool majority, splits;

    RuleReach reach(const Grammar& grammar, const Rule& rule) const {
        return reach_of(
            grammar, rule, rule.log_weight, [&](const auto&) { return majority; },
            [&] { return RuleReach{splits, splits}; });
    }
    // What the weights of a state's rules, without their parts that depend on rows, are divided by
    // there: not a log; 1 where the grammar does not normalise, or no rule applies.
    double divisor(const Grammar& grammar, const Rules& rules) const;
};

}  // namespace slp
