// Log marginal likelihoods of leaves, from additive statistics: the rows of a table and the formula
// of its leaf model.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "problem/leaf_formulas.hpp"
#include "problem/log_rising.hpp"

namespace slp {

class LeafModel {
public:
    LeafModel() = default;
    // name: that of the model, as a program has it, or "table". statistics: n * k, row by row.
    // hyperparameters: see leaf_formulas.cpp. Throws std::invalid_argument where these are too few.
    LeafModel(std::string_view name, std::vector<double> hyperparameters,
              std::vector<double> statistics, std::size_t n_statistics);

    std::string_view name() const { return formula_->name(); }
    const std::vector<double>& hyperparameters() const { return formula_->hyperparameters(); }
    std::size_t n_statistics() const { return k_; }
    std::size_t n_rows() const { return k_ == 0 ? 0 : statistics_.size() / k_; }
    // Whether the statistics are weights of classes.
    bool of_classes() const { return formula_ == nullptr || formula_->of_classes(); }

    std::size_t n_priors() const { return n_priors_; }
    // Whether leaves have several priors.
    bool in_boxes() const { return n_priors_ > 1; }
    // Gives the leaf with these statistics a prior, by its number.
    void set_prior(double* statistics, std::uint32_t prior) const {
        if (in_boxes()) {
            statistics[k_ - 1] = prior;
        }
    }

    // Sums the statistics of rows into out, length k, in the order given. So the same box, with
    // rows ascending, always gives the same bits.
    void sum(std::span<const std::uint32_t> rows, double* out) const;

    // Adds the statistics of one row.
    void add(std::uint32_t row, double* to) const {
        for (std::size_t c = 0; c < k_; ++c) {
            to[c] += statistics_[row * k_ + c];
        }
    }

    // The statistics of one row, for a sampler whose responses change. The formula keeps what it took
    // from those that the model was made with.
    double* of_row(std::uint32_t row) { return statistics_.data() + row * k_; }

    // Log marginal likelihood of the ordered responses of a leaf with these statistics.
    double log_marginal(const double* statistics) const {
        return tables_.empty() ? formula_->log_marginal(statistics) : by_tables(statistics);
    }

    // Whether the statistics that count rows, classes or events are whole numbers, and their sums
    // too. Those of rows with real weights are not, and no number is from 2^53 on.
    bool whole() const { return formula_ == nullptr || formula_->whole(); }

    // The log marginal likelihoods of two leaves together: one with the statistics at `left`, the
    // other with the rest of `whole`. Of n such pairs, the statistics of each `stride` numbers
    // behind those of the one before.
    void log_of_sides(const double* left, std::size_t stride, std::size_t n, const double* whole,
                      double* out) const;

    // Of classes: upper bound on the log marginal likelihood of any partition of rows with
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
    // there are fewer rows. Empty for leaf models of numbers. Parted by class, K leaves
    // have at least K parts. With h(m) the log likelihood of a part of m rows, h(m + 1) - h(m) =
    // log (a_c + m) / (A + m) does not fall with m: of the partings of one class into k parts the
    // best is k - 1 single rows and the rest. With real weights it is `log_pure` for every K.
    std::vector<double> log_purest(const double* statistics, std::size_t length) const;

    // What the formula says of a leaf (`LeafFormula`).
    std::size_t n_predicted() const { return formula_ == nullptr ? 0 : formula_->n_predicted(); }
    void predict(const double* statistics, double* out) const {
        formula_->predict(statistics, out);
    }
    double size_of_responses(const double* statistics) const {
        return formula_->size_of_responses(statistics);
    }
    double log_most_likely(const double* statistics) const {
        return formula_->log_most_likely(statistics);
    }
    bool falls_with_rows() const { return formula_->falls_with_rows(); }
    std::optional<TwoSums> two_sums() const { return formula_->two_sums(); }
    void scores(std::span<const double> sums, double* out) const { formula_->scores(sums, out); }

private:
    double by_tables(const double* s) const {
        double out = 0, total = 0;
        for (std::size_t c = 0; c < k_; ++c) {
            out += tables_[c](static_cast<std::size_t>(s[c]));
            total += s[c];
        }
        return out - tables_[k_](static_cast<std::size_t>(total));
    }
    double log_pure_class(std::size_t c, double x) const {
        return tables_.empty() ? formula_->log_pure_class(c, x)
                               : tables_[c](static_cast<std::size_t>(x)) -
                                     tables_[k_](static_cast<std::size_t>(x));
    }

    std::size_t k_ = 0, n_priors_ = 1;
    std::vector<double> statistics_;
    // Copies share it; it does not change.
    std::shared_ptr<const LeafFormula> formula_;
    std::span<const LogRising> tables_;  // its own
};

}  // namespace slp
