// One thread's part in the search by interval blocks.

#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exact/block_walk.hpp"
#include "exact/interval_blocks/setting.hpp"
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
          sums_(setting, triangles, vectors, scratch_) {}

private:
    friend Walk;

    // Splits on outer features.
    std::span<BoxSplit> find_splits(const Box& box) {
        return without_feature(splitter_.splits(box, this->arena_), setting_.inner);
    }

    Box list_side(const Box& box, const BoxSplit& split, bool left) {
        return setting_.geometry.side(box, split, left, this->arena_);
    }

    bool follows(const BoxSplit& split) const { return !setting_.is_excluded(split.feature); }

    const Triangle* known(const Box&, const BoxSplit&, bool) const { return nullptr; }

    const Triangle* work_out(const typename Walk::Frame& f) {
        Triangle* const own =
            sums_.work_out(f.box, f.splits, f.sides, [this](Key key, Cell value) {
                if (this->shared_.kept != nullptr) {
                    keep(key, value);
                }
            });
        own->number = n_blocks_++;
        return own;
    }

    void take_back() { sums_.take_back(this->shared_.kept == nullptr); }
    bool in_range() const { return sums_.in_range(); }
    std::uint64_t n_items() const { return sums_.n_items(); }
    std::uint64_t n_edges() const { return sums_.n_edges(); }

    void keep(Key key, Cell value) {
        if constexpr (kVector) {
            const std::size_t n = setting_.grammar.nodes.size();
            this->shared_.keep(key, std::bit_cast<std::uint64_t>(value),
                               [n](std::uint64_t a, std::uint64_t b) {
                                   const auto* const x = std::bit_cast<const double*>(a);
                                   const auto* const y = std::bit_cast<const double*>(b);
                                   return std::lexicographical_compare(x, x + n, y, y + n);
                               });
        } else {
            this->shared_.keep(key, std::bit_cast<std::uint64_t>(value),
                               [](std::uint64_t a, std::uint64_t b) {
                                   return std::bit_cast<double>(a) < std::bit_cast<double>(b);
                               });
        }
    }

    const IntervalSetting& setting_;
    std::atomic<std::uint32_t>& n_blocks_;
    Splitter splitter_;
    Charge scratch_;
    IntervalSums<kSum, kVector> sums_;
};

}  // namespace slp::exact
