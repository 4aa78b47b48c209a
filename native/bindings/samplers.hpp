// What the bindings of both samplers share.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "mcmc/mover.hpp"
#include "mcmc/randomness.hpp"
#include "mcmc/tree_tests.hpp"

namespace slp::mcmc {

using Seeds = Array<std::uint64_t>;

// 256 random bits; all 0, which the generator cannot have, with probability 2^-256.
inline SeededRandomness randomness_of(const Seeds& seeds) {
    std::array<std::uint64_t, 4> words{0, 0, 0, 1};
    std::copy_n(seeds.data(), std::min<std::size_t>(seeds.size(), 4), words.begin());
    return SeededRandomness(words);
}

// Conditions on finished trees: the most leaves and features (0: no limit), and monotone features,
// each with whether predictions rise with it.
using Monotones = std::vector<std::pair<std::uint32_t, bool>>;

inline TreeTests tests_of(std::uint32_t max_leaves, std::uint32_t max_features,
                   const Monotones& monotone) {
    TreeTests out{max_leaves, max_features, {}};
    for (const auto& [feature, up] : monotone) {
        out.monotone.push_back({feature, up});
    }
    return out;
}

// Proposals: kind, weight, period.
using Mixture = std::vector<std::pair<int, std::pair<double, std::uint32_t>>>;

inline std::vector<Proposal> mixture_of(const Mixture& proposals) {
    std::vector<Proposal> out;
    for (const auto& [kind, rest] : proposals) {
        out.push_back({static_cast<ProposalKind>(kind), rest.first, rest.second});
    }
    return out;
}

// Rows one after the other, as the counts of the outcomes of each proposal.
template <typename T, typename Rows>
std::vector<T> flat(const Rows& rows) {
    std::vector<T> out;
    for (const auto& row : rows) {
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

// Statistics of the leaves from left to right, one below the other.
inline std::vector<double> leaf_statistics_of(const Proof& proof, const LeafModel& leaf) {
    std::vector<double> out;
    for (const Node& node : proof.nodes) {
        if (node.n_parts() == 0) {
            out.resize(out.size() + leaf.n_statistics());
            leaf.sum(proof.rows_of(node), out.data() + out.size() - leaf.n_statistics());
        }
    }
    return out;
}

}  // namespace slp::mcmc
