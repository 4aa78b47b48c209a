// Another threshold on the same feature: slp.engines.mcmc.trees.moves.perturb.

#include <algorithm>
#include <cmath>

#include "mcmc/moves/tree_moves.hpp"

namespace slp::mcmc {

void TreeMoves::narrow(std::span<const Node> subtree, std::int32_t feature, bool left,
                       Bounds& bounds) const {
    for (const Node& node : subtree) {
        if (node.taken.feature != feature) {
            continue;
        }
        const double threshold =
            geometry_.threshold(problem_.table.features[static_cast<std::size_t>(feature)],
                                node.taken.low, node.taken.high);
        if (left) {
            bounds.low = std::max(bounds.low, threshold);
        } else {
            bounds.high = std::min(bounds.high, threshold);
        }
    }
}

TreeMoves::Bounds TreeMoves::bounds(const View& tree, std::uint32_t i) const {
    Bounds out{-INFINITY, INFINITY};
    const std::int32_t f = tree.nodes[i].taken.feature;
    if (problem_.table.features[static_cast<std::size_t>(f)].kind != FeatureKind::levels) {
        narrow(tree.subtree(tree.child(i, false)), f, true, out);
        narrow(tree.subtree(tree.child(i, true)), f, false, out);
    }
    return out;
}

bool TreeMoves::within(const Cut& cut, const Bounds& bounds, std::int32_t f) const {
    const Feature& feature = problem_.table.features[static_cast<std::size_t>(f)];
    if (feature.kind == FeatureKind::levels) {
        return true;
    }
    const double threshold = geometry_.threshold(feature, cut.low, cut.high);
    return bounds.low < threshold && threshold < bounds.high;
}

double TreeMoves::log_sum_within(const Bounds& bounds, std::int32_t feature) const {
    double sum = 0.0;
    for (const WeighedSplit& split : splits_.splits()) {
        sum += within(split.cut, bounds, feature) ? split.weight : 0.0;
    }
    return std::log(sum);
}

TreeMoves::Made TreeMoves::perturb(Randomness& random, bool informed) {
    const std::uint32_t n = counts().internal;
    if (n == 0) {
        return Made::nothing;
    }
    const std::uint32_t at = internal(random.index(n));
    const Taken own = old(at).taken;
    list_splits(old(at), own.feature, informed);
    const Bounds before = bounds(view(), at);
    std::vector<double> weights;
    for (const WeighedSplit& split : splits_.splits()) {
        weights.push_back(within(split.cut, before, own.feature) ? split.weight : 0.0);
    }
    const std::size_t i = random.among(weights), j = splits_.number(own);
    const Cut cut = splits_.splits()[i].cut;
    const double forth = std::log(weights[i]) - log_sum_within(before, own.feature);
    const std::uint32_t left = plan_subtree(at + 1, false, true);
    const std::uint32_t right = plan_subtree(view().child(at, true), false, true);
    if (!build(at, plan_split({own.rule, own.feature, cut.low, cut.high}, left, right))) {
        return Made::no_tree;
    }
    const Bounds after = bounds(built(), 0);
    if (!within({own.low, own.high}, after, own.feature)) {
        return Made::no_tree;
    }
    const double back =
        std::log(splits_.splits()[j].weight) - log_sum_within(after, own.feature);
    return made(at, forth, back);
}

}  // namespace slp::mcmc
