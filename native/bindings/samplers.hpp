// What the bindings of both samplers share.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "mcmc/ladder.hpp"
#include "mcmc/transitions.hpp"
#include "mcmc/randomness.hpp"
#include "mcmc/tree_tests.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace slp::mcmc {

// Frees the buffers that no thread uses now, and gives their pages back to the system: glibc keeps
// what is smaller than its threshold for large arrays.
template <typename Sampler>
void free_buffers(Sampler& sampler) {
    sampler.free_buffers();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

using Seeds = Array<std::uint64_t>;

// 256 random bits; all 0, which the generator cannot have, with probability 2^-256.
inline std::array<std::uint64_t, 4> words_of(const Seeds& seeds) {
    std::array<std::uint64_t, 4> words{0, 0, 0, 1};
    std::copy_n(seeds.data(), std::min<std::size_t>(seeds.size(), 4), words.begin());
    return words;
}

inline SeededRandomness randomness_of(const Seeds& seeds) {
    return SeededRandomness(words_of(seeds));
}

// Conditions on finished trees: the most leaves and features (0: no limit), and monotone features,
// each with whether predictions rise with it.
using Monotones = std::vector<std::pair<std::uint32_t, bool>>;

inline TreeTests tests_of(std::uint32_t max_leaves, std::uint32_t most_features,
                   const Monotones& monotone) {
    TreeTests out{max_leaves, most_features, {}};
    for (const auto& [feature, up] : monotone) {
        out.monotone.push_back({feature, up});
    }
    return out;
}

// A filter: its number of particles; proposal, order and scheme, as numbers; `ess`.
using FilterSettings = std::tuple<std::uint32_t, std::vector<int>, double>;

inline smc::FilterPlan filter_of(const FilterSettings& settings) {
    const auto& [n, how, ess] = settings;
    require(how.size() == 3, "a proposal, an order and a scheme");
    smc::FilterPlan out;
    out.n = out.kept = n;
    out.proposal = static_cast<smc::ParticleProposal>(how[0]);
    out.order = static_cast<smc::Order>(how[1]);
    out.scheme = static_cast<smc::Scheme>(how[2]);
    out.ess = ess;
    return out;
}

// Proposals: kind, weight, period, filter (of particle_gibbs alone).
using Mixture = std::vector<std::tuple<int, double, std::uint32_t, FilterSettings>>;

inline std::vector<Proposal> mixture_of(const Mixture& proposals) {
    std::vector<Proposal> out;
    for (const auto& [kind, weight, period, filter] : proposals) {
        out.push_back({static_cast<ProposalKind>(kind), weight, period, filter_of(filter)});
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

// The numbers of `PairSums`, pair after pair.
inline std::vector<double> numbers_of(const std::vector<PairSums>& pairs) {
    std::vector<double> out;
    for (const PairSums& p : pairs) {
        out.insert(out.end(), {p.rejections, p.log_up, p.log_down, p.bridge_up, p.bridge_down,
                               p.tried, p.swapped});
    }
    return out;
}

// A ladder from its states, the ends that they come from, and the number of scans made.
template <typename State>
Ladder<State> ladder_of(std::vector<State> rungs, const std::vector<int>& ends,
                        std::uint64_t scans) {
    require(rungs.size() >= 2 && ends.size() == rungs.size(),
            "a ladder has two rungs or more, and an end for each");
    Ladder<State> out{std::move(rungs), {}, scans};
    for (const int end : ends) {
        require(end >= 0 && end <= 2, "an end is 0, 1 or 2");
        out.ends.push_back(static_cast<LadderEnd>(end));
    }
    return out;
}

// What scans are to be made of a ladder.
template <typename State>
ScanPlan plan_of(const Ladder<State>& ladder, const Array<double>& powers,
                 const Array<double>& centres, std::uint64_t n_scans, std::uint32_t n_steps,
                 std::uint32_t tries, std::size_t threads) {
    require(powers.size() == ladder.rungs.size() && centres.size() + 1 == powers.size(),
            "each rung has a power, and each pair a centre");
    return {vector_of(powers), vector_of(centres), n_scans, n_steps, tries, threads};
}

// Makes scans of a copy of a ladder: `scan` (ladder, one source of randomness for each rung and
// one for the swaps) calls the sampler. The new ladder; numbers of the pairs; round trips,
// independent draws; outcomes of the moves of the rung with power 1.
template <typename State, typename Scan>
auto after_scans(const Ladder<State>& before, const Seeds& seeds, const Scan& scan) {
    Ladder<State> out = before;
    std::vector<SeededRandomness> streams;
    std::vector<Randomness*> randoms;
    for (std::size_t i = 0; i <= out.rungs.size(); ++i) {
        streams.push_back(stream_of(words_of(seeds), i));
    }
    for (SeededRandomness& stream : streams) {
        randoms.push_back(&stream);
    }
    const ScanSums sums = without_lock([&] { return scan(out, randoms); });
    return tuple_of(std::move(out), to_numpy(numbers_of(sums.pairs)),
                                sums.round_trips, sums.fresh,
                                to_numpy(flat<std::uint64_t>(sums.tally)));
}

// A scan in which a script stands in for all randomness; what it took and could have taken.
template <typename State, typename Scan>
auto after_scripted_scan(const Ladder<State>& before,
                                    std::vector<std::uint32_t> script, const Scan& scan) {
    Ladder<State> out = before;
    ScriptedRandomness random(std::move(script));
    const std::vector<Randomness*> randoms(out.rungs.size() + 1, &random);
    scan(out, randoms);
    return tuple_of(std::move(out), random.taken(),
                                random.probabilities());
}

template <typename State>
void bind_ladder(nanobind::module_& m, const char* name) {
    using Of = Ladder<State>;
    nanobind::class_<Of>(m, name,
                     "States from power 0 to 1, for each the end that its proof was at last (0 neither, 1 the\n"
                     "prior, 2 the posterior), and the number of scans made; never changed.")
        .def(
            "__init__",
            [](Of* self, std::vector<State> rungs, const std::vector<int>& ends,
               std::uint64_t scans) {
                new (self) Of(ladder_of(std::move(rungs), ends, scans));
            },
            nanobind::arg("rungs"), nanobind::arg("ends"), nanobind::arg("scans"))
        .def(
            "state", [](const Of& ladder, std::size_t j) { return ladder.rungs.at(j); },
            nanobind::arg("j"))
        .def_prop_ro("n", [](const Of& ladder) { return ladder.rungs.size(); })
        .def_ro("scans", &Of::scans)
        .def_prop_ro("ends", [](const Of& ladder) {
            std::vector<int> out;
            for (const LadderEnd end : ladder.ends) {
                out.push_back(static_cast<int>(end));
            }
            return out;
        });
}

// Statistics of the leaves from left to right, one below the other.
inline std::vector<double> leaf_statistics_of(const Proof& proof, const Problem& problem) {
    const LeafModel& leaf = problem.leaf;
    std::vector<double> out;
    for (const ProofNode& node : proof.nodes) {
        if (node.n_parts() == 0) {
            out.resize(out.size() + leaf.n_statistics());
            double* const own = out.data() + out.size() - leaf.n_statistics();
            leaf.sum(proof.rows_of(node), own);
            problem.set_prior(own, node.state);
        }
    }
    return out;
}

}  // namespace slp::mcmc
