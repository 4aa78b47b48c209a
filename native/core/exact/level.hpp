// The items of one level that wait for a descent (descent.hpp): boxes of one number of distinct
// rows, each with its probability so far, query by query.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "pool.hpp"
#include "problem/key.hpp"

namespace slp::exact {

// An item that waits. Behind it in memory: its probability in each query, its distinct rows.
struct Visit {
    Key key;
    // QueryBatch in which its probability is above zero, one bit each.
    std::uint64_t queries = 0;
    std::int32_t product = 0;

    double* mass() { return reinterpret_cast<double*>(this + 1); }
};

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
        std::sort(out.begin(), out.end(),
                  [](const Visit* x, const Visit* y) { return x->key < y->key; });
        return out;
    }

private:
    std::size_t home(Key key) const { return key.a & (slots_.size() - 1); }
    // Of the item, or the empty slot that it would take.
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

}  // namespace slp::exact
