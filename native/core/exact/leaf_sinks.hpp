// What is kept of the leaves in which new rows end.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "budget.hpp"
#include "exact/engine.hpp"
#include "exact/new_rows.hpp"

namespace slp::exact {

// Averages of leaves' predictions.
class Averages final : public LeafSink {
public:
    Averages(const Engine& engine, std::size_t n_queries, Budget&)
        : leaf_(engine.problem().leaf),
          predicted_(leaf_.n_predicted()),
          sum_(n_queries * predicted_.size(), 0.0),
          mass_(n_queries, 0.0) {}

    void leaf(const double* statistics, std::uint64_t queries, const double* mass,
              double probability) override {
        leaf_.predict(statistics, predicted_.data());
        for (; queries != 0; queries &= queries - 1) {
            const auto query = static_cast<std::size_t>(std::countr_zero(queries));
            const double own = mass[query] * probability;
            mass_[query] += own;
            for (std::size_t i = 0; own > 0 && i < predicted_.size(); ++i) {
                sum_[query * predicted_.size() + i] += own * predicted_[i];
            }
        }
    }

    void finish(std::span<const std::size_t> rows, std::vector<double>& out) const {
        const std::size_t q = predicted_.size();
        for (std::size_t query = 0; query < rows.size(); ++query) {
            for (std::size_t i = 0; i < q; ++i) {
                out[rows[query] * q + i] = sum_[query * q + i] / mass_[query];
            }
        }
    }

private:
    const LeafModel& leaf_;
    std::vector<double> predicted_;
    std::vector<double> sum_;
    std::vector<double> mass_;
};

// The leaves themselves, by their statistics.
class Mixtures final : public LeafSink {
public:
    Mixtures(const Engine& engine, std::size_t n_queries, Budget& budget)
        : k_(engine.problem().leaf.n_statistics()), held_(budget), queries_(n_queries) {}

    void leaf(const double* statistics, std::uint64_t queries, const double* mass,
              double probability) override {
        std::string key(k_ * sizeof(double), '\0');
        std::memcpy(key.data(), statistics, key.size());
        for (; queries != 0; queries &= queries - 1) {
            const auto query = static_cast<std::size_t>(std::countr_zero(queries));
            const auto [at, is_new] = queries_[query].try_emplace(key, 0.0);
            at->second += mass[query] * probability;
            if (is_new) {  // with the output, and the nodes of the map
                held_.add(2 * key.size() + 96);
            }
        }
    }

    void finish(std::span<const std::size_t> rows, std::vector<LeafMass>& out) {
        for (std::size_t query = 0; query < rows.size(); ++query) {
            LeafMass& own = out[rows[query]];
            double total = 0;
            for (const auto& [statistics, mass] : queries_[query]) {
                own.probability.push_back(mass);
                total += mass;
                const std::size_t at = own.statistics.size();
                own.statistics.resize(at + k_);
                std::memcpy(own.statistics.data() + at, statistics.data(), statistics.size());
            }
            for (double& mass : own.probability) {
                mass /= total;
            }
            queries_[query].clear();
        }
    }

private:
    std::size_t k_;
    Charge held_;
    std::vector<std::unordered_map<std::string, double>> queries_;
};

}  // namespace slp::exact
