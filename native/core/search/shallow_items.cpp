// Items below which trees have few levels: solved at once, not opened.

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "search/ranking.hpp"
#include "search/search.hpp"

namespace slp::search {

namespace {

// How far below the best value of an item the values of its cuts are found at first, and beyond
// which distance those of all cuts are found.
constexpr double kFirstSlack = 2.5, kMostSlack = 40;

// Rows times features of the looks at cuts of an item that is listed without proof.
constexpr double kKnownCells = 2e6;

}  // namespace

bool BestFirstSearch::is_shallow() {
    const std::int32_t start = problem_.grammar.start;
    return branching_.two_valued() ? limited_.levels(start) >= 0
                                   : limited_.takes(start, problem_.table.counts.size(), true);
}

// Tables of two-valued features have faster ways.
bool BestFirstSearch::solves(const Box& box, std::int32_t product) {
    return !branching_.two_valued() &&
           limited_.takes(product / problem_.n_owed(), box.rows.size(),
                          product == problem_.root_product(0));
}

// Finds the best tree of an item of limited depth. False where the caller says stop in the middle;
// then the table has the bounds found by then.
bool BestFirstSearch::solve_item(const Box& box, std::int32_t product, Opened& item,
                                 const std::function<bool()>& step) {
    const Key key = branching_.key_of(box, product);
    const Entry* const known = table_.find(key);
    const double low = known == nullptr ? -INFINITY : known->low;
    item = {};
    if (known != nullptr && known->high <= low) {
        trees_.keep(known->tree);
        item.low = item.high = low;
        item.tree = known->tree;
        return true;
    }
    LimitedDepth::WantedCuts wanted{low, false, step, {}};
    if (product == problem_.root_product(0)) {
        wanted.tell = [&](const LimitedDepth::CutSides& sides) { keep_sides(box, product, sides); };
    }
    const LimitedDepth::BestTree found =
        limited_.solve(box.rows, product / problem_.n_owed(), wanted);
    if (found.low > low) {
        item.low = found.low;
        item.tree = tree_of(found.tree);
    }
    item.high = found.high;
    if (found.high <= std::max(low, found.low)) {
        return true;
    }
    table_.store(key, item.low, item.high, item.tree, kOpened);
    trees_.drop(item.tree);
    item = {};
    item.high = INFINITY;
    return false;
}

// Lists of trees begin with the sides of the start's cuts.
void BestFirstSearch::keep_sides(const Box& box, std::int32_t product,
                                 const LimitedDepth::CutSides& sides) {
    if (sides.trees[0] == nullptr) {
        return;
    }
    const Feature& feature = problem_.table.features[sides.feature];
    Key left{};
    for (const std::uint32_t row : box.rows) {
        const std::uint32_t code = feature.codes[row];
        if (feature.single() ? code == sides.first : code <= sides.first) {
            left = left + geometry_.key_of(row);
        }
    }
    const LimitedState& state = limited_.state(product);  // leaves are not counted
    keep_side(branching_.key_of({{}, left}, state.left), sides, 0);
    keep_side(branching_.key_of({{}, box.key - left}, state.right), sides, 1);
}

void BestFirstSearch::keep_side(Key key, const LimitedDepth::CutSides& sides, std::size_t side) {
    const TreeRef tree = tree_of(*sides.trees[side]);
    table_.store(key, sides.low[side], sides.high[side], tree, kOpened);
    trees_.drop(tree);
}

TreeRef BestFirstSearch::tree_of(std::span<const BestCut> nodes) {
    std::vector<TreeRef> waiting;
    for (std::size_t i = nodes.size(); i-- > 0;) {
        if (nodes[i].feature < 0) {
            waiting.push_back(kLeafTree);
            continue;
        }
        const auto feature = static_cast<std::uint32_t>(nodes[i].feature);
        const TreeRef left = waiting.back();
        waiting.pop_back();
        const TreeRef right = waiting.back();
        const Cut cut =
            problem_.table.features[feature].plain_cut(nodes[i].from, nodes[i].to);
        waiting.back() = branching_.tree_of({{}, 0, cut, feature, 0}, left, right);
        trees_.drop(left);
        trees_.drop(right);
    }
    return waiting.back();
}

// Finds the best value of an item of few levels. Where the known derivations alone are listed, this
// is the value that the search found. False if the item has more levels, or if it is the start of
// such a list: the search has kept the sides of its cuts.
bool Ranking::solve(RankedItem& node, const Box& box, std::int32_t product) {
    if (!search_.solves(box, product)) {
        return false;
    }
    const Key key = search_.branching_.key_of(box, product);
    if (known_) {
        const Entry* const entry = search_.table_.find(key);
        node.best = entry == nullptr ? -INFINITY : entry->low;
        return product != search_.problem_.root_product(0);
    }
    Opened item;
    search_.solve_item(box, product, item, [this] {
        search_.look_at_caller();
        return true;
    });
    search_.keep(key, item, BestFirstSearch::kOpened);
    node.best = search_.table_.find(key)->low;
    node.solved = true;
    return true;
}

void Ranking::solve_first_cuts(RankedItem& node, std::span<Branch> branches, const Box& box) {
    const int levels = search_.limited_.levels(node.product / search_.problem_.n_owed());
    if (levels > 1 && solve(node, box, node.product)) {
        solve_cuts(node, branches, box, kFirstSlack);
    }
}

// Solves both sides of all cuts whose trees may be worth more than the best less `slack`, and
// bounds the sides of the others. Where the known derivations alone are listed, it ends after
// kKnownCells.
void Ranking::solve_cuts(RankedItem& node, std::span<Branch> branches, const Box& box,
                         double slack) {
    for (Branch& branch : branches) {
        branch.looked = true;
    }
    const double floor = slack < kMostSlack ? node.best - slack : -INFINITY;
    node.slack = slack < kMostSlack && !known_ ? slack : INFINITY;
    double cells = known_ ? kKnownCells : INFINITY;
    const auto d = static_cast<double>(search_.problem_.table.features.size());
    search_.limited_.solve(
        box.rows, node.product / search_.problem_.n_owed(),
        {floor, true,
         [&] {
             search_.look_at_caller();
             cells -= static_cast<double>(box.rows.size()) * d;
             return cells >= 0;
         },
         [&](const LimitedDepth::CutSides& sides) { take(branches, sides); }});
}

void Ranking::take(std::span<Branch> branches, const LimitedDepth::CutSides& sides) {
    const auto place = [](const Branch& branch) {
        return std::pair(branch.split->feature, branch.split->cut.number());
    };
    auto at = std::ranges::lower_bound(branches, std::pair(sides.feature, sides.first), {}, place);
    for (; at != branches.end() && place(*at) <= std::pair(sides.feature, sides.last); ++at) {
        for (std::size_t side = 0; side < 2; ++side) {
            Below& below = at->below[side];
            below.high = std::min(below.high, sides.high[side]);
            if (sides.high[side] <= sides.low[side]) {
                search_.keep_side(below.key, sides, side);
            }
        }
    }
}

}  // namespace slp::search
