#include "exact/interval_blocks/search.hpp"

#include <atomic>
#include <bit>

#include "exact/interval_blocks/descent.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/interval_blocks/worker.hpp"

namespace slp::exact {

namespace {

template <Sum kSum, bool kVector>
class IntervalBlocks final : public IntervalBlockSearch {
public:
    using Worker = IntervalWorker<kSum, kVector>;
    using Triangle = typename Worker::Triangle;

    explicit IntervalBlocks(const IntervalSetting& setting)
        : IntervalBlockSearch(setting.task, 2 * setting.task.n_threads), setting_(setting) {}

    // It keeps the root's values, and the triangles only for descents.
    Status run(const Poll& poll) override {
        const Status status = shared_.team.run(task_.n_threads, [&](std::size_t thread) {
            Worker(shared_, setting_, n_blocks_, thread, *pools_[2 * thread],
                   *pools_[2 * thread + 1], thread == 0 ? &poll : nullptr)
                .run(task_.root);
        });
        if (status == Status::done) {
            const std::uint64_t* const found = shared_.found->find(task_.root.key);
            const auto& triangle = *std::bit_cast<const Triangle*>(*found);
            const auto cell = std::bit_cast<std::uint64_t>(triangle.row(0)[triangle.k - 1]);
            for (std::size_t s = 0; s < setting_.grammar.nodes.size(); ++s) {
                root_values_.push_back(number(cell, s));
            }
            if (task_.keep_blocks) {
                return status;
            }
        }
        shared_.found.reset();
        for (std::size_t i = 0; i < pools_.size(); ++i) {
            if (i % 2 == 0 || !task_.keep) {
                pools_[i]->clear();
            }
        }
        return status;
    }

    bool descend(const QueryBatch& queries, double cut, Budget& budget,
                 const std::function<bool(std::uint64_t)>& go_on) override {
        return BlockDescent<kVector>(setting_, *shared_.found, n_blocks_.load(), queries, cut,
                                     budget, go_on)
            .run();
    }
    const BlockGrammar& grammar() const override { return setting_.grammar; }

private:
    double number(std::uint64_t kept, std::size_t state) const override {
        const auto cell = std::bit_cast<MemberValue<kVector>>(kept);
        return StateVectors<kVector>::numbers_of(cell)[state];
    }

    // pools_: of each thread triangles, then vectors.
    IntervalSetting setting_;
    std::atomic<std::uint32_t> n_blocks_{0};
};

}  // namespace

std::unique_ptr<IntervalBlockSearch> make_interval_block_search(
    const Problem& problem, const Geometry& geometry, const BlockGrammar& grammar,
    std::uint32_t inner, const BlockTask& task) {
    const IntervalSetting setting{problem, geometry, grammar, inner, task};
    return for_sum(task.sum, [&]<Sum kSum>() -> std::unique_ptr<IntervalBlockSearch> {
        if (grammar.nodes.size() == 1 && grammar.weights.empty()) {
            return std::make_unique<IntervalBlocks<kSum, false>>(setting);
        }
        return std::make_unique<IntervalBlocks<kSum, true>>(setting);
    });
}

}  // namespace slp::exact
