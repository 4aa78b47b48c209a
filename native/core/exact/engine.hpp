// The exact engine: passes over all items of a problem, and what one item leads to.
//
// An item is a box B in a state s. With the leaf weight a_s and likelihood L, the split weight b_s,
// the probability p of each split e, and the terms (l, r) of the split's class, its value is
//
//   V(B, s) = a_s L(B) + b_s sum over e of p(e | B, s) sum over (l, r) of w V(B_e, l) V(B'_e, r)
//
// where B_e and B'_e are the sides of e (block_grammar.hpp). A *pass* finds V of all items below
// the root, each once: sums for the evidence, `max` for the best tree, ones as weights for the
// number of trees, vectors for distributions of leaves and depth. Everything else follows from a
// pass:
//
//   draws, k best        from the root down, the terms of one item at a time (Engine::scored_edges)
//   uses, predictions    dV(root) / dV(B, s), found from the root down in one *descent*
//                        (descent.hpp, interval_blocks/descent.hpp), times the terms of each item
//   P(feature unused)    V'(root) / V(root), V' the pass that leaves out the terms of its splits
//   bounds               V between what a leaf gives and the purest partition (bounds.hpp)
//
// Where trees have few levels, level_sums.hpp finds all at once and keeps few items. Else three
// searches find V: search.hpp one item at a time; interval_blocks/search.hpp all boxes
// together that differ in the ends [i, j] of an interval of one *inner* feature, in all states;
// binary_blocks/search.hpp those that differ in two inner bits, where there is one state. A block
// parts its rows once for each split on another feature, and reads the values of both sides for all
// its members.
//
// A threshold is the midpoint of two values of a member, so members may differ in the class of a
// split, its gap and, for two levels, its canonical side. In row i of an interval block the upper
// value falls as j grows: classes follow each other along the row, and a gap changes where a
// lower value first occurs (interval_blocks/member_splits.hpp). Of two levels that are left in a
// member only the first in order is a split (LevelRanks in interval_blocks/side_ranks.hpp). A
// binary feature has one threshold, so its members do not differ.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "exact/binary_blocks/table.hpp"
#include "exact/block_grammar.hpp"
#include "exact/depth_cut.hpp"
#include "exact/level_sums.hpp"
#include "exact/look_plan.hpp"
#include "exact/search.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// leaf_number, tree_depth: vectors (algebras.hpp).
enum class Quantity : std::uint8_t { total, best, count, leaf_number, tree_depth };

// What a pass keeps of its values: the root's; what descents by interval blocks need; every item's.
enum class Keep : std::uint8_t { root, blocks, items };

// What one pass computes, and with what means.
struct PassTask {
    Quantity quantity = Quantity::total;
    // Whether the leaves' marginal likelihoods are in the weights.
    bool likelihood = true;
    // Numbers with exponents (numbers.hpp).
    bool scaled = false;
    // The length of the vectors of leaf_number and tree_depth.
    std::size_t length = 0;
    Keep keep = Keep::items;
    // Bytes that it may hold.
    std::size_t memory = 0;
    std::size_t n_threads = 1;
    // A feature that no tree splits on, though its splits keep their probabilities; -1: none.
    std::int32_t excluded = -1;
};

class Engine;
class IntervalBlockSearch;

// The probability that a descent from the root may lose in all.
inline constexpr double kMostLost = 1e-11;

