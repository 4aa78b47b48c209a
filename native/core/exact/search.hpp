// Depth-first evaluation of all items that the root can reach, each once.
//
// Every thread starts at the root with its own stack, and visits missing children in its own order.
// Threads share only the memo. Two threads may evaluate one item at the same time. They compute the
// same bits, and the second one finds the item there. Sums are taken in the order of the edges, so
// results do not depend on the number of threads.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arena.hpp"
#include "exact/memo.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"
#include "problem/orders_charge.hpp"
#include "problem/problem.hpp"
#include "thread_team.hpp"

namespace slp::exact {

template <typename Algebra>
class DepthFirstSearch {
public:
    // excluded: a feature whose splits are not followed; -1: none.
    DepthFirstSearch(const Problem& problem, const Geometry& geometry, Algebra algebra,
                     std::size_t memory, std::size_t n_threads, std::int32_t excluded)
        : problem_(problem),
          geometry_(geometry),
          algebra_(std::move(algebra)),
          n_threads_(n_threads),
          excluded_(excluded),
          budget_(memory),
          orders_(problem.table, budget_),
          counters_(n_threads) {}

    Status run(const Poll& poll) {
        return within_budget([&] {
            if (!memo_) {
                memo_.emplace(algebra_.words(), n_threads_, budget_);
            }
            return team_.run(n_threads_, [&](std::size_t thread) {
                Worker(*this, thread, thread == 0 ? &poll : nullptr).run();
            });
        });
    }

    Progress progress() const {
        Progress out = progress_of(counters_, budget_);
        out.items = memo_ ? memo_->size() : 0;
        return out;
    }

    // The value of an item after a run, or null. Valid while the search exists.
    const std::uint64_t* find(Key key) const { return memo_ ? memo_->find(key) : nullptr; }
    void prefetch(Key key) const { memo_->prefetch(key); }

    const Algebra& algebra() const { return algebra_; }

private:
    using Ref = typename Algebra::Ref;

    static constexpr std::uint64_t kWorkBetweenPolls = 1024;

    // A child whose value was not there.
    struct MissingChild {
        const Edge* edge;
        std::uint32_t index;
        bool is_left, is_call;
    };

    struct ItemFrame {
        Arena::Mark mark;
        Box box;
        std::int32_t product = 0;
        std::span<BoxSplit> splits{};
        bool split_before = false, expanded = false;
        ItemEdges item{};
        Ref* left = nullptr;
        Ref* right = nullptr;
        MissingChild* missing = nullptr;
        std::uint32_t n_missing = 0, next = 0, first = 0;
    };

    class Worker {
    public:
        Worker(DepthFirstSearch& search, std::size_t thread, const Poll* poll)
            : s_(search),
              thread_(thread),
              watch_(search.team_, poll),
              splitter_(search.geometry_),
              builder_(search.problem_, search.geometry_),
              arena_(search.budget_),
              value_(search.algebra_.words()),
              path_(search.budget_) {}

        void run() {
            const Box root = s_.geometry_.root();
            for (std::int32_t i = 0; i < s_.problem_.n_owed(); ++i) {
                const std::int32_t product = s_.problem_.root_product(i);
                if (builder_.room(product, root.sizes)) {
                    stack_.push_back({arena_.mark(), root, product});
                    if (!evaluate_all()) {
                        return;
                    }
                }
            }
            s_.team_.end(Status::done);
        }

    private:
        bool evaluate_all() {
            while (!stack_.empty()) {
                if (++work_ >= kWorkBetweenPolls) {
                    work_ = 0;
                    if (!watch_.go_on([this] { return s_.progress(); })) {
                        return false;
                    }
                }
                ItemFrame& frame = stack_.back();
                if (!frame.expanded) {
                    expand(frame);
                    work_ += frame.splits.size() / 16;
                }
                if (!visit_missing(frame)) {
                    finish(frame);
                }
            }
            return true;
        }

        void expand(ItemFrame& f) {
            if (!f.split_before && !builder_.only_stops(f.product)) {
                f.splits = splitter_.splits(f.box, arena_);
                s_.orders_.look();
            }
            f.item = builder_.edges(f.box, f.splits, f.product, arena_);
            if (s_.excluded_ >= 0) {
                leave_out(f);
            }
            const std::size_t n = f.item.n_edges;
            f.left = arena_.allocate<Ref>(n);
            f.right = arena_.allocate<Ref>(n);
            f.missing = arena_.allocate<MissingChild>(2 * n);
            f.expanded = true;
            {
                const Memo::Reading reading(*s_.memo_, thread_);
                gather(f);
            }
            f.next = 0;
            f.first = first_child(thread_, f.box.key, f.n_missing);
            path_.raise_to(stack_.capacity() * sizeof(ItemFrame));
        }

