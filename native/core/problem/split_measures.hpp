// Split measures: the probability of each split of a box under a split rule. The definitions are
// those of slp.problem.split_measures.
//
// A measure is taken over V, the splits of the box that the rule may take. With V_f those on
// feature f, F the features with V_f not empty, w the feature weights, d the number of features and
// g the gap of a split, the probability of s in V on feature f is
//
//     mass of f  /  total  x  weight of s  /  sum of the weights over V_f
//
//     measure            mass of f   total                   weight
//     feature_then_cut   w_f         sum of masses over F    1
//     gap                w_f         sum of masses over F    g(s)
//     per_feature        1 / d       1                       1
//     all                |V_f|       sum of masses over F    1
//     each               |V_f|       1                       1
//     range              w_f l(V_f)  Rule::range_total       l(s)
//
// with l the length of a split's interval of thresholds over the range of its feature.
//
// Where features are in groups (`Grammar::group_of`), a group is drawn first: in place of w_f stands
// w_f over the sum of w over the features of its group in F. The sum of the masses is then the
// number of groups that have splits. Under `range` and `per_feature`, whose masses no box changes,
// `Rule::weights` stands for w_f and 1 / d.
//
// `partition` is `each` with V the first of the splits that part the rows alike.
//
// The splits of a feature that looks at the responses are some of those that its share is divided
// by (`Feature::log_share`): under all measures but `each` and `partition` the share stands for the
// weight of s over the sum, so that the probabilities of V need not sum to 1.
//
// Two splits in V that differ in the side of missing values alone are versions of one cut. Under
// all measures but `each` and `partition` each of the two has half of the weight, so that |V|
// counts cuts.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp {

// Whether the splits on a feature may differ in weight.
constexpr bool weighs_splits(Measure measure) {
    return measure == Measure::gap || measure == Measure::range;
}

// Whether the group of a feature is drawn among those that can split the box.
constexpr bool draws_groups(Measure measure) {
    return measure == Measure::feature_then_cut || measure == Measure::gap;
}

// Whether split probabilities follow from how many splits each feature has.
constexpr bool depends_on_counts(Measure measure) {
    return measure != Measure::partition && !weighs_splits(measure);
}

// Whether the split probabilities of a box sum to 1 at most.
constexpr bool is_subprobability(Measure measure) {
    return measure != Measure::each && measure != Measure::partition;
}

// Whether no split of a box of n cuts has a probability above 1 / n. `alike`: each feature has at
// most one cut, and all features have the same weight.
constexpr bool is_uniform_at_most(Measure measure, bool alike) {
    return measure == Measure::all || (alike && measure == Measure::feature_then_cut);
}

// At least the log probability of any split of a box of at least `n_cuts` cuts.
inline double log_probability_above(Measure measure, bool alike, double n_cuts, double n_features) {
    return measure == Measure::per_feature     ? -std::log(n_features)
           : is_uniform_at_most(measure, alike) ? -std::log(n_cuts)
                                               : 0.0;
}

// It refers to the weights of the grammar and the rule, which must outlive it.
class SplitMeasure {
public:
    SplitMeasure(const Grammar& grammar, const Rule& rule)
        : SplitMeasure(grammar, rule.measure, rule.weights) {}
    // weights: `Rule::weights`.
    SplitMeasure(const Grammar& grammar, Measure measure, std::span<const double> weights = {})
        : SplitMeasure(grammar, measure, weights, grammar.feature_weights) {}
    // feature_weights: in the place of the grammar's; (d,).
    SplitMeasure(const Grammar& grammar, Measure measure, std::span<const double> weights,
                 std::span<const double> feature_weights)
        : weights_(weights.empty() ? feature_weights : weights),
          group_of_(draws_groups(measure) ? grammar.group_of : std::span<const std::uint32_t>{}),
          equal_(weights.empty() ? 1.0 / static_cast<double>(weights_.size()) : 0.0),
          by_gap_(measure == Measure::gap),
          by_length_(measure == Measure::range),
          equal_features_(measure == Measure::per_feature),
          counts_splits_(measure == Measure::all || !is_subprobability(measure)),
          divides_by_versions_(is_subprobability(measure)),
          divides_(measure != Measure::per_feature && is_subprobability(measure)) {}

