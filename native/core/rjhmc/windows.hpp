// Step size and diagonal metric of one topology, learned in warm-up as Stan documents it
// (Reference Manual, HMC algorithm parameters, automatic parameter tuning): the step size alone at
// the begin and at the end, in between windows that double, at the end of each the metric is set to
// the variances in it.

#pragma once

#include <cstddef>
#include <vector>

#include "rjhmc/adaptation.hpp"
#include "rjhmc/hamiltonian.hpp"

namespace slp::rjhmc {

struct Windows {
    // Transitions in all, before the first window, behind the last one, and of the first one.
    static constexpr int kLength = 500, kBefore = 75, kBehind = 50, kFirst = 25;
    static constexpr double kWanted = 0.8;

    Vector variance;
    StepSize step;

    // Begins with this many parameters; a step size is to be found.
    void begin(std::size_t dimension) {
        variance.assign(dimension, 1.0);
        spreads_.assign(dimension, {});
        width_ = kFirst;
        end_ = kBefore + kFirst;
    }

    // After transition i, from 0; true where the metric changed, and a step size is to be found.
    bool learn(int i, const Moved& moved, const Position& at) {
        step.learn(moved.acceptance, kWanted);
        if (i < kBefore || i >= kLength - kBehind) {
            return false;
        }
        for (std::size_t k = 0; k < spreads_.size(); ++k) {
            spreads_[k].learn(at.q[k]);
        }
        if (i + 1 < end_) {
            return false;
        }
        for (std::size_t k = 0; k < spreads_.size(); ++k) {
            variance[k] = spreads_[k].variance();
            spreads_[k] = {};
        }
        width_ *= 2;
        end_ += width_;
        // What is left behind a window, and is too short for the next, belongs to it.
        if (end_ + 2 * width_ > kLength - kBehind) {
            end_ = kLength - kBehind;
        }
        return true;
    }

private:
    std::vector<Spread> spreads_;
    int width_ = kFirst, end_ = kBefore + kFirst;
};

}  // namespace slp::rjhmc
