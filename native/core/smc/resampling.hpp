// Resampling: the schemes of slp.reference.smc.resampling.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcmc/randomness.hpp"
#include "smc/plan.hpp"

namespace slp::smc {

// A particle that survives has at least this share of the highest weight: see
// slp.reference.smc.resampling.
inline constexpr double kLeastShare = 0x1p-40;

// (sum of the weights)^2 / sum of their squares; 0 if all weights are 0.
double effective_size(std::span<const double> log_weights);

// The numbers of n particles, and the place of the copy of the one that must survive, or kNone.
struct Resampled {
    std::vector<std::uint32_t> particles;
    std::uint32_t place = kNone;
};

// n particles drawn by their weights, not all of which are 0; given that the particle `kept`
// survives, if it is not kNone.
Resampled resampled(mcmc::Randomness& random, Scheme scheme, std::span<const double> log_weights,
                    std::uint32_t n, std::uint32_t kept = kNone);

}  // namespace slp::smc
