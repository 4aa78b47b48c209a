// The particle filter: weights without likelihood, islands restored, islands side by side.

#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "budget.hpp"
#include "check.hpp"
#include "exact/engine.hpp"
#include "log_sum.hpp"
#include "problems.hpp"
#include "smc/resampling.hpp"
#include "smc/sampler.hpp"

using namespace slp;
using namespace slp::smc;
using slp::exact::Engine;
using slp::test::check;
using slp::test::growtree;
using slp::test::randomness;

namespace {

FilterPlan plan(ParticleProposal proposal, Order order, Scheme scheme, double power) {
    FilterPlan out;
    out.n = 50;
    out.kept = 20;
    out.proposal = proposal;
    out.order = order;
    out.scheme = scheme;
    out.power = power;
    return out;
}

Island grown(FilterSampler& sampler, const Island& island, std::uint64_t seed, std::uint64_t n) {
    auto random = randomness(seed);
    Tally tally{};
    return sampler.advance(island, random, n, tally);
}

std::vector<double> weights(const Island& island) {
    std::vector<double> out;
    for (const Particle& particle : island.particles) {
        out.push_back(particle.log_weight);
    }
    return out;
}

constexpr ParticleProposal kProposals[] = {ParticleProposal::prior, ParticleProposal::empirical,
                                           ParticleProposal::optimal};
constexpr Order kOrders[] = {Order::breadth, Order::likelihood, Order::layer};
constexpr Scheme kSchemes[] = {Scheme::multinomial, Scheme::residual, Scheme::stratified,
                               Scheme::systematic};

}  // namespace

// The labels and split probabilities of `growtree` sum to 1, so without likelihood each particle
// weighs 1 under the proposals that draw as the program does.
TEST(smc_weights_without_likelihood_are_1) {
    for (const Measure measure : {Measure::feature_then_cut, Measure::gap, Measure::all}) {
        const Engine engine(growtree(70, measure, 3));
        for (const ParticleProposal proposal : {ParticleProposal::prior,
                                                ParticleProposal::optimal}) {
            for (const Order order : kOrders) {
                FilterSampler sampler(engine.problem(), engine.geometry(),
                                      plan(proposal, order, Scheme::systematic, 0.0));
                const Island island = grown(sampler, sampler.start(), 5, UINT64_MAX);
                check(island.done());
                check(std::abs(log_sum(weights(island)) - std::log(50.0)) < 1e-9);
            }
        }
    }
}

TEST(smc_islands_are_restored) {
    std::uint64_t seed = 0;
    for (const Measure measure : {Measure::gap, Measure::each, Measure::partition}) {
        const Engine engine(growtree(60, measure, 4));
        for (const ParticleProposal proposal : kProposals) {
            for (const Order order : kOrders) {
                FilterSampler sampler(engine.problem(), engine.geometry(),
                                      plan(proposal, order, kSchemes[++seed % 4], 1.0));
                Island middle = grown(sampler, sampler.start(), seed, 4);
                middle.forget_events();
                std::vector<std::uint32_t> last;
                for (const Particle& particle : middle.particles) {
                    last.push_back(particle.last);
                }
                Island restored;
                check(sampler.restore(middle.events, last, weights(middle), restored));
                const Island a = grown(sampler, middle, seed + 1, UINT64_MAX);
                const Island b = grown(sampler, restored, seed + 1, UINT64_MAX);
                check(a.done() && weights(a) == weights(b));
            }
        }
    }
}

TEST(smc_islands_run_side_by_side) {
    const Engine engine(growtree(80, Measure::gap, 6));
    FilterSampler sampler(engine.problem(), engine.geometry(),
                          plan(ParticleProposal::prior, Order::breadth, Scheme::residual, 1.0));
    const std::vector<double> want =
        weights(grown(sampler, sampler.start(), 9, UINT64_MAX));
    std::vector<std::vector<double>> have(4);
    std::vector<std::thread> threads;
    for (auto& own : have) {
        threads.emplace_back(
            [&] { own = weights(grown(sampler, sampler.start(), 9, UINT64_MAX)); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const auto& own : have) {
        check(own == want);
    }
}

// Threads go on from one island whose trees, events and rows they share, from what was written down
// of it, and with little room for all together.
TEST(smc_threads_share_an_island) {
    const Engine engine(growtree(80, Measure::gap, 6));
    for (const ParticleProposal proposal : kProposals) {
        FilterPlan how = plan(proposal, Order::likelihood, Scheme::systematic, 1.0);
        FilterSampler sampler(engine.problem(), engine.geometry(), how);
        how.room = 1;
        FilterSampler tight(engine.problem(), engine.geometry(), how);
        Island middle = grown(sampler, sampler.start(), 3, 4);
        middle.forget_events();
        std::vector<std::uint32_t> last;
        for (const Particle& particle : middle.particles) {
            last.push_back(particle.last);
        }
        const std::vector<double> want = weights(grown(sampler, middle, 8, UINT64_MAX));
        std::atomic<int> same{0}, refused{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                same += weights(grown(sampler, middle, 8, UINT64_MAX)) == want;
                Island restored;
                check(sampler.restore(middle.events, last, weights(middle), restored));
                same += weights(grown(sampler, restored, 8, UINT64_MAX)) == want;
                try {
                    grown(tight, middle, 8, UINT64_MAX);
                } catch (const OutOfBudget&) {
                    ++refused;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        check(same == 8 && refused == 4);
    }
}

TEST(smc_resampling_keeps_the_expected_numbers) {
    const std::vector<double> log_weights{-1e9, std::log(0.5), -INFINITY, std::log(1.5), 0.0};
    const std::vector<double> expected{0.0, 2.0, 0.0, 6.0, 4.0};
    auto random = randomness(2);
    for (const Scheme scheme : kSchemes) {
        std::vector<double> mean(5, 0.0);
        for (int i = 0; i < 4000; ++i) {
            const Resampled found = resampled(random, scheme, log_weights, 12);
            for (const std::uint32_t drawn : found.particles) {
                mean[drawn] += 1.0 / 4000;
            }
        }
        for (std::size_t i = 0; i < mean.size(); ++i) {
            // 6 standard errors of the multinomial scheme, which has the largest
            check(std::abs(mean[i] - expected[i]) <= 6 * std::sqrt(expected[i] / 4000));
        }
    }
}