        // Drops the edges of splits on the excluded feature; others keep their probabilities.
        void leave_out(ItemFrame& f) const {
            for (RuleEdges& rule : f.item.rules) {
                if (rule.kind == RuleKind::split) {
                    const auto left_out = std::ranges::remove(
                        rule.edges, static_cast<std::uint32_t>(s_.excluded_),
                        [&](const Edge& edge) { return f.splits[edge.split].feature; });
                    f.item.n_edges -= static_cast<std::uint32_t>(left_out.size());
                    rule.edges = rule.edges.first(rule.edges.size() - left_out.size());
                }
            }
        }

        // Looks up all children and lists those missing. While Reading.
        void gather(ItemFrame& f) {
            for (const RuleEdges& rule : f.item.rules) {
                for (const Edge& edge : rule.edges) {
                    s_.memo_->prefetch(edge.left);
                    if (rule.kind == RuleKind::split) {
                        s_.memo_->prefetch(edge.right);
                    }
                }
            }
            std::uint32_t k = 0;
            f.n_missing = 0;
            for (const RuleEdges& rule : f.item.rules) {
                const bool is_call = rule.kind == RuleKind::call;
                for (const Edge& edge : rule.edges) {
                    if (!look_up(edge.left, f.left[k])) {
                        f.missing[f.n_missing++] = {&edge, k, true, is_call};
                    }
                    if (!is_call && !look_up(edge.right, f.right[k])) {
                        f.missing[f.n_missing++] = {&edge, k, false, false};
                    }
                    ++k;
                }
            }
        }

        bool look_up(Key key, Ref& out) const {
            const std::uint64_t* found = s_.memo_->find(key);
            if (found == nullptr) {
                return false;
            }
            out = Algebra::load(found);
            return true;
        }

        // Continues with a missing child; false if none is left.
        bool visit_missing(ItemFrame& f) {
            for (; f.next < f.n_missing; ++f.next) {
                const MissingChild& missing = f.missing[(f.next + f.first) % f.n_missing];
                const Edge& edge = *missing.edge;
                {
                    const Memo::Reading reading(*s_.memo_, thread_);
                    Ref& ref = (missing.is_left ? f.left : f.right)[missing.index];
                    if (look_up(missing.is_left ? edge.left : edge.right, ref)) {
                        continue;
                    }
                }
                push_child(f, missing);
                return true;
            }
            return false;
        }

        void push_child(const ItemFrame& f, const MissingChild& missing) {
            const Edge& edge = *missing.edge;
            const Arena::Mark mark = arena_.mark();
            if (missing.is_call) {  // the same box: its splits are known
                stack_.push_back({mark, f.box, edge.left_state, f.splits, true});
                return;
            }
            const BoxSplit& split = f.splits[edge.split];
            const Box child = s_.geometry_.side(f.box, split, missing.is_left, arena_);
            stack_.push_back({mark, child, missing.is_left ? edge.left_state : edge.right_state});
        }

        void finish(ItemFrame& f) {
            {
                std::optional<Memo::Reading> reading;
                if constexpr (!Algebra::kByValue) {  // values may have moved since their look-up
                    reading.emplace(*s_.memo_, thread_);
                    gather(f);
                }
                if (!s_.algebra_.evaluate(f.item, f.splits.data(), f.left, f.right,
                                          value_.data())) {
                    s_.team_.end(Status::out_of_range);
                }
            }
            const std::uint64_t edges = f.item.n_edges;
            const Key key = f.box.key + builder_.state_key(f.product);
            arena_.release(f.mark);
            stack_.pop_back();
            auto& counter = s_.counters_[thread_];
            if (s_.memo_->insert(key, value_.data())) {
                Counter::add(counter.edges, edges);
            } else {
                Counter::add(counter.repeated, 1);
            }
        }

        DepthFirstSearch& s_;
        std::size_t thread_;
        Watch watch_;
        Splitter splitter_;
        EdgeBuilder builder_;
        Arena arena_;
        std::vector<ItemFrame> stack_;
        std::vector<std::uint64_t> value_;
        Charge path_;
        std::uint64_t work_ = 0;  // items visited, and their splits, since the last poll
    };

    const Problem& problem_;
    const Geometry& geometry_;
    Algebra algebra_;
    std::size_t n_threads_;
    std::int32_t excluded_;
    Budget budget_;
    OrdersCharge orders_;
    std::optional<Memo> memo_;  // there once it has run
    std::vector<Counter> counters_;
    ThreadTeam team_;
};

}  // namespace slp::exact
