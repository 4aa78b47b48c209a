// Mixtures of proposals, outcomes of moves, and turns: the common parts of chains over proofs and
// over edits.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mcmc/randomness.hpp"
#include "smc/plan.hpp"

namespace slp::mcmc {

enum class ProposalKind : std::uint8_t {
    cut_at_root,
    cut_uniformly,
    cut_at_each,
    cut_sequence_uniformly,
    cut_sequence_at_each,
    exact_subtree,
    particle_gibbs,
    // From tree to tree (mcmc/moves).
    cgm,
    wu,
    rotate,
    perturb,
    informed,
    twig
};

struct Proposal {
    ProposalKind kind;
    // Weight in the mixture.
    double weight;
    // cut_at_each, cut_sequence_at_each: K, the choice points that take turns. Else 1.
    std::uint32_t period = 1;
    // particle_gibbs: the filter; power and limits are those of the chain.
    smc::FilterPlan filter = {};
};

enum class Outcome : std::uint8_t { accepted, rejected, failed, stayed };
inline constexpr std::size_t kOutcomes = 4;

// Outcomes of the moves: count[proposal][outcome].
using Tally = std::vector<std::array<std::uint64_t, kOutcomes>>;

// Whether the turns of a state are valid: for each proposal how often it was used, modulo its
// period.
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

// Draws a proposal of the mixture, makes its move, and passes the turn on. `propose` (proposal,
// turn) gives the outcome. Returns the number of the proposal and the outcome.
template <typename Propose>
std::pair<std::size_t, Outcome> mixture_step(Randomness& random,
                                             std::span<const Proposal> mixture,
                                             std::span<const double> weights,
                                             std::vector<std::uint32_t>& turns,
                                             const Propose& propose) {
    const std::size_t i = random.among(weights);
    const Outcome outcome = propose(mixture[i], turns[i]);
    turns[i] = (turns[i] + 1) % mixture[i].period;
    return {i, outcome};
}

// The factor of a proposal's weight at a power of the likelihood: slp.engines.mcmc.mixture.
inline double weight_at(ProposalKind kind, double power) {
    switch (kind) {
        case ProposalKind::cut_at_root:
        case ProposalKind::cut_uniformly:
        case ProposalKind::cut_at_each:
        case ProposalKind::cut_sequence_uniformly:
        case ProposalKind::cut_sequence_at_each: return 5.0 - 4.0 * power;
        case ProposalKind::informed:
        case ProposalKind::twig: return std::pow(std::max(power, 0.1), 2.0);
        default: return 1.0;
    }
}

// The weights of a mixture at a power of the likelihood.
inline std::vector<double> weights_at(std::span<const Proposal> mixture, double power) {
    std::vector<double> out;
    for (const Proposal& proposal : mixture) {
        out.push_back(proposal.weight * weight_at(proposal.kind, power));
    }
    return out;
}

// Accepts a move with the probability min(1, exp(log_ratio)).
inline bool accepts(Randomness& random, double log_ratio) {
    return random.happens(std::exp(std::min(0.0, log_ratio)));
}

// power times a log likelihood, or a difference of two: 0 at power 0, even if the likelihood is 0.
inline double tempered(double power, double log_likelihood) {
    return power > 0 ? power * log_likelihood : 0.0;
}

// The state after `n` transitions.
template <typename Transitions, typename State>
State after_transitions(Transitions& transitions, State state, Randomness& random, double power,
                        std::uint64_t n, std::size_t n_proposals, Tally& tally) {
    tally.assign(n_proposals, {});
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto [proposal, outcome] = transitions.step(random, power, state);
        ++tally[proposal][static_cast<std::size_t>(outcome)];
    }
    return state;
}

}  // namespace slp::mcmc
