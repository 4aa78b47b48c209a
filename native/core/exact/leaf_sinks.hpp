// What is kept of the leaves in which new rows end.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "exact/engine.hpp"
#include "exact/new_rows.hpp"

namespace slp::exact {

// The query that follows each distinct row of the table; -1 for none. Empty: queries are other rows.
using QueryOfRow = std::vector<std::int32_t>;

// Takes leaves apart by query. `Own`, which derives from it, has
//   void read(const double* statistics)            the leaf at hand
//   void add(std::size_t query, double mass)       the probability that the query ends there
template <typename Own>
class SinkByQuery : public LeafSink {
public:
    explicit SinkByQuery(const QueryOfRow& query_of_row) : query_of_row_(query_of_row) {}

    void leaf(const double* statistics, std::uint64_t queries, const double* mass,
              double probability) final {
        self().read(statistics);
        for (; queries != 0; queries &= queries - 1) {
            const auto query = static_cast<std::size_t>(std::countr_zero(queries));
            self().add(query, mass[query] * probability);
        }
    }
    void leaf_of_tree(const double* statistics, std::span<const std::uint32_t> rows,
                      double mass) final {
        self().read(statistics);
        for (const std::uint32_t row : rows) {
            if (query_of_row_[row] >= 0) {
                self().add(static_cast<std::size_t>(query_of_row_[row]), mass);
            }
        }
    }

private:
    Own& self() { return static_cast<Own&>(*this); }

    const QueryOfRow& query_of_row_;
};

// Averages of leaves' predictions.
class Averages final : public SinkByQuery<Averages> {
public:
    Averages(const Engine& engine, std::size_t n_queries, const QueryOfRow& query_of_row, Budget&)
        : SinkByQuery(query_of_row),
          leaf_(engine.problem().leaf),
          predicted_(leaf_.n_predicted()),
          sum_(n_queries * predicted_.size(), 0.0),
          mass_(n_queries, 0.0) {}

    void read(const double* statistics) { leaf_.predict(statistics, predicted_.data()); }
    void add(std::size_t query, double own) {
        mass_[query] += own;
        for (std::size_t i = 0; own > 0 && i < predicted_.size(); ++i) {
            sum_[query * predicted_.size() + i] += own * predicted_[i];
        }
    }

    // Writes the result of a query to those of new row `row`.
    void write(std::size_t query, std::size_t row, std::vector<double>& out) const {
        const std::size_t q = predicted_.size();
        for (std::size_t i = 0; i < q; ++i) {
            out[row * q + i] = sum_[query * q + i] / mass_[query];
        }
    }

private:
    const LeafModel& leaf_;
    std::vector<double> predicted_;
    std::vector<double> sum_;
    std::vector<double> mass_;
};

// The leaves themselves, by their statistics.
class Mixtures final : public SinkByQuery<Mixtures> {
public:
    Mixtures(const Engine& engine, std::size_t n_queries, const QueryOfRow& query_of_row,
             Budget& budget)
        : SinkByQuery(query_of_row),
          k_(engine.problem().leaf.n_statistics()),
          held_(budget),
          queries_(n_queries) {}

    // Leaves with the same statistics have the same number.
    void read(const double* statistics) {
        key_.assign(reinterpret_cast<const char*>(statistics), k_ * sizeof(double));
        const auto [at, is_new] =
            numbers_.try_emplace(key_, static_cast<std::uint32_t>(numbers_.size()));
        if (is_new) {
            held_.add(2 * key_.size() + 96);
            statistics_.insert(statistics_.end(), statistics, statistics + k_);
        }
        number_ = at->second;
    }
    void add(std::size_t query, double mass) {
        const auto [at, is_new] = queries_[query].try_emplace(number_, 0.0);
        at->second += mass;
        if (is_new) {  // a node of the map, and the output
            held_.add(48 + (k_ + 1) * sizeof(double));
        }
    }

    // Writes the result of a query to that of new row `row`: in the order of the statistics, so
    // that sums over the leaves have the same bits with any number of threads.
    void write(std::size_t query, std::size_t row, std::vector<LeafMass>& out) const {
        LeafMass& own = out[row];
        std::vector<std::pair<std::uint32_t, double>> leaves(queries_[query].begin(),
                                                             queries_[query].end());
        std::ranges::sort(leaves, [this](const auto& a, const auto& b) {
            return std::ranges::lexicographical_compare(of_leaf(a.first), of_leaf(b.first));
        });
        double total = 0;
        for (const auto& [number, mass] : leaves) {
            own.probability.push_back(mass);
            total += mass;
            own.statistics.insert(own.statistics.end(), of_leaf(number).begin(),
                                  of_leaf(number).end());
        }
        for (double& mass : own.probability) {
            mass /= total;
        }
    }

private:
    std::span<const double> of_leaf(std::uint32_t number) const {
        return std::span(statistics_).subspan(number * k_, k_);
    }

    std::size_t k_;
    Charge held_;
    std::uint32_t number_ = 0;  // of the leaf at hand
    std::string key_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<double> statistics_;  // by number
    std::vector<std::unordered_map<std::uint32_t, double>> queries_;
};

}  // namespace slp::exact
