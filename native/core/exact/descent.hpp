// A descent: it moves probability from the root down over all items, the largest boxes first.
//
// Its queries are numbered. In a query, the probability of an item is the sum over the edges that
// lead to it of the probability of the edge's item times the edge's probability, as far as the
// query follows the edge to this side. A query that follows one side of every split is a new row on
// its way to a leaf. A query that follows both sides is the tree itself. Then the probability of an
// item is the probability that the tree has it (the outside weight times the inside weight over the
// total).
//
// Queries that have taken the same sides so far move as one group, with one probability: the
// probability of an item in a query is the sum over the groups there that hold the query. A split
// parts a group. Groups that meet in one item are added up if they hold the same queries.
//
// An item is opened once for all groups: its edges are computed and looked up as in the pass that
// found the totals. Waiting items are kept by levels, and freed level after level.
//
// Edges and groups with a probability of at most `cut` are left out. What is lost is known in the
// end: the probabilities of the leaves of a row sum to 1 less what was lost.

#pragma once

#include <algorithm>
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

// The next cut where a descent has lost too much: in the end 0, which loses nothing.
inline double lower_cut(double cut) { return cut > 1e-40 ? cut * 1e-4 : 0.0; }

// Queries that move together. Keys of groups add up as their queries do.
struct QueryGroup {
    Key key;
    std::span<const std::uint32_t> queries;
};

// A group that waits at an item. Behind it in memory: its queries, the item's distinct rows.
struct Visit {
    Key item, group;
    double mass = 0.0;  // the probability of the item
    std::int32_t product = 0;
    std::uint32_t n_queries = 0;

    std::uint32_t* queries() { return reinterpret_cast<std::uint32_t*>(this + 1); }
    std::uint32_t* rows() { return queries() + n_queries; }
    friend bool operator<(const Visit& x, const Visit& y) {
        return x.item == y.item ? x.group < y.group : x.item < y.item;
    }
};

// The items of one level: boxes of one number of distinct rows.
class Level {
public:
    // n_rows: distinct rows of each box. Its memory is charged to `budget`.
    Level(std::size_t n_rows, Budget& budget)
        : n_rows_(n_rows), visits_(budget), of_slots_(budget), slots_(16, nullptr) {}

    std::size_t n_rows() const { return n_rows_; }

    void prefetch_slot(Key key) const { __builtin_prefetch(&slots_[home(key)]); }
    // Once the slot is there.
    void prefetch_visit(Key key) const { __builtin_prefetch(slots_[home(key)]); }

    // The visit of an item and a group, whose keys add up to `key`, or null.
    Visit* find(Key key) const { return slots_[slot_of(key)]; }
    // A new visit; its rows are still to be written. It must not be there.
    Visit& add(Key item, const QueryGroup& group, std::int32_t product) {
        if (2 * (size_ + 1) > slots_.size()) {
            grow_slots();
        }
        ++size_;
        const std::size_t n = group.queries.size();
        const std::size_t bytes = sizeof(Visit) + (n + n_rows_) * sizeof(std::uint32_t);
        Visit* const visit =
            new (visits_.allocate((bytes + 7) / 8))
                Visit{item, group.key, 0.0, product, static_cast<std::uint32_t>(n)};
        std::ranges::copy(group.queries, visit->queries());
        slots_[slot_of(item + group.key)] = visit;
        return *visit;
    }

    // All visits, those of an item one after the other: an order that does not depend on how they
    // were found.
    std::vector<Visit*> sorted() const {
        std::vector<Visit*> out(size_);
        std::remove_copy(slots_.begin(), slots_.end(), out.begin(), nullptr);
        std::ranges::sort(out, [](const Visit* x, const Visit* y) { return *x < *y; });
        return out;
    }

private:
    std::size_t home(Key key) const { return key.a & (slots_.size() - 1); }
    // The slot of the visit, or the empty slot that it would take.
    std::size_t slot_of(Key key) const {
        std::size_t i = home(key);
        while (slots_[i] != nullptr && !(slots_[i]->item + slots_[i]->group == key)) {
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
                slots_[slot_of(visit->item + visit->group)] = visit;
            }
        }
    }

    std::size_t n_rows_;
    Pool visits_;
    Charge of_slots_;
    std::size_t size_ = 0;
    std::vector<Visit*> slots_;  // a power of two
};

// An item as it is opened.
struct OpenedItem {
    std::int32_t product;
    const Box& box;
    std::span<const BoxSplit> splits;
    const ItemEdges& item;
    // Probability of each choice, given the item: a leaf rule has one entry, others one for each
    // edge, rule after rule.
    std::span<const double> probabilities;
    // For each rule of the state.
    std::span<const RuleReach> reach;
    std::span<const double> log_weights;
};

// A query whose row has a part on each side of a split.
struct PartedQuery {
    QueryGroup alone;
    double share_left;
};

// A `Walk` says where queries go and records the items:
//   QueryGroup all() const                     all queries, at the root
//   void open(const OpenedItem&)          before the groups that have reached it
//   void visit(const OpenedItem&, std::span<const std::uint32_t> queries, double mass)
//   void route(const Box&, std::span<const BoxSplit> splits,
//              std::span<const std::uint32_t> queries, Arena&)   before the following are asked of
//       a group of these queries
//   QueryGroup left(std::uint32_t split), right(std::uint32_t split)      those that go there
//   std::span<const PartedQuery> parted(std::uint32_t split)         those that go to both sides,
//       which are in neither group
template <typename Walk>
class Descent {
public:
    // pass: totals, after a run. go_on: called regularly; false ends the descent.
    Descent(const Engine& engine, const Pass& pass, Walk& walk, double cut, Budget& budget,
            std::function<bool(std::uint64_t items)> go_on)
        : engine_(engine),
          problem_(engine.problem()),
          pass_(pass),
          walk_(walk),
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
            const std::vector<Visit*> visits = level->sorted();
            for (std::size_t at = 0; at < visits.size();) {
                std::size_t end = at + 1;
                while (end < visits.size() && visits[end]->item == visits[at]->item) {
                    ++end;
                }
                if (++items_ % 64 == 0 && !go_on_(64)) {
                    return false;
                }
                open(level->n_rows(), std::span(visits).subspan(at, end - at));
                at = end;
            }
        }
        return true;
    }

