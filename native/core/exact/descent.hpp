// A descent: it moves probability from the root down over all items, the largest boxes first.
//
// It has up to 64 queries. In a query, the probability of an item is the sum over the edges that
// lead to it of the probability of the edge's item times the edge's probability, as far as the
// query follows the edge to this side. A query that follows one side of every split is a new row on
// its way to a leaf. A query that follows both sides is the tree itself. Then the probability of an
// item is the probability that the tree has it (the outside weight times the inside weight over the
// total).
//
// An item is opened once for all queries: its edges are computed and looked up as in the pass that
// found the totals. Waiting items are kept by levels, and freed level after level.
//
// Edges and items with a probability of at most `cut` in a query are left out. Every edge and every
// item loses at most that once in a query, so that a query that follows one side loses at most cut
// * (items + edges) of its probability in all.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "budget.hpp"
#include "exact/engine.hpp"
#include "pool.hpp"
#include "problem/calls.hpp"
#include "problem/edges.hpp"
#include "problem/key.hpp"

namespace slp::exact {

// An item that waits. Behind it in memory: its probability in each query, its distinct rows.
struct Visit {
    Key key;
    // Queries in which its probability is above zero, one bit each.
    std::uint64_t queries = 0;
    std::int32_t product = 0;

    double* mass() { return reinterpret_cast<double*>(this + 1); }
};

// The items of one level: boxes of one number of distinct rows.
class Level {
public:
    // n_queries: at most 64. n_rows: distinct rows of each box. Its memory is charged to `budget`.
    Level(std::size_t n_queries, std::size_t n_rows, Budget& budget)
        : n_queries_(n_queries),
          n_rows_(n_rows),
          visits_(budget),
          of_slots_(budget),
          slots_(16, nullptr) {}

    std::uint32_t* rows(Visit& visit) const {
        return reinterpret_cast<std::uint32_t*>(visit.mass() + n_queries_);
    }
    std::size_t n_rows() const { return n_rows_; }

    void prefetch_slot(Key key) const { __builtin_prefetch(&slots_[home(key)]); }
    // Once the slot is there.
    void prefetch_visit(Key key) const {
        if (const Visit* visit = slots_[home(key)]) {
            __builtin_prefetch(visit);
            __builtin_prefetch(visit + 1);
        }
    }

    // The visit of an item, or null.
    Visit* find(Key key) const { return slots_[slot_of(key)]; }
    // A new visit, without queries; its rows are still to be written. The item must not be there.
    Visit& add(Key key, std::int32_t product) {
        if (2 * (size_ + 1) > slots_.size()) {
            grow_slots();
        }
        ++size_;
        const std::size_t bytes =
            sizeof(Visit) + n_queries_ * sizeof(double) + n_rows_ * sizeof(std::uint32_t);
        Visit* const visit = new (visits_.allocate((bytes + 7) / 8)) Visit{key, 0, product};
        std::fill_n(visit->mass(), n_queries_, 0.0);
        slots_[slot_of(key)] = visit;
        return *visit;
    }

    // All visits by key: an order that does not depend on how they were found.
    std::vector<Visit*> sorted() const {
        std::vector<Visit*> out(size_);
        std::remove_copy(slots_.begin(), slots_.end(), out.begin(), nullptr);
        std::ranges::sort(out, std::less<>(), &Visit::key);
        return out;
    }

private:
    std::size_t home(Key key) const { return key.a & (slots_.size() - 1); }
    // The slot of the item, or the empty slot that it would take.
    std::size_t slot_of(Key key) const {
        std::size_t i = home(key);
        while (slots_[i] != nullptr && !(slots_[i]->key == key)) {
            i = (i + 1) & (slots_.size() - 1);
        }
        return i;
    }
    void grow_slots() {
        of_slots_.add(slots_.size() * sizeof(Visit*));  // twice as many, and the order in the end
        const std::vector<Visit*> old =
            std::exchange(slots_, std::vector<Visit*>(2 * slots_.size(), nullptr));
        for (Visit* const visit : old) {
            if (visit != nullptr) {
                slots_[slot_of(visit->key)] = visit;
            }
        }
    }

