// What passes ask of a leaf model. problem/leaves has the models, one struct each.

#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "problem/log_rising.hpp"

namespace slp {

// The regressors of a leaf, of which the constant is one.
inline constexpr std::size_t kMostCoefficients = 31;

// The statistics of all rows, n * k, row by row.
struct LeafRows {
    std::span<const double> statistics;
    std::size_t k;

    std::vector<double> total() const;
    // Whether these statistics of every row, and the sum over all rows, are whole numbers below
    // 2^53; from there on doubles have no digits below 1.
    bool whole(std::size_t first, std::size_t end) const;
};

// Where in a leaf's statistics the two sums are that tell its likelihood.
struct TwoSums {
    std::size_t first, second;
};

class LeafFormula {
public:
    LeafFormula(std::vector<double> hyperparameters, std::size_t n_statistics);
    virtual ~LeafFormula() = default;

    virtual std::string_view name() const = 0;
    // Log marginal likelihood of the ordered responses of a leaf.
    virtual double log_marginal(const double* s) const = 0;

    // How many priors leaves have; with several, the number of a leaf's is its last statistic.
    virtual std::size_t n_priors() const { return 1; }

    // The numbers of a leaf's prediction: class probabilities, coefficients, or the mean, which
    // like the intercept is counted from the statistics' reference. None where Python has it.
    virtual std::size_t n_predicted() const { return 0; }
    virtual void predict(const double*, double*) const {}
    // How large the responses are whose mean is predicted: rounding is relative to it.
    virtual double size_of_responses(const double*) const { return 0.0; }

    // Log of the largest likelihood of rows over all parameters; inf where none is known.
    virtual double log_most_likely(const double*) const {
        return std::numeric_limits<double>::infinity();
    }
    // Whether no row's likelihood is above 1, whatever the parameters: then more rows never make a
    // leaf likelier.
    virtual bool falls_with_rows() const { return false; }
    // Two sums of which the log marginal likelihood is a convex function, but for terms that add up
    // over rows. Where they are events and exposure the best parting is into runs in the order of
    // their ratio.
    virtual std::optional<TwoSums> two_sums() const { return std::nullopt; }

    // What puts sets of rows, none empty, in the order of their responses: a number for each set,
    // given the statistics of one after the other. The operations are those of `LeafModel.scores`
    // in Python, in the same order, so that equal numbers are equal in both.
    virtual void scores(std::span<const double> sums, double* out) const {
        for (std::size_t i = 0; i * k_ < sums.size(); ++i) {
            out[i] = sums[i * k_ + 1] / sums[i * k_];
        }
    }

    // Of classes: log Gamma(a_c + x) - log Gamma(a_c) - (log Gamma(A + x) - log Gamma(A)).
    virtual double log_pure_class(std::size_t, double) const { return 0.0; }

    const std::vector<double>& hyperparameters() const { return hyper_; }
    // Whether the statistics are weights of classes.
    bool of_classes() const { return of_classes_; }
    // Whether the statistics that count rows, classes or events are whole numbers, and their sums
    // too.
    bool whole() const { return whole_; }
    // Of classes whose log marginal likelihood is, at whole weights, the sum of one table for each
    // class less that of their sum: these tables. Else none.
    std::span<const LogRising> tables() const { return tables_; }

protected:
    std::vector<double> hyper_;
    std::size_t k_;
    bool of_classes_ = false, whole_ = true;
    std::vector<LogRising> rising_;
    std::span<const LogRising> tables_;
};

// The model of this name. Throws std::invalid_argument: there is none, or the numbers are not what
// it has.
std::shared_ptr<const LeafFormula> leaf_formula(std::string_view name,
                                                std::vector<double> hyperparameters,
                                                const LeafRows& rows);

}  // namespace slp
