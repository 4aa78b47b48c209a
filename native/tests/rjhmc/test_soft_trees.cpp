// Soft trees: the sampler on densities whose moments are known, and chains under sanitizers.

#include <array>
#include <cmath>
#include <thread>
#include <vector>

#include "check.hpp"
#include "rjhmc/numbers.hpp"
#include "rjhmc/sampler.hpp"

using namespace slp;
using namespace slp::rjhmc;
using slp::test::check;

namespace {

Random random_of(std::uint64_t seed) { return Random({seed, seed + 1, 7, 9}); }

// Independent normals with standard deviations from 0.1 to 10.
struct Normals {
    double operator()(std::span<const double> q, std::span<double> gradient) const {
        double out = 0;
        for (std::size_t i = 0; i < q.size(); ++i) {
            const double sd = std::pow(10.0, static_cast<double>(i) - 1.0);
            out -= 0.5 * q[i] * q[i] / (sd * sd);
            gradient[i] = -q[i] / (sd * sd);
        }
        return out;
    }
};

// Neal's funnel, with v ~ Normal(0, 1) and x | v ~ Normal(0, exp(v)).
struct Funnel {
    double operator()(std::span<const double> q, std::span<double> gradient) const {
        const double v = q[0], x = q[1], precision = std::exp(-v);
        gradient[0] = -v - 0.5 + 0.5 * x * x * precision;
        gradient[1] = -x * precision;
        return -0.5 * v * v - 0.5 * v - 0.5 * x * x * precision;
    }
};

template <typename Target>
Position begin(const Target& target, std::size_t n) {
    Position out{Vector(n, 0.3), Vector(n), 0.0};
    out.log_density = target(out.q, out.gradient);
    return out;
}

// A table of six rows and two features, with one state that splits with probability 1/2.
Problem problem() {
    Problem out;
    out.table.n_rows = 6;
    out.table.counts.assign(6, 1);
    for (int f = 0; f < 2; ++f) {
        Feature feature;
        feature.n_codes = 2;
        feature.numbers = {0.0, 1.0};
        feature.first_cell = f;
        feature.codes = {0, 1, 0, 1, 0, 1};
        out.table.features.push_back(feature);
    }
    Rule leaf{RuleKind::leaf, std::log(0.5), {}, -1, Measure::each, {}};
    Rule split{RuleKind::split, std::log(0.5), {}, -1, Measure::range, {0, 0, 0, 0}};
    out.grammar.states.push_back({leaf, split});
    out.grammar.feature_weights = {1.0, 2.0};
    return out;
}

Data data_of(bool classes, bool soft_index) {
    Data out;
    out.d = 2;
    if (classes) {
        // The rows below, of which the fifth has both classes.
        out.n = 7;
        out.values = {0, 0.4, 0.8, 1, 0.2, 0.6, 0.8, 0.5, 1, 0.9, 0.1, 0, 0.3, 0.9};
        out.responses = {1, 1, 1, 1, 1, 1, 1};
        out.first_of_class = {0, 4, 7};
        out.concentration = {1.0, 0.5};
    } else {
        out.n = 6;
        out.values = {0, 0.2, 0.4, 0.6, 0.8, 1, 0.5, 0, 1, 0.3, 0.9, 0.1};
        out.responses = {1, 1, 1, 1, 1, 1, -1, -0.5, 0.2, 0.6, 1.1, 1.3};
        out.n_rows = 6;
        out.shape = 2.0;
    }
    if (soft_index) {
        out.delta = {1.0, 0.7};
    }
    return out;
}

}  // namespace

TEST(exponentials_and_gamma_functions_are_those_of_the_library) {
    for (double x = -699; x < 699; x += 0.0377) {
        check(std::abs(exp_of(x) / std::exp(x) - 1) < 1e-15);
    }
    check(exp_of(-1e300) > 0 && logistic(1e300).it == 1.0 && logistic(-1e300).it > 0);
    for (double x = 1e-300; x < 1e300; x *= 1.7) {
        check(std::abs(log_of(x) - std::log(x)) <= 1e-15 * std::abs(std::log(x)));
    }
    for (double x = 1e-3; x < 1e6; x *= 1.07) {
        const LogGamma own = log_gamma_of(x);
        const double want = std::lgamma(x);
        check(std::abs(own.it - want) < 1e-13 * std::max(1.0, std::abs(want)));
        // The derivative's error by differences is that of lgamma over 2 e.
        const double e = 1e-5 * x, slope = (std::lgamma(x + e) - std::lgamma(x - e)) / (2 * e);
        check(std::abs(own.slope - slope) < 1e-5 * std::max(1.0, std::abs(slope)));
        const LogGamma next = log_gamma_of(x + 1.0);
        check(std::abs(next.slope - own.slope - 1.0 / x) < 1e-13 * std::max(1.0, 1.0 / x));
    }
    LogProduct product;
    for (int i = 0; i < 3000; ++i) {
        product.times(0.5);
    }
    check(std::abs(product.log() - 3000 * std::log(0.5)) < 1e-9);
}

