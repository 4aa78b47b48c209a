// Chains over sequences of edits, side by side.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcmc/edits.hpp"
#include "mcmc/ladder.hpp"
#include "object_pool.hpp"

namespace slp::mcmc {

// The common part of all chains of one target, and the transitions that their threads borrow.
class EditSampler {
public:
    // `problem` and `geometry` must outlive it. `constrained`: whether the last tree must have a
    // derivation in the grammar.
    EditSampler(const Problem& problem, const Geometry& geometry, EditProcess process,
                TreeTests tests, bool constrained, std::vector<Proposal> mixture);

    const Problem& problem() const { return problem_; }

    // `n` transitions.
    EditState advance(const EditState& state, Randomness& random, double power, std::uint64_t n,
                      Tally& tally);
    // Scans of a ladder of sequences: see `Scans`.
    ScanSums scan(Ladder<EditState>& ladder, const ScanPlan& plan,
                  std::span<Randomness* const> randoms);
    // A state of a sequence in the support: see `EditTransitions::start`.
    bool start(Randomness& random, std::uint32_t number, EditState& out);
    // Whether a sequence is in the support.
    bool holds(const EditState& state);
    std::vector<EditTransitions::Written> write(const Edits& edits);
    // The state of a sequence that is given by its edits; false if there is no such sequence, or
    // the turns are not valid.
    bool restore(std::span<const EditTransitions::Written> written,
                 std::vector<std::uint32_t> turns, EditState& out);

    // Frees the buffers that no thread uses now.
    void free_buffers() { pool_.free_idle(); }

private:
    const Problem& problem_;
    EditProcess process_;
    TreeTests tests_;
    std::vector<Proposal> mixture_;
    ObjectPool<EditTransitions> pool_;
};

}  // namespace slp::mcmc
