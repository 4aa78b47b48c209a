// What chains over sums of trees share: the plan, the responses, and the workers that their threads
// borrow.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "additive/backfitting.hpp"
#include "object_pool.hpp"

namespace slp::additive {

class SumSampler {
public:
    // `problem` and `geometry` must outlive it; problem.grammar.max_leaves is 0, and `max_leaves` that
    // of each tree (0: no limit). Throws std::invalid_argument unless there is a response for each
    // distinct row.
    SumSampler(const Problem& problem, const Geometry& geometry, SumPlan plan, Responses responses,
               std::uint32_t max_leaves, std::vector<mcmc::Proposal> mixture);

    const SumPlan& plan() const { return plan_; }

    // See Backfitting.
    std::pair<bool, TreeSum> start(SeededRandomness& random, std::uint32_t tries) {
        return pool_.lend([&](Backfitting& own) {
            TreeSum out;
            const bool found = own.start(random, tries, out);
            return std::pair(found, std::move(out));
        });
    }
    TreeSum advance(const TreeSum& sum, SeededRandomness& random, std::uint64_t n, mcmc::Tally& tally) {
        return pool_.lend([&](Backfitting& own) {
            TreeSum out = sum;
            own.advance(random, n, out, tally);
            return out;
        });
    }
    bool restore(std::span<const std::vector<mcmc::Taken>> choices, TreeSum& out) {
        return pool_.lend([&](Backfitting& own) { return own.restore(choices, out); });
    }

    // The weight of the rows in each leaf, tree after tree.
    std::vector<double> rows_of(const TreeSum& sum) const;

    // Frees the buffers that no thread uses now.
    void free_buffers() { pool_.free_idle(); }

private:
    SumPlan plan_;
    Responses responses_;
    mcmc::TreeTests tests_;
    std::vector<mcmc::Proposal> mixture_;
    ObjectPool<Backfitting> pool_;
};

}  // namespace slp::additive
