// What leaves weigh in the passes that compute on the probability scale.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/numbers.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// Marginal likelihood of a leaf (1 without likelihood) times exp(log_scale * rows).
[[gnu::noinline]] inline double leaf_value(const LeafModel& model, bool likelihood,
                                           double log_scale, const double* statistics,
                                           std::uint64_t n_rows) {
    return std::exp((likelihood ? model.log_marginal(statistics) : 0.0) +
                    log_scale * static_cast<double>(n_rows));
}

// Marginal likelihoods of leaves times exp(log_scale * rows). Those of few rows, each of weight 1,
// of classes are products of tabulated ratios, without logs:
//
//     product over classes c of Gamma(a_c + n_c) / Gamma(a_c)  /  (Gamma(A + n) / Gamma(A))
class LeafValues {
public:
    LeafValues(const Problem& problem, bool likelihood, double log_scale)
        : model_(problem.leaf), likelihood_(likelihood), log_scale_(log_scale) {
        if (!likelihood || !counts_rows_of_classes(problem)) {
            return;
        }
        double total = 0;
        for (const double a : model_.hyperparameters()) {
            double product = 1;
            for (std::uint32_t i = 0; i < kTabulated; ++i) {
                rising_.push_back(product);
                product *= a + i;
            }
            total += a;
        }
        // Outside the range of doubles leaves would have weight 0, and no sum above would show it.
        double product = 1;
        for (std::uint32_t i = 0; i < kTabulated && product <= kHuge && product >= kTiny; ++i) {
            total_.push_back(std::exp(log_scale * i) / product);
            product *= total + i;
        }
    }

    // The value of a leaf with these statistics and this number of rows of the data.
    [[gnu::always_inline]] double operator()(const double* statistics,
                                             std::uint32_t n_rows) const {
        if (n_rows >= total_.size()) {
            return leaf_value(model_, likelihood_, log_scale_, statistics, n_rows);
        }
        double out = total_[n_rows];
        for (std::size_t c = 0; c < model_.n_statistics(); ++c) {
            out *= rising_[c * kTabulated + static_cast<std::size_t>(statistics[c])];
        }
        return out;
    }

private:
    static constexpr std::uint32_t kTabulated = 64;

    const LeafModel& model_;
    bool likelihood_;
    double log_scale_;
    // Of classes: Gamma(a_c + i) / Gamma(a_c), at c * kTabulated + i.
    std::vector<double> rising_;
    // Gamma(A) / Gamma(A + i), scaled; as far as doubles reach.
    std::vector<double> total_;
};

}  // namespace slp::exact
