// Opens an item (a box in a product state): its leaf rules, and its branches (edges to other items)
// with bounds on what the items below are worth.

#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "arena.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"
#include "problem/orders_charge.hpp"
#include "search/alike.hpp"
#include "search/binary_splits.hpp"
#include "search/last_split.hpp"
#include "search/leaf_bound.hpp"
#include "search/node_table.hpp"
#include "search/two_levels.hpp"
#include "search/weight_bound.hpp"

namespace slp::search {

// An item that a branch leads to. Logs.
struct Below {
    Key key;
    std::int32_t product;
    // The value of the item as a leaf (-inf if that is not known), the best value found, and the
    // bound.
    double stop, low, high;

    bool solved() const { return high <= low; }
};

struct Branch {
    double log_weight, high;
    // Null for a call, whose one item is the left one; the right one is then worth 0.
    const BoxSplit* split;
    std::array<Below, 2> below;
    // Whether nothing more is known of its bound without opening the items below.
    bool looked = false;

    double low() const {
        return below[0].low == -INFINITY || below[1].low == -INFINITY
                   ? -INFINITY
                   : log_weight + below[0].low + below[1].low;
    }
};

struct Opened {
    double low = -INFINITY, high = -INFINITY;
    // One reference is the holder's.
    TreeRef tree = kNoTree;
    // Those whose bound is above `low`.
    std::span<Branch> branches;
};

// Bounds this close above a value are at it: sums in another order differ by less.
inline double rounding_of(double value) {
    return 1e-11 * (1 + (value > -INFINITY ? std::abs(value) : 0.0));
}

// Thrown to end work in the middle, as the caller says stop. What was known before holds.
struct Stopped {};

class Branching {
public:
    // `look_at_caller` is called regularly where an item has many edges. It throws Stopped to end
    // the work.
    Branching(const Problem& problem, const Geometry& geometry, bool likelihood, NodeTable& table,
              Trees& trees, Budget& budget, std::function<void()> look_at_caller);

    Opened open(const Box& box, std::int32_t product, Arena& arena);
    // The number of splits of the box that was opened last.
    std::size_t n_splits() const { return splits_.size(); }
    // Whether boxes are opened four rows at a time, as every feature has two codes.
    bool two_valued() const { return binary_.ready(); }
    // About the additions that opening the box took last.
    double steps(const Box& box) const {
        const auto cells = static_cast<double>(box.rows.size() * (splits_.size() + 1));
        return binary_.ready() ? cells / BinarySplits::kRows : cells;
    }
    // The values of all leaf rules, and all branches.
    struct Whole {
        std::vector<double> stops;
        std::span<Branch> branches;
    };
    Whole open_whole(const Box& box, std::int32_t product, Arena& arena);
    // Tighter bounds on the sides of a branch's split that are not in the table: their last split,
    // two levels at once, or the best parting.
    void look_below(const Box& box, Branch& branch);
    // About the value of a branch whose sides may have one more split each, where this can be told.
    bool looks_below(const Box& box, const Branch& branch) {
        return branch.split != nullptr && look_at(box);
    }
    double promise(const Box& box, const Branch& branch);
    // The start of all derivations: a branch to each number of leaves that it may owe.
    void open_start(Opened& item, const Box& box, Arena& arena);
    // An item's splits and edges alone, and the value of its best leaf rule.
    struct Edges {
        std::span<const BoxSplit> splits;
        ItemEdges item;
        double stop;
    };
    Edges edges(const Box& box, std::int32_t product, Arena& arena);
    // Takes over what is known of the items below by now, and the value of `branch` where it is
    // better than `low`.
    void refresh(Opened& item, Branch& branch);
    // The same of an item below; null where the table does not have it.
    static void refresh(Below& below, const Entry* entry);
    Key key_of(const Box& box, std::int32_t product) const {
        return box.key + builder_.state_key(product);
    }
    // A new tree, one reference of which is the caller's.
    TreeRef tree_of(const BoxSplit& split, TreeRef left, TreeRef right);

private:
    Branch branch_of(const RuleEdges& rule, const Edge& edge, const Box& box,
                     std::span<const BoxSplit> splits);
    Below below(const Box& side, std::int32_t product, Key key, const double* sums);
    // Finds the splits of a box, and sums over their left sides.
    void find_splits(const Box& box);
    void find_sums(const Box& box);
    // Whether two levels can be bounded at once below the box.
    bool look_at(const Box& box);
    std::size_t number_of(const BoxSplit& split) const;
    void look_below(const Box& box, std::size_t number, bool left, Below& below);
    void split_below(const Box& box, const BoxSplit& split, bool left, Below& below);
    void part_below(const Box& box, const BoxSplit& split, bool left, Below& below);
    void take_value(Opened& item, const Branch& branch);
    static double bound(const Branch& branch);

    const Problem& problem_;
    const Geometry& geometry_;
    NodeTable& table_;
    Trees& trees_;
    LeafBound leaf_;
    WeightBound weights_;
    LastSplit last_;
    RowBits bits_;
    TwoLevels two_levels_;
    Splitter splitter_;
    BinarySplits binary_;
    EdgeBuilder builder_;
    std::function<void()> look_at_caller_;
    // For the box that was last opened or looked below: its splits, sums over their left sides and
    // over the box, and whether two levels can be bounded at once (nothing: not yet known).
    Arena split_arena_;
    OrdersCharge orders_;
    Key split_key_{};
    std::span<const BoxSplit> splits_;
    double* sums_ = nullptr;
    std::optional<bool> looks_;
    Alike alike_;
    std::vector<double> by_code_, own_, right_;
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> codes_;
};

}  // namespace slp::search