    // Where features are in groups, finds what the features that have splits weigh in these. Call
    // before asking for masses and probabilities. has(f): whether feature f is among F.
    template <typename Has>
    void find_groups(Has has) {
        if (group_of_.empty()) {
            return;
        }
        of_group_.assign(weights_.size(), 0.0);
        for (std::size_t f = 0; f < weights_.size(); ++f) {
            of_group_[group_of_[f]] += has(f) ? weights_[f] : 0.0;
        }
    }
    // What stands for w_f.
    double feature_weight(std::size_t feature) const {
        return group_of_.empty() ? weights_[feature]
                                 : weights_[feature] / of_group_[group_of_[feature]];
    }

    // Whether the splits on a feature may differ in weight.
    bool weighs(const Feature& feature) const {
        return by_gap_ || by_length_ || (divides_by_versions_ && feature.has_versions());
    }
    // Whether a split has its share of its feature, whichever splits the box has; then weights are
    // 1 and stand for a sum of 1.
    bool has_shares(const Feature& feature) const {
        return divides_by_versions_ && feature.looks_at_response();
    }
    // Whether weights are shares of the feature's range.
    bool by_length() const { return by_length_; }
    // Whether every split counts alike, whatever its feature.
    bool counts_splits() const { return counts_splits_; }
    // Whether the mass of a feature depends on which of its splits there are.
    bool sums_weights() const { return counts_splits_ || by_length_; }

    // Weight of a split among those on its feature. `has_other_version`: of left_sides.hpp.
    double weight(const Geometry& geometry, std::size_t feature, Cut cut,
                  bool has_other_version) const {
        const double whole = by_gap_      ? geometry.gap(feature, cut)
                             : by_length_ ? geometry.length(feature, cut)
                                          : 1.0;
        return has_other_version && divides_by_versions_ ? whole / 2 : whole;
    }
    // The same up to a factor that all splits on the feature have in common. It is not rounded
    // where the share of the feature's range would be too small for a double.
    double weight_within(const Geometry& geometry, std::size_t feature, Cut cut,
                         bool has_other_version) const {
        const double whole = by_gap_ || by_length_ ? geometry.gap(feature, cut) : 1.0;
        return has_other_version && divides_by_versions_ ? whole / 2 : whole;
    }

    // Mass of a feature that has splits, given the sum of their weights.
    double mass(std::size_t feature, double sum_of_weights) const {
        return counts_splits_    ? sum_of_weights
               : equal_features_ ? (equal_ > 0.0 ? equal_ : weights_[feature])
               : by_length_      ? feature_weight(feature) * sum_of_weights
                                 : feature_weight(feature);
    }

    // What the masses are divided by, given their sum, and `Rule::range_total`.
    double total(double sum_of_masses, double range_total) const {
        return by_length_ ? range_total : divides_ ? sum_of_masses : 1.0;
    }

    // The probability of a split on a feature is its weight / unit(sum) * factor(feature, sum,
    // total), with the sum of the weights on the feature. Gaps are divided by their sum before
    // anything else, because the reciprocal of a sum may be beyond the doubles.
    double unit(double sum_of_weights) const { return by_gap_ ? sum_of_weights : 1.0; }
    double factor(std::size_t feature, double sum_of_weights, double total) const {
        return counts_splits_           ? 1.0 / total
               : by_length_ || by_gap_ ? feature_weight(feature) / total
                                       : mass(feature, sum_of_weights) / total / sum_of_weights;
    }
    // Probability of a split of weight 1, where sums of weights are far above the least doubles.
    // With `total` 1 it lacks the factor 1 / total, which all splits of a box have in common.
    double probability(std::size_t feature, double sum_of_weights, double total) const {
        return factor(feature, sum_of_weights, total) / unit(sum_of_weights);
    }

private:
    std::span<const double> weights_;
    std::span<const std::uint32_t> group_of_;
    std::vector<double> of_group_;
    double equal_;  // of `per_feature` without groups
    bool by_gap_, by_length_, equal_features_, counts_splits_, divides_by_versions_, divides_;
};

}  // namespace slp
