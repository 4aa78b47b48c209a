// Another threshold on the same feature: slp.engines.mcmc.trees.moves.perturb.

#include <algorithm>
#include <cmath>
#include <vector>

#include "mcmc/moves/tree_moves.hpp"

namespace slp::mcmc {

void TreeMoves::narrow(std::span<const ProofNode> subtree, std::int32_t feature, bool left,
                       Bounds& bounds) const {
    for (const ProofNode& node : subtree) {
        if (node.taken.feature != feature) {
            continue;
        }
        const double threshold =
            problem_.table.features[static_cast<std::size_t>(feature)].threshold(node.taken.cut);
        if (threshold == INFINITY) {  // the test for missing values
            continue;
        }
        if (left) {
            bounds.low = std::max(bounds.low, threshold);
        } else {
            bounds.high = std::min(bounds.high, threshold);
        }
    }
}

TreeMoves::Bounds TreeMoves::bounds(const View& tree, std::uint32_t i) const {
    Bounds out{-INFINITY, INFINITY, false};
    const std::int32_t f = tree.nodes[i].taken.feature;
    const Feature& feature = problem_.table.features[static_cast<std::size_t>(f)];
    if (feature.ordered() && feature.tests_missing(tree.nodes[i].taken.cut)) {
        out.of_missing = true;
    } else if (feature.ordered()) {
        narrow(tree.subtree(tree.child(i, false)), f, true, out);
        narrow(tree.subtree(tree.child(i, true)), f, false, out);
    }
    return out;
}

std::vector<double> TreeMoves::weights_within(const Bounds& bounds, std::int32_t feature) const {
    const auto& splits = splits_.splits();
    std::vector<double> out(splits.size(), 0.0);
    const auto threshold = [&](const WeighedSplit& split) {
        return problem_.table.features[split.feature].threshold(split.cut);
    };
    auto first = splits.begin(), last = splits.end();
    if (bounds.of_missing) {
        first = last - 1;  // it stands for itself alone
    } else if (problem_.table.features[static_cast<std::size_t>(feature)].ordered()) {
        // Thresholds ascend; that of the test for missing values is infinite.
        first = std::ranges::upper_bound(splits, bounds.low, {}, threshold);
        last = std::ranges::lower_bound(first, splits.end(), bounds.high, {}, threshold);
    }
    for (auto split = first; split != last; ++split) {
        out[static_cast<std::size_t>(split - splits.begin())] = split->weight;
    }
    return out;
}

TreeMoves::Made TreeMoves::perturb(Randomness& random, bool informed) {
    const std::uint32_t n = counts().internal;
    if (n == 0) {
        return Made::nothing;
    }
    const std::uint32_t at = internal(random.index(n));
    const Taken own = old(at).taken;
    if (informed) {
        splits_.take(*likely_splits(old(at)), own.feature, power_);
    } else {
        list_splits(old(at), own.feature);
    }
    const std::vector<double> weights = weights_within(bounds(view(), at), own.feature);
    const std::size_t i = random.among(weights), j = splits_.number(own);
    const Cut cut = splits_.splits()[i].cut;
    const std::uint32_t left = plan_subtree(at + 1, false, true);
    const std::uint32_t right = plan_subtree(view().child(at, true), false, true);
    if (!build(at, plan_split({own.rule, own.feature, cut}, left, right))) {
        return Made::no_tree;
    }
    // Rows that change sides lie beyond the tests below on this feature, whose thresholds stay: the
    // move back has the same bounds.
    return made(at, std::log(weights[i]), std::log(weights[j]));
}

}  // namespace slp::mcmc
