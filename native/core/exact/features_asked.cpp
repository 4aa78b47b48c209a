#include "exact/features_asked.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "budget.hpp"
#include "exact/descent.hpp"
#include "exact/row_walk.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

// New rows that are followed together.
constexpr std::size_t kRowsAtOnce = 16;

// What is added up for some rows, each with d + 1 queries, of which the last never ends.
class PathSums {
public:
    PathSums(std::size_t n_rows, std::size_t d)
        : d_(d), unasked_(n_rows * (d + 1), 0.0), splits_(n_rows * d, 0.0) {}

    // The next item.
    void open(const OpenedItem& opened) {
        of_leaf_ = 0.0;
        of_split_.clear();
        const double* next = opened.probabilities.data();
        for (const RuleEdges& rule : opened.item.rules) {
            of_leaf_ += rule.kind == RuleKind::leaf ? *next++ : 0.0;
            for (const Edge& edge : rule.edges) {
                if (rule.kind == RuleKind::split) {
                    of_split_.emplace_back(opened.splits[edge.split].feature, *next);
                }
                ++next;
            }
        }
    }
    // These queries pass through it with this probability.
    void visit(std::span<const std::uint32_t> queries, double mass) {
        for (const std::uint32_t query : queries) {
            unasked_[query] += mass * of_leaf_;
            if (query % (d_ + 1) == d_) {
                double* const own = splits_.data() + query / (d_ + 1) * d_;
                for (const auto& [feature, probability] : of_split_) {
                    own[feature] += mass * probability;
                }
            }
        }
    }

    // The least probability of the leaves found for a row.
    double least_mass() const {
        double out = 1.0;
        for (std::size_t at = d_; at < unasked_.size(); at += d_ + 1) {
            out = std::min(out, unasked_[at]);
        }
        return out;
    }

    void write(FeaturesAsked& out) const {
        for (std::size_t row = 0; row * d_ < splits_.size(); ++row) {
            const double* const own = unasked_.data() + row * (d_ + 1);
            for (std::size_t f = 0; f < d_; ++f) {
                out.asked.push_back(std::clamp(1.0 - own[f] / own[d_], 0.0, 1.0));
                out.splits.push_back(splits_[row * d_ + f] / own[d_]);
            }
        }
    }

private:
    std::size_t d_;
    // By row: for each feature the probability that the path ends without a split on it, then that
    // it ends.
    std::vector<double> unasked_;
    std::vector<double> splits_;  // by row, by feature
    double of_leaf_ = 0.0;        // of the item at hand
    std::vector<std::pair<std::uint32_t, double>> of_split_;
};

// The feature at whose splits each query ends; the last of a row ends at none.
std::vector<std::uint32_t> ends_of(std::size_t n_rows, std::size_t d) {
    std::vector<std::uint32_t> out;
    for (std::size_t query = 0; query < n_rows * (d + 1); ++query) {
        out.push_back(static_cast<std::uint32_t>(query % (d + 1)));
    }
    return out;
}

// The position of each query's row.
std::vector<std::size_t> rows_of(std::size_t first, std::size_t n_rows, std::size_t d) {
    std::vector<std::size_t> out;
    for (std::size_t query = 0; query < n_rows * (d + 1); ++query) {
        out.push_back(first + query / (d + 1));
    }
    return out;
}

class RowPaths : public Routes {
public:
    RowPaths(const Engine& engine, const NewRows& rows, std::size_t first, std::size_t n,
             PathSums& sums)
        : Routes(engine, rows.values, rows_of(first, n, n_features(engine)),
                 ends_of(n, n_features(engine))),
          sums_(sums) {}

    void open(const OpenedItem& opened) { sums_.open(opened); }
    void visit(const OpenedItem&, std::span<const std::uint32_t> queries, double mass) {
        sums_.visit(queries, mass);
    }

private:
    static std::size_t n_features(const Engine& engine) {
        return engine.problem().table.features.size();
    }

    PathSums& sums_;
};

// One row that stands for all of the table: its queries follow both sides.
class TablePaths {
public:
    TablePaths(const Table& table, PathSums& sums) : table_(table), sums_(sums) {
        const std::vector<std::size_t> rows = table_rows();
        all_weight_ = weight_of(rows);
        queries_.resize(table.features.size() + 1);
        std::iota(queries_.begin(), queries_.end(), std::uint32_t{0});
    }

    QueryGroup all() const { return {key_of(queries_), queries_}; }

    void open(const OpenedItem& opened) {
        sums_.open(opened);
        share_ = weight_of(opened.box.rows) / all_weight_;
    }
    void visit(const OpenedItem&, std::span<const std::uint32_t> queries, double mass) {
        sums_.visit(queries, mass * share_);
    }

