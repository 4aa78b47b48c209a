// Elementary functions of soft trees: quick, and accurate where gates are saturated.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// A function with this attribute is compiled for several vector widths, of which the processor's
// widest runs; `default` is for processors that cannot fuse a product with a sum. Sanitizers cannot
// run what picks a version, as it runs before they do.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(SLP_SANITIZED)
#if __GNUC__ >= 12
#define SLP_ALL_WIDTHS __attribute__((target_clones("default", "arch=x86-64-v3", "avx512f")))
#else
#define SLP_ALL_WIDTHS __attribute__((target_clones("default", "fma", "avx512f")))
#endif
#endif

namespace slp::rjhmc {

constexpr double kLogTwoPi = 1.83787706640934548356;
// The log of 0.
constexpr double kNever = -std::numeric_limits<double>::infinity();

// a * b + c. Where functions are compiled for several widths, it is rounded once, so that all
// processors give the same bits. Most do it in one step; the few others take a slow function of the
// library. Where functions are compiled for one processor without this step, it is rounded twice.
inline double multiply_add(double a, double b, double c) {
#if defined(SLP_ALL_WIDTHS) || defined(FP_FAST_FMA)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}

// exp(x), without branches, so that loops over it are vectorised: 2^k times a polynomial of
// |r| <= log(2) / 2, where x = k log 2 + r. The polynomial is 1 + r + r^2 p(r), and p interpolates
// at the Chebyshev points. Relative error below 1e-15; x is held between -700 and 700.
inline double exp_of(double x) {
    constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole numbers
    const double low = x < -700.0 ? -700.0 : x, y = low > 700.0 ? 700.0 : low;
    const double shifted = multiply_add(y, 1.4426950408889634, kMagic);
    const double k = shifted - kMagic;
    const double near = multiply_add(k, -0x1.62e42fee00000p-1, y);
    const double r = multiply_add(k, -0x1.a39ef35793c76p-33, near);
    double p = 0x1.af38a9b0ec855p-26;
    p = multiply_add(p, r, 0x1.289185613a3d6p-22);
    p = multiply_add(p, r, 0x1.71de0dae63bb3p-19);
    p = multiply_add(p, r, 0x1.a019b90d2ae7ap-16);
    p = multiply_add(p, r, 0x1.a01a01a7c41d5p-13);
    p = multiply_add(p, r, 0x1.6c16c1788bd90p-10);
    p = multiply_add(p, r, 0x1.11111111109b3p-7);
    p = multiply_add(p, r, 0x1.5555555553d63p-5);
    p = multiply_add(p, r, 0x1.5555555555556p-3);
    p = multiply_add(p, r, 0x1.0000000000001p-1);
    p = multiply_add(p, r, 1.0);
    p = multiply_add(p, r, 1.0);
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + exponent);
}

// A number of (0, 1) with what is left to 1, both accurate where one of them is tiny.
struct Proportion {
    double it, rest;
};

// logistic(t).
inline Proportion logistic(double t) {
    const double e = exp_of(-t), it = 1.0 / (1.0 + e);
    return {it, e * it};
}

// The inverse of logistic.
inline double logit(double x) { return std::log(x) - std::log1p(-x); }

// The log of a product of numbers of [1/2, 1], by few logarithms.
class LogProduct {
public:
    void times(double x) {
        product_ *= x;
        if (product_ < 1e-200) {
            sum_ += std::log(product_);
            product_ = 1.0;
        }
    }
    double log() const { return sum_ + std::log(product_); }

private:
    double sum_ = 0.0, product_ = 1.0;
};

// log(logistic(t)), also where logistic(t) underflows.
inline double log_logistic(double t) {
    return t >= 0 ? -std::log1p(std::exp(-t)) : t - std::log1p(std::exp(t));
}

// log(x) for x > 0 that is no subnormal number, without branches: 2^k times a number of
// [sqrt(1/2), sqrt(2)), whose log is 2 artanh(s). Relative error below 1e-15.
inline double log_of(double x) {
    constexpr std::uint64_t kOne = 0x3ff0000000000000, kRootOfHalf = 0x3fe6a09e667f3bcd;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = (bits + (kOne - kRootOfHalf)) >> 52;  // k + 1023
    const double y = std::bit_cast<double>(bits + kOne - (exponent << 52));
    // The number with this exponent's bits below 2^52 is 2^52 + exponent.
    const double k =
        std::bit_cast<double>(exponent | 0x4330000000000000) - (0x1p52 + 1023.0);
    const double s = (y - 1.0) / (y + 1.0), square = s * s;
    double p = 1.0 / 21;
    p = multiply_add(p, square, 1.0 / 19);
    p = multiply_add(p, square, 1.0 / 17);
    p = multiply_add(p, square, 1.0 / 15);
    p = multiply_add(p, square, 1.0 / 13);
    p = multiply_add(p, square, 1.0 / 11);
    p = multiply_add(p, square, 1.0 / 9);
    p = multiply_add(p, square, 1.0 / 7);
    p = multiply_add(p, square, 1.0 / 5);
    p = multiply_add(p, square, 1.0 / 3);
    const double low = k * 0x1.a39ef35793c76p-33 + 2.0 * s * (square * p);
    return k * 0x1.62e42fee00000p-1 + (2.0 * s + low);
}

// log Gamma(x) and its derivative.
struct LogGamma {
    double it, slope;
};

// For x > 0, without branches: the recurrence by ten below 10, then Stirling's series (Abramowitz &
// Stegun 6.1.41 and 6.3.18). std::lgamma writes a global variable.
inline LogGamma log_gamma_of(double x) {
    double product = x, by_x = 1.0;  // x (x + 1) ... (x + 9), and its derivative
    for (int i = 1; i < 10; ++i) {
        const double next = x + i;
        by_x = multiply_add(by_x, next, product);
        product *= next;
    }
    const bool rises = x < 10.0;
    product = rises ? product : 1.0;
    by_x = rises ? by_x : 0.0;
    const double z = rises ? x + 10.0 : x;
    const double inverse = 1.0 / z, s = inverse * inverse, log_z = log_of(z);
    const double series =
        1.0 / 12 -
        s * (1.0 / 360 -
             s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * (691.0 / 360360)))));
    const double slopes =
        1.0 / 12 -
        s * (1.0 / 120 -
             s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760)))));
    return {(z - 0.5) * log_z - z + 0.91893853320467274178 + series * inverse - log_of(product),
            log_z - 0.5 * inverse - s * slopes - by_x / product};
}

}  // namespace slp::rjhmc
