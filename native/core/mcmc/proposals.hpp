// Mixtures of proposals, what became of the moves, and whose turn it is: what chains over proofs
// and over edits have in common.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mcmc/randomness.hpp"

namespace slp::mcmc {

enum class ProposalKind : std::uint8_t { cut_at_root, cut_uniformly, cut_at_each, exact_subtree };

struct Proposal {
    ProposalKind kind;
    // Weight in the mixture.
    double weight;
    // cut_at_each: K, the choice points that take turns. Else 1.
    std::uint32_t period = 1;
};

enum class Outcome : std::uint8_t { accepted, rejected, failed, stayed };
inline constexpr std::size_t kOutcomes = 4;

// What became of the moves: count[proposal][outcome].
using Tally = std::vector<std::array<std::uint64_t, kOutcomes>>;

// Whether these can be the turns of a state: of each proposal how often it has been taken, modulo
// its period.
inline bool are_turns(std::span<const std::uint32_t> turns, std::span<const Proposal> mixture) {
    if (turns.size() != mixture.size()) {
        return false;
    }
    for (std::size_t i = 0; i < turns.size(); ++i) {
        if (turns[i] >= mixture[i].period) {
            return false;
        }
    }
    return true;
}

// The state after `n` transitions of a mover.
template <typename Mover, typename State>
State after_transitions(Mover& mover, State state, Randomness& random, double power,
                        std::uint64_t n, std::size_t n_proposals, Tally& tally) {
    tally.assign(n_proposals, {});
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto [proposal, outcome] = mover.step(random, power, state);
        ++tally[proposal][static_cast<std::size_t>(outcome)];
    }
    return state;
}

}  // namespace slp::mcmc