// One pass: every item's value, kept for look-ups.
class Pass {
public:
    virtual ~Pass() = default;
    virtual Status run(const Poll& poll) = 0;
    virtual Progress progress() const = 0;
    // The log value of an item, by its box and product state; -inf if it was not kept. Boxes
    // of at most few_rows() distinct rows that were not kept are computed if their rows are given.
    virtual double log_value(const Box& box, std::int32_t product) const = 0;
    virtual std::uint32_t few_rows() const { return 0; }
    // Whether the pass has reached the item. (Its value may be zero.)
    virtual bool reached(const Box& box, std::int32_t product) const = 0;
    // The root's count itself.
    virtual double root_count(std::int32_t product) const = 0;
    // The root's vector; empty where the quantity is none or the root was not reached.
    virtual std::span<const double> root_vector(std::int32_t) const { return {}; }
    // Whether the leaves' marginal likelihoods are in the weights.
    virtual bool likelihood() const = 0;
    // Whether it goes by blocks (interval_blocks/search.hpp).
    virtual bool by_interval_blocks() const { return false; }
    // The blocks, for descents, where it has kept them; else null.
    virtual IntervalBlockSearch* blocks() const { return nullptr; }
    // Set if trees were not followed to every depth.
    virtual std::optional<DepthCut> depth_cut() const { return std::nullopt; }
    // For totals: the probability of each choice at an item, given the item, into out: one entry
    // for a leaf rule, others one for each edge, rule after rule (item.n_edges in all).
    virtual void edge_probabilities(const Engine& engine, const Box& box,
                                    std::span<const BoxSplit> splits, std::int32_t product,
                                    const ItemEdges& item, double* out) const;
    // For each edge of an item, through all rules, the logs of the values that it leads to; of a
    // call the right one is 0.
    virtual void log_values_below(const Engine& engine, const Box& box,
                                  std::span<const BoxSplit> splits, const ItemEdges& item,
                                  std::int32_t product, double* left, double* right) const;
    // Set where it goes by levels; and then another quantity of the same run.
    virtual const LevelSums* level_sums() const { return nullptr; }
    virtual std::unique_ptr<Pass> other(Quantity) const { return nullptr; }
    // At least the number of items and edges that there are, after a run.
    virtual double most_edges() const {
        const Progress all = progress();
        return 1.0 + static_cast<double>(all.items + all.edges);  // a box of one row is no item
    }
};

// An edge of an item with its weight and the values that it leads to, for Python. Here a leaf rule
// is an edge without items.
struct ScoredEdge {
    std::int32_t rule;
    // Feature split on; -1 for a leaf, -2 for a call.
    std::int32_t feature;
    Cut cut;
    // Product states of the items it leads to (a leaf: none; a call: the left), and the logs of
    // their values in a pass; 0 for none.
    std::int32_t left_state, right_state;
    double log_left, log_right;
    // Log weight under the program as written, likelihood left out.
    double log_weight;
};

class Engine {
public:
    // Throws as check_problem does.
    explicit Engine(Problem problem);

    const Problem& problem() const { return problem_; }
    const Geometry& geometry() const { return geometry_; }

    std::unique_ptr<Pass> make_pass(const PassTask& task) const;

    // How many values a pass over numbers keeps for each box where it goes by blocks
    // (interval_blocks/search.hpp); 0 where it goes item by item.
    std::size_t values_per_box() const;

    // Whether passes over numbers go by blocks.
    bool uses_interval_blocks() const { return uses_blocks() && inner_.has_value(); }

    // What passes by levels take (level_sums.hpp); none where others are faster.
    std::optional<LookPlan> looks() const;

    // Why passes over numbers go item by item; `none` if they do not.
    Obstacle obstacle() const;

    // Logs of the root's values, one for each number of leaves that it may owe.
    std::vector<double> root_values(const Pass& pass) const;
    // The same of a count, not as logs.
    std::vector<double> root_counts(const Pass& pass) const;
    // Log of the sum of the root's values.
    double log_root(const Pass& pass) const;

    // Vector of the whole distribution: the root's, averaged over what it may owe.
    std::vector<double> root_vector(const Pass& pass) const;

    // All choices at an item, in canonical order, rule after rule.
    std::vector<ScoredEdge> scored_edges(const Pass& pass, std::span<const std::uint32_t> rows,
                                         std::int32_t product, double* log_likelihood) const;

    // Log of the value of one side of a split, as Pass::log_value.
    double log_value_of_side(const Pass& pass, const Box& box, const BoxSplit& split, bool left,
                             std::int32_t product) const;

private:
    Problem problem_;
    Geometry geometry_;
    EdgeBuilder keys_;
    mutable Obstacle obstacle_ = Obstacle::none;
    // As passes by blocks take it.
    std::optional<BlockGrammar> blocks_;
    // Whether passes over numbers go by blocks (interval_blocks/search.hpp) or by words of bits
    // (binary_blocks/search.hpp). Found on first use, because it takes time on wide tables.
    bool uses_blocks() const;
    std::unique_ptr<Pass> make_block_pass(const PassTask& task) const;
    // Without the depths that totals do not need.
    BlockGrammar blocks_for(Quantity quantity, const std::optional<DepthCut>& cut) const;
    std::size_t n_states() const;
    bool is_worth_blocks() const;
    mutable std::once_flag blocks_found_, looks_found_;
    mutable std::optional<LookPlan> looks_;
    mutable std::optional<AnyBinaryTable> binary_table_;
    mutable std::optional<std::uint32_t> inner_;
};

}  // namespace slp::exact
