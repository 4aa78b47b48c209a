// A batch of new rows on its way down: the side that each takes at every split, and the leaves.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/descent.hpp"
#include "exact/engine.hpp"

namespace slp::exact {

// One batch of rows: the side that each takes at every split.
class Routes {
public:
    // rows: positions in `values`, at most 64.
    Routes(const Engine& engine, std::span<const double> values,
           std::span<const std::size_t> rows)
        : geometry_(engine.geometry()) {
        const auto& features = engine.problem().table.features;
        const std::size_t d = features.size();
        by_feature_.resize(d);
        for (std::size_t f = 0; f < d; ++f) {
            auto& sorted = by_feature_[f].queries;
            for (std::size_t query = 0; query < rows.size(); ++query) {
                sorted.push_back({values[rows[query] * d + f], std::uint64_t{1} << query});
            }
            std::sort(sorted.begin(), sorted.end(),
                      [](const Query& x, const Query& y) { return x.value < y.value; });
            by_feature_[f].levels = features[f].kind == FeatureKind::levels;
        }
    }

    void route(std::span<const BoxSplit> splits) {
        left_.clear();
        for (std::size_t i = 0; i < splits.size();) {
            const std::uint32_t f = splits[i].feature;
            const std::vector<Query>& queries = by_feature_[f].queries;
            std::uint64_t left = 0;
            for (std::size_t next = 0; i < splits.size() && splits[i].feature == f; ++i) {
                if (by_feature_[f].levels) {
                    left_.push_back(with_level(queries, splits[i].low));
                    continue;
                }
                const double threshold = geometry_.threshold(splits[i]);
                for (; next < queries.size() && queries[next].value < threshold; ++next) {
                    left |= queries[next].bit;  // thresholds ascend
                }
                left_.push_back(left);
            }
        }
    }
    std::uint64_t left(std::uint32_t split) const { return left_[split]; }
    std::uint64_t right(std::uint32_t split) const { return ~left_[split]; }

private:
    struct Query {
        double value;
        std::uint64_t bit;
    };
    struct ByFeature {
        std::vector<Query> queries;
        bool levels;
    };

    static std::uint64_t with_level(const std::vector<Query>& queries, std::uint32_t code) {
        std::uint64_t out = 0;
        for (const Query& query : queries) {
            out |= query.value == static_cast<double>(code) ? query.bit : 0;
        }
        return out;
    }

    const Geometry& geometry_;
    std::vector<ByFeature> by_feature_;
    std::vector<std::uint64_t> left_;
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

    void visit(const Opened& opened) {
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

}  // namespace slp::exact
