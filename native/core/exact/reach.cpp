#include "exact/reach.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "exact/crew.hpp"
#include "exact/descent.hpp"

namespace slp::exact {

namespace {

constexpr double kTolerance = 1e-11;
// Lanes and threads, tried in turn until the memory is enough.
constexpr std::size_t kLanes[] = {32, 8, 1};

// One block of rows: the side that each takes at every split.
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
            auto& sorted = by_feature_[f].lanes;
            for (std::size_t lane = 0; lane < rows.size(); ++lane) {
                sorted.push_back({values[rows[lane] * d + f], std::uint64_t{1} << lane});
            }
            std::sort(sorted.begin(), sorted.end(),
                      [](const Lane& x, const Lane& y) { return x.value < y.value; });
            by_feature_[f].levels = features[f].kind == FeatureKind::levels;
        }
    }

    void route(std::span<const BoxSplit> splits) {
        left_.clear();
        for (std::size_t i = 0; i < splits.size();) {
            const std::uint32_t f = splits[i].feature;
            const std::vector<Lane>& lanes = by_feature_[f].lanes;
            std::uint64_t left = 0;
            for (std::size_t next = 0; i < splits.size() && splits[i].feature == f; ++i) {
                if (by_feature_[f].levels) {
                    left_.push_back(with_level(lanes, splits[i].low));
                    continue;
                }
                const double threshold = geometry_.threshold(splits[i]);
                for (; next < lanes.size() && lanes[next].value < threshold; ++next) {
                    left |= lanes[next].bit;  // thresholds ascend
                }
                left_.push_back(left);
            }
        }
    }
    std::uint64_t left(std::uint32_t split) const { return left_[split]; }
    std::uint64_t right(std::uint32_t split) const { return ~left_[split]; }

private:
    struct Lane {
        double value;
        std::uint64_t bit;
    };
    struct ByFeature {
        std::vector<Lane> lanes;
        bool levels;
    };

    static std::uint64_t with_level(const std::vector<Lane>& lanes, std::uint32_t code) {
        std::uint64_t out = 0;
        for (const Lane& lane : lanes) {
            out |= lane.value == static_cast<double>(code) ? lane.bit : 0;
        }
        return out;
    }

    const Geometry& geometry_;
    std::vector<ByFeature> by_feature_;
    std::vector<std::uint64_t> left_;
};

// Takes down the leaves that the rows of a block end in. A `Sink` has
//   void leaf(const double* statistics, std::uint64_t lanes, const double* mass, double share)
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
        double share = 0;
        const double* next = opened.shares.data();
        for (const RuleEdges& rule : opened.item.rules) {
            share += rule.kind == RuleKind::leaf ? *next : 0.0;
            next += rule.kind == RuleKind::leaf ? 1 : rule.edges.size();
        }
        if (share > 0) {
            leaf_.sum(opened.box.rows, statistics_.data());
            sink_.leaf(statistics_.data(), opened.lanes, opened.mass, share);
        }
    }

private:
    const LeafModel& leaf_;
    Sink& sink_;
    std::vector<double> statistics_;
};

// Averages of what leaves predict.
class Averages final : public LeafSink {
public:
    Averages(const Engine& engine, std::size_t n_lanes, Budget&)
        : leaf_(engine.problem().leaf),
          predicted_(leaf_.n_predicted()),
          sum_(n_lanes * predicted_.size(), 0.0),
          mass_(n_lanes, 0.0) {}

