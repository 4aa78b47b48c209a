// One thread's search over families: from the root's on, each after those that its outer splits
// lead to. Threads meet in the table of families done alone.

#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exact/arena.hpp"
#include "exact/crew.hpp"
#include "exact/family_sums.hpp"
#include "exact/geometry.hpp"
#include "exact/memo.hpp"
#include "exact/uniform_search.hpp"

namespace slp::exact {

// What the workers of one search share.
struct FamilyShared {
    FamilyShared(const FamilySetting& given, const UniformTask& task)
        : setting(given),
          budget(task.memory),
          found(std::make_unique<Memo>(1, task.n_threads, budget)),
          counters(task.n_threads) {
        if (task.keep) {
            kept = std::make_unique<Memo>(1, task.n_threads, budget);
        }
    }

    Progress progress() const {
        Progress out;
        for (const Counter& c : counters) {
            out.items += c.items.load(std::memory_order_relaxed);
            out.edges += c.edges.load(std::memory_order_relaxed);
            out.repeated += c.repeated.load(std::memory_order_relaxed);
        }
        out.bytes = budget.used();
        out.peak_bytes = budget.peak();
        return out;
    }

    FamilySetting setting;
    Budget budget;
    // Families done, by the keys of their boxes: where their triangles are. Where they are to be
    // kept, also the members: logs of their values, or where their vectors are.
    std::unique_ptr<Memo> found, kept;
    std::vector<Counter> counters;
    // Families worked out, also those that another thread had done.
    std::atomic<std::uint32_t> n_families{0};
    Crew crew;
};

template <Sum kSum, bool kVector>
class FamilyWorker {
public:
    using Cell = FamilyCell<kVector>;
    using Triangle = FamilyTriangle<Cell>;

    FamilyWorker(FamilyShared& shared, std::size_t thread, Pool& triangles, Pool& vectors,
                 const Poll* poll)
        : s_(shared),
          thread_(thread),
          watch_(shared.crew, poll),
          splitter_(shared.setting.geometry),
          sums_(shared.setting, triangles, vectors),
          scratch_(shared.budget),
          path_(shared.budget) {
        scratch_.raise_to(sums_.bytes());
    }

    void run() {
        push(s_.setting.root, arena_.mark());
        while (!stack_.empty()) {
            if (++steps_ % 16 == 0 && !watch_.go_on([this] { return s_.progress(); })) {
                return;
            }
            if (!stack_.back().expanded) {
                expand(stack_.back());
            }
            if (!visit_missing(stack_.back())) {
                finish(stack_.back());
            }
        }
        s_.crew.end(Status::done);
    }

private:
    // A family that is waiting for those that its outer splits lead to.
    struct Frame {
        Arena::Mark mark;
        Box box;
        std::span<BoxSplit> splits;        // on outer features
        const Triangle** sides = nullptr;  // left and right of each split; null while not there
        std::uint32_t n_missing = 0, next = 0, first = 0;
        std::uint32_t* missing = nullptr;  // places in `sides`
        bool expanded = false;
    };

    void push(const Box& box, Arena::Mark mark) {
        Frame frame;
        frame.mark = mark;
        frame.box = box;
        stack_.push_back(frame);
    }

    void expand(Frame& f) {
        const std::span<BoxSplit> all = splitter_.splits(f.box, arena_);
        const auto end = std::remove_if(all.begin(), all.end(), [&](const BoxSplit& split) {
            return split.feature == s_.setting.inner;
        });
        f.splits = all.first(static_cast<std::size_t>(end - all.begin()));
        f.sides = arena_.allocate<const Triangle*>(2 * f.splits.size());
        f.missing = arena_.allocate<std::uint32_t>(2 * f.splits.size());
        f.expanded = true;
        {
            const Memo::Reading reading(*s_.found, thread_);
            for (const BoxSplit& split : f.splits) {
                s_.found->prefetch(split.left);
                s_.found->prefetch(f.box.key - split.left);
            }
            for (std::uint32_t i = 0; i < 2 * f.splits.size(); ++i) {
                if (s_.setting.is_excluded(f.splits[i / 2].feature)) {
                    f.sides[i] = nullptr;
                } else if (!look_up(f, i)) {
                    f.missing[f.n_missing++] = i;
                }
            }
        }
        f.first = f.n_missing > 0 && thread_ > 0
                      ? static_cast<std::uint32_t>(split_mix(thread_ + f.box.key.a) % f.n_missing)
                      : 0;
        account();
    }

