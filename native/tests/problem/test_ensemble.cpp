// Rows sent down trees, by hand.

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "problem/ensemble.hpp"

using slp::Ensemble;
using slp::test::check;

namespace {

// Two features, the second with levels. A leaf; then x0 < 2 and, right of it, x1 = 1, where another
// level than `other` has no side.
Ensemble two_trees(double other = NAN) {
    constexpr std::array<std::int32_t, 6> features{-1, 0, -1, 1, -1, -1};
    constexpr std::array<double, 6> operands{0, 2, 0, 1, 0, 0};
    const std::array<double, 6> others{NAN, NAN, NAN, other, NAN, NAN};
    constexpr std::array<std::int64_t, 3> starts{0, 1, 6};
    constexpr std::array<bool, 2> levels{false, true};
    return {features, operands, others, starts, levels};
}

}  // namespace

TEST(ensemble_shapes) {
    const Ensemble::Shapes found = two_trees().shapes();
    check(found.n_leaves == std::vector<std::int64_t>{1, 3});
    check(found.depth == std::vector<std::int64_t>{0, 2});
    check(found.splits == std::vector<std::int64_t>{0, 0, 1, 1});
}

TEST(ensemble_rows_end_in_their_leaves) {
    const std::vector<double> rows{1, 1, 2, 1, 3, 0, 2, -1};
    std::vector<std::int64_t> leaves(8);
    two_trees().leaves({rows.data(), 4}, 1, leaves.data());
    check(leaves == std::vector<std::int64_t>{0, 0, 0, 0, 1, 2, 3, 3});
}

TEST(ensemble_rows_without_a_side_end_nowhere) {
    const std::vector<double> rows{1, 1, 2, 1, 3, 0, 2, -1};
    std::vector<std::int64_t> leaves(8);
    two_trees(0).leaves({rows.data(), 4}, 1, leaves.data());
    check(leaves == std::vector<std::int64_t>{0, 0, 0, 0, 1, 2, 3, -1});
    const std::vector<double> values{0.1, 0.2, 0.3, 0.7}, weights{0.25, 0.75};
    std::vector<double> out(4);
    two_trees(0).average(values, 1, weights, {rows.data(), 4}, 1, out.data());
    check(out[2] == 0.25 * 0.1 + 0.75 * 0.7);
    check(std::isnan(out[3]));
}

TEST(ensemble_threads_make_no_difference) {
    std::vector<double> rows, statistics;
    for (int i = 0; i < 2000; ++i) {
        rows.insert(rows.end(), {i % 7 * 0.5, static_cast<double>(i % 3)});
        statistics.push_back(std::sqrt(i));
    }
    const std::vector<double> values{0.1, 0.2, 0.3, 0.7}, weights{0.25, 0.75};
    const Ensemble ensemble = two_trees();
    const Ensemble::Rows all{rows.data(), 2000};
    std::vector<double> alone(2000), together(2000), sums(4), sums_together(4);
    ensemble.average(values, 1, weights, all, 1, alone.data());
    ensemble.average(values, 1, weights, all, 3, together.data());
    ensemble.sums(statistics, 1, all, 1, sums.data());
    ensemble.sums(statistics, 1, all, 3, sums_together.data());
    check(alone == together);
    check(sums == sums_together);
    check(alone[0] == 0.25 * 0.1 + 0.75 * 0.2);
    check(std::abs(sums[0] - sums[1] - sums[2] - sums[3]) < 1e-9);
}

TEST(ensemble_of_a_table_without_features) {
    constexpr std::array<std::int32_t, 1> features{-1};
    constexpr std::array<double, 1> operands{0}, weights{1}, values{0.5};
    constexpr std::array<std::int64_t, 2> starts{0, 1};
    const Ensemble ensemble(features, operands, operands, starts, {});
    const Ensemble::Rows rows{nullptr, 3};
    std::vector<std::int64_t> leaves(3, -1);
    std::vector<double> sums(1), averages(3);
    ensemble.leaves(rows, 2, leaves.data());
    ensemble.sums(std::vector<double>{1, 2, 4}, 1, rows, 2, sums.data());
    ensemble.average(values, 1, weights, rows, 2, averages.data());
    check(leaves == std::vector<std::int64_t>{0, 0, 0});
    check(sums == std::vector<double>{7});
    check(averages == std::vector<double>{0.5, 0.5, 0.5});
}
