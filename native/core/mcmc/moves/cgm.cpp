// Grow, prune, change and swap, and their informed forms: slp.engines.mcmc.trees.moves.cgm and
// .informed.

#include <cmath>

#include "mcmc/edit_tree.hpp"
#include "mcmc/moves/tree_moves.hpp"

namespace slp::mcmc {

TreeMoves::Made TreeMoves::cgm(Randomness& random) {
    switch (random.index(4)) {
        case 0: return grow(random, false);
        case 1: return prune(random, false);
        case 2: return change(random, false);
        default: return swap(random);
    }
}

TreeMoves::Made TreeMoves::informed(Randomness& random) {
    switch (random.index(4)) {
        case 0: return grow(random, true);
        case 1: return prune(random, true);
        case 2: return change(random, true);
        default: return perturb(random, true);
    }
}

TreeMoves::Made TreeMoves::grow(Randomness& random, bool informed) {
    const NodeCounts before = counts();
    if (before.growable == 0) {
        return Made::nothing;
    }
    std::size_t k = random.index(before.growable);
    std::uint32_t at = 0;
    while (old(at).n_parts() > 0 || !old(at).can_split || k-- > 0) {
        ++at;
    }
    const Drawn drawn = draw_split(random, old(at), informed);
    const std::uint32_t left = plan_leaf(), right = plan_leaf();
    if (!build(at, plan_split(drawn.taken, left, right))) {
        return Made::no_tree;
    }
    return made(at, drawn.log_probability - std::log(before.growable),
                -std::log(count(at).prunable));
}

TreeMoves::Made TreeMoves::prune(Randomness& random, bool informed) {
    const NodeCounts before = counts();
    if (before.prunable == 0) {
        return Made::nothing;
    }
    std::size_t k = random.index(before.prunable);
    std::uint32_t at = 0;
    while (old(at).n_parts() == 0 || !is_prunable(at, kNone) || k-- > 0) {
        ++at;
    }
    if (!build(at, plan_leaf())) {
        return Made::no_tree;
    }
    const double back = log_probability(old(at), old(at).taken, informed);
    return made(at, -std::log(before.prunable), back - std::log(count(at).growable));
}

TreeMoves::Made TreeMoves::change(Randomness& random, bool informed) {
    const std::uint32_t n = counts().internal;
    if (n == 0) {
        return Made::nothing;
    }
    const std::uint32_t at = internal(random.index(n));
    const Drawn drawn = draw_split(random, old(at), informed);
    const double back = log_probability(old(at), old(at).taken, informed);
    const std::uint32_t left = plan_subtree(at + 1, false, true);
    const std::uint32_t right = plan_subtree(view().child(at, true), false, true);
    if (!build(at, plan_split(drawn.taken, left, right))) {
        return Made::no_tree;
    }
    return made(at, drawn.log_probability, back);
}

bool TreeMoves::same_test(const ProofNode& a, const ProofNode& b) const {
    if (a.taken.feature != b.taken.feature || a.n_parts() == 0) {
        return false;
    }
    const auto& feature = problem_.table.features[static_cast<std::size_t>(a.taken.feature)];
    return feature.same_test(a.taken.cut, b.taken.cut);
}

TreeMoves::Made TreeMoves::swap(Randomness& random) {
    const std::uint32_t n = counts().internal;
    if (n < 2) {
        return Made::nothing;
    }
    const std::uint32_t i = internal(1 + random.index(n - 1)), at = parent_of(i);
    const std::uint32_t children[2] = {at + 1, view().child(at, true)};
    const bool both = same_test(old(children[0]), old(children[1]));
    std::uint32_t planned[2];
    for (std::size_t side = 0; side < 2; ++side) {
        const std::uint32_t child = children[side];
        planned[side] = plan_subtree(child, false, true);
        if (child == i || both) {
            Planned& test = plan_[planned[side]];
            test.feature = old(at).taken.feature;
            test.test = test_anywhere(problem_.table, old(at).taken);
            test.restores = &old(at).taken;
        }
    }
    if (!build(at, plan_test(old(i).taken, planned[0], planned[1])) ||
        same_test(drawn_[1], drawn_[right_of(drawn_, 1)]) != both) {
        return Made::no_tree;
    }
    return made(at, 0.0, 0.0);
}

}  // namespace slp::mcmc
