// All new rows, batch by batch on several threads.

#include "exact/new_rows.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include "exact/descent.hpp"
#include "exact/leaf_sinks.hpp"
#include "exact/row_walk.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

// Sizes of batches, tried in turn with numbers of threads until the memory is enough.
constexpr std::size_t kBatchSizes[] = {32, 8, 1};

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
