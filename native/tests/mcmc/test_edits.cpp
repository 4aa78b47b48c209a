// Metropolis-Hastings over edits of a tree: sequences are what is written of them, chains side by
// side.

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "check.hpp"
#include "exact/engine.hpp"
#include "mcmc/edit_sampler.hpp"
#include "problems.hpp"

using namespace slp;
using namespace slp::mcmc;
using slp::exact::Engine;
using slp::test::check;
using slp::test::growtree;
using slp::test::randomness;

namespace {

Problem table(std::int64_t min_leaf) {
    Problem out = growtree(40, Measure::feature_then_cut, 3);
    out.grammar.min_leaf = min_leaf;
    return out;
}

EditSampler sampler(const Engine& engine, Measure measure, TreeTests tests = {}) {
    EditProcess process{
        0.9, {measure, 4}, 100, {{0, 19.5}, {2, 1.0}, {-1, 0.0}, {-1, 0.0}, {-1, 0.0}}};
    return {engine.problem(),
            engine.geometry(),
            std::move(process),
            std::move(tests),
            false,
            {{ProposalKind::cut_uniformly, 3.0},
             {ProposalKind::cut_at_root, 1.0},
             {ProposalKind::cut_at_each, 1.0, 5}}};
}

EditState begin(EditSampler& chains) {
    EditState out;
    check(chains.restore({}, {0, 0, 0}, out));
    return out;
}

bool same(const EditTree& a, const EditTree& b) {
    if (a.proof.nodes.size() != b.proof.nodes.size() ||
        a.proof.all().log_likelihood != b.proof.all().log_likelihood) {
        return false;
    }
    for (std::size_t i = 0; i < a.marks.size(); ++i) {
        const ProofNode &left = a.proof.nodes[i], &right = b.proof.nodes[i];
        if (left.taken.feature != right.taken.feature ||
            left.taken.cut.number() != right.taken.cut.number() ||
            left.begin != right.begin || left.size != right.size ||
            left.all.n_nodes != right.all.n_nodes || a.marks[i].all != b.marks[i].all ||
            a.marks[i].depth != b.marks[i].depth) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST(edit_states_are_what_is_written_of_them) {
    for (const Measure measure : {Measure::feature_then_cut, Measure::gap, Measure::all}) {
        for (const std::int64_t min_leaf : {1, 4}) {
            const Engine engine(table(min_leaf));
            EditSampler chains = sampler(engine, measure);
            SeededRandomness random = randomness(5);
            EditState state = begin(chains);
            Tally tally;
            for (int i = 0; i < 40; ++i) {
                state = chains.advance(state, random, 1.0, 5, tally);
                EditState again;
                check(chains.restore(chains.write(state.edits), state.turns, again));
                check(again.edits.log_draw == state.edits.log_draw);  // to the last bit
                check(again.edits.n_points == state.edits.n_points);
                check(again.edits.trees.size() == state.edits.trees.size());
                for (std::size_t j = 0; j < state.edits.trees.size(); ++j) {
                    check(same(again.edits.trees[j], state.edits.trees[j]));
                }
            }
        }
    }
}

TEST(edits_that_cannot_be_made_are_refused) {
    const Engine engine(table(1));
    EditSampler chains = sampler(engine, Measure::all);
    EditState out;
    using Written = std::vector<EditTransitions::Written>;
    check(chains.restore(Written{{1, 0, -1}}, {0, 0, 0}, out));
    check(!chains.restore(Written{{1, 1, -1}}, {0, 0, 0}, out));
    check(!chains.restore(Written{{0, 0, 1000}}, {0, 0, 0}, out));
    check(!chains.restore(Written{{0, 0, -1}}, {0, 0, 0}, out));
    check(!chains.restore(Written{{3, 0, 0}}, {0, 0, 0}, out));
}

TEST(edit_chains_side_by_side) {
    const Engine engine(table(2));
    EditSampler chains = sampler(engine, Measure::gap, {5, 2, {{0, true}}});
    std::vector<EditState> alone(4), together(4);
    const auto run = [&](std::size_t i) {
        SeededRandomness random = randomness(10 + i);
        Tally tally;
        return chains.advance(begin(chains), random, 0.0, 200, tally);
    };
    for (std::size_t i = 0; i < 4; ++i) {
        alone[i] = run(i);
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] { together[i] = run(i); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t i = 0; i < 4; ++i) {
        check(same(alone[i].edits.tree(), together[i].edits.tree()));
        check(alone[i].edits.log_draw == together[i].edits.log_draw);
    }
}
