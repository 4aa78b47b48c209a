// What the binding files of the Metropolis-Hastings samplers share.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings_arrays.hpp"
#include "mh/sampler.hpp"

using Seeds = Array<std::uint64_t>;

// 256 random bits; all 0, which the generator cannot have, with probability 2^-256.
inline slp::mh::RandomChance chance_of(const Seeds& seeds) {
    std::array<std::uint64_t, 4> words{0, 0, 0, 1};
    std::copy_n(seeds.data(), std::min<std::size_t>(seeds.size(), 4), words.begin());
    return slp::mh::RandomChance(words);
}

// Conditions on finished trees: the most leaves and features (0: no limit), and monotone features,
// each with whether predictions rise with it.
using Monotones = std::vector<std::pair<std::uint32_t, bool>>;

inline slp::mh::TreeTests tests_of(std::uint32_t max_leaves, std::uint32_t max_features,
                                   const Monotones& monotone) {
    slp::mh::TreeTests out{max_leaves, max_features, {}};
    for (const auto& [feature, up] : monotone) {
        out.monotone.push_back({feature, up});
    }
    return out;
}

// Proposals: kind, weight, period.
using Mixture = std::vector<std::pair<int, std::pair<double, std::uint32_t>>>;

inline std::vector<slp::mh::Proposal> mixture_of(const Mixture& proposals) {
    std::vector<slp::mh::Proposal> out;
    for (const auto& [kind, rest] : proposals) {
        out.push_back({static_cast<slp::mh::ProposalKind>(kind), rest.first, rest.second});
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
inline std::vector<double> leaf_statistics_of(const slp::mh::Proof& proof,
                                              const slp::exact::LeafModel& leaf) {
    std::vector<double> out;
    for (const slp::mh::Node& node : proof.nodes) {
        if (node.n_parts() == 0) {
            out.resize(out.size() + leaf.n_statistics());
            leaf.sum(proof.rows_of(node), out.data() + out.size() - leaf.n_statistics());
        }
    }
    return out;
}
