// The items of one level that wait for a descent (descent.hpp): boxes of one number of distinct
// rows, each with its probability so far, query by query.

#pragma once

#include <cstddef>
#include <cstdint>
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
    Level(std::size_t n_queries, std::size_t n_rows, Budget& budget);

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
    Visit& add(Key key, std::int32_t product);

    // All visits by key: an order that does not depend on how they were found.
    std::vector<Visit*> sorted() const;

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
    void grow_slots();

    std::size_t n_queries_, n_rows_, words_;  // words: of one visit
    Pool visits_;
    Charge of_slots_;
    std::size_t size_ = 0;
    std::vector<Visit*> slots_;  // a power of two
};

}  // namespace slp::exact
