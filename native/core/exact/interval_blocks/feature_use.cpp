#include "exact/interval_blocks/feature_use.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "exact/interval_blocks/inner_feature.hpp"
#include "exact/interval_blocks/search.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

class FeatureUsePass final : public Pass {
public:
    FeatureUsePass(const Problem& problem, const Geometry& geometry, BlockGrammar grammar,
                   std::uint32_t inner, bool likelihood, std::size_t memory,
                   std::size_t n_threads)
        : problem_(problem), geometry_(geometry), grammar_(std::move(grammar)), inner_(inner) {
        task_.likelihood = likelihood;
        task_.memory = memory;
        task_.n_threads = n_threads;
    }

    Status run(const Poll& poll) override {
        const std::size_t d = problem_.table.features.size();
        out_.assign(2 * d, 0.0);
        const Status status = find_splits(poll);
        if (status != Status::done) {
            return status;
        }
        for (std::size_t f = 0; f < d; ++f) {
            if (out_[d + f] > 0.0) {
                const Status without = leave_out(f, poll);
                if (without != Status::done) {
                    return without;
                }
            }
        }
        done_ = true;
        return Status::done;
    }

    Progress progress() const override {
        return {before_.items, before_.edges, before_.repeated, 0, before_.peak_bytes};
    }
    // The root has one value, whatever it owes.
    double log_value(const Box& box, std::int32_t product) const override {
        const bool is_start = product == problem_.grammar.start * problem_.n_owed();
        return is_start && box.key == geometry_.root().key ? log_total_ : -INFINITY;
    }
    double root_count(std::int32_t) const override { return 0.0; }
    std::span<const double> root_vector(std::int32_t) const override {
        return done_ ? std::span<const double>(out_) : std::span<const double>();
    }
    bool likelihood() const override { return task_.likelihood; }
    bool by_interval_blocks() const override { return true; }

private:
    // All trees: their weight, and the expected splits.
    Status find_splits(const Poll& poll) {
        BlockTask task = task_;
        task.keep_blocks = true;
        const auto search =
            make_interval_block_search(problem_, geometry_, grammar_, inner_, task);
        Status status = search->run(adding(poll));
        if (status == Status::done) {
            log_total_ = log_root(*search);
            log_scale_ = search->log_scale();
            status = descend(*search, poll);
        }
        add(search->progress());
        return status;
    }

    Status descend(IntervalBlockSearch& search, const Poll& poll) {
        const Progress found = search.progress();
        std::vector<double> splits;
        QueryBatch queries;
        queries.splits = &splits;
        // An item left out of a query that follows both sides had at most two nodes for each row.
        const double cut = kMostLost / (static_cast<double>(found.items + found.edges) * 2 *
                                        static_cast<double>(problem_.table.n_rows));
        const Poll telling = adding(poll);
        ThreadTeam team;
        const Status status = team.run(1, [&](std::size_t) {
            Watch watch(team, &telling);
            const auto go_on = [&](std::uint64_t) {
                return watch.go_on([&] { return search.progress(); });
            };
            if (search.descend(queries, cut, go_on)) {
                team.end(Status::done);
            }
        });
        if (status != Status::done) {
            return status;
        }
        const std::size_t d = problem_.table.features.size(), n = splits.size() / d;
        for (std::size_t at = 0; at < splits.size(); ++at) {
            out_[d + at / n] += splits[at];
        }
        return Status::done;
    }

    // The trees without a feature.
    Status leave_out(std::size_t f, const Poll& poll) {
        BlockTask task = task_;
        task.excluded = static_cast<std::int32_t>(f);
        task.log_scale = log_scale_;
        std::uint32_t inner = inner_;
        if (f == inner_) {
            inner = inner_feature(problem_, task.excluded).value_or(inner_);
        }
        const auto search =
            make_interval_block_search(problem_, geometry_, grammar_, inner, task);
        const Status status = search->run(adding(poll));
        add(search->progress());
        if (status == Status::done) {
            const double without_it =
                std::exp(log_root(*search) - log_total_);
            const double expected = out_[problem_.table.features.size() + f];
            out_[f] = std::clamp(1.0 - without_it, 0.0, std::min(1.0, expected));
        }
        return status;
    }

    // Log of the sum of the root's values.
    double log_root(const BlockSearch& search) const {
        double top = -INFINITY, sum = 0;
        for (const bool is_sum : {false, true}) {
            for (std::int32_t state = 0; state < problem_.n_owed(); ++state) {
                const double own =
                    search.log_value(geometry_.root(), static_cast<std::size_t>(state));
                top = is_sum ? top : std::max(top, own);
                sum += is_sum && top > -INFINITY ? std::exp(own - top) : 0.0;
            }
        }
        return sum > 0.0 ? top + std::log(sum) : top;
    }

    void add(const Progress& found) {
        before_.items += found.items;
        before_.edges += found.edges;
        before_.repeated += found.repeated;
        before_.peak_bytes = std::max(before_.peak_bytes, found.peak_bytes);
    }

    // Reports this search and those before.
    Poll adding(const Poll& poll) const {
        return [&poll, before = before_](const Progress& now) {
            return poll({before.items + now.items, before.edges + now.edges,
                         before.repeated + now.repeated, now.bytes, now.peak_bytes});
        };
    }

    const Problem& problem_;
    const Geometry& geometry_;
    BlockGrammar grammar_;
    std::uint32_t inner_;
    BlockTask task_;
    Progress before_;
    double log_total_ = -INFINITY, log_scale_ = 0.0;
    std::vector<double> out_;
    bool done_ = false;
};

}  // namespace

std::unique_ptr<Pass> make_feature_use_pass(const Problem& problem, const Geometry& geometry,
                                            const BlockGrammar& grammar, std::uint32_t inner,
                                            bool likelihood, std::size_t memory,
                                            std::size_t n_threads) {
    return std::make_unique<FeatureUsePass>(problem, geometry, grammar, inner, likelihood,
                                            memory, n_threads);
}

}  // namespace slp::exact
