// Common parts of the searches by blocks: interval blocks (interval_blocks/search.hpp) and
// binary-feature blocks (binary_blocks/search.hpp). Both take block grammars (block_grammar.hpp).
//
// A block is a set of boxes that are evaluated together because they differ in one feature, or in a
// few features of two values. These inner features are free in the block; all others are outer.
//
// Values are plain doubles, multiplied by exp(log_scale) for each row of the data, so that those of
// large and small boxes are within their range. A search on a few of the rows finds the scale.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "budget.hpp"
#include "exact/block_grammar.hpp"
#include "exact/interval_blocks/products.hpp"
#include "exact/memo.hpp"
#include "exact/numbers.hpp"
#include "pool.hpp"
#include "problem/applicable_rules.hpp"
#include "problem/geometry.hpp"
#include "thread_team.hpp"

namespace slp::exact {

struct BlockTask {
    Sum sum = Sum::total;
    // Whether the leaves' marginal likelihoods are in the weights.
    bool likelihood = true;
    // Keep every box's value for look-ups, not only the root's.
    bool keep = false;
    std::size_t memory = 0;
    std::size_t n_threads = 1;
    // A feature that no tree splits on; all weights stay as they are. -1: none. Of binary-feature
    // blocks only where a leaf may have a single row.
    std::int32_t excluded = -1;
    // Keep the blocks for descents (interval_blocks/search.hpp).
    bool keep_blocks = false;
    Box root{};  // to begin with
    double log_scale = 0.0;
};

// For a block: the number of its members, and of their splits with one more for the leaf of each;
// whether every value so far lies well inside the range of doubles.
struct BlockCounts {
    std::uint64_t n_items = 0, n_edges = 0;
    bool in_range = true;
};

// Prefetches what is read from its beginning on.
inline void prefetch_lines(const void* begin, std::size_t bytes = SIZE_MAX) {
    constexpr std::size_t kLine = 64, kMost = 8 * kLine;
    const std::size_t end = begin == nullptr ? 0 : std::min(bytes, kMost);
    for (std::size_t at = 0; at < end; at += kLine) {
        __builtin_prefetch(static_cast<const char*>(begin) + at);
    }
}

// What the threads of one search share.
struct WalkShared {
    explicit WalkShared(const BlockTask& task)
        : budget(task.memory),
          found(std::make_unique<Memo>(1, task.n_threads, budget)),
          counters(task.n_threads) {
        if (task.keep) {
            kept = std::make_unique<Memo>(1, task.n_threads, budget);
        }
    }

    Progress progress() const { return progress_of(counters, budget); }

    // Keeps a member's value, as a word. With `min_leaf` two blocks may evaluate the same box. The
    // lesser value is kept, not the first one, so that runs do not differ.
    template <typename Less>
    void keep(Key key, std::uint64_t word, Less less) {
        if (kept != nullptr) {
            kept->insert_least(key, word, less);
        }
    }

