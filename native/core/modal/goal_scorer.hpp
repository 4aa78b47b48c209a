// The options of a goal (rows in a state), and what each is worth.
//
// With w the weight of an option under the program (labels of calls and rule, normalised as in the
// box, times the split's probability) and L the likelihood of the rows as a leaf,
//
//     score of stopping = log w + log L
//     score of a split  = log w + worth(left side) + worth(right side).
//
// The worth of a side is that of a leaf: log L + log of its label of stopping (stop_labels.hpp), or
// log L alone. With look-ahead of k levels it is log S_k: the sum over all derivations of the side
// with at most k splits on a path,
//
//     S_k = sum over leaf rules of w L + sum over splits of w S_(k-1)(left) S_(k-1)(right),
//
// with S_0 the worth as a leaf.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "budget.hpp"
#include "modal/called_states.hpp"
#include "modal/feature_scan.hpp"
#include "modal/plan.hpp"
#include "modal/stop_labels.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::modal {

// A goal that is to be decided.
struct Goal {
    RowSet set;
    std::int32_t state;
    // The leaf model, whose prior smoothing changes; log L.
    const LeafModel* leaf;
    double log_likelihood;
    std::uint32_t look_ahead;
    // Splits that are not to be taken again.
    std::span<const SplitTaken> failed;
    // Whether the option is drawn, and at which place.
    bool drawn = false;
    std::uint64_t place = 1;
    // The feature that a split must be on; -1 where it is free.
    std::int32_t only_feature = -1;
};

// A split, the states of its sides, and scores: what is compared is the score, or where options are
// drawn, score / temperature and noise.
struct ScoredSplit {
    SplitTaken taken;
    std::int32_t left = -1, right = -1;
    double compared = -INFINITY, score = -INFINITY;
    // Its weight among those on its feature (problem/split_measures.hpp).
    double weight = 1.0;
};

// The splits of one rule on one feature. Without the weight of the rule and the feature's
// probability.
struct FeatureScore {
    // Sum of the weights of the splits that the measure is taken over.
    double weights = 0.0;
    // Log of a split's share of the feature, where they have shares.
    double log_share = 0.0;
    ScoredSplit best;
    double log_sum = -INFINITY;
};

struct Decision {
    // Log of the weight of the best leaf rule, -inf if none can be taken; and as it is compared.
    double log_stop = -INFINITY, stop_compared = -INFINITY;
    // The best split, and log of its weight.
    ScoredSplit split;
    double log_split = -INFINITY;
    // log S of the goal, at its look-ahead.
    double log_inside = -INFINITY;
};

// One for each thread.
class GoalScorer {
public:
    GoalScorer(const Problem& problem, const Geometry& geometry, const Plan& plan, Budget& budget,
               std::function<bool()> go_on);

    // Goes to a goal. What it refers to must stay where it is.
    void enter(const Goal& goal) { enter(goal, 0); }
    std::size_t n_slots() const { return levels_[0]->states.slots().size(); }
    // Whether splits of one feature depend on those of others: under `partition`, and where a goal
    // reaches many states.
    bool across_features() const { return levels_[0]->partitions || levels_[0]->many; }
    // Scores the splits of the goal entered on one feature: one score for each slot.
    void score_feature(std::uint32_t feature, std::span<FeatureScore> out) {
        score_feature(0, feature, out);
    }
    // The outcome of the goal entered; scores: feature after feature, in each slot after slot.
    Decision choose(std::span<const FeatureScore> scores) { return choose(0, scores); }
    // Both at once.
    Decision decide() { return decide(0); }
    // Log of the weight of stopping alone at a goal; -inf if it cannot stop.
    double log_stop(Goal goal);

    // For the last goal chosen for: the best score of a split, by feature.
    std::span<const double> by_feature() const { return by_feature_; }

private:
    struct RowsHash {
        std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.b); }
    };
    struct LookAheadLevel {
        LookAheadLevel(const Problem& problem, const Geometry& geometry, Budget& budget)
            : states(problem), scan(problem, geometry, budget), charge(budget) {}
        Goal goal{};
        CalledStates states;
        // Whether the goal reaches many states. Then: the weight of calls from which states are
        // entered, and the largest log likelihood of both sides of a cut.
        bool many = false;
        double floor = -INFINITY, top_fit = -INFINITY;
        bool partitions = false;
        // Under `partition`: the key of all rows; of each slot, the smaller sides seen.
        Key key;
        std::vector<std::unordered_set<Key, RowsHash>> seen;
        FeatureScan scan;
        std::vector<FeatureScore> scores;
        std::vector<std::uint8_t> open;
        // Without look-ahead, of each cut the log likelihood of both sides as leaves.
        std::vector<double> fits;
        // The other side's sums; and with look-ahead a side's rows.
        std::vector<double> rest, side_sums, side_single;
        std::vector<std::uint32_t> side;
        Charge charge;
    };
    // A slot on one feature.
    struct Place {
        std::size_t slot;
        std::uint32_t feature;
        const Rule& rule;
        FeatureSteps steps;
        SplitMeasure measure;
    };

    void enter(const Goal& goal, std::size_t level);
    bool enter_states(LookAheadLevel& at, double floor, std::size_t most);
    double floor_needed(const LookAheadLevel& at, const Decision& out) const;
    void score_feature(std::size_t level, std::uint32_t feature, std::span<FeatureScore> out);
    void score_alike(LookAheadLevel& at, const Place& place, FeatureScore& out);
    void score_each(LookAheadLevel& at, std::size_t level, const Place& place, FeatureScore& out);
    Decision choose(std::size_t level, std::span<const FeatureScore> scores);
    Decision decide(std::size_t level);
    double worth_of_sides(LookAheadLevel& at, std::size_t level, std::uint32_t feature,
                          std::size_t cut, std::int32_t left, std::int32_t right);
    double inside(LookAheadLevel& at, std::size_t level, std::uint32_t feature, std::size_t cut,
                  bool left, std::int32_t state);
    bool seen_before(LookAheadLevel& at, std::size_t slot, std::size_t cut);
    double noise(const Goal& goal, const SplitTaken* split) const;
    LookAheadLevel& level(std::size_t number);

    const Problem& problem_;
    const Geometry& geometry_;
    const Plan& plan_;
    Budget& budget_;
    std::function<bool()> go_on_;
    RowSums row_sums_;
    StopLabels labels_;
    RowWeights row_weights_;
    std::vector<std::unique_ptr<LookAheadLevel>> levels_;
    std::vector<double> by_feature_;
};

}  // namespace slp::modal
