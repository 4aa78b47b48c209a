// Common parts of the searches by blocks: interval blocks (interval_blocks/search.hpp) and
// binary-feature blocks (binary_blocks/search.hpp). Both take block grammars (block_grammar.hpp).
//
// A block is a set of boxes that are evaluated together because they differ in one feature, or in a
// few features of two values. These inner features are free in the block; all others are outer.
//
// Values are plain doubles, multiplied by exp(log_scale) for each row of the data, so that those of
// large and small boxes are within their range. A search on a few of the rows finds the scale.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "budget.hpp"
#include "exact/block_grammar.hpp"
#include "exact/memo.hpp"
#include "pool.hpp"
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
};

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

class BlockSearch {
public:
    // root: the box to begin with. n_pools: of values, with each thread's.
    BlockSearch(const BlockTask& task, const Box& root, double log_scale, std::size_t n_pools)
        : task_(task), root_(root), log_scale_(log_scale), shared_(task) {
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
        const double value = box.key == root_.key ? root_count(state)
                             : found != nullptr   ? number(*found, state)
                                                  : value_of_few(box, state);
        return std::log(value) - log_scale_ * data_rows(box.sizes);
    }
    // Whether the box's values are known.
    bool is_known(const Box& box) const {
        return box.key == root_.key ? !root_values_.empty()
                                    : find(box) != nullptr || value_of_few(box, 0) > 0.0;
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
    Box root_;
    double log_scale_;
    WalkShared shared_;
    std::vector<std::unique_ptr<Pool>> pools_;
    std::vector<double> root_values_;  // by state

private:
    const std::uint64_t* find(const Box& box) const {
        return shared_.kept == nullptr ? nullptr : shared_.kept->find(box.key);
    }
};

// Makes a search from a root.
using MakeBlockSearch = std::function<std::unique_ptr<BlockSearch>(
    const BlockTask& task, const Box& root, double log_scale)>;

}  // namespace slp::exact