    Budget budget;
    // Finished blocks, by the keys of their boxes: where their values are. Where they are to
    // be kept, also the members.
    std::unique_ptr<Memo> found, kept;
    std::vector<Counter> counters;
    ThreadTeam team;
};

// The value of a box in the state of a node. stops: whether a leaf has its majority. splits:
// whether there are any; sum: over them, probabilities times values.
template <Sum kSum>
double value_of_node(const BlockGrammar::StateWeights& node, double leaf, bool stops, bool splits,
                     double sum) {
    double value = !stops ? 0.0 : (splits ? node.leaf : node.leaf_alone) * leaf;
    const double split = stops ? node.split : node.split_only;
    if (splits && split > 0.0) {
        add_term<kSum>(split * sum, value);
    }
    return value;
}

// Whether a value lies well inside the range of doubles. Without a feature, values may be
// arbitrarily small: the loss is less than 2^-170 of a value that was well inside the range with
// the feature. Where values may be zero, a narrower range keeps the products of others from being
// so.
inline bool is_inside(const BlockGrammar& grammar, double value) {
    return grammar.may_fail ? value == 0.0 || (value >= kTinyFactor && value <= kHugeFactor)
                            : value >= kTiny && value <= kHuge;
}

// Writes the first n values of a box. common: by measure class, the factor of all splits; 0 if
// there are none. sum: by state, over the splits, weights times values. Only the whole table has
// values for start states. Returns whether all values are inside the range of doubles. Where values
// may be zero, `leaf` must also be positive: a leaf that underflows looks like a forbidden one.
template <Sum kSum, typename Common>
bool write_values(const BlockGrammar& grammar, double leaf, std::span<const double> statistics,
                  bool is_whole, Common common, const double* sum, std::size_t n, double* out) {
    bool inside = leaf > 0.0 || !grammar.may_fail;
    for (const BlockGrammar::Segment& segment : grammar.segments) {
        const double factor = common(segment.measure_class);
        const bool splits = factor > 0.0;
        const bool stops =
            segment.majority < 0 ||
            has_majority(grammar.majorities[static_cast<std::size_t>(segment.majority)],
                         statistics);
        for (std::size_t s = segment.begin; s < std::min<std::size_t>(segment.end, n); ++s) {
            const bool has_value = s >= grammar.n_starts || is_whole;
            out[s] = !has_value ? 0.0
                                : value_of_node<kSum>(grammar.nodes[s], leaf, stops, splits,
                                                      factor * sum[s]);
            inside = inside && (!has_value || is_inside(grammar, out[s]));
        }
    }
    return inside;
}

// use.template operator()<sum>().
template <typename Use>
auto for_sum(Sum sum, Use use) {
    switch (sum) {
        case Sum::total: return use.template operator()<Sum::total>();
        case Sum::best: return use.template operator()<Sum::best>();
        case Sum::count: break;
    }
    return use.template operator()<Sum::count>();
}

class BlockSearch {
public:
    // n_pools: of values, with each thread's.
    BlockSearch(const BlockTask& task, std::size_t n_pools) : task_(task), shared_(task) {
        for (std::size_t i = 0; i < n_pools; ++i) {
            pools_.push_back(std::make_unique<Pool>(shared_.budget));
        }
    }
    virtual ~BlockSearch() = default;

    virtual Status run(const Poll& poll) = 0;
    Progress progress() const { return shared_.progress(); }
    // Log of a box's value in a state of the block grammar. -inf for a box not kept; a box of at
    // most few_rows() distinct rows is computed if its rows are given.
    double log_value(const Box& box, std::size_t state) const {
        const std::uint64_t* const found = find(box);
        const double value = box.key == task_.root.key ? root_count(state)
                             : found != nullptr        ? number(*found, state)
                                                       : value_of_few(box, state);
        return std::log(value) - task_.log_scale * data_rows(box.sizes);
    }
    // Whether the box's values are known, or computed because it has its rows and so few of them.
    bool is_known(const Box& box) const {
        return box.key == task_.root.key ? !root_values_.empty()
                                         : find(box) != nullptr || (!box.rows.empty() &&
                                                                    box.rows.size() <= few_rows());
    }
    virtual std::uint32_t few_rows() const { return 0; }
    // The root's number itself.
    double root_count(std::size_t state) const {
        return state < root_values_.size() ? root_values_[state] : 0.0;
    }

protected:
    // A state's number among those that are kept of a box as a word.
    virtual double number(std::uint64_t kept, std::size_t state) const = 0;
    // A box of few rows, that is not kept; 0 if it is not computed.
    virtual double value_of_few(const Box&, std::size_t) const { return 0.0; }

    BlockTask task_;
    WalkShared shared_;
    std::vector<std::unique_ptr<Pool>> pools_;
    std::vector<double> root_values_;  // by state

private:
    const std::uint64_t* find(const Box& box) const {
        return shared_.kept == nullptr ? nullptr : shared_.kept->find(box.key);
    }
};

}  // namespace slp::exact
