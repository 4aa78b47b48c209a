// Common parts of the searches by blocks: interval blocks (interval_blocks/search.hpp) and
// binary-feature blocks (binary_blocks/search.hpp). Both take block grammars (block_grammar.hpp).
//
// A block is a set of boxes that are evaluated together because they differ in one feature, or in a
// few features of two values. These inner features are free in the block; all others are outer.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exact/block_grammar.hpp"
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

class BlockSearch {
public:
    virtual ~BlockSearch() = default;
    virtual Status run(const Poll& poll) = 0;
    virtual Progress progress() const = 0;
    // Log of a box's value in a state of the block grammar. -inf for a box not kept; a box of at
    // most few_rows() distinct rows is computed if its rows are given.
    virtual double log_value(const Box& box, std::size_t state) const = 0;
    // Whether the box's values are known.
    virtual bool is_known(const Box& box) const = 0;
    virtual std::uint32_t few_rows() const { return 0; }
    // The root's count itself.
    virtual double root_count(std::size_t state) const = 0;
};

// Makes a search from a root. Values are multiplied by exp(log_scale) for each row of the data.
template <typename Search>
using MakeSearch = std::function<std::unique_ptr<Search>(const BlockTask& task, const Box& root,
                                                         double log_scale)>;

// The search of a whole table. A search on a few of the rows finds the scale that keeps the values
// of large and small boxes within plain doubles. Counts are not scaled. This search is made when it
// runs, because finding the scale takes time.
template <typename Search>
class ScaledSearch : public Search {
public:
    // n_starts: the states that the root may be in are the first so many, and one at least.
    ScaledSearch(const Geometry& geometry, const BlockTask& task, std::size_t n_starts,
                 MakeSearch<Search> make)
        : geometry_(geometry),
          task_(task),
          n_starts_(std::max<std::size_t>(n_starts, 1)),
          make_(std::move(make)) {}

    Status run(const Poll& poll) override {
        double log_scale = 0.0;
        if (task_.sum != Sum::count) {
            const Status status = find_log_scale(poll, log_scale);
            if (status == Status::stopped) {
                return status;
            }
        }
        return within_budget([&] {
            search_ = make_(task_, geometry_.root(), log_scale);
            return search_->run(poll);
        });
    }

    Progress progress() const override {
        return search_ == nullptr ? Progress{} : search_->progress();
    }
    double log_value(const Box& box, std::size_t state) const override {
        return search_ == nullptr ? -INFINITY : search_->log_value(box, state);
    }
    bool is_known(const Box& box) const override {
        return search_ != nullptr && search_->is_known(box);
    }
    std::uint32_t few_rows() const override {
        return search_ == nullptr ? 0 : search_->few_rows();
    }
    double root_count(std::size_t state) const override {
        return search_ == nullptr ? 0.0 : search_->root_count(state);
    }

protected:
    // Null until it has run.
    Search* made() const { return search_.get(); }

private:
    Status find_log_scale(const Poll& poll, double& out) const {
        constexpr std::size_t kFew = 24;
        const std::span<const std::uint32_t> all = geometry_.root().rows;
        const std::size_t n_few = std::min(all.size(), kFew);
        std::vector<std::uint32_t> rows;
        for (std::size_t i = 0; i < n_few; ++i) {
            rows.push_back(all[i * all.size() / n_few]);
        }
        BlockTask few = task_;
        few.keep = few.keep_blocks = false;
        few.excluded = -1;  // the scale of all trees
        few.n_threads = 1;
        const Box box = geometry_.box_of(rows);
        return within_budget([&] {
            const std::unique_ptr<Search> search = make_(few, box, 0.0);
            const Status status = search->run(poll);
            if (status == Status::done) {
                double largest = -INFINITY;
                for (std::size_t state = 0; state < n_starts_; ++state) {
                    largest = std::max(largest, search->log_value(box, state));
                }
                out = largest > -INFINITY ? -largest / data_rows(box.sizes) : 0.0;
            }
            return status;
        });
    }

    const Geometry& geometry_;
    BlockTask task_;
    std::size_t n_starts_;
    MakeSearch<Search> make_;
    std::unique_ptr<Search> search_;
};

}  // namespace slp::exact
