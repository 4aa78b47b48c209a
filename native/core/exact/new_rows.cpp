#include "exact/new_rows.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "exact/descent.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

// Sizes of batches, tried in turn with numbers of threads until the memory is enough.
constexpr std::size_t kBatchSizes[] = {32, 8, 1};

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

// Follows all rows, batch by batch, on several threads.
template <typename Sink, typename Out>
class AllRows {
public:
    AllRows(const Engine& engine, const Totals& totals, const NewRows& rows, Means means,
            const Poll& poll, Out& out)
        : engine_(engine),
          totals_(totals),
          values_(rows.values),
          own_(means.memory),
          budget_(totals.blocks != nullptr ? totals.blocks->budget() : own_),
          n_threads_(means.n_threads),
          poll_(poll),
          out_(out) {
        cut_ = kMostLost / most_edges();
        left_.resize(rows.m);
        std::iota(left_.begin(), left_.end(), std::size_t{0});
    }

    Status run() {
        std::size_t n_threads = n_threads_;
        for (const std::size_t n_queries : kBatchSizes) {
            const Status status = run_batches(n_queries, n_threads);
            if (status != Status::out_of_budget) {
                return status;
            }
            n_threads = 1;
        }
        return Status::out_of_budget;
    }

private:
    // Takes the remaining rows; rows that could not be done remain.
    Status run_batches(std::size_t most_queries, std::size_t n_threads) {
        const std::size_t each = (left_.size() + n_threads - 1) / n_threads;
        const std::size_t n_queries = std::clamp<std::size_t>(each, 1, most_queries);
        std::vector<std::span<const std::size_t>> batches;
        const std::vector<std::size_t> rows = std::exchange(left_, {});
        for (std::size_t at = 0; at < rows.size(); at += n_queries) {
            batches.push_back(std::span(rows).subspan(at, std::min(n_queries, rows.size() - at)));
        }
        std::vector<std::uint8_t> done(batches.size(), 0);
        std::atomic<std::size_t> next{0}, n_done{0};
        ThreadTeam team;
        const Status status = team.run(n_threads, [&](std::size_t thread) {
            Watch watch(team, thread == 0 ? &poll_ : nullptr);
            const auto go_on = [&](std::uint64_t items) {
                items_ += items;
                return watch.go_on([this] { return progress(); });
            };
            for (std::size_t i = next++; i < batches.size() && !team.ended(); i = next++) {
                if (!follow(batches[i], go_on)) {
                    return;
                }
                done[i] = 1;
                ++n_done;
            }
            while (thread == 0 && n_done < batches.size() && go_on(0)) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            if (n_done == batches.size()) {
                team.end(Status::done);
            }
        });
        for (std::size_t i = 0; i < batches.size(); ++i) {
            if (!done[i]) {
                left_.insert(left_.end(), batches[i].begin(), batches[i].end());
            }
        }
        return status;
    }

    // Whether the batch was done; it writes only its rows' results.
    bool follow(std::span<const std::size_t> rows,
                const std::function<bool(std::uint64_t)>& go_on) {
        Sink sink(engine_, rows.size(), budget_);
        if (!descend(rows, sink, go_on)) {
            return false;
        }
        sink.finish(rows, out_);
        return true;
    }

    bool descend(std::span<const std::size_t> rows, Sink& sink,
                 const std::function<bool(std::uint64_t)>& go_on) {
        if (totals_.blocks == nullptr) {
            RowWalk<Sink> walk(engine_, values_, rows, sink);
            return Descent(engine_, *totals_.pass, walk, rows.size(), cut_, budget_, go_on).run();
        }
        QueryBatch queries;
        queries.n = rows.size();
        queries.leaves = &sink;
        for (const std::size_t row : rows) {
            queries.rows.push_back(values_.data() +
                                   row * engine_.problem().table.features.size());
        }
        return totals_.blocks->descend(queries, cut_, go_on);
    }

    double most_edges() const {
        if (totals_.blocks == nullptr) {
            return totals_.pass->most_edges();
        }
        const Progress all = totals_.blocks->progress();
        return 1.0 + static_cast<double>(all.items + all.edges);
    }

    Progress progress() const { return {items_, 0, 0, budget_.used(), budget_.peak()}; }

    const Engine& engine_;
    const Totals& totals_;
    std::span<const double> values_;
    Budget own_;
    Budget& budget_;
    std::size_t n_threads_;
    const Poll& poll_;
    Out& out_;
    double cut_ = 0;
    std::vector<std::size_t> left_;
    std::atomic<std::uint64_t> items_{0};
};

}  // namespace

Status predict_rows(const Engine& engine, const Totals& totals, const NewRows& rows, Means means,
                    const Poll& poll, std::vector<double>& out) {
    out.assign(rows.m * engine.problem().leaf.n_predicted(), 0.0);
    return AllRows<Averages, std::vector<double>>(engine, totals, rows, means, poll, out).run();
}

Status leaves_reached(const Engine& engine, const Totals& totals, const NewRows& rows,
                      Means means, const Poll& poll, std::vector<LeafMass>& out) {
    out.assign(rows.m, {});
    return AllRows<Mixtures, std::vector<LeafMass>>(engine, totals, rows, means, poll, out).run();
}

}  // namespace slp::exact
