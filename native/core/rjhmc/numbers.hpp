// Elementary functions of soft trees: quick, and accurate where gates are saturated.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace slp::rjhmc {

constexpr double kLogTwoPi = 1.83787706640934548356;

// exp(-a) for a >= 0, without branches, so that loops over it are vectorised: 2^k times the Taylor
// series on |r| <= log(2) / 2, where -a = k log 2 + r. Relative error below 1e-15; the result is
// held at exp(-700) where a is larger.
inline double exp_of_minus(double a) {
    constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole numbers
    const double y = -(a < 700.0 ? a : 700.0);
    const double shifted = y * 1.4426950408889634 + kMagic;
    const double k = shifted - kMagic;
    const double r = (y - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + exponent);
}

// A number of (0, 1) with what is left to 1, both accurate where one of them is tiny.
struct Share {
    double it, rest;
};

// logistic(t).
inline Share logistic(double t) {
    const double e = exp_of_minus(std::abs(t));
    const double large = 1.0 / (1.0 + e), small = e * large;
    return t >= 0 ? Share{large, small} : Share{small, large};
}

// The inverse of logistic.
inline double logit(double x) { return std::log(x) - std::log1p(-x); }

// log(logistic(t)), also where logistic(t) underflows.
inline double log_logistic(double t) {
    return t >= 0 ? -std::log1p(std::exp(-t)) : t - std::log1p(std::exp(t));
}

// log Gamma(x) and its derivative, for x > 0: the recurrence up to 10, then Stirling's series
// (Abramowitz & Stegun 6.1.41 and 6.3.18). std::lgamma writes a global variable.
inline double log_gamma(double x) {
    double product = 1.0, shift = 0.0;
    while (x < 10.0) {
        product *= x;
        x += 1.0;
        if (product > 1e200 || product < 1e-200) {
            shift += std::log(product);
            product = 1.0;
        }
    }
    const double s = 1.0 / (x * x);
    const double series =
        (1.0 / 12 -
         s * (1.0 / 360 -
              s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * (691.0 / 360360)))))) /
        x;
    return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 + series - shift -
           std::log(product);
}

inline double digamma(double x) {
    double below = 0.0;
    while (x < 10.0) {
        below += 1.0 / x;
        x += 1.0;
    }
    const double s = 1.0 / (x * x);
    const double series =
        s * (1.0 / 12 -
             s * (1.0 / 120 -
                  s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760))))));
    return std::log(x) - 0.5 / x - series - below;
}

}  // namespace slp::rjhmc
