// Classes with a Dirichlet prior.

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

#include "problem/largest_axes.hpp"
#include "problem/leaf_formulas.hpp"
#include "problem/leaves/numbers.hpp"

namespace slp::leaves {

// hyperparameters: the concentration of each class. statistics: the weight of each class.
struct DirichletLeaf final : LeafFormula {
    static constexpr std::string_view kName = "dirichlet";

    DirichletLeaf(std::vector<double> hyperparameters, const LeafRows& rows)
        : LeafFormula(std::move(hyperparameters), rows.k) {
        require_numbers(hyper_.size() == k_);
        const std::vector<double> total = rows.total();
        const double all = std::accumulate(total.begin(), total.end(), 0.0);
        of_classes_ = true;
        whole_ = rows.whole(0, k_);
        double before = 0, after = 0;
        others_.assign(k_, 0.0);
        for (std::size_t c = k_; c-- > 0; after += hyper_[c]) {
            others_[c] = after;
        }
        for (std::size_t c = 0; c < k_; before += hyper_[c++]) {
            others_[c] += before;
            log_others_.push_back(log_rising(hyper_[c], others_[c]));
            rising_.emplace_back(hyper_[c], total[c]);
        }
        rising_.emplace_back(before, all);
        if (whole_ && all < LogRising::kLongestTable) {
            tables_ = rising_;
        }
    }

    std::string_view name() const override { return kName; }
    bool falls_with_rows() const override { return true; }

    // With m the largest class, d the concentrations of the others, n their sum and R(a, x) = log
    // Gamma(a + x) - log Gamma(a), the terms R(a_m, n_m) - R(A, n_m + n) are R(a_m, d) - R(a_m +
    // n_m, d + n): these are small where the class has nearly all rows, and those where d is large.
    double log_marginal(const double* s) const override {
        const auto m = static_cast<std::size_t>(std::max_element(s, s + k_) - s);
        double out = 0, n = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            if (c != m) {
                out += rising_[c].at(s[c]);
                n += std::max(s[c], 0.0);
            }
        }
        return out + (s[m] > others_[m]
                          ? log_others_[m] - log_rising(hyper_[m] + s[m], others_[m] + n)
                          : rising_[m].at(s[m]) - rising_[k_].at(s[m] + n));
    }

    double log_pure_class(std::size_t c, double x) const override {
        return x > others_[c] ? log_others_[c] - log_rising(hyper_[c] + x, others_[c])
                              : rising_[c].at(x) - rising_[k_].at(x);
    }

    // Of prod_c p_c^{m_c} over probabilities p.
    double log_most_likely(const double* s) const override {
        const double total = std::accumulate(s, s + k_, 0.0);
        double out = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            out += s[c] > 0 ? s[c] * std::log(s[c] / total) : 0.0;
        }
        return out;
    }

    // The share of the second of two classes; of more the rank along the direction in which the
    // shares vary most (slp.leaves.dirichlet).
    void scores(std::span<const double> sums, double* out) const override;

    std::optional<TwoSums> two_sums() const override {
        return k_ == 2 ? std::optional(TwoSums{0, 1}) : std::nullopt;
    }

    std::size_t n_predicted() const override { return k_; }
    void predict(const double* s, double* out) const override {
        double total = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            out[c] = hyper_[c] + s[c];
            total += out[c];
        }
        std::for_each(out, out + k_, [&](double& p) { p /= total; });
    }

private:
    // By class: the sum d of the concentrations of the others, and log Gamma(a + d) - log Gamma(a).
    std::vector<double> others_, log_others_;
};

inline void DirichletLeaf::scores(std::span<const double> sums, double* out) const {
    const std::size_t n = sums.size() / k_;
    std::vector<double> shares(sums.size()), rows(n), whole(k_, 0.0);
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double* const own = sums.data() + i * k_;
        rows[i] = std::accumulate(own, own + k_, 0.0);
        all += rows[i];
        for (std::size_t c = 0; c < k_; ++c) {
            shares[i * k_ + c] = own[c] / rows[i];
            whole[c] += own[c];
        }
    }
    if (k_ <= 2) {
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = shares[i * k_ + k_ - 1];
        }
        return;
    }
    std::vector<double> spread(k_ * k_, 0.0), far(k_);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < k_; ++c) {
            far[c] = shares[i * k_ + c] - whole[c] / all;
        }
        for (std::size_t c = 0; c < k_; ++c) {
            for (std::size_t e = 0; e < k_; ++e) {
                spread[c * k_ + e] += rows[i] * far[c] * far[e];
            }
        }
    }
    // The projection of the axis of each class onto the longest axes, and how long it is.
    const auto rounded = [](double x) { return std::nearbyint(x * 1e9) / 1e9; };
    const auto axes = largest_axes(spread, k_);
    std::size_t nearest = 0;
    double longest = -INFINITY;
    for (std::size_t c = 0; c < k_; ++c) {
        double square = 0;
        for (const auto& axis : axes) {
            square += axis[c] * axis[c];
        }
        if (rounded(square) > longest) {
            longest = rounded(square);
            nearest = c;
        }
    }
    std::vector<double> direction(k_, 0.0), places(n, 0.0);
    for (const auto& axis : axes) {
        for (std::size_t c = 0; c < k_; ++c) {
            direction[c] += axis[c] * axis[nearest];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < k_; ++c) {
            places[i] += shares[i * k_ + c] * direction[c];
        }
        places[i] = rounded(places[i]);
    }
    const auto shares_of = [&](std::size_t i) { return std::span(shares).subspan(i * k_, k_); };
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return places[a] != places[b]
                   ? places[a] < places[b]
                   : std::ranges::lexicographical_compare(shares_of(a), shares_of(b));
    });
    double rank = 0;
    for (std::size_t i = 0; i < n; ++i) {
        rank += i > 0 && !std::ranges::equal(shares_of(order[i - 1]), shares_of(order[i])) ? 1 : 0;
        out[order[i]] = rank;
    }
}

}  // namespace slp::leaves