    void route(const Box&, std::span<const BoxSplit> splits,
               std::span<const std::uint32_t> queries, Arena& arena) {
        groups_.clear();
        for_each_feature(splits, [&](std::span<const BoxSplit> of_feature, std::uint32_t) {
            const std::span out(arena.allocate<std::uint32_t>(queries.size()), queries.size());
            const auto end = std::ranges::remove_copy(queries, out.begin(),
                                                      of_feature.front().feature);
            const auto own = out.first(static_cast<std::size_t>(end.out - out.begin()));
            groups_.insert(groups_.end(), of_feature.size(), {key_of(own), own});
        });
    }
    QueryGroup left(std::uint32_t split) const { return groups_[split]; }
    QueryGroup right(std::uint32_t split) const { return groups_[split]; }
    std::span<const PartedQuery> parted(std::uint32_t) const { return {}; }

private:
    static constexpr std::uint64_t kQueryStream = 3;

    static Key key_of(std::span<const std::uint32_t> queries) {
        Key out;
        for (const std::uint32_t query : queries) {
            out = out + random_key(kQueryStream, query);
        }
        return out;
    }
    std::vector<std::size_t> table_rows() const {
        std::vector<std::size_t> out(table_.n_rows);
        std::iota(out.begin(), out.end(), std::size_t{0});
        return out;
    }
    template <typename Rows>
    double weight_of(const Rows& rows) const {
        double out = 0.0;
        for (const auto row : rows) {
            out += table_.weight(static_cast<std::uint32_t>(row));
        }
        return out;
    }

    const Table& table_;
    PathSums& sums_;
    double all_weight_ = 0.0, share_ = 0.0;  // of the item at hand: its rows' share of all weight
    std::vector<std::uint32_t> queries_;
    std::vector<QueryGroup> groups_;  // by split
};

// Runs descents whose walks are made of `PathSums`, one after the other.
class Descents {
public:
    Descents(const Engine& engine, const Pass& pass, std::size_t memory, const Poll& poll)
        : engine_(engine), pass_(pass), budget_(memory), poll_(poll) {}

    template <typename MakeWalk>
    Status run(std::size_t n_batches, const std::function<std::size_t(std::size_t)>& n_rows,
               MakeWalk walk_of, FeaturesAsked& out) {
        out = {};
        ThreadTeam team;
        return team.run(1, [&](std::size_t) {
            Watch watch(team, &poll_);
            const auto go_on = [&](std::uint64_t more) {
                items_ += more;
                return watch.go_on(
                    [&] { return Progress{items_, 0, 0, budget_.used(), budget_.peak()}; });
            };
            for (std::size_t batch = 0; batch < n_batches; ++batch) {
                if (!follow(batch, n_rows(batch), walk_of, go_on, out)) {
                    return;
                }
            }
            team.end(Status::done);
        });
    }

private:
    template <typename MakeWalk>
    bool follow(std::size_t batch, std::size_t n_rows, MakeWalk walk_of,
                const std::function<bool(std::uint64_t)>& go_on, FeaturesAsked& out) {
        const std::size_t d = engine_.problem().table.features.size();
        for (double cut = kMostLost / pass_.most_edges();; cut = lower_cut(cut)) {
            PathSums sums(n_rows, d);
            auto walk = walk_of(batch, sums);
            if (!Descent(engine_, pass_, walk, cut, budget_, go_on).run()) {
                return false;
            }
            if (cut == 0.0 || sums.least_mass() >= 1.0 - kMostLost) {
                sums.write(out);
                return true;
            }
        }
    }

    const Engine& engine_;
    const Pass& pass_;
    Budget budget_;
    const Poll& poll_;
    std::uint64_t items_ = 0;
};

}  // namespace

Status features_asked(const Engine& engine, const Pass& pass, const NewRows& rows,
                      std::size_t memory, const Poll& poll, FeaturesAsked& out) {
    const auto size_of = [&](std::size_t batch) {
        return std::min(kRowsAtOnce, rows.m - batch * kRowsAtOnce);
    };
    return Descents(engine, pass, memory, poll)
        .run((rows.m + kRowsAtOnce - 1) / kRowsAtOnce, size_of,
             [&](std::size_t batch, PathSums& sums) {
                 return RowPaths(engine, rows, batch * kRowsAtOnce, size_of(batch), sums);
             },
             out);
}

Status features_asked_of_table(const Engine& engine, const Pass& pass, std::size_t memory,
                               const Poll& poll, FeaturesAsked& out) {
    return Descents(engine, pass, memory, poll)
        .run(1, [](std::size_t) { return std::size_t{1}; },
             [&](std::size_t, PathSums& sums) {
                 return TablePaths(engine.problem().table, sums);
             },
             out);
}

double seconds_of_features(const Engine& engine, const Pass& pass, std::size_t n_rows) {
    // Items have several groups, but few of the states of their box. Fitted to a row of haberman
    // under growtree, which took 40 s, the pass that keeps items included. The table's rows reach
    // every item.
    constexpr double kOfGroups = 0.15;
    constexpr std::size_t kAll = 1000;
    return kOfGroups * (n_rows > 0 ? seconds_by_items(engine, pass, n_rows, kRowsAtOnce)
                                   : seconds_by_items(engine, pass, kAll, kAll));
}

}  // namespace slp::exact