// Means and variances within 5 standard errors of 20,000 draws that are hardly dependent; the
// seed is fixed.
TEST(trajectories_draw_from_normals) {
    for (const int n_steps : {0, 8}) {
        Random random = random_of(3);
        Hamiltonian dynamics;
        const Normals target;
        const Vector variance{0.02, 1.5, 60.0};
        Position at = begin(target, 3);
        std::array<double, 3> sum{}, squares{};
        constexpr int n = 20000;
        for (int t = 0; t < n; ++t) {
            if (n_steps == 0) {
                dynamics.no_u_turn(at, 0.5, variance, random, target);
            } else {
                dynamics.plain(at, 0.2, variance, n_steps, random, target);
            }
            for (std::size_t i = 0; i < 3; ++i) {
                const double z = at.q[i] / std::pow(10.0, static_cast<double>(i) - 1.0);
                sum[i] += z;
                squares[i] += z * z;
            }
        }
        for (std::size_t i = 0; i < 3; ++i) {
            check(std::abs(sum[i] / n) < 0.06);
            check(std::abs(squares[i] / n - 1) < 0.09);
        }
    }
}

TEST(the_no_u_turn_sampler_draws_from_a_funnel) {
    Random random = random_of(5);
    Hamiltonian dynamics;
    const Funnel target;
    const Vector variance{1.0, 1.0};
    Position at = begin(target, 2);
    double sum = 0, squares = 0, scaled = 0;
    constexpr int n = 40000;
    for (int t = 0; t < n; ++t) {
        dynamics.no_u_turn(at, 0.15, variance, random, target);
        sum += at.q[0];
        squares += at.q[0] * at.q[0];
        scaled += at.q[1] * at.q[1] * std::exp(-at.q[0]);
    }
    check(std::abs(sum / n) < 0.1);
    check(std::abs(squares / n - 1) < 0.12);
    check(std::abs(scaled / n - 1) < 0.06);
}

TEST(dual_averaging_reaches_the_acceptance_wanted) {
    Random random = random_of(6);
    Hamiltonian dynamics;
    const Normals target;
    const Vector variance{0.01, 1.0, 100.0};
    Position at = begin(target, 3);
    StepSize step;
    step.restart(0.01);
    for (int t = 0; t < 2000; ++t) {
        step.learn(
            dynamics.no_u_turn(at, std::exp(step.log_step), variance, random, target).acceptance,
            0.8);
    }
    double acceptance = 0;
    for (int t = 0; t < 2000; ++t) {
        acceptance +=
            dynamics.no_u_turn(at, std::exp(step.averaged), variance, random, target).acceptance;
    }
    check(std::abs(acceptance / 2000 - 0.8) < 0.06);
}

TEST(a_leaf_grows_and_is_pruned_back) {
    SoftTree tree{{SoftNode{}}, {0.5, -1.0}};
    const SoftTree before = tree;
    const double own[2] = {0.1, 0.2}, mu[2] = {3.0, 4.0};
    tree.grow(0, SoftNode{-1, 1, -1}, SoftNode{-1, 2, -1}, 1, own, mu);
    check(tree.q == std::vector<double>({0.1, 0.2, 3.0, 4.0, -1.0}));
    const double other[2] = {0.7, 0.8}, mus[2] = {5.0, 6.0};
    tree.grow(1, SoftNode{-1, 1, -1}, SoftNode{-1, 2, -1}, 0, other, mus);
    check(tree.nodes[0].right == 4 && tree.nodes[1].right == 3);
    check(tree.q == std::vector<double>({0.1, 0.7, 0.2, 0.8, 5.0, 6.0, 4.0, -1.0}));
    tree.prune(1, 1, true, 3.0);
    tree.prune(0, 1, true, 0.5);
    check(tree.q == before.q && tree.nodes.size() == 1 && tree.nodes[0].leaf());
}

TEST(chains_of_all_kinds_run_side_by_side) {
    const Problem grammar = problem();
    for (const bool classes : {true, false}) {
        for (const bool soft_index : {true, false}) {
            SoftTreePlan plan;
            plan.first_h = 0.5;
            plan.warm_up = 60;
            SoftTreeSampler sampler(grammar, data_of(classes, soft_index), plan, 20);
            std::vector<std::vector<double>> ends(4);
            std::vector<std::thread> threads;
            for (std::size_t c = 0; c < ends.size(); ++c) {
                threads.emplace_back([&, c] {
                    Random random = random_of(10 + c / 2);  // each seed twice
                    Tally tally;
                    Chain chain = sampler.start(random);
                    chain = sampler.advance(chain, random, 60, true, true, tally);
                    chain = sampler.advance(chain, random, 100, false, true, tally);
                    check(chain.tree.n_leaves() <= 20);
                    check(chain.tree.q.size() == sampler.data().dimension(chain.tree.n_inner()));
                    check(std::isfinite(sampler.score(chain.tree)[2]));
                    ends[c] = chain.tree.q;
                });
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
            check(ends[0] == ends[1] && ends[2] == ends[3]);
            check(classes || ends[0] != ends[2]);  // two leaves of classes are alike
        }
    }
}
