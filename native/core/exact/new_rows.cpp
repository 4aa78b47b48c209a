// All new rows, batch by batch on several threads.

#include "exact/new_rows.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <thread>
#include <utility>

#include "exact/descent.hpp"
#include "exact/row_walk.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

// Sizes of batches, tried in turn with numbers of threads until the memory is enough.
constexpr std::size_t kBatchSizes[] = {32, 8, 1};
// Item by item: rows that go together are followed together, so batches are large.
constexpr std::size_t kItemBatchSizes[] = {512, 32, 1};

// With this many rows of the table or more, one descent along the tree is faster than one descent
// for each row.
constexpr std::size_t kFewestAlongTree = 6;

// Finds the rows of the table that new rows go with.
class RowsOfTable {
public:
    explicit RowsOfTable(const Engine& engine) : engine_(engine) {
        const Table& table = engine.problem().table;
        for (std::uint32_t row = 0; row < table.n_rows; ++row) {
            codes_.clear();
            for (const Feature& feature : table.features) {
                codes_.push_back(feature.codes[row]);
            }
            rows_.emplace(codes_, static_cast<std::int32_t>(row));
        }
    }

    // -1: none. No value is missing.
    std::int32_t find(const double* values) {
        codes_.clear();
        for (const Feature& feature : engine_.problem().table.features) {
            const double value = *values++;
            const std::int32_t code = feature.code_of(value);
            if (code < 0) {
                return -1;
            }
            codes_.push_back(static_cast<std::uint32_t>(code));
        }
        const auto found = rows_.find(codes_);
        return found == rows_.end() ? -1 : found->second;
    }

private:
    const Engine& engine_;
    std::map<std::vector<std::uint32_t>, std::int32_t> rows_;
    std::vector<std::uint32_t> codes_;
};

// Follows all rows, batch by batch, on several threads.
template <typename Sink, typename Out>
class AllRows {
public:
    AllRows(const Engine& engine, const Pass& pass, const NewRows& rows, Means means,
            const Poll& poll, Out& out)
        : engine_(engine),
          pass_(pass),
          rows_(rows),
          budget_(means.memory),
          n_threads_(means.n_threads),
          poll_(poll),
          out_(out),
          cut_(kMostLost / pass.most_edges()),
          by_items_(pass.blocks() == nullptr) {
        left_.resize(rows.m);
        std::iota(left_.begin(), left_.end(), std::size_t{0});
        if (!by_items_) {
            const auto missing = std::ranges::stable_partition(left_, [this](std::size_t row) {
                return std::ranges::none_of(values(row), [](double x) { return std::isnan(x); });
            });
            missing_.assign(missing.begin(), missing.end());
            left_.erase(missing.begin(), missing.end());
        }
    }

    Status run() {
        std::vector<std::size_t> along_tree;
        if (!by_items_ && left_.size() >= kFewestAlongTree) {
            along_tree = take_rows_of_table();
        }
        const Status status = run_rows(std::move(along_tree));
        if (status != Status::done || missing_.empty()) {
            return status;
        }
        left_ = std::exchange(missing_, {});
        by_items_ = true;
        return run_rows({});
    }

private:
    using Rows = std::span<const std::size_t>;

    std::span<const double> values(std::size_t row) const {
        const std::size_t d = engine_.problem().table.features.size();
        return rows_.values.subspan(row * d, d);
    }

    // All rows left, the first of them along the tree.
    Status run_rows(std::vector<std::size_t> along_tree) {
        std::size_t n_threads = n_threads_;
        for (const std::size_t n_queries : by_items_ ? kItemBatchSizes : kBatchSizes) {
            const Status status = run_batches(n_queries, n_threads, std::exchange(along_tree, {}));
            if (status != Status::out_of_budget) {
                return status;
            }
            n_threads = 1;
        }
        return Status::out_of_budget;
    }

    // Those of the rows left that go with rows of the table, if there are enough of these.
    std::vector<std::size_t> take_rows_of_table() {
        RowsOfTable table(engine_);
        query_of_new_.assign(rows_.m, -1);
        query_of_row_.assign(engine_.problem().table.n_rows, -1);
        std::int32_t n_queries = 0;
        for (const std::size_t row : left_) {
            const std::int32_t with = table.find(values(row).data());
            if (with >= 0) {
                std::int32_t& query = query_of_row_[static_cast<std::size_t>(with)];
                query = query < 0 ? n_queries++ : query;
                query_of_new_[row] = query;
            }
        }
        n_of_table_ = static_cast<std::size_t>(n_queries);
        if (n_of_table_ < kFewestAlongTree) {
            return {};
        }
        const auto others = std::stable_partition(
            left_.begin(), left_.end(), [&](std::size_t row) { return query_of_new_[row] >= 0; });
        std::vector<std::size_t> out(left_.begin(), others);
        left_.erase(left_.begin(), others);
        return out;
    }

