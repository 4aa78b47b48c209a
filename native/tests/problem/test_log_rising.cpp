// Differences of log gamma functions, against values of 50 digits (mpmath).

#include <cmath>
#include <vector>

#include "check.hpp"
#include "problem/leaf_models.hpp"
#include "problem/log_rising.hpp"

using namespace slp;
using slp::test::check;

TEST(log_rising_does_not_cancel) {
    struct Case {
        double a, x, want;
    };
    const std::vector<Case> cases{
        {0.5, 1000000000.0, 19723265837.292984746},
        {1.0, 1000000000000000.0, 33538776394910703.449},
        {1e-09, 1000000000.0, 19723265806.780450955},
        {1000000000.0, 0.25, 5.180816459142852789},
        {1000000000.0, 1000000000.0, 21109560197.719728185},
        {1000000000000000.0, 3.0, 103.61632918473205878},
        {2.5, 1e-12, 7.0315664064548835196e-13},
        {16.5, 123456.789, 1324066.1822433294668},
        {0.3, 262144.5, 3008538.3071480395835},
    };
    for (const auto& [a, x, want] : cases) {
        check(std::abs(log_rising(a, x) - want) <= 1e-15 + 4e-16 * std::abs(x * std::log(a + x)));
        check(LogRising(a, 100).at(x) == log_rising(a, x) || x < 101);
    }
}

// Weights of the classes, concentrations, log marginal likelihood.
TEST(a_dirichlet_of_huge_weights_does_not_cancel) {
    struct Case {
        std::vector<double> weights, concentrations;
        double want;
    };
    const std::vector<Case> cases{
        {{1000000000.0, 2.0}, {1.0, 1.0}, -61.476650336279288152},
        {{1000000000.0, 0.0}, {1.0, 1.0}, -20.723265837946411156},
        {{1000000000.0, 1000000000.0}, {0.5, 3.0}, -1386294372.7065650661},
        {{1000000000.25, 1e-12, 4.0}, {1.0, 1.0, 1.0}, -120.46839403329187644},
        {{3.0, 2.0}, {1000000000.0, 1000000000.0}, -3.4657359037997265463},
        {{1000000.0, 1.0}, {1e-09, 1e-09}, -35.231923589863358228},
        {{1000000000000000.0, 1000.0}, {10000.0, 10000.0}, -274701.83489700796717},
        {{1.0, 0.0}, {1e-09, 1000000000.0}, -41.446531673892822251},
    };
    for (const auto& [weights, concentrations, want] : cases) {
        const LeafModel leaf("dirichlet", concentrations, weights, weights.size());
        check(std::abs(leaf.log_marginal(weights.data()) - want) <= 1e-12 * (1 + std::abs(want)));
    }
}

TEST(numbers_from_2_to_the_53_on_are_not_whole) {
    const LeafModel large("dirichlet", {1, 1}, {0x1p53, 1}, 2);
    check(!large.whole());
    const LeafModel together("dirichlet", {1, 1}, {0x1p52, 0, 0x1p52, 0}, 2);
    check(!together.whole());
    const LeafModel small("dirichlet", {1, 1}, {0x1p52, 1}, 2);
    check(small.whole());
}
