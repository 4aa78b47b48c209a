// A model of the user's own.

#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/leaf_formulas.hpp"
#include "problem/leaves/numbers.hpp"

namespace slp::leaves {

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

}  // namespace slp::leaves
