#include "exact/level.hpp"

#include <algorithm>
#include <new>

namespace slp::exact {

namespace {

constexpr std::size_t kFirstSlots = 16;
constexpr std::size_t kFirstChunk = std::size_t{1} << 11, kLargestChunk = std::size_t{1} << 20;

}  // namespace

Level::Level(std::size_t n_queries, std::size_t n_rows, Budget& budget)
    : n_queries_(n_queries),
      n_rows_(n_rows),
      record_((sizeof(Visit) + n_queries * sizeof(double) + n_rows * sizeof(std::uint32_t) + 7) /
              8 * 8),
      budget_(budget),
      mask_(kFirstSlots - 1),
      slots_(kFirstSlots, nullptr) {}

Level::~Level() {
    budget_.give_back(taken_);
}

Visit& Level::add(Key key, std::int32_t product) {
    if (2 * (size_ + 1) > slots_.size()) {
        grow_slots();
    }
    if (chunks_.empty() || used_ + record_ > chunks_.back().size) {
        add_chunk();
    }
    std::byte* const memory = chunks_.back().data.get() + used_;
    used_ += record_;
    ++size_;
    Visit* const visit = new (memory) Visit{key, 0, product};
    std::fill_n(visit->mass(), n_queries_, 0.0);
    std::size_t i = home(key);
    while (slots_[i] != nullptr) {
        i = (i + 1) & mask_;
    }
    slots_[i] = visit;
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
    const std::size_t bytes = slots_.size() * sizeof(Visit*);
    budget_.take(bytes);  // twice as many, and once more for the order in the end
    taken_ += bytes;
    std::vector<Visit*> larger(2 * slots_.size(), nullptr);
    mask_ = larger.size() - 1;
    for (Visit* const visit : slots_) {
        if (visit != nullptr) {
            std::size_t i = home(visit->key);
            while (larger[i] != nullptr) {
                i = (i + 1) & mask_;
            }
            larger[i] = visit;
        }
    }
    slots_ = std::move(larger);
}

void Level::add_chunk() {
    const std::size_t next = chunks_.empty() ? kFirstChunk : 2 * chunks_.back().size;
    const std::size_t size = std::max(record_, std::min(next, kLargestChunk));
    budget_.take(size);
    taken_ += size;
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    used_ = 0;
}

}  // namespace slp::exact
