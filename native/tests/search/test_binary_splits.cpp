// Four rows at a time give the splits and the sums that rows one by one give.

#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "exact/engine.hpp"
#include "problems.hpp"
#include "search/binary_splits.hpp"

using namespace slp;
using namespace slp::search;
using slp::test::check;

namespace {

// 31 rows of ten features of two codes, every other one a test on a level; some rows repeated, some
// groups of mixed classes.
Problem problem_of(std::uint64_t seed, std::size_t classes, bool mixed) {
    Problem out = slp::test::growtree(31, Measure::all, seed);
    out.table.features.clear();
    for (std::uint32_t f = 0; f < 10; ++f) {
        const auto kind = f % 2 == 0 ? FeatureKind::values : FeatureKind::levels;
        Feature feature{kind, 2, {0.0, 1.0}, {}, static_cast<std::int32_t>(2 * f), {}};
        for (std::uint32_t i = 0; i < 31; ++i) {
            feature.codes.push_back(f < 5 ? i >> f & 1 : split_mix(seed + i * 16 + f) % 4 == 0);
        }
        out.table.features.push_back(std::move(feature));
    }
    std::vector<double> statistics(31 * classes, 0.0);
    for (std::uint32_t i = 0; i < 31; ++i) {
        const std::uint64_t random = split_mix(seed + 1000 + i);
        out.table.counts[i] = 1 + static_cast<std::uint32_t>(random % 3);
        statistics[i * classes + random / 8 % classes] += out.table.counts[i];
        if (mixed && random % 5 == 0) {
            statistics[i * classes] += 1;
            ++out.table.counts[i];
        }
    }
    out.leaf = LeafModel("dirichlet", std::vector<double>(classes, 0.7), statistics,
                         classes);
    return out;
}

void compare(const Problem& problem, std::uint32_t part) {
    const Geometry geometry(problem);
    const LeafBound leaf(problem, true);
    Budget budget(1 << 20);
    BinarySplits binary(problem, geometry, leaf, budget);
    check(binary.ready() && budget.used() > 0);
    std::vector<std::uint32_t> rows, left;
    for (std::uint32_t row = 0; row < 31; ++row) {
        if (row % part != 1) {
            rows.push_back(row);
        }
    }
    const Box box = geometry.box_of(rows);
    Arena arena;
    Splitter splitter(geometry);
    const auto want = splitter.splits(box, arena);
    double* sums = nullptr;
    const auto have = binary.splits(box, arena, sums);
    check(have.size() == want.size() && !want.empty());
    std::vector<double> own(leaf.width());
    left.resize(rows.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        const BoxSplit &a = have[i], &b = want[i];
        check(a.left == b.left && a.left_sizes == b.left_sizes && a.cut == b.cut &&
              a.feature == b.feature && a.cell == b.cell);
        leaf.sum(geometry.side(box, b, true, left.data()).rows, own.data());
        for (std::size_t s = 0; s < leaf.width(); ++s) {
            check(std::abs(sums[i * leaf.width() + s] - own[s]) < 1e-9);
        }
    }
}

}  // namespace

TEST(four_rows_at_a_time_give_the_splits_of_rows_one_by_one) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        for (const std::size_t classes : {2, 3}) {
            for (const bool mixed : {false, true}) {
                Problem problem = problem_of(100 * seed, classes, mixed);
                for (const std::int64_t least : {1, 8}) {
                    problem.grammar.min_leaf = least;
                    compare(problem, 40);
                    compare(problem, 2);
                    compare(problem, 3);
                }
            }
        }
    }
}

TEST(four_rows_at_a_time_are_for_two_codes_and_budgets_with_room) {
    const Problem several = slp::test::growtree(24, Measure::all, 1), two = problem_of(1, 2, false);
    Budget large(1 << 20), small(1000);
    const Geometry of_several(several), of_two(two);
    const LeafBound leaf_of_several(several, true), leaf_of_two(two, true);
    check(!BinarySplits(several, of_several, leaf_of_several, large).ready());
    check(!BinarySplits(two, of_two, leaf_of_two, small).ready());
}
