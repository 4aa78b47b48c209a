// A batch of new rows on its way down: the side that each takes at every split, and what is kept of
// the leaves in which they end.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "exact/descent.hpp"
#include "exact/engine.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/new_rows.hpp"

namespace slp::exact {

// One batch of rows: the side that each takes at every split.
class Routes {
public:
    // rows: positions in `values`, at most 64.
    Routes(const Engine& engine, std::span<const double> values, std::span<const std::size_t> rows)
        : table_(engine.problem().table), geometry_(engine.geometry()) {
        const std::size_t d = table_.features.size();
        by_feature_.resize(d);
        for (std::size_t f = 0; f < d; ++f) {
            auto& sorted = by_feature_[f];
            for (std::size_t query = 0; query < rows.size(); ++query) {
                sorted.push_back({values[rows[query] * d + f], std::uint64_t{1} << query});
            }
            std::ranges::sort(sorted, [](const Query& x, const Query& y) {  // missing values last
                return x.value < y.value || (std::isnan(y.value) > std::isnan(x.value));
            });
        }
    }

    void route(const Box& box, std::span<const BoxSplit> splits) {
        left_.clear();
        untold_.assign(splits.size(), 0);
        share_left_.resize(splits.size());
        splits_ = splits;
        for (std::size_t i = 0; i < splits.size();) {
            const std::uint32_t f = splits[i].feature;
            const std::vector<Query>& queries = by_feature_[f];
            if (table_.features[f].kind >= FeatureKind::levels || table_.features[f].holes ||
                std::isnan(queries.back().value)) {
                route_one(box, splits[i], i);
                ++i;
                continue;
            }
            std::uint64_t left = 0;
            for (std::size_t next = 0; i < splits.size() && splits[i].feature == f; ++i) {
                const double threshold = geometry_.threshold(splits[i]);
                for (; next < queries.size() && queries[next].value < threshold; ++next) {
                    left |= queries[next].bit;  // thresholds ascend
                }
                left_.push_back(left);
            }
        }
    }
    std::uint64_t left(std::uint32_t split) const { return left_[split]; }
    std::uint64_t right(std::uint32_t split) const { return ~left_[split] | untold_[split]; }
    double share(std::uint32_t split, bool left, int query) const {
        if ((untold_[split] >> query & 1) == 0) {
            return 1.0;
        }
        if (std::isnan(share_left_[split])) {
            throw UntoldFault{splits_[split].feature};
        }
        return left ? share_left_[split] : 1.0 - share_left_[split];
    }

private:
    struct Query {
        double value;
        std::uint64_t bit;
    };

    // The same of one split by levels or subsets, or where values are missing.
    void route_one(const Box& box, const BoxSplit& split, std::size_t i) {
        const Feature& feature = table_.features[split.feature];
        const std::uint32_t own = feature.without_side(split.low);
        const bool tests_missing = own == feature.missing();
        const double threshold =
            feature.kind < FeatureKind::levels ? geometry_.threshold(split) : 0.0;
        std::uint64_t left = 0;
        for (const Query& query : by_feature_[split.feature]) {
            const double value = query.value;
            if (std::isnan(value)) {
                const Missing side =
                    tests_missing ? Missing::left : feature.side_of_missing(split.low);
                left |= side == Missing::left ? query.bit : 0;
                untold_[i] |= side == Missing::untold ? query.bit : 0;
            } else if (feature.kind == FeatureKind::subsets) {
                const std::uint32_t bit = value < 0 ? 0 : 1U << static_cast<std::uint32_t>(value);
                left |= (split.low & bit) != 0 ? query.bit : 0;
                untold_[i] |= ((split.low | split.high) & bit) == 0 ? query.bit : 0;
            } else if (!tests_missing) {
                const bool passes = feature.kind == FeatureKind::levels
                                        ? value == static_cast<double>(own)
                                        : value < threshold;
                left |= passes ? query.bit : 0;
            }
        }
        if (untold_[i] != 0) {
            share_left_[i] = share_of_untold(box, split);
            left |= untold_[i];
        }
        left_.push_back(left);
    }

    double share_of_untold(const Box& box, const BoxSplit& split) const {
        const Feature& feature = table_.features[split.feature];
        double ours = 0, all = 0;
        for (const std::uint32_t row : box.rows) {
            const double weight = table_.weight(row);
            all += weight;
            ours += feature.goes_left(split.low, row) ? weight : 0.0;
        }
        switch (feature.untold) {
            case Untold::larger: return ours >= all - ours ? 1.0 : 0.0;
            case Untold::average: return ours / all;
            default: break;  // an error if a row goes there
        }
        return std::numeric_limits<double>::quiet_NaN();
    }

    const Table& table_;
    const Geometry& geometry_;
    std::vector<std::vector<Query>> by_feature_;  // by their values, missing ones last
    std::span<const BoxSplit> splits_;  // of the last `route`
    // By split: the queries on its left side, those whose side it does not say, which are there
    // too, and the share of these that goes left.
    std::vector<std::uint64_t> left_, untold_;
    std::vector<double> share_left_;
};

// Records the leaves that the rows of a batch end in. A `Sink` has
//   void leaf(const double* statistics, std::uint64_t queries, const double* mass,
//             double probability)
template <typename Sink>
class RowWalk : public Routes {
public:
    RowWalk(const Engine& engine, std::span<const double> values,
            std::span<const std::size_t> rows, Sink& sink)
        : Routes(engine, values, rows),
          leaf_(engine.problem().leaf),
          sink_(sink),
          statistics_(leaf_.n_statistics()) {}

    void visit(const VisitedItem& opened) {
        double probability = 0;
        const double* next = opened.probabilities.data();
        for (const RuleEdges& rule : opened.item.rules) {
            probability += rule.kind == RuleKind::leaf ? *next : 0.0;
            next += rule.kind == RuleKind::leaf ? 1 : rule.edges.size();
        }
        if (probability > 0) {
            leaf_.sum(opened.box.rows, statistics_.data());
            sink_.leaf(statistics_.data(), opened.queries, opened.mass, probability);
        }
    }

private:
    const LeafModel& leaf_;
    Sink& sink_;
    std::vector<double> statistics_;
};

// The query that follows each distinct row of the table; -1 for none. Empty: queries are other
// rows.
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
