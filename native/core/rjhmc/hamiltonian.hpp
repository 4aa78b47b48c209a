// Hamiltonian Monte Carlo with a diagonal metric: the multinomial No-U-Turn sampler, and plain
// trajectories.
//
// Hoffman & Gelman (2014); Betancourt (2017), A Conceptual Introduction to Hamiltonian Monte Carlo,
// A.3 (multinomial sampling, biased between doublings) and A.4.2 (the generalised criterion, tested
// across neighbouring subtrees as Stan does). With a fixed step size and metric both leave the
// target invariant, and are reversible: what is drawn from a doubling has probability
// min(1 / weight of the new half, 1 / weight of the old) times the weights of both ends.
//
// A target is called as target(q, gradient), spans of the same length, and returns the log density.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "log_sum.hpp"
#include "mcmc/randomness.hpp"
#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

using Random = mcmc::SeededRandomness;
using Vector = std::vector<double>;

// A uniform number that is never 0.
inline double open_uniform(Random& random) { return random.uniform() + 0x1p-54; }

// Accepts a move with the probability min(1, exp(log_ratio)); one number is drawn in any case.
inline bool accepts(Random& random, double log_ratio) {
    return std::log(open_uniform(random)) < log_ratio;
}

// What a transition did.
struct Moved {
    // Mean over the trajectory of min(1, exp(H at its begin - H)): what the step size is tuned by.
    double acceptance = 0.0;
    std::uint64_t steps = 0;
    bool divergent = false;
};

// A position with its gradient and log density.
struct Position {
    Vector q, gradient;
    double log_density = 0.0;
};

class Hamiltonian {
public:
    // The energy error from which a trajectory counts as divergent, and the most doublings.
    static constexpr double kDivergent = 1000.0;
    static constexpr int kMostDoublings = 8;

    // One transition of the No-U-Turn sampler. `variance` is the inverse metric, one number for
    // each coordinate. `at` has its gradient and log density, before and after.
    template <typename Target>
    Moved no_u_turn(Position& at, double step, std::span<const double> variance, Random& random,
                    const Target& target) {
        begin(at, step, variance, random);
        TrajectoryEnd& back = sides_[0];
        TrajectoryEnd& front = sides_[1];
        back.z = front.z = z_;
        back.p = front.p = p_;
        sharp_into(p_, back.sharp);
        front.sharp = back.sharp;
        rho_ = p_;
        double log_weight = 0.0;
        for (int depth = 0; depth < kMostDoublings; ++depth) {
            const bool forward = random.happens(0.5);
            TrajectoryEnd& side = forward ? front : back;
            const TrajectoryEnd& other = forward ? back : front;
            z_ = side.z;
            p_ = side.p;
            sign_ = forward ? 1.0 : -1.0;
            Subtrajectory& grown = whole_;
            double log_new = kNever;
            if (!grow(depth, grown, log_new, random, target)) {
                break;
            }
            if (log_new > log_weight || random.uniform() < std::exp(log_new - log_weight)) {
                std::swap(at, grown.proposed);
            }
            log_weight = log_sum(log_weight, log_new);
            old_rho_ = rho_;
            add(rho_, grown.rho);
            // The old trajectory goes from other's end to side's; the new part begins next to it.
            end_p_ = side.p;
            end_sharp_ = side.sharp;
            side.z = z_;
            side.p = p_;
            side.sharp = grown.sharp_end;
            bool goes_on = keeps_on(other.sharp, side.sharp, rho_);
            sum_ = old_rho_;
            add(sum_, grown.p_begin);
            goes_on = goes_on && keeps_on(other.sharp, grown.sharp_begin, sum_);
            sum_ = grown.rho;
            add(sum_, end_p_);
            goes_on = goes_on && keeps_on(end_sharp_, side.sharp, sum_);
            if (!goes_on) {
                break;
            }
        }
        if (moved_.steps > 0) {
            moved_.acceptance /= static_cast<double>(moved_.steps);
        }
        return moved_;
    }

    // A trajectory of `n` steps, accepted as a whole or not.
    template <typename Target>
    Moved plain(Position& at, double step, std::span<const double> variance, int n, Random& random,
                const Target& target) {
        begin(at, step, variance, random);
        sign_ = 1.0;
        for (int i = 0; i < n && !moved_.divergent; ++i) {
            moved_.divergent = !(leap(target) - energy_ < kDivergent);
        }
        const double change = energy_ - energy();
        moved_.acceptance = moved_.divergent ? 0.0 : std::min(1.0, std::exp(change));
        if (!moved_.divergent && random.uniform() < moved_.acceptance) {
            at = z_;
        }
        return moved_;
    }

