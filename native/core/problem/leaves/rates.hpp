// Counts and durations with a gamma prior of their rates.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/leaf_formulas.hpp"
#include "problem/leaves/numbers.hpp"

namespace slp::leaves {

// Rates with a gamma prior; the events of a leaf are its statistic 1. hyperparameters: a, b.
struct RateFormula : LeafFormula {
    RateFormula(std::vector<double> hyperparameters, const LeafRows& rows, bool right)
        : LeafFormula(std::move(hyperparameters), rows.k) {
        require_numbers(right && hyper_.size() == 2);
        whole_ = rows.whole(1, 2);
        rising_.emplace_back(hyper_[0], rows.total()[1]);
    }

    // log Gamma(a + x) - log Gamma(a).
    double rising(double x) const {
        return whole_ ? rising_[0](static_cast<std::size_t>(x)) : rising_[0].at(x);
    }

    std::size_t n_predicted() const override { return 1; }
};

// statistics: exposure, events, what the factorials take, and with exposures the number of rows.
struct GammaPoissonLeaf final : RateFormula {
    static constexpr std::string_view kName = "gamma_poisson";

    GammaPoissonLeaf(std::vector<double> numbers, const LeafRows& rows)
        : RateFormula(std::move(numbers), rows, rows.k == 3 || rows.k == 4) {}

    std::string_view name() const override { return kName; }
    bool falls_with_rows() const override { return true; }

    double log_marginal(const double* s) const override {
        const double a = hyper_[0], b = hyper_[1];
        return rising(s[1]) - a * std::log1p(s[0] / b) - s[1] * std::log(b + s[0]) - s[2];
    }
    double log_most_likely(const double* s) const override {
        return log_best_rate(s[1], s[0]) - s[2];
    }
    void scores(std::span<const double> sums, double* out) const override {
        for (const double* s = sums.data(); s != sums.data() + sums.size(); s += k_) {
            *out++ = rate_of(s[1], s[0]);
        }
    }
    std::optional<TwoSums> two_sums() const override { return TwoSums{1, 0}; }
    void predict(const double* s, double* out) const override {
        *out = (hyper_[0] + s[1]) / (hyper_[1] + s[0]);
    }
};

// statistics: rows, events, time.
struct GammaExponentialLeaf final : RateFormula {
    static constexpr std::string_view kName = "gamma_exponential";

    GammaExponentialLeaf(std::vector<double> numbers, const LeafRows& rows)
        : RateFormula(std::move(numbers), rows, rows.k == 3) {}

    std::string_view name() const override { return kName; }

    double log_marginal(const double* s) const override {
        const double a = hyper_[0], b = hyper_[1];
        return rising(s[1]) - a * std::log1p(s[2] / b) - s[1] * std::log(b + s[2]);
    }
    double log_most_likely(const double* s) const override { return log_best_rate(s[1], s[2]); }
    void scores(std::span<const double> sums, double* out) const override {
        for (const double* s = sums.data(); s != sums.data() + sums.size(); s += k_) {
            *out++ = rate_of(s[1], s[2]);
        }
    }
    std::optional<TwoSums> two_sums() const override { return TwoSums{1, 2}; }
    void predict(const double* s, double* out) const override {
        const double shape = hyper_[0] + s[1];
        *out = shape > 1 ? (hyper_[1] + s[2]) / (shape - 1) : INFINITY;
    }
};

// statistics: rows, then the events and then the time of each piece. Its mean is Python's.
struct PiecewiseExponentialLeaf final : LeafFormula {
    static constexpr std::string_view kName = "piecewise_exponential";

    PiecewiseExponentialLeaf(std::vector<double> numbers, const LeafRows& rows)
        : LeafFormula(std::move(numbers), rows.k), pieces_(k_ / 2) {
        require_numbers(k_ % 2 == 1 && pieces_ >= 2 && hyper_.size() == 2);
        whole_ = rows.whole(1, 1 + pieces_);
        const std::vector<double> total = rows.total();
        const auto events = std::span(total).subspan(1, pieces_);
        rising_.emplace_back(hyper_[0], *std::ranges::max_element(events));
    }

    std::string_view name() const override { return kName; }

    double log_marginal(const double* s) const override {
        const double a = hyper_[0], b = hyper_[1];
        double out = 0;
        for (std::size_t j = 1; j <= pieces_; ++j) {
            const double events = s[j], time = s[j + pieces_];
            out += (whole_ ? rising_[0](static_cast<std::size_t>(events)) : rising_[0].at(events)) -
                   a * std::log1p(time / b) - events * std::log(b + time);
        }
        return out;
    }
    void scores(std::span<const double> sums, double* out) const override {
        for (const double* s = sums.data(); s != sums.data() + sums.size(); s += k_) {
            const double* const time = s + 1 + pieces_;
            *out++ = rate_of(std::accumulate(s + 1, time, 0.0),
                             std::accumulate(time, s + k_, 0.0));
        }
    }
    // inf for an event at a cut, as its piece has no time.
    double log_most_likely(const double* s) const override {
        double out = 0;
        for (std::size_t j = 1; j <= pieces_; ++j) {
            out += log_best_rate(s[j], s[j + pieces_]);
        }
        return out;
    }

private:
    std::size_t pieces_;
};

}  // namespace slp::leaves
