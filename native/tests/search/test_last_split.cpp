// The bound on a last split is the best of all splits, or the leaf of all rows in place of a worse
// split by subsets.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "exact/engine.hpp"
#include "problem/edges.hpp"
#include "problems.hpp"
#include "search/last_split.hpp"

using namespace slp;
using namespace slp::search;
using slp::test::check;

namespace {

constexpr std::uint32_t kRows = 14;
constexpr std::int32_t kLevels = 6, kLastState = 3;

// The third feature has six levels, whose subsets split; the second may miss values. Of odd seeds
// the others do not vary, and of every second of these all rows are alike.
Problem problem_of(Measure measure, std::string_view kind, std::uint64_t seed) {
    Problem out = slp::test::growtree(kRows, measure, seed);
    Feature& holes = out.table.features[1];
    Feature& subsets = out.table.features[2];
    holes.holes = true;
    holes.numbers.pop_back();  // the last code is that of missing values
    subsets.kind = FeatureKind::subsets;
    subsets.n_codes = kLevels;
    subsets.numbers.clear();
    subsets.first_cell = holes.first_cell + 2;
    const std::int32_t cells = subsets.first_cell + subsets.n_cells();
    for (std::size_t state = 0; state + 1 < out.grammar.states.size(); ++state) {
        auto& transitions = out.grammar.states[state][0].transitions;
        transitions.assign(2 * static_cast<std::size_t>(cells), transitions[0]);
    }
    for (std::size_t f = 0; f < 2 && seed % 2 == 1; ++f) {
        std::ranges::fill(out.table.features[f].codes, 0U);
    }
    std::vector<double> statistics;
    for (std::uint32_t i = 0; i < kRows; ++i) {
        const std::uint64_t random = split_mix(seed + i);
        subsets.codes[i] = static_cast<std::uint32_t>(random / 4096 % kLevels);
        const bool alike = seed % 4 == 1;
        const double events = alike ? 1.0 : static_cast<double>(random % 4);
        const double size = alike ? 1.0 : 0.5 + static_cast<double>(random / 64 % 5);
        if (kind == "dirichlet") {
            statistics.insert(statistics.end(), {events, size});
        } else if (kind == "gamma_poisson") {
            statistics.insert(statistics.end(), {size, events, std::lgamma(events + 1)});
        } else {
            statistics.insert(statistics.end(), {1.0, events, size});
        }
    }
    const std::size_t k = kind == "dirichlet" ? 2 : 3;
    out.leaf = LeafModel(kind, {0.8, 1.5}, statistics, k);
    return out;
}

struct Best {
    double of_all, of_subsets;
};

// By a list of all splits. `of_subsets` is of leaves alone.
Best best_split(const Problem& problem, LeafBound& leaf) {
    const Geometry geometry(problem);
    Splitter splitter(geometry);
    EdgeBuilder builder(problem, geometry);
    Arena arena;
    const Box root = geometry.root();
    const std::span<const BoxSplit> splits = splitter.splits(root, arena);
    Best out{-INFINITY, -INFINITY};
    std::vector<double> sums(leaf.width());
    for (const RuleEdges& rule : builder.edges(root, splits, kLastState, arena).rules) {
        for (const Edge& edge : rule.edges) {
            double leaves = 0;
            for (const bool left : {true, false}) {
                leaf.sum(geometry.side(root, splits[edge.split], left, arena).rows, sums.data());
                leaves += leaf.log_leaf(sums.data());
            }
            out.of_all =
                std::max(out.of_all, rule.log_factor + std::log(edge.probability()) + leaves);
            if (splits[edge.split].feature == 2) {
                out.of_subsets = std::max(out.of_subsets, leaves);
            }
        }
    }
    return out;
}

}  // namespace

TEST(the_last_split_is_bounded_by_the_best_of_all) {
    int equal = 0, above = 0;
    for (const Measure measure : {Measure::all, Measure::feature_then_cut, Measure::per_feature,
                                  Measure::gap, Measure::each}) {
        for (const std::string_view kind :
             {"dirichlet", "gamma_poisson", "gamma_exponential"}) {
            for (std::uint64_t seed = 0; seed < 40; ++seed) {
                const Problem problem = problem_of(measure, kind, 101 * seed);
                LeafBound leaf(problem, true);
                WeightBound weights(problem);
                LastSplit last(problem, leaf, weights);
                check(last.takes(kLastState) && !last.takes(kLastState - 1));
                const Geometry geometry(problem);
                const Box root = geometry.root();
                std::vector<double> sums(leaf.width());
                leaf.sum(root.rows, sums.data());
                const double have = last.log_split_above(kLastState, root.rows, sums.data());
                const Best want = best_split(problem, leaf);
                check(have >= want.of_all - 1e-9);
                if (want.of_subsets >= leaf.log_leaf(sums.data()) && measure != Measure::gap) {
                    check(measure == Measure::each || have <= want.of_all + std::log(2.0) + 1e-9);
                    equal += have <= want.of_all + 1e-9;
                }
                above += have > want.of_all + 1e-9;
            }
        }
    }
    check(equal > 100 && above > 100);
}

TEST(other_leaf_models_have_no_bound_on_a_last_split) {
    Problem problem = problem_of(Measure::all, "dirichlet", 1);
    std::vector<double> statistics(3 * kRows, 1.0);
    problem.leaf = LeafModel("dirichlet", {1.0, 1.0, 1.0}, statistics, 3);
    LeafBound leaf(problem, true);
    WeightBound weights(problem);
    check(!LastSplit(problem, leaf, weights).takes(kLastState));
}
