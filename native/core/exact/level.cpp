#include "exact/level.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace slp::exact {

Level::Level(std::size_t n_queries, std::size_t n_rows, Budget& budget)
    : n_queries_(n_queries),
      n_rows_(n_rows),
      words_((sizeof(Visit) + n_queries * sizeof(double) + n_rows * sizeof(std::uint32_t) + 7) / 8),
      visits_(budget),
      of_slots_(budget),
      slots_(16, nullptr) {}

Visit& Level::add(Key key, std::int32_t product) {
    if (2 * (size_ + 1) > slots_.size()) {
        grow_slots();
    }
    ++size_;
    Visit* const visit = new (visits_.allocate(words_)) Visit{key, 0, product};
    std::fill_n(visit->mass(), n_queries_, 0.0);
    slots_[slot_of(key)] = visit;
    return *visit;
}

std::vector<Visit*> Level::sorted() const {
    std::vector<Visit*> out;
    out.reserve(size_);
    std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(out),
                 [](const Visit* visit) { return visit != nullptr; });
    std::sort(out.begin(), out.end(),
              [](const Visit* x, const Visit* y) { return x->key < y->key; });
    return out;
}

void Level::grow_slots() {
    of_slots_.add(slots_.size() * sizeof(Visit*));  // twice as many, and the order in the end
    const std::vector<Visit*> old =
        std::exchange(slots_, std::vector<Visit*>(2 * slots_.size(), nullptr));
    for (Visit* const visit : old) {
        if (visit != nullptr) {
            slots_[slot_of(visit->key)] = visit;
        }
    }
}

}  // namespace slp::exact