    // A step size to begin with: doubled or halved from 1 until the acceptance of one step crosses
    // 0.8 (Stan's `init_stepsize`).
    template <typename Target>
    double first_step(const Position& at, std::span<const double> variance, Random& random,
                      const Target& target) {
        double step = 1.0;
        int doubles = 0;
        for (int tries = 0; tries < 50; ++tries) {
            begin(at, step, variance, random);
            sign_ = 1.0;
            const int next = energy_ - leap(target) > std::log(0.8) ? 1 : -1;
            if (doubles != 0 && next != doubles) {
                break;
            }
            doubles = next;
            step *= doubles > 0 ? 2.0 : 0.5;
        }
        return step;
    }

private:
    // An end of the trajectory.
    struct TrajectoryEnd {
        Position z;
        Vector p, sharp;
    };
    // A subtree: the sum of its momenta, its ends in the order of time of its growth, and the
    // position drawn from it.
    struct Subtrajectory {
        Vector rho, p_begin, sharp_begin, p_end, sharp_end;
        Position proposed;
    };

    void begin(const Position& at, double step, std::span<const double> variance, Random& random) {
        variance_ = variance;
        step_ = step;
        moved_ = {};
        z_ = at;
        p_.resize(at.q.size());
        for (std::size_t i = 0; i < p_.size(); ++i) {
            p_[i] = random.normal() / std::sqrt(variance[i]);
        }
        energy_ = energy();
    }

    double energy() const {
        double kinetic = 0;
        for (std::size_t i = 0; i < p_.size(); ++i) {
            kinetic += p_[i] * p_[i] * variance_[i];
        }
        const double out = 0.5 * kinetic - z_.log_density;
        return std::isnan(out) ? std::numeric_limits<double>::infinity() : out;
    }

    // One step of the leapfrog; the energy after it.
    template <typename Target>
    double leap(const Target& target) {
        const double step = sign_ * step_;
        for (std::size_t i = 0; i < p_.size(); ++i) {
            p_[i] += 0.5 * step * z_.gradient[i];
            z_.q[i] += step * variance_[i] * p_[i];
        }
        z_.log_density = target(std::span<const double>(z_.q), std::span<double>(z_.gradient));
        for (std::size_t i = 0; i < p_.size(); ++i) {
            p_[i] += 0.5 * step * z_.gradient[i];
        }
        ++moved_.steps;
        return energy();
    }

    void sharp_into(const Vector& p, Vector& out) const {
        out.resize(p.size());
        for (std::size_t i = 0; i < p.size(); ++i) {
            out[i] = variance_[i] * p[i];
        }
    }
    static void add(Vector& to, const Vector& what) {
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] += what[i];
        }
    }
    static double dot(const Vector& a, const Vector& b) {
        double out = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            out += a[i] * b[i];
        }
        return out;
    }
    // Whether both ends still move along the whole (the sign of time cancels: both products turn).
    bool keeps_on(const Vector& a, const Vector& b, const Vector& rho) const {
        return dot(a, rho) > 0 && dot(b, rho) > 0;
    }
    // A subtree of 2^depth steps from (z_, p_) on; whether it is whole: no divergence, no turn.
    template <typename Target>
    bool grow(int depth, Subtrajectory& out, double& log_weight, Random& random,
              const Target& target) {
        if (depth == 0) {
            const double change = energy_ - leap(target);
            moved_.acceptance += change > 0 ? 1.0 : std::exp(change);
            log_weight = change;
            out.proposed = z_;
            out.rho = out.p_begin = out.p_end = p_;
            sharp_into(p_, out.sharp_begin);
            out.sharp_end = out.sharp_begin;
            moved_.divergent = moved_.divergent || !(-change < kDivergent);
            return -change < kDivergent;
        }
        // Both halves have places of their own at this depth; `out` is a place of the depth above.
        Subtrajectory& early = halves_[static_cast<std::size_t>(2 * depth)];
        Subtrajectory& late = halves_[static_cast<std::size_t>(2 * depth + 1)];
        double log_early = kNever, log_late = kNever;
        if (!grow(depth - 1, early, log_early, random, target) ||
            !grow(depth - 1, late, log_late, random, target)) {
            return false;
        }
        log_weight = log_sum(log_early, log_late);
        const bool takes_late = random.uniform() < std::exp(log_late - log_weight);
        out.proposed = takes_late ? late.proposed : early.proposed;
        out.rho = early.rho;
        add(out.rho, late.rho);
        out.p_begin = early.p_begin;
        out.sharp_begin = early.sharp_begin;
        out.p_end = late.p_end;
        out.sharp_end = late.sharp_end;
        if (!keeps_on(out.sharp_begin, out.sharp_end, out.rho)) {
            return false;
        }
        sum_ = early.rho;
        add(sum_, late.p_begin);
        if (!keeps_on(early.sharp_begin, late.sharp_begin, sum_)) {
            return false;
        }
        sum_ = late.rho;
        add(sum_, early.p_end);
        return keeps_on(early.sharp_end, late.sharp_end, sum_);
    }

    std::span<const double> variance_;
    double step_ = 0.0, sign_ = 1.0, energy_ = 0.0;
    Moved moved_;
    Position z_;
    Vector p_, rho_, old_rho_, sum_, end_p_, end_sharp_;
    TrajectoryEnd sides_[2];
    Subtrajectory whole_, halves_[2 * (kMostDoublings + 1)];
};

}  // namespace slp::rjhmc