    std::size_t n_queries_, n_rows_;
    Pool visits_;
    Charge of_slots_;
    std::size_t size_ = 0;
    std::vector<Visit*> slots_;  // a power of two
};

// An item as it is opened.
struct VisitedItem {
    std::int32_t product;
    const Box& box;
    std::span<const BoxSplit> splits;
    const ItemEdges& item;
    // Probability of each choice, given the item: a leaf rule has one entry, others one for each
    // edge, rule after rule.
    std::span<const double> probabilities;
    // For each rule of the state whether it is applicable here.
    std::span<const std::uint8_t> applicable;
    std::span<const double> log_weights;
    // The queries that reach it, and its probability in each query.
    std::uint64_t queries;
    const double* mass;
};

// A `Walk` says where queries go and records the items:
//   void route(const Box& box, std::span<const BoxSplit> splits)   before anything else is asked
//   std::uint64_t left(std::uint32_t split), right(std::uint32_t split)   queries that go there
//   double share(std::uint32_t split, bool left, int query)   of a query that goes to both sides as
//       one row, its part that goes there; 1 of all others
//   void visit(const VisitedItem&)
template <typename Walk>
class Descent {
public:
    // pass: totals, after a run. go_on: called regularly; false ends the descent.
    Descent(const Engine& engine, const Pass& pass, Walk& walk, std::size_t n_queries, double cut,
            Budget& budget, std::function<bool(std::uint64_t items)> go_on)
        : engine_(engine),
          problem_(engine.problem()),
          pass_(pass),
          walk_(walk),
          n_queries_(n_queries),
          cut_(cut),
          budget_(budget),
          go_on_(std::move(go_on)),
          splitter_(engine.geometry()),
          builder_(problem_, engine.geometry()),
          ranks_(call_ranks(problem_.grammar)),
          n_ranks_(*std::max_element(ranks_.begin(), ranks_.end()) + 1),
          of_levels_(budget),
          arena_(budget) {
        const std::size_t n_levels = (problem_.table.n_rows + 1) * n_ranks_;
        of_levels_.add(n_levels * sizeof(levels_[0]));
        levels_.resize(n_levels);
    }

    // False if it was ended before it was done. Throws OutOfBudget.
    bool run() {
        start();
        // From the largest boxes on, and callers before the called.
        for (std::size_t i = levels_.size(); i-- > 0;) {
            if (levels_[i] == nullptr) {
                continue;
            }
            const std::unique_ptr<Level> level = std::move(levels_[i]);
            for (Visit* const visit : level->sorted()) {
                if (++items_ % 64 == 0 && !go_on_(64)) {
                    return false;
                }
                open(*level, *visit);
            }
        }
        return true;
    }

private:
    // A probability that goes to one item.
    struct Sent {
        Level* level;
        Key key;
        std::uint64_t queries;
        double probability;
        std::int32_t product;
        std::uint32_t split;
        bool is_left, is_call;
    };

