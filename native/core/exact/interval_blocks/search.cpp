#include "exact/interval_blocks/search.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "exact/interval_blocks/descent.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/worker.hpp"

namespace slp::exact {

namespace {

template <Sum kSum, bool kVector>
class IntervalBlocks final : public IntervalBlockSearch {
public:
    using Worker = IntervalWorker<kSum, kVector>;
    using Triangle = typename Worker::Triangle;

    IntervalBlocks(const IntervalSetting& setting, const BlockTask& task)
        : task_(task), setting_(setting), shared_(task) {
        for (std::size_t t = 0; t < 2 * task.n_threads; ++t) {
            pools_.push_back(std::make_unique<Pool>(shared_.budget));
        }
    }

    Status run(const Poll& poll) override {
        const Status status = shared_.team.run(task_.n_threads, [&](std::size_t thread) {
            Worker(shared_, setting_, n_blocks_, thread, *pools_[2 * thread],
                   *pools_[2 * thread + 1], thread == 0 ? &poll : nullptr)
                .run(setting_.root);
        });
        finish(status);
        return status;
    }

    Progress progress() const override { return shared_.progress(); }

    double log_value(const Box& box, std::size_t state) const override {
        const Box& root = setting_.root;
        const double scale = setting_.log_scale * data_rows(box.sizes);
        if (box.key == root.key) {
            return root_values_.empty() ? -INFINITY : std::log(root_values_[state]) - scale;
        }
        const std::uint64_t* const found = find(box);
        if (found == nullptr) {
            return -INFINITY;
        }
        if constexpr (kVector) {
            return std::log(std::bit_cast<const double*>(*found)[state]) - scale;
        } else {
            return std::log(std::bit_cast<double>(*found)) - scale;
        }
    }

    bool is_known(const Box& box) const override {
        return box.key == setting_.root.key ? !root_values_.empty() : find(box) != nullptr;
    }

    double root_count(std::size_t state) const override {
        return root_values_.empty() ? 0.0 : root_values_[state];
    }

    bool descend(const QueryBatch& queries, double cut, Budget& budget,
                 const std::function<bool(std::uint64_t)>& go_on) override {
        return BlockDescent<kVector>(setting_, *shared_.found, n_blocks_.load(), queries, cut,
                                     budget, go_on)
            .run();
    }
    const BlockGrammar& grammar() const override { return setting_.grammar; }

private:
    const std::uint64_t* find(const Box& box) const {
        return shared_.kept == nullptr ? nullptr : shared_.kept->find(box.key);
    }

    // Keeps the root's values, and frees the triangles.
    void finish(Status status) {
        if (status == Status::done) {
            const std::uint64_t* const found = shared_.found->find(setting_.root.key);
            const auto& triangle = *std::bit_cast<const Triangle*>(*found);
            const auto cell = triangle.row(0)[triangle.k - 1];
            for (std::size_t s = 0; s < setting_.grammar.nodes.size(); ++s) {
                if constexpr (kVector) {
                    root_values_.push_back(cell[s]);
                } else {
                    root_values_.push_back(cell);
                }
            }
        }
        if (status == Status::done && task_.keep_blocks) {
            return;
        }
        shared_.found.reset();
        for (std::size_t i = 0; i < pools_.size(); ++i) {
            if (i % 2 == 0 || !task_.keep) {
                pools_[i]->clear();
            }
        }
    }

    BlockTask task_;
    IntervalSetting setting_;
    WalkShared shared_;
    std::atomic<std::uint32_t> n_blocks_{0};
    // Of each thread: triangles, vectors.
    std::vector<std::unique_ptr<Pool>> pools_;
    std::vector<double> root_values_;
};

template <Sum kSum>
std::unique_ptr<IntervalBlockSearch> make(const IntervalSetting& setting, const BlockTask& task) {
    if (setting.grammar.nodes.size() == 1 && setting.grammar.weights.empty()) {
        return std::make_unique<IntervalBlocks<kSum, false>>(setting, task);
    }
    return std::make_unique<IntervalBlocks<kSum, true>>(setting, task);
}

std::unique_ptr<IntervalBlockSearch> make(const IntervalSetting& setting, const BlockTask& task) {
    switch (task.sum) {
        case Sum::total: return make<Sum::total>(setting, task);
        case Sum::best: return make<Sum::best>(setting, task);
        case Sum::count: break;
    }
    return make<Sum::count>(setting, task);
}

// The interval blocks of a whole table.
class ScaledIntervalBlocks final : public ScaledSearch<IntervalBlockSearch> {
public:
    using ScaledSearch::ScaledSearch;

    bool descend(const QueryBatch& queries, double cut, Budget& budget,
                 const std::function<bool(std::uint64_t)>& go_on) override {
        return made()->descend(queries, cut, budget, go_on);
    }
    const BlockGrammar& grammar() const override { return made()->grammar(); }
};

}  // namespace

std::unique_ptr<IntervalBlockSearch> make_interval_block_search(const Problem& problem,
                                                                const Geometry& geometry,
                                                                const BlockGrammar& grammar,
                                                                std::uint32_t inner,
                                                                const BlockTask& task) {
    return std::make_unique<ScaledIntervalBlocks>(
        geometry, task, static_cast<std::size_t>(problem.n_owed()),
        [&problem, &geometry, grammar, inner](const BlockTask& own, const Box& root,
                                               double log_scale) {
            return make({problem, geometry, grammar, inner, own.likelihood, log_scale, root,
                         own.excluded},
                        own);
        });
}

}  // namespace slp::exact
