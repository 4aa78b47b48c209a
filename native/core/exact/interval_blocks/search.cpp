#include "exact/interval_blocks/search.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "exact/block_walk.hpp"
#include "exact/interval_blocks/descent.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/interval_blocks/sums.hpp"

namespace slp::exact {

namespace {

// One thread's part. A member is kept as its value, or as the position of its vector of values.
template <Sum kSum, bool kVector>
class IntervalBlockWorker : public BlockWalk<IntervalBlockWorker<kSum, kVector>, BoxSplit,
                                             TriangleOf<MemberValue<kVector>>> {
public:
    using Cell = MemberValue<kVector>;
    using Triangle = TriangleOf<Cell>;
    using Walk = BlockWalk<IntervalBlockWorker, BoxSplit, Triangle>;

    // n_blocks: how many blocks all threads evaluated. A block evaluated twice counts twice.
    IntervalBlockWorker(WalkShared& shared, const IntervalSetting& setting,
                        std::atomic<std::uint32_t>& n_blocks, std::size_t thread, Pool& triangles,
                        Pool& vectors, const Poll* poll)
        : Walk(shared, thread, poll),
          setting_(setting),
          n_blocks_(n_blocks),
          splitter_(setting.geometry),
          scratch_(shared.budget),
          sums_(setting, triangles, vectors, shared.budget) {
        scratch_.add(sums_.bytes());
    }

private:
    friend Walk;

    // Splits on outer features.
    std::span<BoxSplit> find_splits(const Box& box) {
        return outer_splits(splitter_.splits(box, this->arena_), setting_.inner, setting_.grammar);
    }

    Box list_side(const Box& box, const BoxSplit& split, bool left) {
        return setting_.geometry.side(box, split, left, this->arena_);
    }

    bool follows(const BoxSplit& split) const { return !setting_.is_excluded(split.feature); }

    const Triangle* known(const Box&, const BoxSplit&, bool) const { return nullptr; }

    const Triangle* work_out(const typename Walk::BlockFrame& f) {
        const StateVectors<kVector> vectors(setting_.grammar);
        const auto is_less = [&](std::uint64_t a, std::uint64_t b) {
            const Cell x = std::bit_cast<Cell>(a), y = std::bit_cast<Cell>(b);
            return std::ranges::lexicographical_compare(vectors.numbers(x), vectors.numbers(y));
        };
        const auto keep = [&](Key key, const Cell& value) {
            this->shared_.keep(key, std::bit_cast<std::uint64_t>(value), is_less);
        };
        Triangle* const own = sums_.work_out(f.box, f.splits, f.sides, keep);
        own->number = n_blocks_++;
        return own;
    }

    void take_back() { sums_.take_back(this->shared_.kept == nullptr); }
    const BlockCounts& counts() const { return sums_.counts; }

    const IntervalSetting& setting_;
    std::atomic<std::uint32_t>& n_blocks_;
    Splitter splitter_;
    Charge scratch_;
    IntervalSums<kSum, kVector> sums_;
};

template <Sum kSum, bool kVector>
class IntervalBlocks final : public IntervalBlockSearch {
public:
    explicit IntervalBlocks(const IntervalSetting& setting)
        : IntervalBlockSearch(setting.task, 2 * setting.task.n_threads), setting_(setting) {}

    // It keeps the root's values, and the triangles only for descents.
    Status run(const Poll& poll) override {
        const Status status = shared_.team.run(task_.n_threads, [&](std::size_t thread) {
            IntervalBlockWorker<kSum, kVector>(shared_, setting_, n_blocks_, thread,
                                               *pools_[2 * thread], *pools_[2 * thread + 1],
                                               thread == 0 ? &poll : nullptr)
                .run(task_.root);
        });
        if (status == Status::done) {
            const std::uint64_t* const found = shared_.found->find(task_.root.key);
            const auto& triangle = *std::bit_cast<const TriangleOf<MemberValue<kVector>>*>(*found);
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
