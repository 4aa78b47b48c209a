// What leaf models check, and what those of rates compute.

#pragma once

#include <cmath>
#include <stdexcept>


namespace slp::leaves {

inline bool is_whole_number(double x) { return std::abs(x) < 0x1p53 && x == std::floor(x); }

inline void require_numbers(bool right) {
    if (!right) {
        throw std::invalid_argument("a leaf model has its hyperparameters and statistics");
    }
}

// Log of the largest value of rate^events exp(-rate * exposure) over rates.
inline double log_best_rate(double events, double exposure) {
    return events > 0 ? events * std::log(events / exposure) - events : 0.0;
}

inline double rate_of(double events, double time) { return time > 0 ? events / time : INFINITY; }

}  // namespace slp::leaves
