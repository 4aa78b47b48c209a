// Scans of a ladder: non-reversible parallel tempering, for any transitions that take a power. The
// specification is slp.reference.mh.scans, which has the formulas.
//
// Transitions have `step(random, power, state)`, and `fresh(random, tries, state)`, which replaces
// a state by an independent draw at power 0. A state has `log_likelihood_of`, and `derivation_of`:
// what is swapped (the turns of the proposals belong to the rungs).

#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "log_sum.hpp"
#include "mcmc/proposals.hpp"
#include "mcmc/randomness.hpp"
#include "object_pool.hpp"
#include "threads.hpp"

namespace slp::mcmc {

// The end of the ladder that a derivation was at last.
enum class LadderEnd : std::uint8_t { none, prior, posterior };

// The states of the rungs, from power 0 to 1; the end at which each derivation was last; and the
// number of scans, which decides whether even or odd pairs swap next.
template <typename State>
struct Ladder {
    std::vector<State> rungs;
    std::vector<LadderEnd> ends;
    std::uint64_t scans = 0;
};

struct ScanPlan {
    // The powers of the N rungs; and guesses of the N - 1 log ratios of the normalisers of
    // neighbours.
    std::vector<double> powers, centres;
    std::uint64_t n_scans = 0;
    // Steps of a rung in a scan, the mean over the rungs: see `steps_of`.
    std::uint32_t n_steps = 0;
    // The most tries for an independent draw at power 0; 0: the rung makes steps too.
    std::uint32_t tries = 0;
    std::size_t threads = 1;
};

// Steps of rung j of n in a scan, `mean` in the mean, at least one if it is not 0: more at higher
// powers, where chains move less.
inline std::uint32_t steps_of(std::uint32_t mean, std::size_t j, std::size_t n) {
    const std::uint64_t own = std::uint64_t{2} * mean * (j + 1) / (n + 1);
    return std::max(static_cast<std::uint32_t>(own), std::min(mean, 1U));
}

// Sums over scans, for each pair of neighbours. With u = L^(difference of the powers) and the guess
// c: rejection probabilities; log of the sums of u below and of 1/u above; sums of u / (u + e^c)
// below and of e^c / (u + e^c) above; swaps tried and accepted.
struct PairSums {
    double rejections = 0.0;
    double log_up, log_down;
    double bridge_up = 0.0, bridge_down = 0.0;
    double tried = 0.0, swapped = 0.0;
    static constexpr std::size_t kNumbers = 7;
};

struct ScanSums {
    std::vector<PairSums> pairs;
    std::uint64_t round_trips = 0;
    // Independent draws at power 0.
    std::uint64_t fresh = 0;
    // Moves of the rung with power 1.
    Tally tally;
};

inline double logistic(double x) {
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

// Counts a pair whose lower and upper rung have these log likelihoods, `step` apart in power;
// returns the log of the ratio of its swap.
inline double count_pair(PairSums& sums, double step, double centre, double low, double high) {
    const double ratio = low == high ? 0.0 : step * (low - high);
    sums.rejections += 1 - std::exp(std::min(0.0, ratio));
    sums.log_up = log_sum(sums.log_up, step * low);
    sums.log_down = log_sum(sums.log_down, -step * high);
    sums.bridge_up += logistic(step * low - centre);
    sums.bridge_down += logistic(centre - step * high);
    return ratio;
}

// After a swap: a derivation that comes from the posterior to the prior ends a round trip.
inline std::uint64_t mark_ends(std::span<LadderEnd> ends) {
    const bool round = ends.front() == LadderEnd::posterior;
    ends.front() = LadderEnd::prior;
    if (ends.back() == LadderEnd::prior) {
        ends.back() = LadderEnd::posterior;
    }
    return round ? 1 : 0;
}

// Sums before the first scan.
inline ScanSums no_scans(std::size_t n_rungs, std::size_t n_proposals) {
    ScanSums out;
    out.pairs.assign(n_rungs - 1, PairSums{.log_up = -HUGE_VAL, .log_down = -HUGE_VAL});
    out.tally.assign(n_proposals, {});
    return out;
}

// The end of a scan, after the steps of its rungs: each pair is counted, and every second one tries
// a swap.
template <typename State>
void swap_rungs(Ladder<State>& ladder, const ScanPlan& plan, Randomness& random, ScanSums& out) {
    std::vector<double> fits;
    for (const State& state : ladder.rungs) {
        fits.push_back(log_likelihood_of(state));
    }
    for (std::size_t j = 0; j + 1 < fits.size(); ++j) {
        const double step = plan.powers[j + 1] - plan.powers[j];
        const double ratio =
            count_pair(out.pairs[j], step, plan.centres[j], fits[j], fits[j + 1]);
        if (j % 2 == ladder.scans % 2) {
            out.pairs[j].tried += 1;
            if (accepts(random, ratio)) {
                out.pairs[j].swapped += 1;
                std::swap(derivation_of(ladder.rungs[j]), derivation_of(ladder.rungs[j + 1]));
                std::swap(ladder.ends[j], ladder.ends[j + 1]);
            }
        }
    }
    ++ladder.scans;
    out.round_trips += mark_ends(ladder.ends);
}

// The resources of some scans: a pool of transitions, prepared before each use.
template <typename Transitions, typename State, typename Prepare>
class Scans {
public:
    Scans(ObjectPool<Transitions>& pool, const Prepare& prepare, const ScanPlan& plan,
          Ladder<State>& ladder, ScanSums& sums)
        : pool_(pool), prepare_(prepare), plan_(plan), ladder_(ladder), sums_(sums) {}

    // Rung i draws from `randoms[i]`, swaps from the last one, so draws do not depend on the
    // number of threads.
    void run(std::span<Randomness* const> randoms) {
        for (std::uint64_t i = 0; i < plan_.n_scans; ++i) {
            next_ = 0;
            run_threads(plan_.threads, [&](std::size_t) { move_rungs(randoms); });
            if (fault_) {
                std::rethrow_exception(fault_);
            }
            swap_rungs(ladder_, plan_, *randoms.back(), sums_);
        }
    }

private:
    // Moves rungs until all have moved. The first error ends the work of all threads.
    void move_rungs(std::span<Randomness* const> randoms) {
        try {
            pool_.lend([&](Transitions& transitions) {
                prepare_(transitions);
                for (std::size_t j; (j = next_++) < ladder_.rungs.size();) {
                    move(transitions, *randoms[j], j);
                }
                return true;
            });
        } catch (...) {
            next_ = ladder_.rungs.size();
            const std::lock_guard lock(mutex_);
            fault_ = std::current_exception();
        }
    }

    void move(Transitions& transitions, Randomness& random, std::size_t j) {
        State& state = ladder_.rungs[j];
        if (j == 0 && plan_.tries > 0) {
            sums_.fresh += transitions.fresh(random, plan_.tries, state) ? 1 : 0;
            return;
        }
        const std::uint32_t n = steps_of(plan_.n_steps, j, ladder_.rungs.size());
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto [proposal, outcome] = transitions.step(random, plan_.powers[j], state);
            if (j + 1 == ladder_.rungs.size()) {
                ++sums_.tally[proposal][static_cast<std::size_t>(outcome)];
            }
        }
    }

    ObjectPool<Transitions>& pool_;
    const Prepare& prepare_;
    const ScanPlan& plan_;
    Ladder<State>& ladder_;
    ScanSums& sums_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::exception_ptr fault_;
};

}  // namespace slp::mcmc
