// Step size and metric of HMC as functions of the size of a topology: learned in warm-up, then
// fixed, so that HMC at a topology is reversible.
//
// The inverse metric has one number for each kind of parameter (tau, sticks, mu, log sigma^2, log
// h) and
// size: 1 over the mean square of the gradient, which of a normal density is its variance. It does
// not depend on where a parameter is, which differs between nodes and trees. It is set at the ends
// of windows of 25, 50, 100, ... steps, and step sizes are then learned anew.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rjhmc/adaptation.hpp"
#include "rjhmc/hamiltonian.hpp"
#include "rjhmc/model.hpp"

namespace slp::rjhmc {

struct Tuning {
    static constexpr std::size_t kSizes = 32, kKinds = 5;
    // Transitions after which the step size of a topology's size is taken as known.
    static constexpr double kEnough = 10.0;
    static constexpr double kWanted = 0.8, kFirstStep = 0.1;

    // By number of inner nodes; larger topologies share the last place.
    std::array<StepSize, kSizes> steps{};
    std::array<std::array<double, kKinds>, kSizes> squares{}, counts{}, variance{};
    // Warm-up steps made; where the window ends.
    std::uint64_t made = 0, window_end = 25;

    Tuning() { restart(); }

    static std::size_t place(std::size_t m) { return std::min(m, kSizes - 1); }

    // The kind of a coordinate.
    static std::size_t kind(const Data& data, std::size_t m, std::size_t i) {
        if (i < m) {
            return 0;
        }
        if (i < m * (1 + data.n_sticks())) {
            return 1;
        }
        if (data.free_h() && i + 1 == data.dimension(m)) {
            return 4;
        }
        return i < m * (2 + data.n_sticks()) + 1 ? 2 : 3;
    }

    void metric(const Data& data, std::size_t m, Vector& out) const {
        out.resize(data.dimension(m));
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double own = variance[place(m)][kind(data, m, i)];
            out[i] = own > 0 ? own : 1.0;
        }
    }

    // The step size at a topology: that being learned, or the one fixed; of a size that is hardly
    // known, that of the nearest size which is known.
    double step(std::size_t m, bool warm_up) const {
        const StepSize& own = steps[place(m)];
        if (warm_up && own.count > 0) {
            return std::exp(own.log_step);
        }
        for (std::size_t apart = 0; apart < kSizes; ++apart) {
            for (const std::size_t at : {place(m) - std::min(apart, place(m)), place(m) + apart}) {
                if (at < kSizes && steps[at].count >= kEnough) {
                    return std::exp(steps[at].averaged);
                }
            }
        }
        return kFirstStep;
    }

    void learn(const Data& data, std::size_t m, const Moved& moved, const Position& at) {
        steps[place(m)].learn(moved.acceptance, kWanted);
        for (std::size_t i = 0; i < at.gradient.size(); ++i) {
            const std::size_t k = kind(data, m, i);
            squares[place(m)][k] += at.gradient[i] * at.gradient[i];
            counts[place(m)][k] += 1.0;
        }
    }

    // After a step of warm-up.
    void count_step() {
        if (++made < window_end) {
            return;
        }
        window_end = 2 * made;
        std::array<double, kKinds> all_squares{}, all_counts{};
        for (std::size_t s = 0; s < kSizes; ++s) {
            for (std::size_t k = 0; k < kKinds; ++k) {
                all_squares[k] += squares[s][k];
                all_counts[k] += counts[s][k];
            }
        }
        for (std::size_t s = 0; s < kSizes; ++s) {
            for (std::size_t k = 0; k < kKinds; ++k) {
                // Little is drawn towards the mean over all sizes.
                const double mean = all_counts[k] > 0 ? all_squares[k] / all_counts[k] : 1.0;
                const double own = (squares[s][k] + 5.0 * mean) / (counts[s][k] + 5.0);
                variance[s][k] = 1.0 / std::max(own, 1e-6);
                squares[s][k] = counts[s][k] = 0.0;
            }
        }
        restart();
    }

private:
    void restart() {
        for (StepSize& own : steps) {
            own.restart(kFirstStep);
        }
    }
};

}  // namespace slp::rjhmc
