// Compiled with -ffp-contract=off (CMakeLists.txt).

#include "rjhmc/rows.hpp"

#include <cmath>

#include "rjhmc/numbers.hpp"

// Sanitizers cannot run what picks a version, as it runs before they do.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(SLP_SANITIZED)
#define SLP_ALL_WIDTHS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define SLP_ALL_WIDTHS
#endif

namespace slp::rjhmc {

namespace {

constexpr std::size_t kLanes = 8;

double total_of(const double* sums) {
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

SLP_ALL_WIDTHS
double dot(const double* __restrict a, const double* __restrict b, std::size_t n) {
    double sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (std::size_t k = 0; i < n; ++i, ++k) {
        sums[k] += a[i] * b[i];
    }
    return total_of(sums);
}

SLP_ALL_WIDTHS
void add_scaled(double weight, const double* __restrict values, std::size_t n,
                double* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) {
        out[i] += weight * values[i];
    }
}

SLP_ALL_WIDTHS
void mix(const double* __restrict weights, const double* __restrict values, std::size_t stride,
         std::size_t d, std::size_t n, double* __restrict out) {
    constexpr std::size_t kTogether = 4 * kLanes;  // their sums stay in registers
    std::size_t i = 0;
    for (; i + kTogether <= n; i += kTogether) {
        double sums[kTogether] = {};
        for (std::size_t f = 0; f < d; ++f) {
            const double* const own = values + f * stride + i;
            for (std::size_t k = 0; k < kTogether; ++k) {
                sums[k] += weights[f] * own[k];
            }
        }
        for (std::size_t k = 0; k < kTogether; ++k) {
            out[i + k] = sums[k];
        }
    }
    for (; i < n; ++i) {
        out[i] = 0.0;
        for (std::size_t f = 0; f < d; ++f) {
            out[i] += weights[f] * values[f * stride + i];
        }
    }
}

SLP_ALL_WIDTHS
void gates_of(double tau, double inverse, const double* __restrict values, std::size_t n,
              double* __restrict left, double* __restrict right) {
    for (std::size_t i = 0; i < n; ++i) {
        const double t = (tau - values[i]) * inverse;
        const double e = exp_of_minus(std::abs(t));
        const double large = 1.0 / (1.0 + e), small = e * large;
        left[i] = t >= 0 ? large : small;
        right[i] = t >= 0 ? small : large;
    }
}

SLP_ALL_WIDTHS
void part(const double* __restrict reached, const double* __restrict left,
          const double* __restrict right, std::size_t n, double* __restrict below,
          double* __restrict other) {
    for (std::size_t i = 0; i < n; ++i) {
        below[i] = reached[i] * left[i];
        other[i] = reached[i] * right[i];
    }
}

SLP_ALL_WIDTHS
double pull_back(const double* __restrict reached, const double* __restrict left,
                 const double* __restrict right, const double* __restrict low,
                 const double* __restrict high, std::size_t n, double* __restrict slope,
                 double* __restrict own) {
    for (std::size_t i = 0; i < n; ++i) {
        slope[i] = reached[i] * left[i] * right[i] * (low[i] - high[i]);
        own[i] = left[i] * low[i] + right[i] * high[i];
    }
    double sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            sums[k] += slope[i + k];
        }
    }
    for (std::size_t k = 0; i < n; ++i, ++k) {
        sums[k] += slope[i];
    }
    return total_of(sums);
}

}  // namespace slp::rjhmc
