// The locally normalised program: the choices at each goal (a box in a state), with their
// probabilities. The definitions are those of slp.problem.local_process.
//
// At a goal a rule is chosen, then, where it splits, a split. With w the weight of an alternative
// under the program and Z the sum of w over a choice's alternatives (those of weight above zero
// that do not fail at once), the alternative is drawn with probability w / Z.
//
// The splits of a rule are chosen by feature, then within it, which is the same distribution. With
// V_f the splits on feature f that the measure is taken over, O_f those of them that may be taken
// and g the weight of a split (problem/split_measures.hpp), the feature is drawn by
//
//     mass of f  x  g(O_f) / g(V_f)
//
// and Z is the sum of these over the measure's total. Where every cut of a feature leads to the
// same two states and none is forbidden, g(O_f) / g(V_f) = 1 is known without reading the rows.
// `partition` is taken from the exact engine's EdgeBuilder.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arena.hpp"
#include "mcmc/cuts.hpp"
#include "mcmc/randomness.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// Values of Choice::feature for rules that do not split.
inline constexpr std::int32_t kLeaf = -1, kCall = -2;

// A rule and, where it splits, a split, as in records.
struct Taken {
    std::int32_t rule = -1;
    std::int32_t feature = kLeaf;
    std::uint32_t low = 0, high = 0;
};

// The choices made at a goal.
struct Choice {
    Taken taken;
    // States of the goals that it leads to: two of a split, the left one alone of a call.
    std::int32_t left_state = -1, right_state = -1;
    // Whether the rule, and the split, had an alternative.
    bool rule_point = false, split_point = false;
    // Log of the probability that the process draws it; sum of log Z.
    double log_draw = 0.0, log_excess = 0.0;
};

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

    // Goes to a goal; false at a dead end. The rows must stay where they are for as long as
    // something is taken there.
    bool enter(Rows rows, std::int32_t state);
    // The choices made at the goal when `taken` was taken; false if it cannot be taken.
    bool take(const Taken& taken, Choice& out);
    // The same of a rule under `partition` and the split whose left side has a key.
    bool take_part_by_key(std::int32_t rule, Key left, Choice& out);

private:
    // Of one rule and feature: the states of its cuts, if they are the same in every cell.
    enum class Steps : std::uint8_t { open, forbidden, outside, mixed };
    struct FeatureSteps {
        Steps kind;
        std::int32_t left, right;
    };
    struct RuleSteps {
        std::vector<FeatureSteps> features;  // empty for rules that do not split
    };
    // Whether a rule's measure has any splits, and whether one of them may be taken.
    struct Reach {
        bool applicable, open;
    };
    struct Way {
        std::int32_t rule;
        double log_weight;
    };
    struct Counts {
        double taken_over = 0.0, open = 0.0;
        std::uint32_t n_open = 0;
    };

    bool find_rule(std::int32_t rule, Choice& out) const;
    // Of the rules of the state that is entered.
    const std::vector<RuleSteps>& steps_of(std::size_t state);
    void take_rule(std::size_t way, Choice& out) const;
    Reach reach(std::size_t r);
    Reach reach_of_feature(const Rule& rule, const FeatureSteps& steps, std::size_t f);
    Reach reach_of_partition(std::size_t r);
    bool leaf_allowed(const Rule& rule);

    // Masses of the features for the splits of a rule; then one feature's open cuts.
    void weigh_features(std::size_t r);
    Counts count(const Rule& rule, const FeatureSteps& steps, std::size_t f);
    void list_open_cuts(const Rule& rule, const FeatureSteps& steps, std::size_t f);
    void draw_split(Randomness& random, std::size_t r, Choice& out);
    bool find_split(std::size_t r, const Taken& taken, Choice& out);
    void take_split(std::size_t r, std::size_t f, std::size_t cut, Choice& out);
    void take_part(const RuleEdges& edges, std::size_t i, Choice& out) const;
    const RuleEdges* partition_edges(std::size_t r);

    // Where the two states of a cut stand in a rule's transitions.
    std::size_t transition(std::size_t f, const Cut& cut) const;

    const Problem& problem_;
    const Geometry& geometry_;
    // By state; empty for one that was not entered yet.
    std::vector<std::vector<RuleSteps>> steps_;
    CutFinder cuts_;
    RowWeights weights_;

    // The goal entered.
    Rows rows_;
    std::size_t state_ = 0;
    const Rules* rules_ = nullptr;
    const std::vector<RuleSteps>* steps_here_ = nullptr;
    std::vector<Way> ways_;
    std::vector<double> way_weights_;
    double log_total_ = 0.0;
    bool has_statistics_ = false;
    std::vector<double> statistics_;

    // The splits of the rule taken.
    std::vector<double> mass_;
    double total_mass_ = 0.0, over_ = 1.0;
    std::size_t n_features_ = 0;  // of mass above zero
    std::vector<Cut> open_;
    std::vector<double> gaps_;

    // For `partition`.
    Splitter splitter_;
    EdgeBuilder builder_;
    Arena arena_;
    std::span<BoxSplit> splits_;
    ItemEdges edges_;
    bool has_edges_ = false;
};

}  // namespace slp::mcmc
