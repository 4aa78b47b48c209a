// The locally normalised program: the choices at each goal (a box in a state), with their
// probabilities. The definitions are those of slp.reference.local_process.
//
// At a goal a rule is chosen, then, where it splits, a split. With w the weight of an alternative
// under the program and Z the sum of w over a choice's alternatives (those of weight above zero
// that do not fail at once), the alternative is drawn with probability w / Z.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mcmc/local_splits.hpp"
#include "mcmc/randomness.hpp"
#include "problem/applicable_rules.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// One for each thread. It reads the grammar as if leaves were not counted (max_leaves 0).
class LocalProcess {
public:
    LocalProcess(const Problem& problem, const Geometry& geometry);

    // Draws the choices at a goal; false at a dead end. `rule` is the rule to take, or -1 to draw
    // it. `end_early`: probability to take the first leaf rule that can be taken.
    bool draw(Randomness& random, Rows rows, std::int32_t state, std::int32_t rule,
              double end_early, Choice& out);
    // The choices made when `taken` was taken; false if it cannot be taken.
    bool find(Rows rows, std::int32_t state, const Taken& taken, Choice& out) {
        return enter(rows, state) && take(taken, out);
    }

    // Goes to a goal; false at a dead end. The rows must not move in memory while choices are made
    // there.
    bool enter(Rows rows, std::int32_t state);
    // The choices made at the goal when `taken` was taken; false if it cannot be taken.
    bool take(const Taken& taken, Choice& out);
    // The same of a rule under `partition` and the split whose left side has a key.
    bool take_part_by_key(std::int32_t rule, Key left, Choice& out);
    // Whether a rule is among the alternatives there.
    bool takes(std::int32_t rule) const {
        return std::ranges::find(here_->alternatives, rule, &RuleAlternative::rule) !=
               here_->alternatives.end();
    }
    // Appends the splits that a split rule can take there: see LocalSplits.
    void list_splits(std::int32_t rule, std::int32_t feature, std::vector<WeighedSplit>& out) {
        splits_.list(static_cast<std::size_t>(rule), feature, out);
    }

    // For the goal entered: the rules that can be taken, each with the log of its weight (divided
    // by the sum over the rules that apply where weights are normalised); log Z of their choice;
    // and their splits.
    struct RuleAlternative {
        std::int32_t rule;
        double log_weight;
    };
    std::span<const RuleAlternative> alternatives() const { return here_->alternatives; }
    const Rule& rule(std::int32_t number) const {
        return (*rules_)[static_cast<std::size_t>(number)];
    }
    const Rule& rule(const RuleAlternative& taken) const {
        return (*rules_)[static_cast<std::size_t>(taken.rule)];
    }
    double log_total() const { return here_->log_total; }
    LocalSplits& splits() { return splits_; }

private:
    // The choice of a rule at a goal.
    struct RuleChoice {
        std::vector<RuleAlternative> alternatives;
        // In proportion to their probabilities.
        std::vector<double> weights;
        double log_total = 0.0;
        bool can_split = false, can_stop = false;
    };
    // By what applies and is open, two bits for each rule.
    struct KnownChoice {
        std::uint64_t pattern;
        RuleChoice choice;
    };

    const RuleChoice& choice_of(std::size_t state, std::span<const double> log_weights);
    void weigh(std::span<const double> log_weights, RuleChoice& out) const;
    bool find_rule(std::int32_t rule, Choice& out) const;
    void take_rule(std::size_t alternative, Choice& out) const;
    std::span<const double> statistics();

    const Problem& problem_;
    RowWeights weights_;

    // The goal entered.
    Rows rows_;
    const Rules* rules_ = nullptr;
    std::vector<RuleReach> reach_;  // of its rules
    const RuleChoice* here_ = nullptr;
    // The choices that were weighed, by state, where rows alone do not change the weights; else the
    // last one.
    std::vector<std::vector<KnownChoice>> known_;
    RuleChoice weighed_;
    bool has_statistics_ = false;
    std::vector<double> statistics_;
    LocalSplits splits_;
};

}  // namespace slp::mcmc
