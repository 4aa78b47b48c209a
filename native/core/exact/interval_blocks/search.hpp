// The inside pass over a block grammar (block_grammar.hpp) by interval blocks.
//
// One numeric feature is the inner one. A block is a box that leaves it free. The members of the
// block are the box's parts between any two of the inner values that occur in it: for k values k (k
// + 1) / 2 members, stored as one triangle. A split on an outer feature splits all members at once:
// the left sides are members of one block, the right sides members of another. So a block costs one
// look-up for each side of each outer split, and the sums over splits run along rows of triangles.
// Splits on the inner feature stay inside the block. Looking up the children of each member
// separately would take about fifty times as many look-ups, which take most of the time of a pass.
//
// Members of several blocks that hold the same rows are one box. It is evaluated in the smallest of
// these blocks, where it touches the outer bounds on all sides, and copied to the others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "budget.hpp"
#include "exact/block_search.hpp"
#include "exact/block_grammar.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// Receives the leaves that queries reach.
class LeafSink {
public:
    virtual ~LeafSink() = default;
    // A tree has the leaf of these rows with the probability `mass`.
    virtual void leaf_of_tree(const double* statistics, std::span<const std::uint32_t> rows,
                              double mass) = 0;
    // Queries reach the leaf with these statistics. queries: one bit for each query that does;
    // query l reaches it with the probability mass[l] * factor.
    virtual void leaf(const double* statistics, std::uint64_t queries, const double* mass,
                      double factor) = 0;
};

// What a descent that follows the tree adds up.
struct TreeSums {
    // Expected numbers of boxes in one state: that cannot be split; that can; of these the ones
    // without the majority that a leaf needs; leaves among the first and among the second.
    struct OfState {
        double alone = 0, split = 0, unfit = 0, leaves_alone = 0, leaves = 0;
    };
    std::vector<OfState> states;
    std::vector<double> terms;  // expected splits, by term of the block grammar
};

// The queries of one descent (interval_blocks/descent.hpp): up to 64 new rows, or one tree.
struct QueryBatch {
    std::size_t n = 1;
    // The numbers of each row, one for each feature, as in NewRows; empty: query 0 follows both
    // sides.
    std::vector<const double*> rows;
    TreeSums* sums = nullptr;  // of the tree
    LeafSink* leaves = nullptr;

    bool both() const { return rows.empty(); }
};

class IntervalBlockSearch : public BlockSearch {
public:
    using BlockSearch::BlockSearch;
    // After a run of totals whose task keeps blocks. Any number of threads may call it at the same
    // time. go_on is called regularly; returns false if it ended the descent. Throws OutOfBudget.
    virtual bool descend(const QueryBatch& queries, double cut, Budget& budget,
                         const std::function<bool(std::uint64_t blocks)>& go_on) = 0;
    virtual const BlockGrammar& grammar() const = 0;
};

std::unique_ptr<IntervalBlockSearch> make_interval_block_search(
    const Problem& problem, const Geometry& geometry, const BlockGrammar& grammar,
    std::uint32_t inner, const BlockTask& task);

}  // namespace slp::exact