    void leaf(const double* statistics, std::uint64_t lanes, const double* mass,
              double share) override {
        leaf_.predict(statistics, predicted_.data());
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
            const double own = mass[lane] * share;
            mass_[lane] += own;
            for (std::size_t i = 0; own > 0 && i < predicted_.size(); ++i) {
                sum_[lane * predicted_.size() + i] += own * predicted_[i];
            }
        }
    }

    void finish(std::span<const std::size_t> rows, std::vector<double>& out) const {
        const std::size_t q = predicted_.size();
        for (std::size_t lane = 0; lane < rows.size(); ++lane) {
            for (std::size_t i = 0; i < q; ++i) {
                out[rows[lane] * q + i] = sum_[lane * q + i] / mass_[lane];
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
    Mixtures(const Engine& engine, std::size_t n_lanes, Budget& budget)
        : k_(engine.problem().leaf.n_statistics()), held_(budget), lanes_(n_lanes) {}

    void leaf(const double* statistics, std::uint64_t lanes, const double* mass,
              double share) override {
        std::string key(k_ * sizeof(double), '\0');
        std::memcpy(key.data(), statistics, key.size());
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
            const auto [at, is_new] = lanes_[lane].try_emplace(key, 0.0);
            at->second += mass[lane] * share;
            if (is_new) {  // with what comes out in the end, and the nodes of the map
                held_.add(2 * key.size() + 96);
            }
        }
    }

    void finish(std::span<const std::size_t> rows, std::vector<LeafMass>& out) {
        for (std::size_t lane = 0; lane < rows.size(); ++lane) {
            LeafMass& own = out[rows[lane]];
            double total = 0;
            for (const auto& [statistics, mass] : lanes_[lane]) {
                own.probability.push_back(mass);
                total += mass;
                const std::size_t at = own.statistics.size();
                own.statistics.resize(at + k_);
                std::memcpy(own.statistics.data() + at, statistics.data(), statistics.size());
            }
            for (double& mass : own.probability) {
                mass /= total;
            }
            lanes_[lane].clear();
        }
    }

private:
    std::size_t k_;
    Charge held_;
    std::vector<std::unordered_map<std::string, double>> lanes_;
};

// Follows all rows, block by block, on several threads.
template <typename Sink, typename Out>
class Batch {
public:
    Batch(const Engine& engine, const Totals& totals, const NewRows& rows, Means means,
          const Poll& poll, Out& out)
        : engine_(engine),
          totals_(totals),
          values_(rows.values),
          own_(means.memory),
          budget_(totals.families != nullptr ? totals.families->budget() : own_),
          n_threads_(means.n_threads),
          poll_(poll),
          out_(out) {
        cut_ = kTolerance / most_ways();
        left_.resize(rows.m);
        std::iota(left_.begin(), left_.end(), std::size_t{0});
    }

    Status run() {
        std::size_t n_threads = n_threads_;
        for (const std::size_t n_lanes : kLanes) {
            const Status status = run_blocks(n_lanes, n_threads);
            if (status != Status::out_of_budget) {
                return status;
            }
            n_threads = 1;
        }
        return Status::out_of_budget;
    }

private:
    // Takes the rows that are left; what could not be done is left again.
    Status run_blocks(std::size_t most_lanes, std::size_t n_threads) {
        const std::size_t each = (left_.size() + n_threads - 1) / n_threads;
        const std::size_t n_lanes = std::clamp<std::size_t>(each, 1, most_lanes);
        std::vector<std::span<const std::size_t>> blocks;
        const std::vector<std::size_t> rows = std::exchange(left_, {});
        for (std::size_t at = 0; at < rows.size(); at += n_lanes) {
            blocks.push_back(std::span(rows).subspan(at, std::min(n_lanes, rows.size() - at)));
        }
        std::vector<std::uint8_t> done(blocks.size(), 0);
        std::atomic<std::size_t> next{0}, n_done{0};
        Crew crew;
        const Status status = crew.run(n_threads, [&](std::size_t thread) {
            Watch watch(crew, thread == 0 ? &poll_ : nullptr);
            const auto go_on = [&](std::uint64_t items) {
                items_ += items;
                return watch.go_on([this] { return progress(); });
            };
            for (std::size_t i = next++; i < blocks.size() && !crew.ended(); i = next++) {
                if (!follow(blocks[i], go_on)) {
                    return;
                }
                done[i] = 1;
                ++n_done;
            }
            while (thread == 0 && n_done < blocks.size() && go_on(0)) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            if (n_done == blocks.size()) {
                crew.end(Status::done);
            }
        });
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (!done[i]) {
                left_.insert(left_.end(), blocks[i].begin(), blocks[i].end());
            }
        }
        return status;
    }

    // Whether the block was done; it writes what is its rows' alone.
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
        if (totals_.families == nullptr) {
            RowWalk<Sink> walk(engine_, values_, rows, sink);
            return Descent(engine_, *totals_.pass, walk, rows.size(), cut_, budget_, go_on).run();
        }
        Lanes lanes;
        lanes.n = rows.size();
        lanes.leaves = &sink;
        for (const std::size_t row : rows) {
            lanes.rows.push_back(values_.data() + row * engine_.problem().table.features.size());
        }
        return totals_.families->descend(lanes, cut_, go_on);
    }

    double most_ways() const {
        if (totals_.families == nullptr) {
            return totals_.pass->most_ways();
        }
        const Progress all = totals_.families->progress();
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

Status predict_rows(const Engine& engine, const Totals& totals, const NewRows& rows,
                    Means means, const Poll& poll, std::vector<double>& out) {
    out.assign(rows.m * engine.problem().leaf.n_predicted(), 0.0);
    return Batch<Averages, std::vector<double>>(engine, totals, rows, means, poll, out).run();
}

Status leaves_reached(const Engine& engine, const Totals& totals, const NewRows& rows,
                      Means means, const Poll& poll, std::vector<LeafMass>& out) {
    out.assign(rows.m, {});
    return Batch<Mixtures, std::vector<LeafMass>>(engine, totals, rows, means, poll, out).run();
}

}  // namespace slp::exact
