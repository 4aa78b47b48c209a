// How a particle filter runs; the definitions are those of slp.engines.smc.

#pragma once

#include <cstdint>

namespace slp::smc {

enum class ProposalKind : std::uint8_t { prior, empirical, optimal };
enum class Order : std::uint8_t { breadth, likelihood, layer };
enum class Scheme : std::uint8_t { multinomial, residual, stratified, systematic };

struct Plan {
    // Particles of an island, and the most of them that stand for it when it is done.
    std::uint32_t n = 1, kept = 1;
    ProposalKind proposal = ProposalKind::prior;
    Order order = Order::breadth;
    Scheme scheme = Scheme::systematic;
    // Particles are drawn anew where fewer than this share of n are effective.
    double ess = 0.5;
    // Of the likelihood.
    double power = 1.0;
    // A particle fails beyond these; 0 where there is no limit.
    std::uint32_t max_leaves = 0, max_features = 0;
    // Bytes that all islands together may take.
    std::uint64_t room = UINT64_MAX;
};

}  // namespace slp::smc
