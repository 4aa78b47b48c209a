// A batch of new rows on its way down: the side that each takes at every split, and what is kept of
// the leaves in which they end.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "budget.hpp"
#include "exact/descent.hpp"
#include "exact/engine.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/new_rows.hpp"
#include "problem/key.hpp"

namespace slp::exact {

// One batch of rows, query by query: the side that each takes at every split.
class Routes {
public:
    // rows: positions in `values`. ends_at: for each query the feature at whose splits it ends; empty
    // where queries go on to leaves.
    Routes(const Engine& engine, std::span<const double> values, std::span<const std::size_t> rows,
           std::vector<std::uint32_t> ends_at = {})
        : table_(engine.problem().table),
          geometry_(engine.geometry()),
          n_(rows.size()),
          ends_at_(std::move(ends_at)) {
        const std::size_t d = table_.features.size();
        for (std::size_t f = 0; f < d; ++f) {
            for (const std::size_t row : rows) {
                values_.push_back(values[row * d + f]);
            }
            const auto own = std::span(values_).last(n_);
            by_thresholds_.push_back(table_.features[f].plain() && !table_.features[f].single() &&
                                     std::ranges::none_of(own, [](double x) {
                                         return std::isnan(x);
                                     }));
        }
        for (std::uint32_t query = 0; query < n_; ++query) {
            all_.push_back(query);
        }
    }

    QueryGroup all() const { return {key_of(all_), all_}; }

    // The groups stay until the arena is released.
    void route(const Box& box, std::span<const BoxSplit> splits,
               std::span<const std::uint32_t> queries, Arena& arena) {
        splits_ = splits;
        sides_.clear();
        parted_.clear();
        for_each_feature(splits, [&](std::span<const BoxSplit> of_feature, std::uint32_t) {
            const std::span<const std::uint32_t> own =
                going_on(of_feature.front().feature, queries, arena);
            if (by_thresholds_[of_feature.front().feature]) {
                route_by_thresholds(of_feature, own, arena);
            } else {
                const double second = second_level(box, of_feature.front());
                for (const BoxSplit& split : of_feature) {
                    route_one(box, split, second, own, arena);
                }
            }
        });
    }
    const QueryGroup& left(std::uint32_t split) const { return sides_[split].left; }
    const QueryGroup& right(std::uint32_t split) const { return sides_[split].right; }
    std::span<const PartedQuery> parted(std::uint32_t split) const {
        const auto [first, end] = sides_[split].parted;
        const auto out = std::span(parted_).subspan(first, end - first);
        const auto fault = std::ranges::find_if(
            out, [](const PartedQuery& query) { return std::isnan(query.share_left); });
        if (fault != out.end()) {
            const std::uint32_t feature = splits_[split].feature;
            throw UntoldFault{feature, std::isnan(value(feature, fault->alone.queries.front()))};
        }
        return out;
    }

private:
    static constexpr std::uint64_t kQueryStream = 3;

    struct SplitRoutes {
        QueryGroup left, right;
        std::pair<std::size_t, std::size_t> parted;  // first and end
    };

    static Key key_of(std::span<const std::uint32_t> queries) {
        Key out;
        for (const std::uint32_t query : queries) {
            out = out + random_key(kQueryStream, query);
        }
        return out;
    }
    double value(std::size_t f, std::uint32_t query) const { return values_[f * n_ + query]; }

    // Those of the queries that do not end at splits on a feature.
    std::span<const std::uint32_t> going_on(std::uint32_t f,
                                            std::span<const std::uint32_t> queries,
                                            Arena& arena) const {
        if (ends_at_.empty()) {
            return queries;
        }
        const std::span out(arena.allocate<std::uint32_t>(queries.size()), queries.size());
        const auto end = std::ranges::copy_if(queries, out.begin(), [&](std::uint32_t query) {
            return ends_at_[query] != f;
        });
        return out.first(static_cast<std::size_t>(end.out - out.begin()));
    }

    // The splits of one feature, whose thresholds ascend: those on the left are the first ones by
    // their values.
    void route_by_thresholds(std::span<const BoxSplit> splits,
                             std::span<const std::uint32_t> queries, Arena& arena) {
        const std::size_t n = queries.size(), f = splits.front().feature;
        const std::span sorted(arena.allocate<std::uint32_t>(n), n);
        std::ranges::copy(queries, sorted.begin());
        std::ranges::sort(sorted, {}, [&](std::uint32_t query) { return value(f, query); });
        const Key all = key_of(queries);
        Key left;
        std::size_t n_left = 0;
        for (const BoxSplit& split : splits) {
            const double threshold = table_.features[f].threshold(split.cut);
            for (; n_left < n && value(f, sorted[n_left]) < threshold; ++n_left) {
                left = left + random_key(kQueryStream, sorted[n_left]);
            }
            sides_.push_back({{left, sorted.first(n_left)},
                              {all - left, sorted.subspan(n_left)},
                              {parted_.size(), parted_.size()}});
        }
    }

