// Derivations by falling value, one after the other: the lazy k best of Huang & Chiang (2005,
// algorithm 3), over items of which only bounds are known. The mathematics: docs/search.md.
//
// Each item that was opened has a heap of candidates: an option (a leaf rule, or a branch) with the
// ranks of the derivations of the items below. The value of a candidate is bounded by those of
// these derivations. Where it is known, a candidate on top of the heap is the item's next
// derivation; else the search goes on below it.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "search/open_items.hpp"
#include "search/search.hpp"

namespace slp::search {

class Ranking {
public:
    // The search must stay, and not run on. Of `known` derivations the order is by the values that
    // the search found, as if none were better; then it is no proof of anything. most_steps: the
    // most items that are opened; 0 for no limit.
    Ranking(BestFirstSearch& search, bool known, std::uint64_t most_steps);

    // The next derivation goes to `tree` and `value`. `done` with an empty tree: there is none.
    Status next(const Poll& poll);
    const TreeNodes& tree() const { return tree_; }
    double value() const { return value_; }
    // An upper bound on the value of every derivation not returned yet. It does not apply to
    // `known` ones.
    double bound() const;
    std::uint64_t steps() const { return steps_; }

private:
    // Ranks of the derivations of the items below; of a leaf rule both are 0.
    struct Candidate {
        double bound;
        std::uint32_t option;
        std::array<std::uint32_t, 2> ranks;
        bool operator<(const Candidate& other) const { return bound < other.bound; }
    };
    struct RankedItem {
        std::unique_ptr<OpenItem> open;  // null until it is opened
        std::vector<double> stops;       // values of the leaf rules: options before the branches
        std::vector<Candidate> found;    // the derivations known, the best first
        std::vector<Candidate> heap;
        // Of an item of few levels: whether the table has its best value. If its cuts were solved:
        // this value, and how far below it cuts have values, and not bounds alone.
        bool solved = false;
        double best = -INFINITY, slack = INFINITY;
        std::int32_t product = -1;
        double top() const { return heap.empty() ? -INFINITY : heap.front().bound; }
    };
    // The bound for the derivation of some rank of an item.
    struct Bound {
        double value;
        bool exact;
    };

    void work(RankedItem& node, const Box& box, std::uint32_t rank, double threshold, int depth);
    void descend(RankedItem& node, const Box& box, double threshold, int depth);
    void open(RankedItem& node, const Box& box, std::int32_t product);
    void open_start();
    // Items of few levels.
    bool solve(RankedItem& node, const Box& box, std::int32_t product);
    void solve_first_cuts(RankedItem& node, std::span<Branch> branches, const Box& box);
    void solve_cuts(RankedItem& node, std::span<Branch> branches, const Box& box, double slack);
    void take(std::span<Branch> branches, const LimitedDepth::CutSides& sides);
    void add_options(RankedItem& node, std::span<const Branch> branches);
    Bound bound_of(const RankedItem& node, const Candidate& candidate);
    Bound bound_of(Below& below, std::uint32_t rank);
    void push(RankedItem& node, Candidate candidate);
    void push_successors(RankedItem& node, const Candidate& found);
    bool emit(RankedItem& node, const Box& box, std::uint32_t rank, int depth);
    bool emit(const Below& below, const Box& box, std::uint32_t rank, int depth);
    void emit_known(const Below& below);
    Branch& branch_of(const RankedItem& node, const Candidate& candidate) const {
        return node.open->branches[candidate.option - node.stops.size()];
    }
    RankedItem& node_of(const Below& below);
    Box side_of(const Box& box, const Branch& branch, bool left);
    bool go_on();

    BestFirstSearch& search_;
    bool known_;
    std::uint64_t most_steps_, steps_ = 0;
    Charge charge_;
    std::unordered_map<Key, RankedItem, OpenItems::Hash> nodes_;
    RankedItem root_;
    std::uint32_t given_ = 0;
    TreeNodes tree_;
    double value_ = -INFINITY;
    bool stop_ = false;
};

}  // namespace slp::search
