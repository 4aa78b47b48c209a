// Best-first AND/OR search for the derivation of greatest weight. The mathematics: docs/search.md.
//
// Items are OR nodes: the best of stopping and of all branches. Branches are AND nodes: both sides.
// The search keeps to the path of the best bound, as recursive best-first search does (Korf 1993):
// it goes on below an item until the item's bound falls below that of the best other branch above
// it. So memory holds one path and a table of bounds, from which anything may be dropped.
//
// An item that is met for the first time is also grown greedily down to where nothing can be
// gained; the trees that come of it are the values below.

#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "budget.hpp"
#include "search/open_items.hpp"
#include "search/branching.hpp"
#include "search/limited_depth.hpp"
#include "thread_team.hpp"

namespace slp::search {

// As within_budget, and Stopped as a status too.
template <typename Work>
Status until_stopped(const Work& work) {
    try {
        return within_budget(work);
    } catch (const Stopped&) {
        return Status::stopped;
    }
}

struct SearchPlan {
    bool likelihood = true;
    // Bytes.
    std::size_t room = 0;
    // The most items that are opened; 0 for no limit.
    std::uint64_t most_steps = 0;
};

// Nodes of a tree in preorder: the feature (-1: a leaf), and the cut as it is written down.
struct TreeNodes {
    std::vector<std::int32_t> feature;
    std::vector<std::uint32_t> low, high;

    void add_leaf() { add(-1, {}); }
    void add(std::int32_t of, Cut cut) {
        feature.push_back(of);
        low.push_back(cut.number());
        high.push_back(cut.rest());
    }
};

struct FoundTree {
    TreeNodes tree;  // empty if none was found
    // Logs, of the tree's derivation and of every derivation.
    double low, high;
    std::uint64_t items, lost, steps;
    std::size_t peak_bytes;
};

class BestFirstSearch {
public:
    // Limits for growth from the root: the most that departures from greedy growth may cost on the
    // way to a leaf (see growth.cpp), and the most steps of opening items.
    struct Effort {
        int departures;
        double steps;
    };

    BestFirstSearch(const Problem& problem, const Geometry& geometry, const SearchPlan& plan);

    // Takes over a tree found elsewhere. False if no derivation gives it, or the caller says stop.
    bool seed(const TreeNodes& tree, const Poll& poll);
    // Until the best is certain, the caller says stop, memory ends, or so many steps of opening
    // items were taken in all calls (0: no limit). May be called again.
    Status run(const Poll& poll, double most_searched);
    FoundTree found() const;
    // Whether trees have so few levels that the search needs no trees from elsewhere.
    bool is_shallow();

private:
    friend class Ranking;

    // The work recorded for an item that was opened. An item that only a seed tree gave has less.
    static constexpr std::uint32_t kOpened = 2;

    struct Seed {
        const TreeNodes& tree;
        // The number of each node's right child.
        std::vector<std::size_t> right;
        // What is known, by node and product state.
        std::map<std::pair<std::size_t, std::int32_t>, double> known;
    };
    struct Item {
        Box box;
        std::int32_t product;
        Key key;
    };
    struct SearchFrame {
        Box box;
        std::int32_t product;
        Key key;
        // The frame ends when its bound is at most this.
        double threshold;
        Arena::Mark mark;
        std::uint64_t began;
        Opened item;
        // Branches by bound, the largest first: a heap.
        std::span<Branch*> heap;
        // What holds the branches, if that is not the arena.
        std::shared_ptr<OpenItem> held;
        // Whether the item is open; if not, its bound is not that of its branches.
        bool ready = false;
    };

    // The caller, from now to the end of its call.
    class Caller {
    public:
        Caller(BestFirstSearch& search, const Poll& poll) : search_(search) {
            search_.poll_ = &poll;
            search_.told_to_stop_ = false;
        }
        ~Caller() { search_.poll_ = nullptr; }
        Caller(const Caller&) = delete;
        Caller& operator=(const Caller&) = delete;

    private:
        BestFirstSearch& search_;
    };

    void push_root();
    void push(const Box& box, std::int32_t product, Key key, double threshold, Arena::Mark mark);
    void step();
    void close();
    bool clean_top(SearchFrame& frame);
    bool open_item(const Box& box, std::int32_t product, Opened& item);
    bool solves(const Box& box, std::int32_t product);
    bool solve_item(const Box& box, std::int32_t product, Opened& item,
                    const std::function<bool()>& step);
    void keep_sides(const Box& box, std::int32_t product, const LimitedDepth::CutSides& sides);
    void keep_side(Key key, const LimitedDepth::CutSides& sides, std::size_t side);
    TreeRef tree_of(std::span<const BestCut> nodes);
    bool open_frame(SearchFrame& frame);
    void look_at_top(SearchFrame& frame);
    void descend(SearchFrame& frame);
    void dive(const Box& box, Opened& item, int depth);
    void improve_start(const Effort& effort);
    void from_start(int least, int most, void (BestFirstSearch::*grow)(const Item&, int, int));
    void improve(const Item& at, int departures, int depth);
    void regrow(const Item& at, int departures, int depth);
    bool opened(Key key) const;
    void keep(Key key, Opened& item, std::uint64_t work);
    void make_heap(SearchFrame& frame);
    void sift_top(SearchFrame& frame);
    void go_on();
    void ask_caller();
    void look_at_caller();
    Progress progress() const;
    void add_tree(TreeRef tree, TreeNodes& out) const;
    // What a subtree is worth in a product state; -inf if no derivation gives it.
    bool is_at(const BoxSplit& split, const TreeNodes& tree, std::size_t node) const;
    double seed_item(Seed& seed, std::size_t node, const Box& box, std::int32_t product);

    const Problem& problem_;
    const Geometry& geometry_;
    SearchPlan plan_;
    Budget budget_;
    Arena arena_;
    Trees trees_;
    NodeTable table_;
    OpenItems open_items_;
    Branching branching_;
    LimitedDepth limited_;
    std::vector<SearchFrame> frames_;
    // Bounds on the log of the largest weight of any derivation.
    double low_ = -INFINITY, high_ = INFINITY;
    TreeRef tree_ = kNoTree;
    std::uint64_t steps_ = 0, dived_ = 0;
    // For the growth of first trees. `improved_`: for each item, the cost allowed to departures
    // below it, plus 1. Then the work done so far, and the limit of this work.
    std::unordered_map<Key, int, OpenItems::Hash> improved_;
    double improving_ = 0, most_improving_ = 0;
    // Steps of opening items in the search, and whether it has begun.
    double searched_ = 0;
    // About the additions that opening the last item took.
    double opening_ = 0;
    bool begun_ = false;
    bool stop_ = false;
    // The caller, while it waits; and whether it said stop.
    const Poll* poll_ = nullptr;
    bool told_to_stop_ = false;
    std::chrono::steady_clock::time_point next_poll_{};
};

}  // namespace slp::search
