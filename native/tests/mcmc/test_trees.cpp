// Metropolis-Hastings over proof trees: how proofs are laid out, against the exact engine, chains
// side by side.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"
#include "exact/engine.hpp"
#include "mcmc/sampler.hpp"
#include "problem/key.hpp"
#include "problems.hpp"

using namespace slp;
using namespace slp::mcmc;
using slp::exact::Engine;
using slp::test::check;
using slp::test::growtree;
using slp::test::randomness;

namespace {

ProofSampler sampler(const Engine& engine, TreeTests tests = {}) {
    return {engine.problem(),
            engine.geometry(),
            std::move(tests),
            {{ProposalKind::cut_uniformly, 3.0},
             {ProposalKind::cut_at_root, 1.0},
             {ProposalKind::cut_at_each, 1.0, 5},
             {ProposalKind::exact_subtree, 1.0},
             {ProposalKind::cut_sequence_uniformly, 1.0},
             {ProposalKind::cut_sequence_at_each, 1.0, 5}},
            1 << 12};
}

bool same(const Sums& a, const Sums& b) {
    return a.n_nodes == b.n_nodes && a.n_points == b.n_points && a.n_leaves == b.n_leaves &&
           a.log_draw == b.log_draw && a.log_excess == b.log_excess &&
           a.log_likelihood == b.log_likelihood;
}

std::vector<Taken> choices(const Proof& proof) {
    std::vector<Taken> out;
    for (const ProofNode& node : proof.nodes) {
        out.push_back(node.taken);
    }
    return out;
}

}  // namespace

TEST(mh_states_are_what_their_choices_make) {
    for (const Measure measure : {Measure::feature_then_cut, Measure::gap, Measure::all,
                                  Measure::each, Measure::partition, Measure::per_feature}) {
        const Engine engine(growtree(70, measure, 3));
        ProofSampler chains = sampler(engine);
        SeededRandomness random = randomness(5);
        State state = chains.start(random, 10).state;
        Tally tally;
        for (int i = 0; i < 40; ++i) {
            state = chains.advance(state, random, 1.0, 7, tally);
            State again;
            check(chains.restore(choices(state.proof), state.turns, again));
            check(same(again.proof.all(), state.proof.all()));  // to the last bit
            for (std::size_t j = 0; j < state.proof.nodes.size(); ++j) {
                const ProofNode &a = state.proof.nodes[j], &b = again.proof.nodes[j];
                check(a.begin == b.begin && a.size == b.size && same(a.all, b.all));
                if (a.n_parts() == 0) {
                    check(std::ranges::equal(state.proof.rows_of(a), again.proof.rows_of(b)));
                }
            }
        }
    }
}

TEST(mh_choices_that_cannot_be_made_are_refused) {
    const Engine engine(growtree(20, Measure::feature_then_cut, 3));
    ProofSampler chains = sampler(engine);
    State out;
    check(chains.restore(std::vector<Taken>{{1, kLeaf, {}}}, {0, 0, 0, 0, 0, 0}, out));
    check(!chains.restore(std::vector<Taken>{{0, 0, Cut::between(3, 9)}}, {0, 0, 0, 0, 0, 0}, out));
    check(!chains.restore(std::vector<Taken>{{0, 0, Cut::between(3, 4)}}, {0, 0, 0, 0, 0, 0}, out));
    check(!chains.restore(std::vector<Taken>{{7, kLeaf, {}}}, {0, 0, 0, 0, 0, 0}, out));
    check(!chains.restore(std::vector<Taken>{{1, kLeaf, {}}, {1, kLeaf, {}}},
                          {0, 0, 0, 0, 0, 0}, out));
}

TEST(mh_turns_that_no_chain_has_are_refused) {
    const Engine engine(growtree(20, Measure::feature_then_cut, 3));
    ProofSampler chains = sampler(engine);
    const std::vector<Taken> leaf{{1, kLeaf, {}}};
    State out;
    check(chains.restore(leaf, {0, 0, 4, 0, 0, 4}, out));
    check(!chains.restore(leaf, {0, 0, 5, 0, 0, 0}, out));  // the third has a period of 5
    check(!chains.restore(leaf, {1, 0, 0, 0, 0, 0}, out));
    check(!chains.restore(leaf, {0, 0, 0, 0, 0}, out));
    check(!chains.restore(leaf, {0, 0, 0, 0, 0, 0, 0}, out));
}

