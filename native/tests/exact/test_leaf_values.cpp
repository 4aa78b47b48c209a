// Leaves on the probability scale: products of tabulated ratios are the formula of the leaf model.

#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "exact/leaf_values.hpp"
#include "problem/leaf_models.hpp"

using namespace slp;
using slp::exact::LeafValues;
using slp::test::check;

namespace {

void check_values(const std::vector<double>& concentrations, double log_scale) {
    Problem problem;
    problem.leaf = LeafModel("dirichlet", concentrations, {300, 300, 300}, 3);
    problem.table.n_rows = 1;
    problem.table.counts = {900};
    const LeafModel& model = problem.leaf;
    const LeafValues tabulated(problem, true, log_scale);
    const LeafValues prior(problem, false, log_scale);
    for (std::uint32_t n = 1; n < 90; ++n) {  // tables end before
        for (std::uint32_t a = 0; a <= n; a += 1 + n / 7) {
            for (std::uint32_t b = 0; a + b <= n; b += 1 + n / 5) {
                const double counts[] = {double(a), double(b), double(n - a - b)};
                const double want = model.log_marginal(counts) + log_scale * n;
                check(std::abs(std::log(tabulated(counts, n)) - want) <=
                      1e-12 * (1 + std::abs(want)));
                check(std::abs(std::log(prior(counts, n)) - log_scale * n) <= 1e-12 * n);
            }
        }
    }
}

// Statistics of rows with weights are no numbers of rows, and may be beyond the tables.
void check_weighted_values(double weight) {
    Problem problem;
    problem.leaf = LeafModel("dirichlet", {0.5, 2}, {300 * weight, 300 * weight}, 2);
    problem.table.n_rows = 1;
    problem.table.counts = {600};
    const LeafValues values(problem, true, 0.3);
    for (std::uint32_t n = 1; n < 90; ++n) {
        const double own[] = {weight * (n / 2), weight * (n - n / 2)};
        const double want = problem.leaf.log_marginal(own) + 0.3 * n;
        check(std::abs(std::log(values(own, n)) - want) <= 1e-12 * (1 + std::abs(want)));
    }
}

}  // namespace

TEST(leaves_of_weighted_rows_have_their_marginal_likelihood) {
    check_weighted_values(3);
    check_weighted_values(0.7);
}

TEST(tabulated_leaves_have_their_marginal_likelihood) {
    check_values({1, 1, 1}, 0.0);
    check_values({0.3, 2.5, 1}, 0.7);
    check_values({1e3, 1e4, 5e4}, 1.1);  // products near the end of doubles
}
