// Classes whose probabilities are known.

#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/leaf_formulas.hpp"
#include "problem/leaves/numbers.hpp"

namespace slp::leaves {

// hyperparameters: the probability of each class. statistics: the weight of each class.
struct KnownSharesLeaf final : LeafFormula {
    static constexpr std::string_view kName = "known_shares";

    KnownSharesLeaf(std::vector<double> hyperparameters, const LeafRows& rows)
        : LeafFormula(std::move(hyperparameters), rows.k) {
        require_numbers(hyper_.size() == k_);
        of_classes_ = true;
        whole_ = rows.whole(0, k_);
        for (const double p : hyper_) {
            logs_.push_back(std::log(p));
        }
    }

    std::string_view name() const override { return kName; }
    bool falls_with_rows() const override { return true; }
    double log_marginal(const double* s) const override {
        return std::inner_product(s, s + k_, logs_.begin(), 0.0);
    }
    double log_pure_class(std::size_t c, double x) const override { return x * logs_[c]; }
    std::size_t n_predicted() const override { return k_; }
    void predict(const double*, double* out) const override {
        std::copy(hyper_.begin(), hyper_.end(), out);
    }

private:
    std::vector<double> logs_;
};

}  // namespace slp::leaves
