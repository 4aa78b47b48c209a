// Sums and products of numbers that are given by their logs; -inf is the log of 0.

#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace slp {

// Log of the sum of two numbers.
inline double log_sum(double x, double y) {
    const double top = std::max(x, y);
    return std::isinf(top) ? top : top + std::log1p(std::exp(std::min(x, y) - top));
}

// Log of the sum of any number of them; -inf for none.
inline double log_sum(std::span<const double> logs) {
    const double top = logs.empty() ? -INFINITY : *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double x : logs) {
        sum += top > -INFINITY ? std::exp(x - top) : 0.0;
    }
    return logs.size() == 1 || sum == 0.0 ? top : top + std::log(sum);
}

// Log of the product of two numbers, in which 0 (no derivation) wins over infinity (no bound).
inline double log_product(double x, double y) {
    return x == -INFINITY || y == -INFINITY ? -INFINITY : x + y;
}

}  // namespace slp
