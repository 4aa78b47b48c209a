// Leaves of sums of trees: numbers, and two classes by latent numbers.

#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/leaf_formulas.hpp"
#include "problem/leaves/numbers.hpp"

namespace slp::leaves {

// What the other trees leave of the responses has a known variance, and the leaf's value the prior
// Normal(0, tau^2). hyperparameters: tau^2. The first two statistics are the sums of weight /
// variance and of weight * response / variance. The factor of the rows alone, which no parting
// changes, is left out. A table's rows have the statistics of their responses, which rules look at.
struct SumFormula : LeafFormula {
    SumFormula(std::vector<double> numbers, const LeafRows& rows)
        : LeafFormula(std::move(numbers), rows.k) {
        require_numbers(rows.k >= 2 && hyper_.size() == 1);
        whole_ = false;
    }

    double log_marginal(const double* s) const override {
        const double grown = 1.0 + hyper_[0] * s[0];
        return (hyper_[0] * s[1] * s[1] / grown - std::log(grown)) / 2;
    }
};

// Of a table: the number of rows, sum and sum of squares of the responses less their reference.
struct SumNormalLeaf final : SumFormula {
    static constexpr std::string_view kName = "sum_normal";

    using SumFormula::SumFormula;

    std::string_view name() const override { return kName; }
};

// Of a table: how many rows have each class.
struct SumProbitLeaf final : SumFormula {
    static constexpr std::string_view kName = "sum_probit";

    SumProbitLeaf(std::vector<double> numbers, const LeafRows& rows)
        : SumFormula(std::move(numbers), rows) {
        of_classes_ = true;
    }

    std::string_view name() const override { return kName; }

    // The share of the second class.
    void scores(std::span<const double> sums, double* out) const override {
        for (std::size_t i = 0; i * k_ < sums.size(); ++i) {
            out[i] = sums[i * k_ + 1] / (sums[i * k_] + sums[i * k_ + 1]);
        }
    }
};

}  // namespace slp::leaves
