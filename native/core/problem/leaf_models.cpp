#include "problem/leaf_models.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slp {

LeafModel::LeafModel(std::string_view name, std::vector<double> hyperparameters,
                     std::vector<double> statistics, std::size_t n_statistics)
    : k_(n_statistics),
      statistics_(std::move(statistics)),
      formula_(leaf_formula(name, std::move(hyperparameters), {statistics_, k_})),
      tables_(formula_->tables()) {
    n_priors_ = formula_->n_priors();
}

void LeafModel::sum(std::span<const std::uint32_t> rows, double* out) const {
    if (k_ == 2) {  // two classes: sums stay in registers
        double first = 0.0, second = 0.0;
        for (const std::uint32_t row : rows) {
            const double* own = statistics_.data() + 2 * std::size_t{row};
            first += own[0];
            second += own[1];
        }
        out[0] = first;
        out[1] = second;
        return;
    }
    std::fill_n(out, k_, 0.0);
    for (const std::uint32_t row : rows) {
        const double* own = statistics_.data() + row * k_;
        for (std::size_t i = 0; i < k_; ++i) {
            out[i] += own[i];
        }
    }
}

void LeafModel::log_of_sides(const double* left, std::size_t stride, std::size_t n,
                             const double* whole, double* out) const {
    if (!tables_.empty() && k_ == 2) {
        const auto first = tables_[0].up_to(whole[0]), second = tables_[1].up_to(whole[1]);
        const auto both = tables_[2].up_to(whole[0] + whole[1]);
        if (!both.empty() && !first.empty() && !second.empty()) {
            const auto a = static_cast<std::int64_t>(whole[0]);
            const auto b = static_cast<std::int64_t>(whole[1]);
            const double* const of_first = first.data();
            const double* const of_second = second.data();
            const double* const of_both = both.data();
            for (std::size_t i = 0; i < n; ++i, left += stride) {
                const auto x = static_cast<std::int64_t>(left[0]);
                const auto y = static_cast<std::int64_t>(left[1]);
                out[i] = of_first[x] + of_second[y] - of_both[x + y] + of_first[a - x] +
                         of_second[b - y] - of_both[a - x + b - y];
            }
            return;
        }
    }
    std::vector<double> right(k_);
    for (std::size_t i = 0; i < n; ++i, left += stride) {
        for (std::size_t c = 0; c < k_; ++c) {
            right[c] = whole[c] - left[c];
        }
        out[i] = log_marginal(left) + log_marginal(right.data());
    }
}

std::vector<double> LeafModel::log_purest(const double* s, std::size_t length) const {
    if (!of_classes()) {
        return {};
    }
    if (!whole()) {
        return std::vector<double>(length, log_pure(s));
    }
    // By the number of parts beyond one for each class: their least cost.
    std::vector<double> cost(length, -INFINITY), next(length);
    cost[0] = 0.0;
    std::size_t n_classes = 0;
    for (std::size_t c = 0; c < k_; ++c) {
        const auto n = static_cast<std::size_t>(s[c]);
        const auto part = [&](std::size_t m) {
            return log_pure_class(c, static_cast<double>(m));
        };
        n_classes += n > 0 ? 1 : 0;
        std::fill(next.begin(), next.end(), -INFINITY);
        for (std::size_t more = 0; more < std::max<std::size_t>(n, 1) && more < length; ++more) {
            const double own = static_cast<double>(more) * part(1) + part(n - more) - part(n);
            for (std::size_t others = 0; others + more < length; ++others) {
                next[others + more] = std::max(next[others + more], cost[others] + own);
            }
        }
        std::swap(cost, next);
    }
    std::vector<double> out(length);
    for (std::size_t k = 0; k < length; ++k) {
        out[k] = log_pure(s) + cost[k > n_classes ? k - n_classes : 0];
    }
    return out;
}

}  // namespace slp
