// Bounds on the weights of derivations hold in every box of small tables, where the best weights
// are found by following all splits.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "check.hpp"
#include "exact/engine.hpp"
#include "problem/edges.hpp"
#include "problems.hpp"
#include "search/weight_bound.hpp"

using namespace slp;
using namespace slp::search;
using slp::test::check;

namespace {

// What may keep a rule from applying: leaves need several rows, some splits are forbidden (or their
// probability fails), one of two leaf rules needs a majority.
struct Kind {
    std::int64_t min_leaf = 1;
    bool forbids = false, fails = false, majority = false;
};

// Eight distinct rows. The second state may also call the third.
Problem problem_of(const Kind& kind, Measure measure, std::uint64_t seed) {
    Problem out = slp::test::growtree(8, measure, seed);
    for (std::uint32_t i = 0; i < 8; ++i) {
        out.table.counts[i] = 1 + static_cast<std::uint32_t>(split_mix(seed + 100 + i) % 3);
    }
    out.grammar.min_leaf = kind.min_leaf;
    out.grammar.condition = kind.fails;
    out.grammar.states[1].push_back(
        {RuleKind::call, std::log(0.3), {}, 2, Measure::each, {}});
    if (kind.majority) {
        for (std::size_t state = 0; state < 3; ++state) {
            out.grammar.states[state][1].majority = {0};
            out.grammar.states[state].push_back(
                {RuleKind::leaf, std::log(0.2), {}, -1, Measure::each, {}});
        }
    }
    if (kind.forbids) {
        for (std::size_t state = 0; state < 4; ++state) {  // thresholds on the first feature
            std::vector<std::int32_t>& to = out.grammar.states[state][0].transitions;
            to[0] = to[1] = kForbidden;
        }
    }
    return out;
}

// Log of the largest weights of derivations that stop at a box and of those that split it.
struct Best {
    double stop = -INFINITY, split = -INFINITY;

    double any() const { return std::max(stop, split); }
};

class Checked {
public:
    explicit Checked(const Problem& problem)
        : geometry_(problem), splitter_(geometry_), builder_(problem, geometry_), bound_(problem) {
        best(geometry_.root(), 0);
    }
    // Boxes whose weight of stopping is known; where it is not, as rules may not apply, and a leaf
    // has all that it can have.
    int exact_stops = 0, alone = 0;

private:
    Best best(const Box& box, std::int32_t state) {
        const Key key = box.key + builder_.state_key(state);
        if (const auto found = known_.find({key.a, key.b}); found != known_.end()) {
            return found->second;
        }
        Best out;
        const std::span<const BoxSplit> splits = splitter_.splits(box, arena_);
        const ItemEdges item = builder_.edges(box, splits, state, arena_);
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                out.stop = std::max(out.stop, rule.log_factor);
            }
            for (const Edge& edge : rule.edges) {
                if (rule.kind == RuleKind::call) {
                    const Best called = best(box, edge.left_state);
                    out.stop = std::max(out.stop, rule.log_factor + called.stop);
                    out.split = std::max(out.split, rule.log_factor + called.split);
                    continue;
                }
                const BoxSplit& split = splits[edge.split];
                const Box left = geometry_.side(box, split, true, arena_);
                const Box right = geometry_.side(box, split, false, arena_);
                out.split = std::max(out.split, rule.log_factor + std::log(edge.probability()) +
                                                    best(left, edge.left_state).any() +
                                                    best(right, edge.right_state).any());
            }
        }
        const double below = bound_.log_stop_below(state, box.sizes);
        const double above = bound_.log_stop_above(state, box.sizes);
        check(below <= out.stop + 1e-12 && out.stop <= above + 1e-12);
        check(out.split <= bound_.log_split_above(state, box.sizes) + 1e-12);
        exact_stops += out.stop > -INFINITY && std::abs(above - below) < 1e-12;
        alone += out.stop > below + 1e-9 && out.stop > above - 1e-9;
        return known_[{key.a, key.b}] = out;
    }

    Geometry geometry_;
    Splitter splitter_;
    EdgeBuilder builder_;
    WeightBound bound_;
    Arena arena_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Best> known_;
};

}  // namespace

TEST(bounds_on_weights_hold_in_every_box) {
    for (const Measure measure :
         {Measure::all, Measure::feature_then_cut, Measure::per_feature, Measure::each}) {
        int exact_stops = 0, alone = 0;
        for (std::uint64_t seed = 0; seed < 40; seed += 10) {
            exact_stops += Checked(problem_of({}, measure, seed)).exact_stops;
            for (const Kind& kind : {Kind{.min_leaf = 2}, Kind{.min_leaf = 3},
                                     Kind{.forbids = true}, Kind{.forbids = true, .fails = true},
                                     Kind{.majority = true},
                                     Kind{.fails = true, .majority = true}}) {
                alone += Checked(problem_of(kind, measure, seed)).alone;
            }
        }
        check(exact_stops > 100 && alone > 100);
    }
}
