// The bound on a side of a split by two levels at once is that of opening the side.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "exact/engine.hpp"
#include "problem/edges.hpp"
#include "problems.hpp"
#include "search/two_levels.hpp"

using namespace slp;
using namespace slp::search;
using slp::test::check;

namespace {

// With repeated rows, or some groups of mixed classes too.
Problem problem_of(Measure measure, std::uint64_t seed, bool repeated, bool mixed) {
    Problem out = slp::test::growtree(24, measure, seed);
    std::vector<double> statistics;
    for (std::uint32_t i = 0; i < 24; ++i) {
        const std::uint64_t random = split_mix(seed + i);
        const double first = random % 3 == 0, both = mixed && random % 5 == 0;
        const double times = repeated ? 1.0 + static_cast<double>(random % 2) : 1.0;
        statistics.push_back(first * times + both);
        statistics.push_back((1 - first) * times + both);
        out.table.counts[i] = static_cast<std::uint32_t>(times + 2 * both);
    }
    out.leaf = LeafModel("dirichlet", {0.7, 1.5}, statistics, 2);
    return out;
}

// Nine features of two codes, all of one weight. The last two are a copy and a complement. On a
// lopsided problem the left side goes to another state than the right side.
Problem binary_problem(Measure measure, std::uint64_t seed, bool mixed, bool lopsided = false) {
    Problem out = problem_of(measure, seed, false, mixed);
    out.table.features.clear();
    for (std::uint32_t f = 0; f < 9; ++f) {
        Feature feature{FeatureKind::values, 2, {0.0, 1.0}, {}, static_cast<std::int32_t>(f), {}};
        for (std::uint32_t i = 0; i < 24; ++i) {
            const std::uint32_t own = f < 5 ? i >> f & 1 : split_mix(seed + i * 8 + f) % 3 == 0;
            const std::vector<Feature>& before = out.table.features;
            feature.codes.push_back(f == 7   ? before[5].codes[i]
                                    : f == 8 ? 1 - before[3].codes[i]
                                             : own);
        }
        out.table.features.push_back(std::move(feature));
    }
    out.grammar.feature_weights.assign(9, 1.0);
    const std::size_t last = out.grammar.states.size() - 1;
    for (std::size_t state = 0; state < last; ++state) {
        auto& transitions = out.grammar.states[state][0].transitions;
        transitions.assign(18, static_cast<std::int32_t>(state) + 1);
        for (std::size_t i = 0; i < 18 && lopsided; i += 2) {
            transitions[i] = static_cast<std::int32_t>(std::min(state + 2, last));
        }
    }
    return out;
}

struct Parts {
    explicit Parts(const Problem& of)
        : problem(of),
          geometry(of),
          splitter(geometry),
          builder(of, geometry),
          leaf(of, true),
          weights(of) {}

    std::vector<double> sum(const Box& box) {
        std::vector<double> out(leaf.width());
        leaf.sum(box.rows, out.data());
        return out;
    }
    double closed(const Box& box, std::int32_t state) {
        const std::vector<double> sums = sum(box);
        const bool counts = count_varying && distinct_rows(box.sizes) > 1;
        const double split =
            counts ? weights.log_split_above(state, box.sizes, varying(box))
                   : weights.log_split_above(state, box.sizes);
        return std::max(weights.log_stop_above(state, box.sizes) + leaf.log_leaf(sums.data()),
                        split == -INFINITY ? split : split + leaf.log_parted(sums.data()));
    }
    std::uint32_t varying(const Box& box) {
        std::uint32_t out = 0;
        for_each_feature(splitter.splits(box, arena),
                         [&](std::span<const BoxSplit>, std::uint32_t) { ++out; });
        return out;
    }
    // At least the log of the value of any derivation that splits the box.
    double opened(const Box& box, std::int32_t state) {
        const std::span<const BoxSplit> splits = splitter.splits(box, arena);
        const ItemEdges item = builder.edges(box, splits, state, arena);
        double best = -INFINITY;
        for (const RuleEdges& rule : item.rules) {
            for (const Edge& edge : rule.edges) {
                const BoxSplit& split = splits[edge.split];
                best = std::max(best, rule.log_factor + std::log(edge.probability()) +
                                          closed(geometry.side(box, split, true, arena),
                                                 edge.left_state) +
                                          closed(geometry.side(box, split, false, arena),
                                                 edge.right_state));
            }
        }
        return best;
    }

    const Problem& problem;
    Geometry geometry;
    Splitter splitter;
    EdgeBuilder builder;
    LeafBound leaf;
    WeightBound weights;
    Arena arena;
    // Whether the bounds of closed boxes know how many features vary.
    bool count_varying = false;
};

// counted: whether bounds may be as tight as with all features that vary counted; bytes: for the
// bits of rows.
void compare(const Problem& problem, bool counted, std::size_t bytes = 0) {
    Parts parts(problem);
    Budget budget(bytes);
    const RowBits bits(problem, budget);
    check((bits.words() > 0) == (bytes > 0));
    Budget of_pairs(1 << 20);
    TwoLevels two(problem, parts.leaf, parts.weights, bits, of_pairs);
    const Box root = parts.geometry.root();
    const std::span<const BoxSplit> splits = parts.splitter.splits(root, parts.arena);
    const std::vector<double> own = parts.sum(root);
    std::vector<double> sums;
    for (const BoxSplit& split : splits) {
        const std::vector<double> left =
            parts.sum(parts.geometry.side(root, split, true, parts.arena));
        sums.insert(sums.end(), left.begin(), left.end());
    }
    std::vector<std::uint32_t> rows(root.rows.begin(), root.rows.end());
    Box elsewhere = root;
    elsewhere.rows = rows;
    check(two.prepare(elsewhere, splits, sums.data(), own.data()));
    std::ranges::fill(rows, 0);  // the box may move
    two.move_to(root);
    int tighter = 0;
    for (std::size_t i = 0; i < splits.size(); ++i) {
        for (const bool left : {true, false}) {
            const Box side = parts.geometry.side(root, splits[i], left, parts.arena);
            const double want = parts.opened(side, 1), have = two.log_split_above(i, left, 1);
            parts.count_varying = counted;
            const double least = parts.opened(side, 1);
            parts.count_varying = false;
            check(have <= want + 1e-9 && have >= least - 1e-9);
            tighter += have < want - 1e-9;
            // Before the last level it is the value.
            const double last = parts.opened(side, 3), found = two.log_split_above(i, left, 3);
            check(found == last || std::abs(found - last) < 1e-9);
            check((two.last_split() != nullptr) == (last > -INFINITY));
        }
    }
    check((tighter > 0) == counted);
}

}  // namespace

TEST(two_levels_at_once_give_the_bounds_of_opening_each_side) {
    for (const Measure measure :
         {Measure::all, Measure::feature_then_cut, Measure::per_feature, Measure::each}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            for (const bool repeated : {false, true}) {
                for (const bool mixed : {false, true}) {
                    compare(problem_of(measure, 100 * seed, repeated, mixed), false);
                }
            }
        }
    }
}

TEST(two_levels_count_the_features_that_vary) {
    for (const Measure measure : {Measure::all, Measure::feature_then_cut}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            for (const std::size_t bytes : {0, 1 << 20}) {
                compare(binary_problem(measure, 100 * seed, false), true, bytes);
                compare(binary_problem(measure, 100 * seed, true), true, bytes);
                compare(binary_problem(measure, 100 * seed, true, true), true, bytes);
            }
        }
    }
}
