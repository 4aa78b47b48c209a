// Numbers with a normal likelihood: means, and linear models.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/leaf_formulas.hpp"
#include "problem/leaves/numbers.hpp"

namespace slp::leaves {

// What the models with a normal response share: log Gamma(alpha + n/2) - log Gamma(alpha).
struct NormalFormula : LeafFormula {
    // alpha is the hyperparameter before the last.
    NormalFormula(std::vector<double> hyperparameters, const LeafRows& rows, bool right)
        : LeafFormula(std::move(hyperparameters), rows.k) {
        require_numbers(right);
        whole_ = rows.whole(0, 1);
        const double alpha = hyper_[hyper_.size() - 2], n = rows.total()[0];
        rising_.emplace_back(alpha, n / 2);
        rising_.emplace_back(alpha + 0.5, n / 2);
        half_step_ = log_rising(alpha, 0.5);
    }

    double gamma_ratio(double n) const {
        const auto whole = static_cast<std::size_t>(n);
        return !whole_          ? rising_[0].at(n / 2)
               : whole % 2 == 1 ? half_step_ + rising_[1](whole / 2)
                                : rising_[0](whole / 2);
    }

private:
    double half_step_;
};

// hyperparameters: mu less the statistics' reference, kappa, alpha, beta.
struct NormalInverseGammaLeaf final : NormalFormula {
    static constexpr std::string_view kName = "normal_inverse_gamma";

    NormalInverseGammaLeaf(std::vector<double> numbers, const LeafRows& rows)
        : NormalFormula(numbers, rows, rows.k == 3 && numbers.size() == 4) {}

    std::string_view name() const override { return kName; }

    double log_marginal(const double* s) const override {
        const double mu = hyper_[0], kappa = hyper_[1], alpha = hyper_[2], beta = hyper_[3];
        const double n = s[0];
        const double mean = n > 0 ? s[1] / n : 0.0;
        const double squares = std::max(s[2] - s[1] * mean, 0.0);  // rounding can go below 0
        const double growth =
            squares / 2 + kappa * n * (mean - mu) * (mean - mu) / (2 * (kappa + n));
        return gamma_ratio(n) - alpha * std::log1p(growth / beta) -
               n / 2 * std::log(beta + growth) - std::log1p(n / kappa) / 2 -
               n / 2 * std::log(2 * std::numbers::pi);
    }

    std::size_t n_predicted() const override { return 1; }
    void predict(const double* s, double* out) const override {
        *out = (hyper_[1] * hyper_[0] + s[1]) / (hyper_[1] + s[0]);
    }
    double size_of_responses(const double* s) const override {
        return std::sqrt(s[2] / std::max(s[0], 1.0));
    }
};

// hyperparameters: mu less the statistics' reference, kappa, lambda, alpha, beta.
struct NormalLinearLeaf final : NormalFormula {
    static constexpr std::string_view kName = "normal_linear";

    NormalLinearLeaf(std::vector<double> numbers, const LeafRows& rows)
        : NormalFormula(numbers, rows, coefficients_of(rows.k) > 0 && numbers.size() == 5),
          p_(coefficients_of(rows.k)) {}

    std::string_view name() const override { return kName; }

    double log_marginal(const double* s) const override {
        double matrix[kMostNumbers];
        const double log_roots = factor(s, matrix);
        const double kappa = hyper_[1], slopes = hyper_[2], alpha = hyper_[3], beta = hyper_[4];
        const double n = s[0];
        // Rounding can go below 0.
        const double growth = std::max(matrix[p_ * (p_ + 1) + p_], 0.0) / 2;
        const double log_prior = std::log(kappa) + static_cast<double>(p_ - 1) * std::log(slopes);
        return gamma_ratio(n) - alpha * std::log1p(growth / beta) -
               n / 2 * std::log(beta + growth) + log_prior / 2 - log_roots -
               n / 2 * std::log(2 * std::numbers::pi);
    }

    void scores(std::span<const double> sums, double* out) const override {
        for (const double* s = sums.data(); s != sums.data() + sums.size(); s += k_) {
            *out++ = s[p_] / s[0];
        }
    }

    // The mean coefficients.
    std::size_t n_predicted() const override { return p_; }
    void predict(const double* s, double* out) const override {
        double matrix[kMostNumbers];
        factor(s, matrix);
        const std::size_t width = p_ + 1;
        for (std::size_t j = p_; j-- > 0;) {
            out[j] = matrix[p_ * width + j];
            for (std::size_t i = j + 1; i < p_; ++i) {
                out[j] -= matrix[i * width + j] * out[i];
            }
            out[j] /= matrix[j * width + j];
        }
    }

private:
    // The regressors with the constant, and the response behind them.
    static constexpr std::size_t kMostNumbers = (kMostCoefficients + 1) * (kMostCoefficients + 1);

    // The number p of coefficients for which k = (p + 1) (p + 2) / 2; 0 if there is none.
    static std::size_t coefficients_of(std::size_t k) {
        for (std::size_t p = 1; p <= kMostCoefficients; ++p) {
            if ((p + 1) * (p + 2) / 2 == k) {
                return p;
            }
        }
        return 0;
    }

    // Writes the lower Cholesky factor of the matrix of slp.leaves.normal_linear into `matrix`, row
    // by row. The last row is for the response. Its diagonal number is left as a square: its root
    // is not taken. Returns the sum of the logs of the other diagonal numbers.
    double factor(const double* s, double* matrix) const {
        const std::size_t width = p_ + 1;
        for (std::size_t i = 0; i < width; ++i) {
            for (std::size_t j = i; j < width; ++j) {
                matrix[j * width + i] = *s++;
            }
        }
        matrix[0] += hyper_[1];
        matrix[p_ * width] += hyper_[1] * hyper_[0];
        matrix[p_ * width + p_] += hyper_[1] * hyper_[0] * hyper_[0];
        double log_roots = 0;
        for (std::size_t j = 0; j < p_; ++j) {
            double* const own = matrix + j * width;
            double square = own[j] + (j > 0 ? hyper_[2] : 0.0);
            for (std::size_t c = 0; c < j; ++c) {
                square -= own[c] * own[c];
            }
            own[j] = std::sqrt(square);
            log_roots += std::log(own[j]);
            for (std::size_t i = j + 1; i < width; ++i) {
                double* const below = matrix + i * width;
                for (std::size_t c = 0; c < j; ++c) {
                    below[j] -= below[c] * own[c];
                }
                below[j] /= own[j];
            }
        }
        double* const last = matrix + p_ * width;
        for (std::size_t c = 0; c < p_; ++c) {
            last[p_] -= last[c] * last[c];
        }
        return log_roots;
    }

    std::size_t p_;
};

}  // namespace slp::leaves
