// Log marginal likelihoods of leaves, from additive statistics: the formulas of slp.leaves.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/log_rising.hpp"

namespace slp {

// Of a normal_linear: its regressors, of which the constant is one.
inline constexpr std::size_t kMostCoefficients = 31;

enum class LeafKind : std::uint8_t {
    dirichlet,
    normal_inverse_gamma,
    gamma_poisson,
    gamma_exponential,
    normal_linear,
    table
};

class LeafModel {
public:
    LeafModel() = default;
    // statistics: n * k, row by row. hyperparameters: of a dirichlet its k concentrations; else as
    // declared, with the mean of a normal_inverse_gamma or the intercept of a normal_linear taken
    // from the statistics' reference. Of a table the number j of statistics that it is over, then
    // its numbers, the last index running fastest: from 0 to the sum over all rows, for each of the
    // statistics from 2 on. These are whole numbers, from 0 up. The statistics behind them are
    // added to the number in the table (`log_table` of slp.leaves.own).
    // Throws std::invalid_argument where these are too few.
    LeafModel(LeafKind kind, std::vector<double> hyperparameters, std::vector<double> statistics,
              std::size_t n_statistics);

    LeafKind kind() const { return kind_; }
    const std::vector<double>& hyperparameters() const { return hyper_; }
    std::size_t n_statistics() const { return k_; }
    std::size_t n_rows() const { return k_ == 0 ? 0 : statistics_.size() / k_; }

    // Sums the statistics of rows into out, length k, in the order given. So the same box, with
    // rows ascending, always gives the same bits.
    void sum(std::span<const std::uint32_t> rows, double* out) const;

    // Adds the statistics of one row.
    void add(std::uint32_t row, double* to) const {
        for (std::size_t c = 0; c < k_; ++c) {
            to[c] += statistics_[row * k_ + c];
        }
    }

    // Log marginal likelihood of the ordered responses of a leaf with these statistics.
    double log_marginal(const double* statistics) const {
        return tabulated_ ? dirichlet(statistics) : of_others(statistics);
    }

    // Whether the statistics that count rows, classes or events are whole numbers, and their sums
    // too. Those of rows with real weights are not, and no number is from 2^53 on.
    bool whole() const { return whole_; }

    // The log marginal likelihoods of two leaves together: one with the statistics at `left`, the
    // other with the rest of `whole`. Of n such pairs, the statistics of each `stride` numbers
    // behind those of the one before.
    void log_of_sides(const double* left, std::size_t stride, std::size_t n, const double* whole,
                      double* out) const;

    // For a dirichlet: upper bound on the log marginal likelihood of any partition of rows with
    // these statistics into leaves; that of the partition by class. Order the rows. The k-th row of
    // class c in its leaf has predictive probability (a_c + k - 1) / (A + t) for t rows before it
    // in the leaf, A the sum of a, and t >= k - 1. As a_c <= A, (a_c + k - 1) / (A + k - 1) does
    // not fall with k, so with j >= k for its rank among all rows of class c the probability is at
    // most (a_c + j - 1) / (A + j - 1); their product is that of one leaf for each class. With real
    // weights m: log Gamma(A + m) - log Gamma(A) is convex and 0 at 0, so its sum over the classes
    // of a leaf is at most its value at their sum; and log Gamma(a_c + m) - log Gamma(A + m) is
    // convex, so leaves of one class are worth most together.
    double log_pure(const double* statistics) const {
        double out = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            out += log_pure_class(c, statistics[c]);
        }
        return out;
    }

    // The same for partitions into at least K leaves, at index K, for K below `length`; -inf where
    // there are fewer rows. Empty for leaf models other than dirichlet. Parted by class, K leaves
    // have at least K parts. With h(m) the log likelihood of a part of m rows, h(m + 1) - h(m) =
    // log (a_c + m) / (A + m) does not fall with m: of the partings of one class into k parts the
    // best is k - 1 single rows and the rest. With real weights it is `log_pure` for every K.
    std::vector<double> log_purest(const double* statistics, std::size_t length) const;

    // The prediction of a leaf for the next response: of a dirichlet the k class probabilities,
    // else one number, the mean (of a normal_inverse_gamma counted from the statistics' reference);
    // of a normal_linear the mean coefficients, the intercept counted from the reference. Nothing
    // of a table: its means are Python's.
    std::size_t n_predicted() const {
        return kind_ == LeafKind::dirichlet       ? k_
               : kind_ == LeafKind::normal_linear ? n_coefficients_
               : kind_ == LeafKind::table         ? 0
                                                  : 1;
    }
    void predict(const double* statistics, double* out) const;

private:
    double dirichlet(const double* s) const {
        double out = 0, total = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            out += rising_[c](static_cast<std::size_t>(s[c]));
            total += s[c];
        }
        return out - rising_[k_](static_cast<std::size_t>(total));
    }
    double of_others(const double* s) const;
    double dirichlet_of_any(const double* s) const;
    // log Gamma(a_c + x) - log Gamma(a_c) - (log Gamma(A + x) - log Gamma(A)).
    double log_pure_class(std::size_t c, double x) const;
    double rising(double x) const {
        return whole_ ? rising_[0](static_cast<std::size_t>(x)) : rising_[0].at(x);
    }
    double normal_inverse_gamma(const double* s) const;
    double gamma_ratio(double n) const;
    double normal_linear(const double* s) const;
    double factor(const double* s, double* matrix) const;
    void coefficients(const double* s, double* out) const;
    double gamma_poisson(const double* s) const;
    double gamma_exponential(const double* s) const;
    void lay_out_table(const std::vector<double>& total);
    double of_table(const double* s) const;

    LeafKind kind_ = LeafKind::dirichlet;
    std::size_t k_ = 0, n_coefficients_ = 0;
    std::vector<double> hyper_;
    std::vector<double> statistics_;
    std::vector<LogRising> rising_;
    std::vector<std::size_t> lengths_;  // of a table
    // Of a dirichlet, by class: the sum d of the concentrations of the others, and log Gamma(a + d)
    // - log Gamma(a).
    std::vector<double> others_, log_others_;
    double half_step_ = 0.0;
    bool whole_ = true, tabulated_ = true;  // the second: of a dirichlet, by `rising_` alone
};

}  // namespace slp
