#include "problem/leaf_models.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace slp {

namespace {

// For a normal_linear: the regressors with the constant, and the response behind them.
constexpr std::size_t kMostNumbers = (kMostCoefficients + 1) * (kMostCoefficients + 1);

// For a table: the number of rows and the sum of the responses stand before its statistics.
constexpr std::size_t kFirstOfTable = 2;

// Doubles from 2^53 on have no digits below 1, so that they say nothing of being whole.
bool is_whole(double x) { return std::abs(x) < 0x1p53 && x == std::floor(x); }

}  // namespace

LeafModel::LeafModel(LeafKind kind, std::vector<double> hyperparameters,
                     std::vector<double> statistics, std::size_t n_statistics)
    : kind_(kind),
      k_(n_statistics),
      hyper_(std::move(hyperparameters)),
      statistics_(std::move(statistics)) {
    while ((n_coefficients_ + 1) * (n_coefficients_ + 2) / 2 < k_) {
        ++n_coefficients_;
    }
    const bool triangle = (n_coefficients_ + 1) * (n_coefficients_ + 2) / 2 == k_ &&
                          n_coefficients_ >= 1 && n_coefficients_ <= kMostCoefficients;
    const bool enough = kind_ == LeafKind::dirichlet              ? k_ >= 1 && hyper_.size() == k_
                        : kind_ == LeafKind::normal_inverse_gamma ? k_ == 3 && hyper_.size() == 4
                        : kind_ == LeafKind::normal_linear        ? triangle && hyper_.size() == 5
                        : kind_ == LeafKind::table ? k_ >= 3 && !hyper_.empty()
                        : kind_ == LeafKind::gamma_poisson
                            ? (k_ == 3 || k_ == 4) && hyper_.size() == 2  // 4 with exposures
                            : k_ == 3 && hyper_.size() == 2;
    if (!enough || statistics_.size() % k_ != 0) {
        throw std::invalid_argument("a leaf model has its hyperparameters and statistics");
    }
    std::vector<double> total(k_, 0.0);
    for (std::size_t i = 0; i < statistics_.size(); ++i) {
        total[i % k_] += statistics_[i];
    }
    const bool classes = kind_ == LeafKind::dirichlet;
    const bool of_numbers =
        kind_ == LeafKind::normal_inverse_gamma || kind_ == LeafKind::normal_linear;
    const std::size_t counted = of_numbers ? 0 : 1;
    for (std::size_t i = 0; i < statistics_.size(); ++i) {
        whole_ = whole_ && ((!classes && i % k_ != counted) || is_whole(statistics_[i]));
    }
    const double counted_total =
        classes ? std::accumulate(total.begin(), total.end(), 0.0) : total[counted];
    whole_ = whole_ && counted_total < 0x1p53;
    tabulated_ = classes && whole_ && counted_total < LogRising::kLongestTable;
    switch (kind_) {
        case LeafKind::dirichlet: {
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
            rising_.emplace_back(before, counted_total);
            break;
        }
        case LeafKind::normal_inverse_gamma:
        case LeafKind::normal_linear: {
            const double alpha = hyper_[hyper_.size() - 2];
            rising_.emplace_back(alpha, total[0] / 2);
            rising_.emplace_back(alpha + 0.5, total[0] / 2);
            half_step_ = log_rising(alpha, 0.5);
            break;
        }
        case LeafKind::gamma_poisson:
        case LeafKind::gamma_exponential:
            rising_.emplace_back(hyper_[0], total[1]);
            break;
        case LeafKind::table: lay_out_table(total); break;
    }
}

