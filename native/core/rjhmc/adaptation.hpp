// What warm-up learns a step size and a metric by.

#pragma once

#include <cmath>

namespace slp::rjhmc {

// Dual averaging of the log step size (Hoffman & Gelman 2014, section 3.2.1, with Stan's gamma
// 0.05, t0 10, kappa 0.75).
struct StepSize {
    double log_step = 0.0, averaged = 0.0, centre = 0.0, error = 0.0;
    double count = 0.0;

    void restart(double step) {
        log_step = averaged = std::log(step);
        centre = std::log(10.0 * step);
        error = count = 0.0;
    }
    void learn(double acceptance, double wanted) {
        count += 1.0;
        error += (wanted - acceptance - error) / (count + 10.0);
        log_step = centre - error * std::sqrt(count) / 0.05;
        const double weight = std::pow(count, -0.75);
        averaged = weight * log_step + (1.0 - weight) * averaged;
    }
};

// Running mean and variance (Welford 1962).
struct Spread {
    double count = 0.0, mean = 0.0, squares = 0.0;

    void learn(double x) {
        count += 1.0;
        const double apart = x - mean;
        mean += apart / count;
        squares += apart * (x - mean);
    }
    // Stan's estimate, drawn a little towards 0.001.
    double variance() const {
        const double own = count > 1 ? squares / (count - 1.0) : 1.0;
        return (count * own + 5.0 * 1e-3) / (count + 5.0);
    }
};

}  // namespace slp::rjhmc
