// The leaf models: the formulas of slp.leaves. Each is one struct, which the list at the end names.

#include "problem/leaf_formulas.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "problem/largest_axes.hpp"

namespace slp {

namespace {

bool is_whole_number(double x) { return std::abs(x) < 0x1p53 && x == std::floor(x); }

void require_numbers(bool right) {
    if (!right) {
        throw std::invalid_argument("a leaf model has its hyperparameters and statistics");
    }
}

// Log of the largest value of rate^events exp(-rate * exposure) over rates.
double log_best_rate(double events, double exposure) {
    return events > 0 ? events * std::log(events / exposure) - events : 0.0;
}

double rate_of(double events, double time) { return time > 0 ? events / time : INFINITY; }

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

void DirichletLeaf::scores(std::span<const double> sums, double* out) const {
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

// A model of the user's own as a table. hyperparameters: the number j of statistics that it is
// over, then its numbers, the last index running fastest: from 0 to the sum over all rows, for each
// of the statistics from 2 on. These are whole numbers, from 0 up. The statistics behind them are
// added to the number in the table (`log_table` of slp.leaves.own).
struct TableLeaf final : LeafFormula {
    static constexpr std::string_view kName = "table";
    // The number of rows and the sum of the responses stand before its statistics.
    static constexpr std::size_t kFirst = 2;

    TableLeaf(std::vector<double> hyperparameters, const LeafRows& rows)
        : LeafFormula(std::move(hyperparameters), rows.k) {
        require_numbers(k_ >= 3 && !hyper_.empty());
        const std::vector<double> total = rows.total();
        const double axes = hyper_[0];
        const bool known =
            is_whole_number(axes) && axes >= 1 && axes + kFirst <= static_cast<double>(k_);
        const std::size_t end = known ? kFirst + static_cast<std::size_t>(axes) : 0;
        bool inside = known;
        for (std::size_t i = 0; inside && i < rows.statistics.size(); ++i) {
            const std::size_t c = i % k_;
            const double own = rows.statistics[i];
            inside = c < kFirst || c >= end || (own >= 0 && is_whole_number(own));
        }
        std::size_t size = 1;
        for (std::size_t c = kFirst; inside && c < end; ++c) {
            inside = total[c] < static_cast<double>(hyper_.size());
            if (inside) {
                lengths_.push_back(static_cast<std::size_t>(total[c]) + 1);
                inside = lengths_.back() <= hyper_.size() / size;
                size *= lengths_.back();
            }
        }
        if (!inside || hyper_.size() != size + 1) {
            throw std::invalid_argument(
                "a leaf model's table is as large as its statistics become");
        }
    }

    std::string_view name() const override { return kName; }

    double log_marginal(const double* s) const override {
        std::size_t place = 0, c = kFirst;
        for (const std::size_t length : lengths_) {
            place = place * length + static_cast<std::size_t>(s[c++]);
        }
        double out = hyper_[1 + place];
        for (; c < k_; ++c) {
            out += s[c];
        }
        return out;
    }

private:
    std::vector<std::size_t> lengths_;
};

template <typename... Formulas>
std::shared_ptr<const LeafFormula> made(std::string_view name, std::vector<double> numbers,
                                        const LeafRows& rows) {
    std::shared_ptr<const LeafFormula> out;
    const auto make = [&]<typename Formula>() {
        if (name == Formula::kName) {
            out = std::make_shared<const Formula>(std::move(numbers), rows);
        }
        return out != nullptr;
    };
    (make.template operator()<Formulas>() || ...);
    return out;
}

}  // namespace

LeafFormula::LeafFormula(std::vector<double> hyperparameters, std::size_t n_statistics)
    : hyper_(std::move(hyperparameters)), k_(n_statistics) {}

std::vector<double> LeafRows::total() const {
    std::vector<double> out(k, 0.0);
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        out[i % k] += statistics[i];
    }
    return out;
}

bool LeafRows::whole(std::size_t first, std::size_t end) const {
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        if (i % k >= first && i % k < end && !is_whole_number(statistics[i])) {
            return false;
        }
    }
    const std::vector<double> sums = total();
    double all = 0;
    for (std::size_t c = first; c < end; ++c) {
        all += sums[c];
    }
    return all < 0x1p53;
}

std::shared_ptr<const LeafFormula> leaf_formula(std::string_view name,
                                                std::vector<double> hyperparameters,
                                                const LeafRows& rows) {
    require_numbers(rows.k > 0 && rows.statistics.size() % rows.k == 0);
    auto out = made<DirichletLeaf, NormalInverseGammaLeaf, NormalLinearLeaf, GammaPoissonLeaf,
                    GammaExponentialLeaf, PiecewiseExponentialLeaf, TableLeaf>(
        name, std::move(hyperparameters), rows);
    require_numbers(out != nullptr);
    return out;
}

}  // namespace slp
