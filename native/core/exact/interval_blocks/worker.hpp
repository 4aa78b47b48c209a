// One thread's part in the search by interval blocks.

#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exact/block_walk.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/interval_blocks/sums.hpp"
#include "problem/geometry.hpp"
#include "thread_team.hpp"

namespace slp::exact {

// Members are kept as logs of their values, or as positions of their vectors.
template <Sum kSum, bool kVector>
class IntervalWorker : public BlockWalk<IntervalWorker<kSum, kVector>, BoxSplit,
                                        TriangleOf<MemberValue<kVector>>> {
public:
    using Cell = MemberValue<kVector>;
    using Triangle = TriangleOf<Cell>;
    using Walk = BlockWalk<IntervalWorker, BoxSplit, Triangle>;

    // n_blocks: blocks evaluated by all threads, with those evaluated twice.
    IntervalWorker(WalkShared& shared, const IntervalSetting& setting,
                   std::atomic<std::uint32_t>& n_blocks, std::size_t thread, Pool& triangles,
                   Pool& vectors, const Poll* poll)
        : Walk(shared, thread, poll),
          setting_(setting),
          n_blocks_(n_blocks),
          splitter_(setting.geometry),
          scratch_(shared.budget),
          sums_(setting, triangles, vectors) {
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

    const Triangle* work_out(const typename Walk::Frame& f) {
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
        scratch_.raise_to(sums_.bytes());
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

}  // namespace slp::exact
