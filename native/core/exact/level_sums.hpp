// Sums over the trees of a state of few levels that keep no box of the last two levels.
//
// Items are found and kept as far as their trees have three levels or more, and those that these
// lead to. Below, each split of an item takes one look at the item's sorted rows (side_sums.hpp):
// it gives the sums over all trees of both sides. So the work is the number of splits of those
// items times their rows and features, and the memory is that of few boxes. One run finds all that
// is known of an item's trees (tree_summary.hpp).

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "arena.hpp"
#include "exact/tree_summary.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "search/limited_states.hpp"
#include "thread_team.hpp"

namespace slp::exact {

class LevelSums {
public:
    LevelSums(const Problem& problem, const Geometry& geometry, bool likelihood,
              std::size_t memory, std::size_t n_threads);

    Status run(const Poll& poll);
    // Counts the sides that were looked at, and their cuts.
    Progress progress() const;

    // What is known of an item; null if it was not kept.
    const TreeSummary* find(Key item) const;
    const TreeSummary* root() const { return known(0); }
    const SummaryLayout& layout() const { return layout_; }
    // The grammar's state of each of the layout's.
    const std::vector<std::int32_t>& states() const { return states_; }
    bool likelihood() const { return likelihood_; }

    // For each edge of an item, through all rules, the logs of what the items are worth that it
    // leads to: of all their trees, or of the best.
    void log_values_below(const Box& box, std::span<const BoxSplit> splits, std::int32_t state,
                          const ItemEdges& item, bool best, double* left, double* right) const;

private:
    struct KeptItem {
        Box box;
        std::int32_t state;
        TreeSummary summary;
    };

    void number_states(std::int32_t state);
    int levels(std::int32_t state) const { return levels_[number_of(state)]; }
    std::size_t number_of(std::int32_t state) const { return number_.at(state); }
    const TreeSummary* known(std::size_t item) const {
        // An item that a stopped run has not reached has no numbers.
        return item >= items_.size() || items_[item].summary.numbers.empty()
                   ? nullptr
                   : &items_[item].summary;
    }
    Status list_items(const Poll& poll);
    Status sum_last_levels(const Poll& poll);
    Status sum_level(std::size_t level, const Poll& poll);
    void add_leaves_below(KeptItem& item) const;
    template <typename Work>
    Status in_parallel(std::size_t n, const Poll& poll, Work work);

    const Problem& problem_;
    const Geometry& geometry_;
    bool likelihood_;
    std::size_t n_threads_;
    Budget budget_;
    // All that are reached are known.
    search::LimitedStates limited_;
    SummaryLayout layout_;
    std::vector<std::int32_t> states_;
    std::vector<int> levels_;
    std::unordered_map<std::int32_t, std::size_t> number_;
    // Of states of one level: their numbers, and those of the states below.
    struct SplitIntoLeaves {
        std::size_t state, left, right;
    };
    std::vector<SplitIntoLeaves> into_leaves_;
    Arena arena_;
    Charge of_items_;
    std::vector<KeptItem> items_;
    // By the levels of trees: the numbers of items. The root is item 0.
    std::vector<std::vector<std::size_t>> by_levels_;
    struct OfKey {
        std::size_t operator()(Key key) const { return key.a; }
    };
    std::unordered_map<Key, std::size_t, OfKey> index_;
    std::atomic<std::uint64_t> looks_{0}, cuts_{0};
};

}  // namespace slp::exact
