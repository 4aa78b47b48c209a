// Compiled with -ffp-contract=off (CMakeLists.txt).

#include "rjhmc/rows.hpp"

#include <algorithm>

#ifndef SLP_ALL_WIDTHS
#define SLP_ALL_WIDTHS
#endif

namespace slp::rjhmc {

namespace {

constexpr std::size_t kLanes = 8;

double total_of(const double* sums) {
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

SLP_ALL_WIDTHS
double dot(const double* __restrict a, const double* __restrict b, std::size_t n) {
    double sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            sums[k] = multiply_add(a[i + k], b[i + k], sums[k]);
        }
    }
    double last[kLanes];  // a copy: an index that varies would keep `sums` in memory
    std::copy_n(sums, kLanes, last);
    for (std::size_t k = 0; i < n; ++i, ++k) {
        last[k] = multiply_add(a[i], b[i], last[k]);
    }
    return total_of(last);
}

SLP_ALL_WIDTHS
void add_dots(double weight, const double* __restrict a, const double* __restrict values,
              std::size_t stride, std::size_t d, std::size_t n, double* __restrict out) {
    constexpr std::size_t kTogether = 4;  // one alone waits for its own sums
    std::size_t f = 0;
    for (; f + kTogether <= d; f += kTogether) {
        const double* const own = values + f * stride;
        double sums[kTogether * kLanes] = {};
        std::size_t i = 0;
        for (; i + kLanes <= n; i += kLanes) {
            for (std::size_t g = 0; g < kTogether; ++g) {
                for (std::size_t k = 0; k < kLanes; ++k) {
                    double& sum = sums[g * kLanes + k];
                    sum = multiply_add(a[i + k], own[g * stride + i + k], sum);
                }
            }
        }
        double last[kTogether * kLanes];
        std::copy_n(sums, kTogether * kLanes, last);
        for (std::size_t k = 0; i < n; ++i, ++k) {
            for (std::size_t g = 0; g < kTogether; ++g) {
                double& sum = last[g * kLanes + k];
                sum = multiply_add(a[i], own[g * stride + i], sum);
            }
        }
        for (std::size_t g = 0; g < kTogether; ++g) {
            out[f + g] += weight * total_of(last + g * kLanes);
        }
    }
    for (; f < d; ++f) {
        out[f] += weight * dot(a, values + f * stride, n);
    }
}

SLP_ALL_WIDTHS
void add_scaled(double weight, const double* __restrict values, std::size_t n,
                double* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = multiply_add(weight, values[i], out[i]);
    }
}

SLP_ALL_WIDTHS
void scale(double weight, const double* __restrict values, std::size_t n,
           double* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = weight * values[i];
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
                sums[k] = multiply_add(weights[f], own[k], sums[k]);
            }
        }
        for (std::size_t k = 0; k < kTogether; ++k) {
            out[i + k] = sums[k];
        }
    }
    for (; i < n; ++i) {
        out[i] = 0.0;
        for (std::size_t f = 0; f < d; ++f) {
            out[i] = multiply_add(weights[f], values[f * stride + i], out[i]);
        }
    }
}

SLP_ALL_WIDTHS
void gates_of(double tau, double inverse, const double* __restrict values, std::size_t n,
              double* __restrict left, double* __restrict right) {
    for (std::size_t i = 0; i < n; ++i) {
        const Proportion own = logistic((tau - values[i]) * inverse);
        left[i] = own.it;
        right[i] = own.rest;
    }
}

SLP_ALL_WIDTHS
void logistics(const double* __restrict t, std::size_t n, Proportion* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = logistic(t[i]);
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
double residuals(double precision, const double* __restrict rows, const double* __restrict y,
                 std::size_t n, double* __restrict apart, double* __restrict mean) {
    for (std::size_t i = 0; i < n; ++i) {
        apart[i] = y[i] - mean[i];
        mean[i] = rows[i] * apart[i];
    }
    const double out = dot(apart, mean, n);
    for (std::size_t i = 0; i < n; ++i) {
        mean[i] *= precision;
    }
    return out;
}

SLP_ALL_WIDTHS
double pull_back(const double* __restrict reached, const double* __restrict left,
                 const double* __restrict right, const double* __restrict low,
                 const double* __restrict high, std::size_t n, double* __restrict slope,
                 double* __restrict own) {
    for (std::size_t i = 0; i < n; ++i) {
        slope[i] = reached[i] * left[i] * right[i] * (low[i] - high[i]);
        own[i] = multiply_add(left[i], low[i], right[i] * high[i]);
    }
    double sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            sums[k] += slope[i + k];
        }
    }
    double last[kLanes];
    std::copy_n(sums, kLanes, last);
    for (std::size_t k = 0; i < n; ++i, ++k) {
        last[k] += slope[i];
    }
    return total_of(last);
}

SLP_ALL_WIDTHS
void log_gammas(const double* __restrict x, std::size_t n, double* __restrict it,
                double* __restrict slope) {
    for (std::size_t i = 0; i < n; ++i) {
        const LogGamma own = log_gamma_of(x[i]);
        it[i] = own.it;
        slope[i] = own.slope;
    }
}

}  // namespace slp::rjhmc
