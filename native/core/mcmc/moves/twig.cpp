// A subtree of at most two levels, drawn anew: slp.reference.mh.moves.twig.

#include <algorithm>
#include <cmath>
#include <memory>

#include "log_sum.hpp"
#include "mcmc/moves/tree_moves.hpp"
#include "mcmc/proposals.hpp"

namespace slp::mcmc {

namespace {

// Levels of splits of a subtree that is drawn anew, at most.
constexpr int kLevels = 2;

}  // namespace

TreeMoves::Made TreeMoves::twig(Randomness& random) {
    const std::size_t n = count_twigs(kNone);
    std::size_t k = random.index(n);
    std::uint32_t at = 0;
    while (levels_[at] > kLevels || k-- > 0) {
        ++at;
    }
    std::ranges::copy(ascending(old(at)), rows_.begin());
    const std::span<std::uint32_t> rows(rows_.data(), old(at).size);
    double forth = 0.0;
    if (draw_twig(random, rows, old(at).state, kLevels, forth) == kNone || !build(at, 0)) {
        return Made::no_tree;
    }
    const double back = log_twig(at, kLevels);
    return made(at, forth - std::log(n), back - std::log(count_twigs(at)));
}

std::size_t TreeMoves::count_twigs(std::uint32_t replaced) {
    const auto n = static_cast<std::uint32_t>(proof_->nodes.size());
    levels_.resize(n);
    std::size_t out = 0;
    const std::uint32_t end = replaced == kNone ? 0 : replaced + old(replaced).all.n_nodes;
    for (std::uint32_t i = n; i-- > 0;) {
        if (i > replaced && i < end) {
            continue;
        }
        if (i == replaced) {  // of two levels at most
            const auto splits = [&](std::uint32_t j) { return drawn_[j].n_parts() > 0; };
            levels_[i] = !splits(0) ? 0 : splits(1) || splits(right_of(drawn_, 1)) ? 2 : 1;
            out += drawn_.size();
            continue;
        }
        const bool leaf = old(i).n_parts() == 0;
        levels_[i] =
            leaf ? 0 : 1 + std::max(levels_[i + 1], levels_[right_of(proof_->nodes, i + 1)]);
        out += levels_[i] <= kLevels;
    }
    return out;
}

// --- trees of at most one split at a node -------------------------------------------------------

// Log of the weight of a leaf in a state, as if all its rules applied; 0 where none ends.
double TreeMoves::log_leaf(std::int32_t state) const {
    double leaf = -INFINITY, all = -INFINITY;
    for (const Rule& rule : problem_.grammar.states[static_cast<std::size_t>(state)]) {
        all = log_sum(all, rule.log_weight);
        leaf = rule.kind == RuleKind::leaf ? log_sum(leaf, rule.log_weight) : leaf;
    }
    return leaf == -INFINITY ? 0.0 : problem_.grammar.normalise ? leaf - all : leaf;
}

// That of both sides of the first split that a rule proposes.
double TreeMoves::log_leaves_below(const Rule& rule) const {
    for (std::size_t i = 0; i < rule.transitions.size(); i += 2) {
        if (rule.transitions[i] >= 0) {
            return log_leaf(rule.transitions[i]) + log_leaf(rule.transitions[i + 1]);
        }
    }
    return 0.0;
}

template <typename RowsOf>
Stumps TreeMoves::stumps(const NodeKey& key, const RowsOf& rows) {
    return informed_.stumps(key, power_, [&] { return weigh_stumps(key, rows()); });
}

// The splits are not kept: most of these nodes are leaves and stay so.
Stumps TreeMoves::weigh_stumps(const NodeKey& key, Rows rows) {
    Stumps out;
    if (!process_.enter(rows, key.state)) {
        return out;
    }
    double splits = -INFINITY;
    for (const LocalProcess::RuleAlternative& taken : process_.alternatives()) {
        const Rule& rule = process_.rule(taken);
        if (rule.kind == RuleKind::leaf) {
            problem_.leaf.sum(rows, statistics_.data());
            problem_.set_prior(statistics_.data(), key.state);
            out.log_stop = taken.log_weight +
                           tempered(power_, problem_.leaf.log_marginal(statistics_.data()));
            continue;
        }
        const auto r = static_cast<std::size_t>(taken.rule);
        const double log_total = process_.splits().masses(r).log_total;
        splits_.list(process_, taken.rule, -1);
        out.log_split =
            taken.log_weight + log_total - std::log(splits_.sum()) + log_leaves_below(rule);
        const auto likely = std::make_shared<const LikelySplits>(splits_.likely(rows));
        splits = out.log_split + InformedSplits(likely, power_).log_sum();
    }
    out.log_sum = log_sum(out.log_stop, splits);
    return out;
}

// --- drawing ------------------------------------------------------------------------------------

// Draws a subtree as a plan, and adds its log probability; the number of its plan, none at a dead
// end. The rows are parted.
std::uint32_t TreeMoves::draw_twig(Randomness& random, std::span<std::uint32_t> rows,
                                   std::int32_t state, int levels, double& log_probability) {
    const std::uint32_t here = plan_leaf();
    if (levels == 0) {
        return here;
    }
    const NodeKey key{geometry_.box_of(rows).key, state};
    const Stumps weights = stumps(key, [&] { return Rows(rows); });
    if (weights.log_sum == -INFINITY) {
        return kNone;
    }
    const double stop = weights.log_stop - weights.log_sum;
    if (random.happens(std::exp(stop))) {
        log_probability += stop;
        return here;
    }
    const InformedSplits& splits =
        informed_.informed(key, power_, [&] { return list_likely(rows, state); });
    const LikelySplit& split = splits.draw(random);
    log_probability += weights.log_split + split.log_informed(power_) - weights.log_sum;
    Choice choice;
    const Taken taken{rule_of(state, RuleKind::split), static_cast<std::int32_t>(split.feature),
                      split.cut};
    if (!process_.find(rows, state, taken, choice)) {
        return kNone;
    }
    const auto& feature = problem_.table.features[split.feature];
    plan_[here].feature = taken.feature;
    plan_[here].test = feature.test(taken.cut);
    const std::uint32_t n = part_rows(rows, plan_[here].test, right_rows_.data());
    const std::uint32_t left =
        draw_twig(random, rows.first(n), choice.left_state, levels - 1, log_probability);
    const std::uint32_t right =
        draw_twig(random, rows.subspan(n), choice.right_state, levels - 1, log_probability);
    plan_[here].left = left;
    plan_[here].right = right;
    return left == kNone || right == kNone ? kNone : here;
}

// Log of the probability that the subtree of a node is drawn.
double TreeMoves::log_twig(std::uint32_t i, int levels) {
    if (levels == 0) {
        return 0.0;
    }
    const ProofNode& node = old(i);
    const NodeKey key = key_of(node);
    const Stumps weights = stumps(key, [&] { return ascending(node); });
    if (node.n_parts() == 0) {
        return weights.log_stop - weights.log_sum;
    }
    const InformedSplits& splits = informed_splits(node);
    const double own = weights.log_split + splits.log_informed(node.taken) - weights.log_sum;
    return own + log_twig(i + 1, levels - 1) + log_twig(view().child(i, true), levels - 1);
}

}  // namespace slp::mcmc
