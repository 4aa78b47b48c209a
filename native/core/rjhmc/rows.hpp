// Loops over rows, parameters and leaves of soft trees, the bulk of their arithmetic. Where
// compiler and system have it, each is compiled for several vector widths, of which the processor's
// widest runs. All give the same numbers to the bit: sums are made in a stated order, and products
// are fused with sums where `multiply_add` says so and nowhere else.

#pragma once

#include <cstddef>

#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

// Sum of products; eight sums side by side.
double dot(const double* a, const double* b, std::size_t n);

// out += weight * the sums of products of `a` with each of d features; values as in `mix`.
void add_dots(double weight, const double* a, const double* values, std::size_t stride,
              std::size_t d, std::size_t n, double* out);

// out += weight * values.
void add_scaled(double weight, const double* values, std::size_t n, double* out);

// out = weight * values.
void scale(double weight, const double* values, std::size_t n, double* out);

// out = sum over d features of weights * values; values of a feature are `stride` behind those of
// the one before.
void mix(const double* weights, const double* values, std::size_t stride, std::size_t d,
         std::size_t n, double* out);

// Gates at one node: left = logistic((tau - values) * inverse), right = 1 - left, both accurate
// where they are tiny.
void gates_of(double tau, double inverse, const double* values, std::size_t n, double* left,
              double* right);

// The logistic function of n numbers.
void logistics(const double* t, std::size_t n, Proportion* out);

// What reaches a node goes on to both sides.
void part(const double* reached, const double* left, const double* right, std::size_t n,
          double* below, double* other);

// Returns the sum of rows * (y - mean)^2, and replaces `mean` by the derivative of the log density
// by it, rows * (y - mean) * precision. `apart` is room for n numbers.
double residuals(double precision, const double* rows, const double* y, std::size_t n,
                 double* apart, double* mean);

// From the derivatives `low` and `high` by what reaches both sides: `slope` = reached * left *
// right * (low - high), that by (tau - values) * inverse, whose sum is returned; `own` = left * low
// + right * high, that by what reaches the node.
double pull_back(const double* reached, const double* left, const double* right, const double* low,
                 const double* high, std::size_t n, double* slope, double* own);

// log Gamma of n numbers, and its derivatives (numbers.hpp).
void log_gammas(const double* x, std::size_t n, double* it, double* slope);

}  // namespace slp::rjhmc