TEST(mh_choice_points_are_counted_alike) {
    const Engine engine(growtree(60, Measure::all, 9));
    ProofSampler chains = sampler(engine);
    SeededRandomness random = randomness(2);
    std::vector<std::uint32_t> queue, path;
    for (int i = 0; i < 30; ++i) {
        const Proof proof = chains.start(random, 1).state.proof;
        std::vector<std::pair<std::uint32_t, bool>> in_sequence, breadth_first;
        for (std::uint32_t k = 0; k < proof.all().n_points; ++k) {
            const Point a = point_in_sequence(proof.nodes, k);
            const Point b = point_breadth_first(proof.nodes, k, queue);
            in_sequence.emplace_back(a.node, a.of_split);
            breadth_first.emplace_back(b.node, b.of_split);
            path_to(proof.nodes, a.node, path);
            check(path.front() == 0 && path.back() == a.node);
        }
        std::ranges::sort(in_sequence);
        std::ranges::sort(breadth_first);
        check(in_sequence == breadth_first);
        check(std::ranges::adjacent_find(in_sequence) == in_sequence.end());
    }
}

// The mean number of leaves over a long chain, by batches, against the exact distribution.
TEST(mh_draws_from_the_posterior) {
    const Engine engine(growtree(16, Measure::feature_then_cut, 4));
    const auto pass = engine.make_pass({.quantity = slp::exact::Quantity::leaf_number,
                                        .length = 16,
                                        .memory = std::size_t{1} << 28});
    check(pass->run([](const slp::Progress&) { return true; }) == slp::Status::done);
    const std::vector<double> exact = engine.root_vector(*pass);
    double want = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        want += exact[i] * static_cast<double>(i + 1);
    }
    ProofSampler chains = sampler(engine);
    SeededRandomness random = randomness(77);
    State state = chains.start(random, 10).state;
    Tally tally;
    constexpr int kBatches = 30, kSteps = 400;
    std::vector<double> means;
    for (int batch = 0; batch < kBatches; ++batch) {
        double sum = 0.0;
        for (int i = 0; i < kSteps; ++i) {
            state = chains.advance(state, random, 1.0, 10, tally);
            sum += state.proof.all().n_leaves;
        }
        means.push_back(sum / kSteps);
    }
    const double mean = std::accumulate(means.begin(), means.end(), 0.0) / kBatches;
    double variance = 0.0;
    for (const double own : means) {
        variance += (own - mean) * (own - mean) / (kBatches - 1) / kBatches;
    }
    check(std::abs(mean - want) < 4.5 * std::sqrt(variance));  // by chance: 1 in 10,000
    check(std::sqrt(variance) < 0.05);
}

TEST(mh_tests_on_finished_trees_hold) {
    const Engine engine(growtree(50, Measure::all, 6));
    ProofSampler chains = sampler(engine, {4, 1, {{0, true}}});
    SeededRandomness random = randomness(3);
    const Start start = chains.start(random, 2000);
    check(start.found);
    State state = start.state;
    Tally tally;
    bool moved = false;
    for (int i = 0; i < 50; ++i) {
        state = chains.advance(state, random, 1.0, 20, tally);
        check(chains.holds(state.proof));
        check(state.proof.all().n_leaves <= 4);
        moved |= state.proof.all().n_leaves > 1;
    }
    check(moved);
}

namespace {

// Where six chains end that run one after the other, or side by side.
std::vector<Sums> six_runs(const Engine& engine, bool side_by_side) {
    ProofSampler chains = sampler(engine);
    std::vector<Sums> out(6);
    const auto run = [&](std::uint64_t seed) {
        SeededRandomness random = randomness(seed);
        State state = chains.start(random, 10).state;
        Tally tally;
        for (int i = 0; i < 5; ++i) {
            state = chains.advance(state, random, 1.0, 100, tally);
        }
        out[seed] = state.proof.all();
    };
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < out.size(); ++seed) {
        if (side_by_side) {
            threads.emplace_back(run, seed);
        } else {
            run(seed);
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return out;
}

// Makes the states of a listed grammar, as they are asked for.
class Copied final : public slp::StateSource {
public:
    explicit Copied(slp::States listed) : listed_(std::move(listed)) {}
    const slp::MadeState& state(std::size_t number) override {
        const slp::MadeState* const found = made_.find(number);
        return found != nullptr ? *found : made_.add(number, {std::as_const(listed_)[number], 1});
    }

private:
    slp::States listed_;
    slp::MadeStates made_;
};

}  // namespace

TEST(mh_chains_side_by_side_draw_what_they_draw_alone) {
    const Engine engine(growtree(80, Measure::feature_then_cut, 1));
    check(std::ranges::equal(six_runs(engine, false), six_runs(engine, true), same));
}

TEST(mh_chains_on_an_open_grammar_draw_as_on_a_listed_one) {
    Problem problem = growtree(80, Measure::feature_then_cut, 1);
    const std::vector<Sums> want = six_runs(Engine(problem), false);
    problem.grammar.states = {std::make_shared<Copied>(problem.grammar.states), 4};
    check(std::ranges::equal(want, six_runs(Engine(problem), true), same));
}