    // Takes the remaining rows, these along the tree; rows that could not be done remain.
    Status run_batches(std::size_t most_queries, std::size_t n_threads,
                       const std::vector<std::size_t>& along_tree) {
        // Sums of groups are rounded in another way in other batches.
        const std::size_t each =
            by_items_ ? most_queries : (left_.size() + n_threads - 1) / n_threads;
        const std::size_t n_queries = std::clamp<std::size_t>(each, 1, most_queries);
        std::vector<Rows> batches;
        const std::vector<std::size_t> rows = std::exchange(left_, {});
        if (!along_tree.empty()) {
            batches.emplace_back(along_tree);
        }
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
                return watch.go_on(
                    [this] { return Progress{items_, 0, 0, budget_.used(), budget_.peak()}; });
            };
            for (std::size_t i = next++; i < batches.size() && !team.ended(); i = next++) {
                if (!follow(batches[i], i == 0 && !along_tree.empty(), go_on)) {
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

    // Whether the batch was done; it writes only its rows' results. is_tree: all of these go with
    // rows of the table.
    bool follow(Rows rows, bool is_tree, const std::function<bool(std::uint64_t)>& go_on) {
        for (double cut = cut_;; cut = lower_cut(cut)) {
            Sink sink(engine_, is_tree ? n_of_table_ : rows.size(), query_of_row_, budget_);
            if (!descend(rows, is_tree, sink, cut, go_on)) {
                return false;
            }
            // A row may wait in many groups at one item, each of which may lose as much.
            if (by_items_ && cut > 0.0 && sink.least_mass() < 1.0 - kMostLost) {
                continue;
            }
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const std::size_t row = rows[i];
                sink.write(is_tree ? static_cast<std::size_t>(query_of_new_[row]) : i, row, out_);
            }
            return true;
        }
    }

    bool descend(Rows rows, bool is_tree, Sink& sink, double cut,
                 const std::function<bool(std::uint64_t)>& go_on) {
        if (by_items_) {
            RowWalk<Sink> walk(engine_, rows_.values, rows, sink);
            return Descent(engine_, pass_, walk, cut, budget_, go_on).run();
        }
        QueryBatch queries;
        queries.n = is_tree ? 1 : rows.size();
        queries.leaves = &sink;
        for (std::size_t i = 0; i < rows.size() && !is_tree; ++i) {
            queries.rows.push_back(values(rows[i]).data());
        }
        return pass_.blocks()->descend(queries, cut, budget_, go_on);
    }

    const Engine& engine_;
    const Pass& pass_;
    const NewRows& rows_;
    Budget budget_;
    std::size_t n_threads_;
    const Poll& poll_;
    Out& out_;
    double cut_ = 0;
    bool by_items_;
    // Rows not done. `missing_`: those that miss a value, which blocks do not follow.
    std::vector<std::size_t> left_, missing_;
    // For each new row, the query of the table row that it goes with; -1 for none.
    std::vector<std::int32_t> query_of_new_;
    QueryOfRow query_of_row_;
    std::size_t n_of_table_ = 0;  // rows of the table that new rows go with
    std::atomic<std::uint64_t> items_{0};
};

}  // namespace

Status predict_rows(const Engine& engine, const Pass& pass, const NewRows& rows, Means means,
                    const Poll& poll, std::vector<double>& out) {
    out.assign(rows.m * engine.problem().leaf.n_predicted(), 0.0);
    return AllRows<Averages, std::vector<double>>(engine, pass, rows, means, poll, out).run();
}

Status leaves_reached(const Engine& engine, const Pass& pass, const NewRows& rows, Means means,
                      const Poll& poll, std::vector<LeafMass>& out) {
    out.assign(rows.m, {});
    return AllRows<Mixtures, std::vector<LeafMass>>(engine, pass, rows, means, poll, out).run();
}

double seconds_of_new_rows(const Engine& engine, const Pass& pass, const NewRows& rows) {
    // By blocks for each row: a split of a box, and more for each state.
    constexpr double kOfSplit = 5e-9, kOfState = 1.2e-9;
    const auto n_edges = static_cast<double>(pass.progress().edges);
    const auto n_states = std::max(1.0, static_cast<double>(engine.values_per_box()));
    const std::size_t d = engine.problem().table.features.size();
    std::size_t n_alone = 0, n_by_items = pass.blocks() == nullptr ? rows.m : 0;
    std::set<std::int32_t> with;  // rows of the table
    if (pass.blocks() != nullptr) {
        RowsOfTable table(engine);
        for (std::size_t row = 0; row < rows.m; ++row) {
            const std::span<const double> values = rows.values.subspan(row * d, d);
            const bool is_missing =
                std::ranges::any_of(values, [](double x) { return std::isnan(x); });
            const std::int32_t found = is_missing ? -1 : table.find(values.data());
            if (found >= 0) {
                with.insert(found);
            } else {
                ++(is_missing ? n_by_items : n_alone);
            }
        }
    }
    // One descent of the tree takes as long as some rows.
    n_alone += std::min(with.size(), kFewestAlongTree);
    const double by_blocks =
        static_cast<double>(n_alone) * n_edges * (kOfSplit + kOfState * n_states);
    return by_blocks + seconds_by_items(engine, pass, n_by_items, kItemBatchSizes[0]);
}

double seconds_by_items(const Engine& engine, const Pass& pass, std::size_t n_rows,
                        std::size_t batch) {
    // An item, and a split of it, for all rows of a batch. One row reaches some part of the items,
    // and each further one this part of the others.
    constexpr double kOfItem = 4e-6, kOfItemSplit = 3e-7, kPart = 0.15;
    const Progress all = pass.progress();
    // Passes by blocks count boxes, others pairs of box and state.
    const bool counts_boxes = pass.by_interval_blocks() || pass.few_rows() > 0;
    const double descent = (static_cast<double>(all.items) * kOfItem +
                            static_cast<double>(all.edges) * kOfItemSplit) *
                           (counts_boxes ? std::max(1.0, static_cast<double>(
                                                             engine.values_per_box()))
                                         : 1.0);
    double n_descents = 0.0;
    for (std::size_t left = n_rows; left > 0;) {
        const std::size_t n = std::min(left, batch);
        n_descents += 1.0 - std::pow(1.0 - kPart, static_cast<double>(n));
        left -= n;
    }
    return n_descents * descent;
}

}  // namespace slp::exact
