// Draws of numbers that backfitting needs beside the normal ones.

#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mcmc/randomness.hpp"

namespace slp::additive {

using mcmc::SeededRandomness;

// Uniform on (0, 1].
inline double above_zero(SeededRandomness& random) { return 1.0 - random.uniform(); }

// Gamma(shape, 1), by Marsaglia & Tsang (2000), A simple method for generating gamma variables.
inline double gamma(SeededRandomness& random, double shape) {
    if (shape < 1.0) {
        const double root = std::pow(above_zero(random), 1.0 / shape);
        return root * gamma(random, shape + 1.0);
    }
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
        const double x = random.normal(), root = 1.0 + c * x;
        if (root <= 0.0) {
            continue;
        }
        const double v = root * root * root;
        if (std::log(above_zero(random)) < x * x / 2 + d - d * v + d * std::log(v)) {
            return d * v;
        }
    }
}

// Standard normal between two numbers, low < high, either of which may be infinite: Robert (1995),
// Simulation of truncated normal variables.
inline double normal_between(SeededRandomness& random, double low, double high) {
    if (high <= 0.0) {
        return -normal_between(random, -high, -low);
    }
    if (low <= 0.0) {
        if (high - low > std::sqrt(2.0 * std::numbers::pi)) {
            while (true) {
                const double x = random.normal();
                if (x >= low && x <= high) {
                    return x;
                }
            }
        }
        while (true) {
            const double x = low + (high - low) * random.uniform();
            if (above_zero(random) <= std::exp(-x * x / 2)) {
                return x;
            }
        }
    }
    const double rate = (low + std::sqrt(low * low + 4.0)) / 2;
    if ((high - low) * rate < 1.0) {
        while (true) {
            const double x = low + (high - low) * random.uniform();
            if (above_zero(random) <= std::exp((low - x) * (low + x) / 2)) {
                return x;
            }
        }
    }
    while (true) {
        const double x = low - std::log(above_zero(random)) / rate;
        if (x <= high && above_zero(random) <= std::exp(-(x - rate) * (x - rate) / 2)) {
            return x;
        }
    }
}

// Normal(mean, sd^2) between two numbers, low <= high.
inline double normal_between(SeededRandomness& random, double mean, double sd, double low,
                             double high) {
    const double a = (low - mean) / sd, b = (high - mean) / sd;
    const double x = a < b ? normal_between(random, a, b) : a;
    return std::clamp(mean + sd * x, low, high);
}

}  // namespace slp::additive