    // Of a box with two levels, the one that goes right of its split, which is the first of the
    // feature; NaN of a box with more.
    double second_level(const Box& box, const BoxSplit& split) const {
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        const Feature& feature = table_.features[split.feature];
        if (!feature.names_pairs() || feature.tests_missing(split.cut)) {
            return kNone;
        }
        const RowTest test = feature.test(split.cut);
        std::optional<std::uint32_t> second;
        for (const std::uint32_t row : box.rows) {
            const std::uint32_t code = feature.codes[row];
            if (code == feature.missing() || code == second || test.goes_left(row)) {
                continue;
            }
            if (second) {
                return kNone;
            }
            second = code;
        }
        return second ? static_cast<double>(*second) : kNone;
    }

    // One split of another feature, or where values are missing. second: see `Feature::side_of`.
    void route_one(const Box& box, const BoxSplit& split, double second,
                   std::span<const std::uint32_t> queries, Arena& arena) {
        const Feature& feature = table_.features[split.feature];
        const std::span to(arena.allocate<std::uint32_t>(queries.size()), queries.size());
        std::size_t n_left = 0, first_right = queries.size();
        const std::size_t first_parted = parted_.size();
        for (const std::uint32_t& query : queries) {
            const double own_value = value(split.feature, query);
            const Missing side = feature.side_of(split.cut, own_value, second);
            double share = side == Missing::left ? 1.0 : 0.0;
            if (side == Missing::untold) {
                const Untold way = std::isnan(own_value) ? feature.untold : feature.absent;
                share = share_of_untold(box, split, way);
            }
            if (share == 1.0) {
                to[n_left++] = query;
            } else if (share == 0.0) {
                to[--first_right] = query;
            } else {
                const std::span<const std::uint32_t> alone(&query, 1);
                parted_.push_back({{key_of(alone), alone}, share});
            }
        }
        const std::span<const std::uint32_t> left = to.first(n_left),
                                             right = to.subspan(first_right);
        sides_.push_back(
            {{key_of(left), left}, {key_of(right), right}, {first_parted, parted_.size()}});
    }

    double share_of_untold(const Box& box, const BoxSplit& split, Untold way) const {
        const Feature& feature = table_.features[split.feature];
        const RowTest test = feature.test(split.cut);
        double ours = 0, all = 0;
        for (const std::uint32_t row : box.rows) {
            const double weight = table_.weight(row);
            all += weight;
            ours += test.goes_left(row) ? weight : 0.0;
        }
        return share_left(way, ours, all);
    }

    const Table& table_;
    const Geometry& geometry_;
    std::size_t n_;
    std::vector<std::uint32_t> ends_at_;
    std::vector<double> values_;               // by feature, by query
    std::vector<std::uint8_t> by_thresholds_;  // whether every query has a side of each threshold
    std::vector<std::uint32_t> all_;
    std::span<const BoxSplit> splits_;  // of the last `route`
    std::vector<SplitRoutes> sides_;          // by split
    std::vector<PartedQuery> parted_;
};

// Records the leaves that the rows of a batch end in. A `Sink` has
//   void leaf_of_group(const double* statistics, std::span<const std::uint32_t> queries,
//                      double mass)
template <typename Sink>
class RowWalk : public Routes {
public:
    RowWalk(const Engine& engine, std::span<const double> values,
            std::span<const std::size_t> rows, Sink& sink)
        : Routes(engine, values, rows),
          problem_(engine.problem()),
          sink_(sink),
          statistics_(problem_.leaf.n_statistics()) {}

    void open(const OpenedItem& opened) {
        of_leaf_ = 0.0;
        const double* next = opened.probabilities.data();
        for (const RuleEdges& rule : opened.item.rules) {
            of_leaf_ += rule.kind == RuleKind::leaf ? *next : 0.0;
            next += rule.kind == RuleKind::leaf ? 1 : rule.edges.size();
        }
        if (of_leaf_ > 0) {
            problem_.leaf.sum(opened.box.rows, statistics_.data());
            problem_.set_prior(statistics_.data(), opened.product / problem_.n_owed());
        }
    }
    void visit(const OpenedItem&, std::span<const std::uint32_t> queries, double mass) {
        if (of_leaf_ > 0) {
            sink_.leaf_of_group(statistics_.data(), queries, mass * of_leaf_);
        }
    }

private:
    const Problem& problem_;
    Sink& sink_;
    std::vector<double> statistics_;  // of the item
    double of_leaf_ = 0.0;            // the probability that the item is a leaf
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
    void leaf_of_group(const double* statistics, std::span<const std::uint32_t> queries,
                       double mass) {
        self().read(statistics);
        for (const std::uint32_t query : queries) {
            self().add(query, mass);
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

    // The least probability of the leaves found for a query.
    double least_mass() const { return *std::ranges::min_element(mass_); }

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

    // The least probability of the leaves found for a query.
    double least_mass() const {
        double least = 1.0;
        for (const auto& leaves : queries_) {
            double own = 0.0;
            for (const auto& [number, mass] : leaves) {
                own += mass;
            }
            least = std::min(least, own);
        }
        return least;
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