private:
    // A probability that goes to one item.
    struct Sent {
        Level* level;
        Key item;
        QueryGroup group;
        double mass;
        std::int32_t product;
        std::uint32_t split;
        bool is_left, is_call;
    };

    void start() {
        const Box root = engine_.geometry().root();
        const double total = engine_.log_root(pass_);
        for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
            const std::int32_t product = problem_.root_product(i);
            const double probability = std::exp(pass_.log_value(root, product) - total);
            if (probability > 0) {
                Visit& visit = level_of(root.rows.size(), product)
                                   .add(root.key + builder_.state_key(product), walk_.all(),
                                        product);
                std::ranges::copy(root.rows, visit.rows());
                visit.mass = probability;
            }
        }
    }

    Level& level_of(std::size_t n_rows, std::int32_t product) {
        const auto state = static_cast<std::size_t>(product / problem_.n_owed());
        std::unique_ptr<Level>& level = levels_[n_rows * n_ranks_ + ranks_[state]];
        if (level == nullptr) {
            level = std::make_unique<Level>(n_rows, budget_);
        }
        return *level;
    }

    // visits: of one item.
    void open(std::size_t n_rows, std::span<Visit* const> visits) {
        if (std::ranges::none_of(visits, [this](const Visit* v) { return v->mass > cut_; })) {
            return;
        }
        Visit& first = *visits.front();
        const Arena::Mark mark = arena_.mark();
        const Box box = engine_.geometry().box_of({first.rows(), n_rows});
        const std::span<const BoxSplit> splits =
            builder_.only_stops(first.product) ? std::span<const BoxSplit>()
                                               : splitter_.splits(box, arena_);
        const ItemEdges item = builder_.edges(box, splits, first.product, arena_);
        const std::span probabilities(arena_.allocate<double>(item.n_edges), item.n_edges);
        pass_.edge_probabilities(engine_, box, splits, first.product, item, probabilities.data());
        const OpenedItem opened{first.product, box, splits, item, probabilities,
                                builder_.reach(), builder_.log_weights()};
        walk_.open(opened);
        for (Visit* const visit : visits) {
            if (visit->mass > cut_) {
                const Arena::Mark of_visit = arena_.mark();
                const std::span<const std::uint32_t> queries(visit->queries(), visit->n_queries);
                walk_.visit(opened, queries, visit->mass);
                walk_.route(box, splits, queries, arena_);
                send(opened, {visit->group, queries}, visit->mass);
                arena_.release(of_visit);
            }
        }
        arena_.release(mark);
    }

    void send(const OpenedItem& opened, const QueryGroup& group, double mass) {
        sent_.clear();
        const double* probability = opened.probabilities.data();
        for (const RuleEdges& rule : opened.item.rules) {
            probability += rule.kind == RuleKind::leaf ? 1 : 0;
            for (const Edge& edge : rule.edges) {
                const double own = *probability++ * mass;
                if (!(own > cut_)) {
                    continue;
                }
                if (rule.kind == RuleKind::call) {
                    sent_.push_back({&level_of(opened.box.rows.size(), edge.left_state), edge.left,
                                     group, own, edge.left_state, edge.split, true, true});
                    continue;
                }
                for (const bool is_left : {true, false}) {
                    add(opened, edge, is_left,
                        is_left ? walk_.left(edge.split) : walk_.right(edge.split), own);
                    for (const PartedQuery& query : walk_.parted(edge.split)) {
                        add(opened, edge, is_left, query.alone,
                            own * (is_left ? query.share_left : 1.0 - query.share_left));
                    }
                }
            }
        }
        for (const Sent& sent : sent_) {
            sent.level->prefetch_slot(sent.item + sent.group.key);
        }
        for (const Sent& sent : sent_) {
            sent.level->prefetch_visit(sent.item + sent.group.key);
        }
        for (const Sent& sent : sent_) {
            receive(opened, sent);
        }
    }

    void add(const OpenedItem& opened, const Edge& edge, bool is_left, const QueryGroup& group,
             double mass) {
        if (group.queries.empty() || !(mass > cut_)) {
            return;
        }
        const std::int32_t product = is_left ? edge.left_state : edge.right_state;
        const Sizes left = opened.splits[edge.split].left_sizes;
        const Sizes sizes = is_left ? left : opened.box.sizes - left;
        sent_.push_back({&level_of(distinct_rows(sizes), product), is_left ? edge.left : edge.right,
                         group, mass, product, edge.split, is_left, false});
    }

    void receive(const OpenedItem& opened, const Sent& sent) {
        Visit* visit = sent.level->find(sent.item + sent.group.key);
        if (visit == nullptr) {
            visit = &sent.level->add(sent.item, sent.group, sent.product);
            if (sent.is_call) {
                std::ranges::copy(opened.box.rows, visit->rows());
            } else {
                engine_.geometry().side(opened.box, opened.splits[sent.split], sent.is_left,
                                        visit->rows());
            }
        }
        visit->mass += sent.mass;
    }

    const Engine& engine_;
    const Problem& problem_;
    const Pass& pass_;
    Walk& walk_;
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
    std::vector<Sent> sent_;  // by one group
    std::uint64_t items_ = 0;
};

}  // namespace slp::exact
