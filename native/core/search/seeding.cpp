// Trees found elsewhere: their values, and those of their subtrees, become values in the table.

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/search.hpp"

namespace slp::search {

// Whether a split has the cut of a node, on the node's feature.
bool BestFirstSearch::is_at(const BoxSplit& split, const TreeNodes& tree, std::size_t node) const {
    const Feature& feature = problem_.table.features[split.feature];
    return feature.looks_at_response()
               ? feature.same_cut(split.cut, Cut::written(tree.low[node], tree.high[node]))
               : split.cut.number() == tree.low[node];
}

bool BestFirstSearch::seed(const TreeNodes& tree, const Poll& poll) {
    const Caller caller(*this, poll);
    const std::size_t n = tree.feature.size();
    Seed seed{tree, std::vector<std::size_t>(n, 0), {}};
    std::vector<std::size_t> waiting;  // subtrees that begin after the node, the nearest last
    for (std::size_t i = n; i-- > 0;) {
        if (tree.feature[i] >= 0) {
            if (waiting.size() < 2) {
                return false;
            }
            waiting.pop_back();
            seed.right[i] = waiting.back();
            waiting.pop_back();
        }
        waiting.push_back(i);
    }
    if (waiting.size() != 1) {
        return false;
    }
    double best = -INFINITY;
    const Box root = geometry_.root();
    const Arena::Mark mark = arena_.mark();
    const Status status = until_stopped([&] {
        for (std::int32_t owed = 0; owed < problem_.n_owed(); ++owed) {
            const std::int32_t start = problem_.root_product(owed);
            best = std::max(best, seed_item(seed, 0, root, start));
        }
        return Status::done;
    });
    arena_.release(mark);
    return status == Status::done && best > -INFINITY;
}

double BestFirstSearch::seed_item(Seed& seed, std::size_t node, const Box& box,
                                  std::int32_t product) {
    const std::pair at(node, product);
    if (const auto found = seed.known.find(at); found != seed.known.end()) {
        return found->second;
    }
    const Arena::Mark mark = arena_.mark();
    const Branching::Edges edges = branching_.edges(box, product, arena_);
    const bool leaf = seed.tree.feature[node] < 0;
    double best = leaf ? edges.stop : -INFINITY;
    TreeRef tree = best > -INFINITY ? kLeafTree : kNoTree;
    const auto offer = [&](double value, TreeRef of) {  // takes the reference
        if (value > best) {
            std::swap(tree, of);
            best = value;
        }
        trees_.drop(of);
    };
    const auto tree_at = [&](Key key) {
        const Entry* const entry = table_.find(key);
        return entry == nullptr ? kNoTree : entry->tree;
    };
    for (const RuleEdges& rule : edges.item.rules) {
        for (const Edge& edge : rule.edges) {
            if (rule.kind == RuleKind::call) {
                const double below = seed_item(seed, node, box, edge.left_state);
                const TreeRef found = tree_at(edge.left);
                if (below > -INFINITY && found != kNoTree) {
                    trees_.keep(found);
                    offer(rule.log_factor + below, found);
                }
                continue;
            }
            const BoxSplit& split = edges.splits[edge.split];
            if (leaf || static_cast<std::int32_t>(split.feature) != seed.tree.feature[node] ||
                !is_at(split, seed.tree, node)) {
                continue;
            }
            const Arena::Mark inner = arena_.mark();
            const double left = seed_item(seed, node + 1,
                                          geometry_.side(box, split, true, arena_),
                                          edge.left_state);
            const double right = left == -INFINITY
                                     ? left
                                     : seed_item(seed, seed.right[node],
                                                 geometry_.side(box, split, false, arena_),
                                                 edge.right_state);
            arena_.release(inner);
            const TreeRef a = tree_at(edge.left), b = tree_at(edge.right);
            if (right > -INFINITY && a != kNoTree && b != kNoTree) {
                offer(rule.log_factor + edge.log_probability() + left + right,
                      branching_.tree_of(split, a, b));
            }
        }
    }
    arena_.release(mark);
    if (best > -INFINITY) {
        table_.store(branching_.key_of(box, product), best, INFINITY, tree, 1);
    }
    trees_.drop(tree);
    return seed.known[at] = best;
}

}  // namespace slp::search
