// Items below which trees have few levels: solved at once, not opened.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "search/search.hpp"

namespace slp::search {

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
bool BestFirstSearch::solve_item(const Box& box, std::int32_t product, Opened& item) {
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
    const LimitedDepth::BestTree found =
        limited_.solve(box.rows, product / problem_.n_owed(), low);
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

}  // namespace slp::search