// `lengths_`, where the statistics stay inside the table for any rows.
void LeafModel::lay_out_table(const std::vector<double>& total) {
    const double axes = hyper_[0];
    const bool known =
        is_whole(axes) && axes >= 1 && axes + kFirstOfTable <= static_cast<double>(k_);
    const std::size_t end = known ? kFirstOfTable + static_cast<std::size_t>(axes) : 0;
    bool inside = known;
    for (std::size_t i = 0; inside && i < statistics_.size(); ++i) {
        const std::size_t c = i % k_;
        inside = c < kFirstOfTable || c >= end || (statistics_[i] >= 0 && is_whole(statistics_[i]));
    }
    std::size_t size = 1;
    for (std::size_t c = kFirstOfTable; inside && c < end; ++c) {
        inside = total[c] < static_cast<double>(hyper_.size());
        if (inside) {
            lengths_.push_back(static_cast<std::size_t>(total[c]) + 1);
            inside = lengths_.back() <= hyper_.size() / size;
            size *= lengths_.back();
        }
    }
    if (!inside || hyper_.size() != size + 1) {
        throw std::invalid_argument("a leaf model's table is as large as its statistics become");
    }
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
    if (tabulated_ && k_ == 2) {
        const auto first = rising_[0].up_to(whole[0]), second = rising_[1].up_to(whole[1]);
        const auto both = rising_[2].up_to(whole[0] + whole[1]);
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

double LeafModel::of_others(const double* s) const {
    switch (kind_) {
        case LeafKind::dirichlet: return dirichlet_of_any(s);
        case LeafKind::normal_inverse_gamma: return normal_inverse_gamma(s);
        case LeafKind::gamma_poisson: return gamma_poisson(s);
        case LeafKind::gamma_exponential: return gamma_exponential(s);
        case LeafKind::normal_linear: return normal_linear(s);
        case LeafKind::table: return of_table(s);
    }
    return 0.0;
}

// With m the largest class, d the concentrations of the others, n their sum and R(a, x) = log
// Gamma(a + x) - log Gamma(a), the terms R(a_m, n_m) - R(A, n_m + n) are R(a_m, d) - R(a_m + n_m, d +
// n): these are small where the class has nearly all rows, and those where d is large.
double LeafModel::dirichlet_of_any(const double* s) const {
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

double LeafModel::log_pure_class(std::size_t c, double x) const {
    return tabulated_       ? rising_[c](static_cast<std::size_t>(x)) -
                                  rising_[k_](static_cast<std::size_t>(x))
           : x > others_[c] ? log_others_[c] - log_rising(hyper_[c] + x, others_[c])
                            : rising_[c].at(x) - rising_[k_].at(x);
}

void LeafModel::predict(const double* s, double* out) const {
    switch (kind_) {
        case LeafKind::dirichlet: {
            double total = 0;
            for (std::size_t c = 0; c < k_; ++c) {
                out[c] = hyper_[c] + s[c];
                total += out[c];
            }
            std::for_each(out, out + k_, [&](double& p) { p /= total; });
            return;
        }
        case LeafKind::normal_inverse_gamma:
            *out = (hyper_[1] * hyper_[0] + s[1]) / (hyper_[1] + s[0]);
            return;
        case LeafKind::gamma_poisson: *out = (hyper_[0] + s[1]) / (hyper_[1] + s[0]); return;
        case LeafKind::gamma_exponential: {
            const double shape = hyper_[0] + s[1];
            *out = shape > 1 ? (hyper_[1] + s[2]) / (shape - 1) : INFINITY;
            return;
        }
        case LeafKind::normal_linear: coefficients(s, out); return;
        case LeafKind::table: return;
    }
}

std::vector<double> LeafModel::log_purest(const double* s, std::size_t length) const {
    if (kind_ != LeafKind::dirichlet) {
        return {};
    }
    if (!whole_) {
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

double LeafModel::normal_inverse_gamma(const double* s) const {
    const double mu = hyper_[0], kappa = hyper_[1], alpha = hyper_[2], beta = hyper_[3];
    const double n = s[0];
    const double mean = n > 0 ? s[1] / n : 0.0;
    const double squares = std::max(s[2] - s[1] * mean, 0.0);  // rounding can go below 0
    const double growth = squares / 2 + kappa * n * (mean - mu) * (mean - mu) / (2 * (kappa + n));
    return gamma_ratio(n) - alpha * std::log1p(growth / beta) - n / 2 * std::log(beta + growth) -
           std::log1p(n / kappa) / 2 - n / 2 * std::log(2 * std::numbers::pi);
}

// log Gamma(alpha + n/2) - log Gamma(alpha).
double LeafModel::gamma_ratio(double n) const {
    const auto whole = static_cast<std::size_t>(n);
    return !whole_          ? rising_[0].at(n / 2)
           : whole % 2 == 1 ? half_step_ + rising_[1](whole / 2)
                            : rising_[0](whole / 2);
}

// Writes the lower Cholesky factor of the matrix of slp.leaves.normal_linear into `matrix`, row by
// row. The last row is for the response. Its diagonal number is left as a square: its root is not
// taken. Returns the sum of the logs of the other diagonal numbers.
double LeafModel::factor(const double* s, double* matrix) const {
    const std::size_t p = n_coefficients_, width = p + 1;
    for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t j = i; j < width; ++j) {
            matrix[j * width + i] = *s++;
        }
    }
    matrix[0] += hyper_[1];
    matrix[p * width] += hyper_[1] * hyper_[0];
    matrix[p * width + p] += hyper_[1] * hyper_[0] * hyper_[0];
    double log_roots = 0;
    for (std::size_t j = 0; j < p; ++j) {
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
    double* const last = matrix + p * width;
    for (std::size_t c = 0; c < p; ++c) {
        last[p] -= last[c] * last[c];
    }
    return log_roots;
}

double LeafModel::normal_linear(const double* s) const {
    double matrix[kMostNumbers];
    const double log_roots = factor(s, matrix);
    const double kappa = hyper_[1], slopes = hyper_[2], alpha = hyper_[3], beta = hyper_[4];
    const double n = s[0];
    const std::size_t p = n_coefficients_;
    const double growth = std::max(matrix[p * (p + 1) + p], 0.0) / 2;  // rounding can go below 0
    const double log_prior = std::log(kappa) + static_cast<double>(p - 1) * std::log(slopes);
    return gamma_ratio(n) - alpha * std::log1p(growth / beta) - n / 2 * std::log(beta + growth) +
           log_prior / 2 - log_roots - n / 2 * std::log(2 * std::numbers::pi);
}

void LeafModel::coefficients(const double* s, double* out) const {
    double matrix[kMostNumbers];
    factor(s, matrix);
    const std::size_t p = n_coefficients_, width = p + 1;
    for (std::size_t j = p; j-- > 0;) {
        out[j] = matrix[p * width + j];
        for (std::size_t i = j + 1; i < p; ++i) {
            out[j] -= matrix[i * width + j] * out[i];
        }
        out[j] /= matrix[j * width + j];
    }
}

double LeafModel::gamma_poisson(const double* s) const {
    const double a = hyper_[0], b = hyper_[1];
    return rising(s[1]) - a * std::log1p(s[0] / b) -
           s[1] * std::log(b + s[0]) - s[2];
}

double LeafModel::gamma_exponential(const double* s) const {
    const double a = hyper_[0], b = hyper_[1];
    return rising(s[1]) - a * std::log1p(s[2] / b) -
           s[1] * std::log(b + s[2]);
}

double LeafModel::of_table(const double* s) const {
    std::size_t place = 0, c = kFirstOfTable;
    for (const std::size_t length : lengths_) {
        place = place * length + static_cast<std::size_t>(s[c++]);
    }
    double out = hyper_[1 + place];
    for (; c < k_; ++c) {
        out += s[c];
    }
    return out;
}

}  // namespace slp
