#include "exact/depth_cut.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "exact/arena.hpp"
#include "exact/edges.hpp"

namespace slp::exact {

namespace {

// The tree that is found greedily is no deeper.
constexpr int kDepthOfGreedy = 8;

// Rounding in sums of probabilities.
constexpr double kRounding = 1e-9;

bool weighs_like_probabilities(const Chain& chain) {
    return chain.measure != Measure::each && !chain.endless &&
           std::all_of(chain.links.begin(), chain.links.end(), [](const Chain::Link& link) {
               return link.leaf_alone <= 1 + kRounding && link.leaf + link.split <= 1 + kRounding;
           });
}

// A tree whose every split is the best one if both sides were leaves; parts of it that weigh less
// than a leaf in their place are leaves.
class GreedyTree {
public:
    GreedyTree(const Problem& problem, const Geometry& geometry, bool likelihood)
        : problem_(problem),
          geometry_(geometry),
          likelihood_(likelihood),
          splitter_(geometry),
          builder_(problem, geometry),
          statistics_(problem.leaf.n_statistics()) {}

    // Log weight of the tree below a box.
    double log_weight(const Box& box, std::int32_t state, int depth) {
        const Arena::Mark mark = arena_.mark();
        const std::span<const BoxSplit> splits = splitter_.splits(box, arena_);
        const ItemEdges item = builder_.edges(box, splits, state, arena_);
        double leaf = -INFINITY, best = -INFINITY, factor = 0.0;
        const Edge* chosen = nullptr;
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                leaf = rule.log_factor + (likelihood_ ? item.log_likelihood : 0.0);
            }
            for (const Edge& edge : rule.edges) {
                const double own = rule.log_factor + std::log(edge.share);
                const double score = own + as_leaves(box, splits[edge.split]);
                if (chosen == nullptr || score > best) {
                    chosen = &edge;
                    best = score;
                    factor = own;
                }
            }
        }
        double split = -INFINITY;
        if (chosen != nullptr && depth < kDepthOfGreedy) {
            split = factor + side(box, splits[chosen->split], *chosen, true, depth) +
                    side(box, splits[chosen->split], *chosen, false, depth);
        }
        arena_.release(mark);
        return std::max(leaf, split);
    }

private:
    double as_leaves(const Box& box, const BoxSplit& split) {
        if (!likelihood_) {
            return 0.0;
        }
        double out = 0;
        for (const bool left : {true, false}) {
            const Box side = make_side(box, split, left);
            problem_.leaf.sum(side.rows, statistics_.data());
            out += problem_.leaf.log_marginal(statistics_.data());
            arena_.release(mark_);
        }
        return out;
    }

    Box make_side(const Box& box, const BoxSplit& split, bool left) {
        mark_ = arena_.mark();
        const Sizes sizes = left ? split.left_sizes : box.sizes - split.left_sizes;
        return geometry_.side(box, split, left,
                              arena_.allocate<std::uint32_t>(distinct_rows(sizes)));
    }

    double side(const Box& box, const BoxSplit& split, const Edge& edge, bool left, int depth) {
        const Arena::Mark mark = arena_.mark();
        const Box side = make_side(box, split, left);
        const double out =
            log_weight(side, left ? edge.left_state : edge.right_state, depth + 1);
        arena_.release(mark);
        return out;
    }

    const Problem& problem_;
    const Geometry& geometry_;
    bool likelihood_;
    Splitter splitter_;
    EdgeBuilder builder_;
    Arena arena_;
    Arena::Mark mark_;
    std::vector<double> statistics_;
};

}  // namespace

std::vector<double> log_left_out(const Problem& problem, const Geometry& geometry,
                                 const Chain& chain, bool likelihood) {
    std::vector<double> out;
    if (!weighs_like_probabilities(chain)) {
        return out;
    }
    std::vector<double> purest(chain.links.size() + 1, 0.0);
    if (likelihood) {
        std::vector<double> statistics(problem.leaf.n_statistics());
        problem.leaf.sum(geometry.root().rows, statistics.data());
        purest = problem.leaf.log_purest(statistics.data(), purest.size());
    }
    double expected = 0;  // log of 2^D s_0 ... s_(D-1)
    for (std::size_t depth = 0; depth + 2 < purest.size(); ++depth) {
        const double splits = expected + std::log(chain.links[depth].split);
        out.push_back(splits + purest[depth + 2] + kRounding);
        expected = splits + std::numbers::ln2;
    }
    return out;
}

std::optional<DepthCut> depth_cut(const Problem& problem, const Geometry& geometry,
                                  const Chain& chain, bool likelihood) {
    const std::vector<double> left_out = log_left_out(problem, geometry, chain, likelihood);
    if (left_out.empty()) {
        return std::nullopt;
    }
    const double tree = GreedyTree(problem, geometry, likelihood)
                            .log_weight(geometry.root(), problem.grammar.start, 0);
    const auto found = std::find_if(left_out.begin(), left_out.end(), [&](double log_weight) {
        return log_weight <= tree + std::log(kMostLeftOut);
    });
    if (found == left_out.end()) {
        return std::nullopt;
    }
    return DepthCut{static_cast<std::size_t>(found - left_out.begin()), *found};
}

Chain cut_at(const Chain& chain, std::size_t depth) {
    Chain out = chain;
    out.links.resize(depth + 1);
    out.links.back().split = 0.0;
    for (std::int32_t& place : out.place) {
        place = place > static_cast<std::int32_t>(depth) ? -1 : place;
    }
    return out;
}

}  // namespace slp::exact
