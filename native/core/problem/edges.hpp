// The choices at an item (a box in a product state): its edges and their weights.
//
// The definitions are those of slp.ir.tree_grammar and slp.problem.split_measures; which rules
// apply says problem/applicable_rules.hpp.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "arena.hpp"
#include "problem/applicable_rules.hpp"
#include "problem/geometry.hpp"
#include "problem/key.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp {

// One pair of items that a split leads to, or the one item that a call leads to (then `right` is
// not used).
struct Edge {
    Key left, right;
    // The probability of the split under the measure, or 1 under `each` and `partition`, and for
    // a call: scaled * 2^(512 exponent). The exponent is 0 unless doubles are too coarse for it.
    double scaled;
    // Number of the split among the box's.
    std::uint32_t split;
    // Product states.
    std::int32_t left_state, right_state;
    std::int32_t exponent;

    // Rounded to 0 if it is below the doubles.
    double probability() const {
        return exponent == 0 ? scaled : std::ldexp(scaled, 512 * exponent);
    }
    double log_probability() const {
        return std::log(scaled) + 512 * std::numbers::ln2 * exponent;
    }
    bool is_at_most(const Edge& other) const {
        return exponent == other.exponent ? scaled <= other.scaled : exponent < other.exponent;
    }
};

// The edges of one rule. A leaf rule has none.
struct RuleEdges {
    RuleKind kind;
    std::int32_t rule;
    // Log of the rule's weight, divided by the sum over the rules that apply where normalised.
    double log_factor;
    std::span<Edge> edges;
};

struct ItemEdges {
    // Rules that can be taken, in the program's order.
    std::span<RuleEdges> rules;
    // Log marginal likelihood of the box as a leaf; set if some rule is a leaf.
    double log_likelihood = 0.0;
    std::uint32_t n_edges = 0;
};

// Computes edges; one for each thread.
class EdgeBuilder {
public:
    EdgeBuilder(const Problem& problem, const Geometry& geometry);

    ItemEdges edges(const Box& box, std::span<const BoxSplit> splits, std::int32_t product,
                    Arena& arena);

    // For each rule of the state whether it applies in the box, and the log of its weight there, of
    // the last call of `edges`.
    std::span<const RuleReach> reach() const { return reach_; }
    std::span<const double> log_weights() const { return log_weights_; }

    // The keys of many states are cached; those of further states are computed on demand.
    Key state_key(std::int32_t product) const {
        const auto at = static_cast<std::size_t>(product);
        return at < state_keys_.size() ? state_keys_[at] : random_key(kStateStream, at);
    }
    bool room(std::int32_t product, Sizes sizes) const {
        return !counted_ || static_cast<std::uint32_t>(product % n_owed_) < distinct_rows(sizes);
    }

    // Whether its state has only leaf rules, so that its splits do not matter.
    bool only_stops(std::int32_t product) const {
        const auto& rules = problem_.grammar.states[static_cast<std::size_t>(product / n_owed_)];
        return std::all_of(rules.begin(), rules.end(),
                           [](const Rule& rule) { return rule.kind == RuleKind::leaf; });
    }

private:
    static constexpr std::uint64_t kStateStream = 2;

    // The splits that the rule's measure is taken over, and their probabilities; false if there
    // are none.
    bool find_split_probabilities(const Rule& rule, const Box& box,
                                  std::span<const BoxSplit> splits);
    void keep_first_of_each_partition(const Box& box, std::span<const BoxSplit> splits);
    void find_small_probability(const SplitMeasure& measure, std::span<const BoxSplit> splits,
                                std::uint32_t i, double weight);
    void set_shared_probability(double log_share, std::uint32_t f, std::uint32_t i);
    std::span<Edge> split_edges(const Rule& rule, const Box& box,
                                std::span<const BoxSplit> splits, std::int32_t owed,
                                Arena& arena);

    const Problem& problem_;
    const Geometry& geometry_;
    std::int32_t n_owed_;
    bool counted_;
    std::vector<Key> state_keys_;

    RowWeights weights_;
    std::span<const double> log_weights_;
    std::vector<double> statistics_;
    std::vector<RuleReach> reach_;
    // First the weights of the splits, then their probabilities: of each two numbers, as in Edge.
    std::vector<double> scaled_;
    std::vector<std::int32_t> exponent_;
    std::vector<std::uint32_t> taken_;
    // For each feature: the sum of the weights of its splits, and `SplitMeasure::factor`.
    std::vector<double> sum_, of_feature_;
    std::vector<std::uint32_t> parting_;
};

}  // namespace slp
