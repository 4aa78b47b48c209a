#include "exact/depth_cut.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <span>

#include "arena.hpp"
#include "problem/edges.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

namespace {

// The greatest depth of the greedy tree.
constexpr int kDepthOfGreedy = 8;

// Rounding in sums of probabilities.
constexpr double kRounding = 1e-9;

// A tree whose every split is the best one if both sides were leaves. Subtrees that weigh less than
// a leaf at their depth are leaves.
class GreedyTree {
public:
    GreedyTree(const Problem& problem, const Geometry& geometry, bool likelihood)
        : problem_(problem),
          geometry_(geometry),
          likelihood_(likelihood),
          splitter_(geometry),
          builder_(problem, geometry) {}

    // Log weight of the tree below a box.
    double log_weight(const Box& box, std::int32_t state, int depth) {
        const Arena::Mark mark = arena_.mark();
        const std::span<const BoxSplit> splits = splitter_.splits(box, arena_);
        const ItemEdges item = builder_.edges(box, splits, state, arena_);
        const std::vector<double> as_leaves = log_as_leaves(box, splits);
        double leaf = -INFINITY, best = -INFINITY, factor = 0.0;
        const Edge* chosen = nullptr;
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                leaf = rule.log_factor + (likelihood_ ? item.log_likelihood : 0.0);
            }
            for (const Edge& edge : rule.edges) {
                const double own = rule.log_factor + edge.log_probability();
                const double score = own + as_leaves[edge.split];
                if (chosen == nullptr || score > best) {
                    chosen = &edge;
                    best = score;
                    factor = own;
                }
            }
        }
        double split = -INFINITY;
        if (chosen != nullptr && depth < kDepthOfGreedy) {
            split = factor;
            for (const bool left : {true, false}) {
                split += log_weight(geometry_.side(box, splits[chosen->split], left, arena_),
                                    left ? chosen->left_state : chosen->right_state, depth + 1);
            }
        }
        arena_.release(mark);
        return std::max(leaf, split);
    }

private:
    // Log likelihoods of both sides of each split as leaves. A feature's rows are added up from its
    // least code on, and what is not on the left is on the right: statistics are numbers of rows,
    // which are added and subtracted without rounding.
    std::vector<double> log_as_leaves(const Box& box, std::span<const BoxSplit> splits) {
        std::vector<double> out(splits.size(), 0.0);
        if (!likelihood_) {
            return out;
        }
        std::vector<double> whole(problem_.leaf.n_statistics()), right(whole.size());
        problem_.leaf.sum(box.rows, whole.data());
        for_each_feature(splits, [&](std::span<const BoxSplit> own, std::uint32_t first) {
            const Feature& feature = problem_.table.features[own.front().feature];
            std::vector<std::uint32_t> rows(box.rows.begin(), box.rows.end());
            std::ranges::sort(rows, {}, [&](std::uint32_t row) { return feature.codes[row]; });
            std::vector<double> left(whole.size(), 0.0);
            auto row = rows.begin();
            for (std::size_t i = 0; i < own.size(); ++i) {
                if (feature.single()) {
                    std::ranges::fill(left, 0.0);
                }
                const Cut cut = own[i].cut;
                const RowTest test = feature.test(cut);
                for (; row != rows.end() && feature.codes[*row] <= cut.last_left(); ++row) {
                    if (test.goes_left(*row)) {
                        problem_.leaf.add(*row, left.data());
                    }
                }
                std::ranges::transform(whole, left, right.begin(), std::minus<>());
                out[first + i] = problem_.leaf.log_marginal(left.data()) +
                                 problem_.leaf.log_marginal(right.data());
            }
        });
        return out;
    }

    const Problem& problem_;
    const Geometry& geometry_;
    bool likelihood_;
    Splitter splitter_;
    EdgeBuilder builder_;
    Arena arena_;
};

}  // namespace

std::vector<double> log_left_out(const Problem& problem, const Geometry& geometry,
                                 const BlockGrammar& grammar, bool likelihood) {
    std::vector<double> out;
    if (grammar.most_splits.empty() || problem.leaf.in_boxes() || grammar.has_calls || !is_subprobability(grammar.measure)) {
        return out;
    }
    const std::size_t n = grammar.most_splits.size();
    std::vector<double> purest(n + 1, 0.0);
    if (likelihood) {
        std::vector<double> statistics(problem.leaf.n_statistics());
        problem.leaf.sum(geometry.root().rows, statistics.data());
        purest = problem.leaf.log_purest(statistics.data(), n + 1);
    }
    double expected = 0;  // log of 2^D s_0 ... s_(D-1)
    for (std::size_t depth = 0; depth + 2 < purest.size(); ++depth) {
        const double splits = expected + std::log(grammar.most_splits[depth]);
        out.push_back(splits + purest[depth + 2] + kRounding);
        expected = splits + std::numbers::ln2;
    }
    return out;
}

std::optional<DepthCut> depth_cut(const Problem& problem, const Geometry& geometry,
                                  const BlockGrammar& grammar, bool likelihood) {
    const std::vector<double> left_out = log_left_out(problem, geometry, grammar, likelihood);
    if (left_out.empty()) {
        return std::nullopt;
    }
    double tree = -INFINITY;
    for (std::int32_t owed = 0; owed < problem.n_owed(); ++owed) {
        tree = std::max(tree, GreedyTree(problem, geometry, likelihood)
                                  .log_weight(geometry.root(), problem.root_product(owed), 0));
    }
    const auto found = std::find_if(left_out.begin(), left_out.end(), [&](double log_weight) {
        return log_weight <= tree + std::log(kMostLeftOut);
    });
    if (found == left_out.end()) {
        return std::nullopt;
    }
    return DepthCut{static_cast<std::size_t>(found - left_out.begin()), *found};
}

}  // namespace slp::exact