    void start() {
        const Box root = engine_.geometry().root();
        const double total = engine_.log_root(pass_);
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - n_queries_);
        for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
            const std::int32_t product = problem_.root_product(i);
            const Key key = root.key + builder_.state_key(product);
            const double probability = std::exp(pass_.log_value(root, product) - total);
            if (probability > 0) {
                Level& level = level_of(root.rows.size(), product);
                Visit& visit = level.add(key, product);
                std::copy(root.rows.begin(), root.rows.end(), level.rows(visit));
                visit.queries = all;
                std::fill_n(visit.mass(), n_queries_, probability);
            }
        }
    }

    Level& level_of(std::size_t n_rows, std::int32_t product) {
        const auto state = static_cast<std::size_t>(product / problem_.n_owed());
        std::unique_ptr<Level>& level = levels_[n_rows * n_ranks_ + ranks_[state]];
        if (level == nullptr) {
            level = std::make_unique<Level>(n_queries_, n_rows, budget_);
        }
        return *level;
    }

    void open(const Level& level, Visit& visit) {
        double most = 0;
        std::uint64_t queries = 0;
        for (std::uint64_t left = visit.queries; left != 0; left &= left - 1) {
            const int query = std::countr_zero(left);
            const double mass = visit.mass()[query];
            most = std::max(most, mass);
            queries |= mass > cut_ ? std::uint64_t{1} << query : 0;
        }
        if (queries == 0) {
            return;
        }
        const Arena::Mark mark = arena_.mark();
        const Box box = engine_.geometry().box_of({level.rows(visit), level.n_rows()});
        const std::span<const BoxSplit> splits = splitter_.splits(box, arena_);
        const ItemEdges item = builder_.edges(box, splits, visit.product, arena_);
        const std::span probabilities(arena_.allocate<double>(item.n_edges), item.n_edges);
        pass_.edge_probabilities(engine_, box, splits, visit.product, item, probabilities.data());
        walk_.route(box, splits);
        walk_.visit({visit.product, box, splits, item, probabilities, builder_.applicable(),
                     builder_.log_weights(), queries, visit.mass()});
        send(box, splits, item, probabilities.data(), queries, most, visit.mass());
        arena_.release(mark);
    }

    void send(const Box& box, std::span<const BoxSplit> splits, const ItemEdges& item,
              const double* probability, std::uint64_t queries, double most, const double* mass) {
        Sent* const begin = arena_.allocate<Sent>(2 * std::size_t{item.n_edges});
        Sent* end = begin;
        for (const RuleEdges& rule : item.rules) {
            probability += rule.kind == RuleKind::leaf ? 1 : 0;
            for (const Edge& edge : rule.edges) {
                const double own = *probability++;
                if (!(own * most > cut_)) {
                    continue;
                }
                const bool is_call = rule.kind == RuleKind::call;
                const auto add = [&](Sizes sizes, std::uint64_t to, bool is_left) {
                    const std::int32_t product = is_left ? edge.left_state : edge.right_state;
                    if (to != 0) {
                        *end++ = {&level_of(distinct_rows(sizes), product),
                                  is_left ? edge.left : edge.right, to, own, product, edge.split,
                                  is_left, is_call};
                    }
                };
                if (is_call) {
                    add(box.sizes, queries, true);
                    continue;
                }
                const Sizes left = splits[edge.split].left_sizes;
                add(left, queries & walk_.left(edge.split), true);
                add(box.sizes - left, queries & walk_.right(edge.split), false);
            }
        }
        for (const Sent* sent = begin; sent < end; ++sent) {
            sent->level->prefetch_slot(sent->key);
        }
        for (const Sent* sent = begin; sent < end; ++sent) {
            sent->level->prefetch_visit(sent->key);
        }
        for (const Sent* sent = begin; sent < end; ++sent) {
            receive(box, splits, *sent, mass);
        }
    }

    void receive(const Box& box, std::span<const BoxSplit> splits, const Sent& sent,
                 const double* mass) {
        Visit* visit = sent.level->find(sent.key);
        for (std::uint64_t left = sent.queries; left != 0; left &= left - 1) {
            const int query = std::countr_zero(left);
            const double share = sent.is_call ? 1.0 : walk_.share(sent.split, sent.is_left, query);
            const double more = sent.probability * mass[query] * share;
            if (!(more > cut_)) {
                continue;
            }
            if (visit == nullptr) {
                visit = &sent.level->add(sent.key, sent.product);
                std::uint32_t* const rows = sent.level->rows(*visit);
                if (sent.is_call) {
                    std::copy(box.rows.begin(), box.rows.end(), rows);
                } else {
                    engine_.geometry().side(box, splits[sent.split], sent.is_left, rows);
                }
            }
            visit->mass()[query] += more;
            visit->queries |= std::uint64_t{1} << query;
        }
    }

    const Engine& engine_;
    const Problem& problem_;
    const Pass& pass_;
    Walk& walk_;
    std::size_t n_queries_;
    double cut_;
    Budget& budget_;
    std::function<bool(std::uint64_t)> go_on_;
    Splitter splitter_;
    EdgeBuilder builder_;
    std::vector<std::size_t> ranks_;
    std::size_t n_ranks_;
    Charge of_levels_;
    // By distinct rows, then by rank.
    std::vector<std::unique_ptr<Level>> levels_;
    Arena arena_;
    std::uint64_t items_ = 0;
};

}  // namespace slp::exact
