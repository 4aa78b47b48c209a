// The splits that a rule can take at a goal, and the choice of one. The definitions are those
// of slp.reference.local_process.
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
#include "problem/rule_steps.hpp"
#include "problem/split_measures.hpp"

namespace slp::mcmc {

// What Choice::feature says of rules that do not split.
inline constexpr std::int32_t kLeaf = -1, kCall = -2;

// A rule and, where it splits, a split, as they are written down.
struct Taken {
    std::int32_t rule = -1;
    std::int32_t feature = kLeaf;
    Cut cut{};

    bool operator==(const Taken&) const = default;
};

// The test of a split on any rows of the table.
inline RowTest test_anywhere(const Table& table, const Taken& taken) {
    return table.features[static_cast<std::size_t>(taken.feature)].test_anywhere(taken.cut);
}

// The choices made at a goal.
struct Choice {
    Taken taken;
    // States of the goals that it leads to: two of a split, the left one alone of a call.
    std::int32_t left_state = -1, right_state = -1;
    // Whether the rule, and the split, had an alternative.
    bool rule_point = false, split_point = false;
    // Log of the probability that the process draws it; sum of log Z.
    double log_draw = 0.0, log_excess = 0.0;
    // Log of the probability that it draws the split, given the rule.
    double log_split = 0.0;
    // Whether a split rule, and a leaf rule, is among the alternatives.
    bool can_split = false, can_stop = false;
};

// A split and its weight under a measure, up to a factor that all splits of the rule have.
struct WeighedSplit {
    std::uint32_t feature;
    Cut cut;
    double weight;
};

// One for each thread. A rule is given by its number among those of the state.
class LocalSplits {
public:
    LocalSplits(const Problem& problem, const Geometry& geometry);

    // Sets the feature weights, (d,) numbers above 0; at first they are the grammar's.
    void weigh(std::span<const double> feature_weights) {
        feature_weights_.assign(feature_weights.begin(), feature_weights.end());
    }
    std::span<const double> feature_weights() const { return feature_weights_; }

    // Goes to a goal. The rows must stay where they are until the next call.
    void enter(Rows rows, std::int32_t state);

    // Whether a rule's measure has a split to be taken over, and one that may be taken.
    RuleReach reach(std::size_t r);

    // Appends, for each feature, whether a rule's measure is taken over a split on it (1, 0).
    void append_taken_over(std::size_t r, std::vector<std::uint8_t>& out);

    // Draws a split of a rule that has one; adds its states and probabilities to the choice.
    void draw(Randomness& random, std::size_t r, Choice& out);
    // The same of the split that was taken; false if it cannot be taken.
    bool find(std::size_t r, const Taken& taken, Choice& out);
    // The same of a rule under `partition` and the split whose left side has a key.
    bool find_part(std::size_t r, Key left, Choice& out);
    // Appends the splits that may be taken, features and cuts ascending, on all features (-1) or
    // one.
    void list(std::size_t r, std::int32_t feature, std::vector<WeighedSplit>& out);

    // The splits of a rule that has one: for each feature its part of their probability, up to the
    // common factor `total`; log Z of their choice. Valid until the next call of any function.
    struct Masses {
        std::span<const double> of_feature;
        double total, log_total;
    };
    Masses masses(std::size_t r);
    // The splits of a rule on one feature, in canonical order, each with its weight among them and
    // the states of its sides.
    struct OpenSplit {
        Cut cut;
        std::int32_t left_state, right_state;
        double weight;
    };
    void list(std::size_t r, std::size_t f, std::vector<OpenSplit>& out);

private:
    struct RuleSteps {
        std::vector<FeatureSteps> features;  // empty for rules that do not split
    };
    struct Counts {
        double taken_over = 0.0, open = 0.0;
        std::uint32_t n_open = 0;
    };

    SplitMeasure measure_of(const Rule& rule) const {
        return {problem_.grammar, rule.measure, rule.weights, feature_weights_};
    }
    // The steps of the rules of the state that is entered.
    const std::vector<RuleSteps>& steps_of(std::size_t state);
    RuleReach reach_of_feature(const Rule& rule, const FeatureSteps& steps, std::size_t f);
    // Masses of the features for the splits of a rule; then one feature's open cuts.
    void weigh_features(std::size_t r);
    void weigh_by_shares(const SplitMeasure& measure);
    Counts count(const Rule& rule, const FeatureSteps& steps, std::size_t f);
    void list_open_cuts(const Rule& rule, const FeatureSteps& steps, std::size_t f);
    // Whether every split on a feature may be taken, all with the same weight.
    bool all_alike(const Rule& rule, const FeatureSteps& steps, std::size_t f) const {
        const SplitMeasure measure = measure_of(rule);
        return steps.kind != Steps::mixed && !measure.weighs(problem_.table.features[f]);
    }
    // What a split weighs among those on its feature that may be taken.
    struct Share {
        double weight, sum;

        // The log of its product with a probability. Either may be too small for a double.
        double log_times(double probability) const {
            const double product = probability / (sum / weight);
            return product >= std::numeric_limits<double>::min()
                       ? std::log(product)
                       : std::log(probability) + (std::log(weight) - std::log(sum));
        }
    };
    // `n` splits on the feature may be taken.
    void take_split(std::size_t r, std::size_t f, const Cut& cut, std::size_t n,
                    const Share& within, Choice& out);
    // Log Z of their choice.
    double log_total() const {
        return total_mass_ == over_ ? log_top_ : std::log(total_mass_ / over_) + log_top_;
    }
    void take_open(std::size_t r, std::size_t f, std::size_t i, Choice& out);
    void take_part(const RuleEdges& edges, std::size_t i, Choice& out) const;
    // Edges of a rule under `partition`; none where no split is in its measure.
    const RuleEdges* partition_edges(std::size_t r);

    // Where the two states of a cut stand in a rule's transitions.
    std::size_t transition(std::size_t f, const Cut& cut) const;

    const Problem& problem_;
    const Geometry& geometry_;
    std::vector<double> feature_weights_;
    // By state; empty for one that was not entered yet.
    std::vector<std::vector<RuleSteps>> steps_;
    CutFinder cuts_;

    // The goal entered.
    Rows rows_;
    std::int32_t state_ = 0;
    const Rules* rules_ = nullptr;
    const std::vector<RuleSteps>* steps_here_ = nullptr;

    // The splits of the rule taken.
    std::vector<double> mass_;
    double total_mass_ = 0.0, over_ = 1.0;
    // Of features whose splits have shares, the logs of the masses, which may be too small for
    // doubles; and what is subtracted from these where no other feature has splits.
    std::vector<double> log_mass_;
    double log_top_ = 0.0;
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
