// The states of a grammar as passes by blocks take them: a box has one value for each of S states.
//
// A state here is a product state (problem.hpp) that a box can be in: the start, or the side of a
// split. Calls keep the box, so the rules of a state that is called count as rules of its caller.
// In a box a state's value is
//
//   V(s) = a_s leaf + b_s sum over splits e of p_q(e) sum over terms (l, r) of w V_l(left)
// V_r(right)
//
// where the terms (l, r) of a split are the same for all thresholds of one split class,
// and p_q, the probability of a split, depends on which split classes the state allows: states that
// allow the same ones have one measure class q. Rules are applicable or not together: a state has
// one pair of weights (a, b) for boxes that can be split and one for others.
//
// States are ordered such that the terms of a split class form long runs: s, s+1, ... with l, l+1,
// ... and r, r+1, .... A depth is such a run, whatever else the states remember. Leaves owed make
// crossed runs: l stays, and the value of l is multiplied by those of r, r+1, ....

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace slp::exact {

// Why a pass cannot go by blocks.
enum class Obstacle : std::uint8_t {
    none,
    open,       // states are found during the pass
    rows,       // a label or a guard depends on the rows of the box
    splits,     // rules of one state take different splits over
    measures,   // rules have different measures
    majority,   // a leaf that needs a majority, in a state with calls or other rules
    partition,  // this measure, and all features have two values or there are many measure classes
    sparse,     // few of the pairs of a box and a state are reached
    values,     // no feature has several values in a typical box, and not all have two
    weights,    // weights of features or of splits differ too much for doubles
    kinds,      // a feature is not plain (feature.hpp)
    priors,     // leaves in boxes have priors of their own
    groups,     // features are in groups: a mass depends on which others can split the box
};

// What a pass by blocks computes.
enum class Sum : std::uint8_t { total, best, count };

struct BlockGrammar {
    // Weights of one state, on the probability scale.
    struct StateWeights {
        double leaf_alone;  // a leaf, if the box cannot be split
        double leaf;        // a leaf, if it can
        double split;       // a split, before it is divided among the splits
        double split_only;  // the same if the leaf has no majority
        std::uint32_t measure_class;
        // Number of the classes that must have the majority in a leaf; -1 for any leaf.
        std::int32_t majority = -1;
    };
    struct Run {
        std::uint32_t to, left, right, n;
        std::uint32_t measure_class;  // of all states of the run
        bool crossed;
        // For crossed runs: where the weights of its terms are; -1 if all are 1. Terms of other
        // runs have weight 1.
        std::int32_t weights;
        // Number of its first term, among those of all runs.
        std::uint32_t first_term;
    };

    // States that follow each other and have the same measure class and majority.
    struct Segment {
        std::uint32_t begin, end, measure_class;
        std::int32_t majority;
    };

    // The start is state 0; where leaves are owed, the starts come first.
    std::vector<StateWeights> nodes;
    std::vector<Segment> segments;
    Measure measure = Measure::each;
    // Every split leads to the next state, on both sides; only the last state has no splits or,
    // where it is `endless`, leads to itself.
    bool is_linear = false, endless = false;
    // Whether values may be zero.
    bool may_fail = false;
    // The first so many states are states of the root alone.
    std::size_t n_starts = 0;
    // By level, the number of splits above a node: how likely a node there splits at most. Empty
    // unless all weights are probabilities, and each state occurs at one level alone.
    std::vector<double> most_splits;

    std::size_t n_measure_classes = 1;
    // By measure class: `Rule::range_total` of its states.
    std::vector<double> range_totals{0.0};
    std::vector<std::vector<std::int32_t>> majorities;

    // Split classes, numbered through all features; those of feature f from first_class[f] on.
    std::vector<std::uint32_t> class_of_cell, first_class;
    std::size_t n_classes() const { return first_class.back(); }
    // Kinds of splits: those of one kind lead every state to the same states, and the same states
    // allow them. A bare prior has one kind; a constraint adds about one for each feature that it
    // names.
    struct Kind {
        std::uint32_t of_class;  // one of its split classes
        bool has_sides;          // whether the two sides of a split lead to different states
    };
    std::vector<Kind> kinds;
    std::vector<std::uint32_t> kind_of_class;
    // By feature: whether some state takes a split on it over.
    std::vector<std::uint8_t> is_split;
    std::size_t n_classes_of(std::uint32_t feature) const {
        return first_class[feature + 1] - first_class[feature];
    }
    // The runs of a split class. Those that only the whole table needs, the runs of the start, come
    // behind the others.
    std::span<const Run> runs_of(std::uint32_t of_class, bool is_whole = false) const {
        const std::size_t first = first_run[2 * of_class];
        return std::span(runs).subspan(first, first_run[2 * of_class + (is_whole ? 2 : 1)] - first);
    }
    // Whether all states take all splits over.
    bool takes_all() const { return std::ranges::find(allowed, 0) == allowed.end(); }
    // Whether the states of a measure class take a split of a split class over.
    bool takes_over(std::size_t measure_class, std::uint32_t of_class) const {
        return allowed[measure_class * n_classes() + of_class] != 0;
    }
    std::vector<Run> runs;
    std::vector<std::uint32_t> first_run;
    std::vector<std::uint8_t> allowed;
    std::vector<double> weights;
    // For each term, which of the split rules of its state takes it over: its place among all that
    // have a weight, calls followed.
    std::vector<std::uint32_t> rule_of_term;

    // The state here of each product state; -1 for one that no box is in.
    std::vector<std::int32_t> state_of_product;
    // The grammar's state of each state here.
    std::vector<std::int32_t> origin;
    // Whether rules of called states are among those of their callers.
    bool has_calls = false;
};

// Nothing for open grammars, and where one probability for each split and one pair of weights for
// each state are not enough; then `obstacle` says why. With a deepest level no state at it splits.
// Of counts all weights are 1.
std::optional<BlockGrammar> block_grammar_of(const Problem& problem, Sum sum = Sum::total,
                                             std::optional<std::size_t> deepest = std::nullopt,
                                             Obstacle* obstacle = nullptr);

}  // namespace slp::exact
