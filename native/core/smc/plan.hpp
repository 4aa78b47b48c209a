// The settings of a particle filter; slp.engines.smc defines them.

#pragma once

#include <cstdint>

namespace slp::smc {

inline constexpr std::uint32_t kNone = UINT32_MAX;

enum class ParticleProposal : std::uint8_t { prior, empirical, optimal };
enum class Order : std::uint8_t { breadth, likelihood, layer };
enum class Scheme : std::uint8_t { multinomial, residual, stratified, systematic };

struct FilterPlan {
    // Number of particles of an island, and the largest number kept as its draws.
    std::uint32_t n = 1, kept = 1;
    ParticleProposal proposal = ParticleProposal::prior;
    Order order = Order::breadth;
    Scheme scheme = Scheme::systematic;
    // Particles are resampled if fewer than this share of n are effective.
    double ess = 0.5;
    // The power of the likelihood.
    double power = 1.0;
    // A particle fails beyond these limits; 0 for no limit.
    std::uint32_t max_leaves = 0, most_features = 0;
    // Budget in bytes of all islands together.
    std::uint64_t room = UINT64_MAX;
};

}  // namespace slp::smc
