// A tree grammar on a coded table, as flat arrays, for all engines of the core.
//
// The meaning is that of slp.ir.tree_grammar and slp.data.table; this header says how they are laid
// out. Everything here is filled once and only read afterwards, by any number of threads.
//
// Dimension letters: n distinct rows, d features, k statistics, S states, R rules, K leaves owed.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/columns/kinds.hpp"
#include "problem/leaf_models.hpp"
#include "problem/row_functions.hpp"
#include "problem/states.hpp"

namespace slp {

// Left state of a transition that no derivation may take.
inline constexpr std::int32_t kForbidden = -1;  // a constraint says no
inline constexpr std::int32_t kOutside = -2;    // the rule does not propose it

enum class Measure : std::uint8_t {
    feature_then_cut, all, gap, each, partition, per_feature, range
};

enum class RuleKind : std::uint8_t { leaf, call, split };

struct Rule {
    RuleKind kind;
    double log_weight;
    // leaf: classes that no other may outnumber; an entry of -1 is a class that the table lacks.
    std::vector<std::int32_t> majority;
    // call: the state called.
    std::int32_t state = -1;
    // split: how the rule's weight is divided among the splits of a box.
    Measure measure = Measure::each;
    // split: (left state, right state) of every cell, features one below the other: two entries
    // for each cell, feature f from 2 * Feature::first_cell on.
    std::vector<std::int32_t> transitions;
    // split under `range`: the sum of the weights of the features that its state may split on.
    double range_total = 0.0;
    // split under `range` or `per_feature` with groups: the weight of each feature. Else empty.
    std::vector<double> weights{};
    // The part that depends on the rows of the box: tests, and a factor of the weight.
    RowFunction rows{};
};

struct Grammar {
    States states;
    std::int32_t start = 0;
    // Divide the weights of a box's applicable rules by their sum.
    bool normalise = true;
    // failure(condition): forbidden splits and leaves keep their probability.
    bool condition = false;
    // Least rows, repeats counted, on each side of a split.
    std::int64_t min_leaf = 1;
    // K where trees have at most K leaves; 0 where leaves are not counted.
    std::int32_t max_leaves = 0;
    // Length d.
    std::vector<double> feature_weights;
    // Length d: the number of each feature's group, below d; empty where no features are grouped.
    std::vector<std::uint32_t> group_of{};

    bool grouped() const { return !group_of.empty(); }
    // Whether a split is among those that its rule's measure is taken over, by the left state of
    // its transition.
    bool takes_over(std::int32_t left) const { return condition ? left != kOutside : left >= 0; }
};

// Weights of classes that differ by less, relatively, are equal: sums of real weights are rounded.
inline constexpr double kEqualWeights = 1e-12;

struct Table {
    std::uint32_t n_rows = 0;
    std::vector<Feature> features;
    // Length n: how many rows of the data each distinct row stands for.
    std::vector<std::uint32_t> counts;
    // Length n: their weight, in some unit; empty where it is `counts`.
    std::vector<double> weights{};

    double weight(std::uint32_t row) const { return weights.empty() ? counts[row] : weights[row]; }
    // Whether any feature does (feature.hpp).
    bool looks_at_response() const {
        return std::any_of(features.begin(), features.end(), [](const Feature& feature) {
            return feature.looks_at_response();
        });
    }
    // Of memory that the orders of levels take, which grow as boxes are split.
    std::size_t bytes_of_orders() const {
        std::size_t out = 0;
        for (const Feature& feature : features) {
            out += feature.looks_at_response() ? feature.orders->bytes() : 0;
        }
        return out;
    }
    // Whether all features are (feature.hpp).
    bool plain() const {
        return std::all_of(features.begin(), features.end(),
                           [](const Feature& feature) { return feature.plain(); });
    }
};

struct Problem {
    Grammar grammar;
    Table table;
    LeafModel leaf;

    // A split rule's (left state, right state) for each cell of one feature.
    std::span<const std::int32_t> transitions(const Rule& rule, std::size_t feature) const {
        const auto begin = static_cast<std::size_t>(table.features[feature].first_cell) * 2;
        const std::size_t end =
            feature + 1 < table.features.size()
                ? static_cast<std::size_t>(table.features[feature + 1].first_cell) * 2
                : rule.transitions.size();
        return std::span(rule.transitions).subspan(begin, end - begin);
    }

    // Gives the leaf with these statistics the prior of leaves in a state.
    void set_prior(double* statistics, std::int32_t state) const {
        if (leaf.in_boxes()) {
            leaf.set_prior(statistics, grammar.states.leaf_prior(static_cast<std::size_t>(state)));
        }
    }
    // Product states: a state and the leaves it owes, state * n_owed() + owed - 1.
    std::int32_t n_owed() const { return grammar.max_leaves > 0 ? grammar.max_leaves : 1; }
    bool counted() const { return grammar.max_leaves > 0; }
    // The start state that owes `owed` + 1 leaves.
    std::int32_t root_product(std::int32_t owed) const { return grammar.start * n_owed() + owed; }
};

// Throws std::invalid_argument unless sizes, codes and states are within what they refer to, and no
// state calls itself through others. All other code relies on this. The rules of an open grammar
// are checked by its source, as they are made.
void check_problem(const Problem& problem);

// Whether the statistics are numbers of rows of classes, and rows have weight 1.
bool counts_rows_of_classes(const Problem& problem);

// Limits for rules: the numbers of classes (statistics), of cells of all features and of states.
struct RuleBounds {
    std::size_t classes, cells, states;
    bool counts_classes;  // whether the statistics are numbers of rows of classes
};
RuleBounds rule_bounds(const Problem& problem, std::size_t n_states);

// Product states are numbered in 32 bits.
std::size_t most_states(const Problem& problem);

// Throws std::invalid_argument unless the rules of a state keep to these.
void check_rules(const Rules& rules, const RuleBounds& bounds);

}  // namespace slp