    bool look_up(Frame& f, std::uint32_t place) const {
        const BoxSplit& split = f.splits[place / 2];
        const Key key = place % 2 == 0 ? split.left : f.box.key - split.left;
        const std::uint64_t* found = s_.found->find(key);
        f.sides[place] = found == nullptr ? nullptr : std::bit_cast<const Triangle*>(*found);
        return found != nullptr;
    }

    // Goes on to a family that is still missing; false if there is none left.
    bool visit_missing(Frame& f) {
        for (; f.next < f.n_missing; ++f.next) {
            const std::uint32_t place = f.missing[(f.next + f.first) % f.n_missing];
            {
                const Memo::Reading reading(*s_.found, thread_);
                if (look_up(f, place)) {
                    continue;
                }
            }
            const BoxSplit& split = f.splits[place / 2];
            const bool left = place % 2 == 0;
            const Sizes sizes = left ? split.left_sizes : f.box.sizes - split.left_sizes;
            const Arena::Mark mark = arena_.mark();
            auto* rows = arena_.allocate<std::uint32_t>(distinct_rows(sizes));
            push(s_.setting.geometry.side(f.box, split, left, rows), mark);
            return true;
        }
        return false;
    }

    void finish(Frame& f) {
        Triangle* const own =
            sums_.work_out(f.box, f.splits, f.sides, [this](Key key, Cell value, Sizes sizes) {
                if (s_.kept != nullptr) {
                    keep(key, value, sizes);
                }
            });
        if (!sums_.in_range()) {
            s_.crew.end(Status::out_of_range);
        }
        own->number = s_.n_families++;
        const Key key = f.box.key;
        arena_.release(f.mark);
        stack_.pop_back();
        auto& counter = s_.counters[thread_];
        const std::uint64_t word = std::bit_cast<std::uint64_t>(own);
        if (s_.found->insert(key, &word)) {
            Counter::add(counter.items, sums_.n_items());
            Counter::add(counter.edges, sums_.n_edges());
        } else {
            Counter::add(counter.repeated, sums_.n_items());
            sums_.take_back(s_.kept == nullptr);
        }
    }

    void keep(Key key, Cell value, Sizes sizes) {
        std::uint64_t word;
        if constexpr (kVector) {
            word = std::bit_cast<std::uint64_t>(value);
        } else {
            word = std::bit_cast<std::uint64_t>(
                std::log(value) - s_.setting.log_scale * static_cast<double>(data_rows(sizes)));
        }
        // The same box, where `min_leaf` makes it two families' own: not the one that came first but
        // the lesser, so that no run differs from another.
        s_.kept->insert_least(key, word, [](std::uint64_t a, std::uint64_t b) {
            if constexpr (kVector) {
                return *std::bit_cast<const double*>(a) < *std::bit_cast<const double*>(b);
            } else {
                return std::bit_cast<double>(a) < std::bit_cast<double>(b);
            }
        });
    }

    // What the path holds counts as well.
    void account() { path_.raise_to(arena_.bytes() + stack_.capacity() * sizeof(Frame)); }

    FamilyShared& s_;
    std::size_t thread_;
    Watch watch_;
    Splitter splitter_;
    FamilySums<kSum, kVector> sums_;
    Arena arena_;
    std::vector<Frame> stack_;
    Charge scratch_, path_;
    std::uint64_t steps_ = 0;
};

}  // namespace slp::exact
