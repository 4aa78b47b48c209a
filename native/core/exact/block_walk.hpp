// One thread's depth-first search over blocks (block_search.hpp). A block is evaluated after all
// blocks that its outer splits lead to. The threads share only the table of finished blocks.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arena.hpp"
#include "exact/block_search.hpp"
#include "exact/memo.hpp"
#include "problem/geometry.hpp"
#include "thread_team.hpp"

namespace slp::exact {

// Own, which derives from it, says what blocks are:
//
//   std::span<Split> find_splits(const Box&)     those that lead to other blocks, in the arena;
//                                                Split::side(box, is_left) is a side without rows
//   Box list_side(const Box&, const Split&, bool is_left)           a side, rows in the arena
//   bool follows(const Split&)                   whether its sides are needed
//   const Values* known(const Box&, const Split&, bool is_left)     of a side that is not looked up
//   const Values* work_out(const BlockFrame&)    the block's values, from those of all sides
//   void take_back()                             frees what was evaluated last
//   const BlockCounts& counts()                  of what was evaluated last
template <typename Own, typename Split, typename Values>
class BlockWalk {
public:
    BlockWalk(WalkShared& shared, std::size_t thread, const Poll* poll)
        : shared_(shared),
          arena_(shared.budget),
          thread_(thread),
          watch_(shared.team, poll),
          path_(shared.budget) {}

    void run(const Box& root) {
        stack_.push_back({arena_.mark(), root});
        while (!stack_.empty()) {
            if (++steps_ % 16 == 0 && !watch_.go_on([this] { return shared_.progress(); })) {
                return;
            }
            if (!stack_.back().expanded) {
                expand(stack_.back());
            }
            if (!visit_missing(stack_.back())) {
                finish(stack_.back());
            }
        }
        shared_.team.end(Status::done);
    }

protected:
    // A block that is waiting for those that its splits lead to.
    struct BlockFrame {
        Arena::Mark mark;
        Box box;
        std::span<Split> splits{};
        const Values** sides = nullptr;  // left and right of each split; null while not there
        std::uint32_t n_missing = 0, next = 0, first = 0;
        std::uint32_t* missing = nullptr;  // indices into `sides`
        bool expanded = false;
    };

    WalkShared& shared_;
    Arena arena_;

private:
    Own& self() { return static_cast<Own&>(*this); }

    static bool is_left(std::uint32_t side) { return side % 2 == 0; }

    static Key side_key(const BlockFrame& f, std::uint32_t side) {
        return f.splits[side / 2].side(f.box, is_left(side)).key;
    }

    void expand(BlockFrame& f) {
        f.splits = self().find_splits(f.box);
        f.expanded = true;
        const auto n = static_cast<std::uint32_t>(2 * f.splits.size());
        f.sides = arena_.allocate<const Values*>(n);
        f.missing = arena_.allocate<std::uint32_t>(n);
        const Memo::Reading reading(*shared_.found, thread_);
        for (std::uint32_t side = 0; side < n; ++side) {
            const Split& split = f.splits[side / 2];
            f.sides[side] = self().known(f.box, split, is_left(side));
            if (f.sides[side] == nullptr && self().follows(split)) {
                shared_.found->prefetch(side_key(f, side));
                f.missing[f.n_missing++] = side;
            }
        }
        const auto is_there = [&](std::uint32_t side) { return look_up(f, side); };
        const auto* const end = std::remove_if(f.missing, f.missing + f.n_missing, is_there);
        f.n_missing = static_cast<std::uint32_t>(end - f.missing);
        f.first = first_child(thread_, f.box.key, f.n_missing);
        path_.raise_to(stack_.capacity() * sizeof(BlockFrame));
    }

    bool look_up(BlockFrame& f, std::uint32_t side) const {
        const std::uint64_t* const found = shared_.found->find(side_key(f, side));
        f.sides[side] = found == nullptr ? nullptr : std::bit_cast<const Values*>(*found);
        return found != nullptr;
    }

    // Continues with a missing block; false if none is left.
    bool visit_missing(BlockFrame& f) {
        for (; f.next < f.n_missing; ++f.next) {
            const std::uint32_t side = f.missing[(f.next + f.first) % f.n_missing];
            {
                const Memo::Reading reading(*shared_.found, thread_);
                if (look_up(f, side)) {
                    continue;
                }
            }
            const Arena::Mark mark = arena_.mark();
            stack_.push_back({mark, self().list_side(f.box, f.splits[side / 2], is_left(side))});
            return true;
        }
        return false;
    }

    void finish(BlockFrame& f) {
        const Values* const values = self().work_out(f);
        if (!self().counts().in_range) {
            shared_.team.end(Status::out_of_range);
        }
        const Key key = f.box.key;
        arena_.release(f.mark);
        stack_.pop_back();
        Counter& counter = shared_.counters[thread_];
        const std::uint64_t word = std::bit_cast<std::uint64_t>(values);
        if (shared_.found->insert(key, &word)) {
            Counter::add(counter.items, self().counts().n_items);
            Counter::add(counter.edges, self().counts().n_edges);
        } else {
            Counter::add(counter.repeated, self().counts().n_items);
            self().take_back();
        }
    }

    std::size_t thread_;
    Watch watch_;
    std::vector<BlockFrame> stack_;
    Charge path_;  // of the stack
    std::uint64_t steps_ = 0;
};

}  // namespace slp::exact
