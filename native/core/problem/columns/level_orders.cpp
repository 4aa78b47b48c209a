#include "problem/columns/level_orders.hpp"

#include <algorithm>
#include <utility>

namespace slp {

namespace {

constexpr std::uint64_t kOrderStream = 5;
// What the standard library's table takes for an entry, about.
constexpr std::size_t kBytesOfEntry = 56;

// The sum of a key for each code at its place, as the keys of boxes are sums over rows.
Key key_of(std::span<const std::uint32_t> codes) {
    Key out;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        out = out + random_key(kOrderStream, std::uint64_t{codes[i]} << 32 | i);
    }
    return out;
}

}  // namespace

LevelOrder::LevelOrder(std::span<const std::uint32_t> codes)
    : words_(*std::ranges::max_element(codes) / 64 + 1), places_(codes.size()) {
    for (const std::uint32_t code : codes) {
        words_[code / 64].codes |= std::uint64_t{1} << code % 64;
    }
    std::uint32_t before = 0;
    for (Word& word : words_) {
        word.before = before;
        before += static_cast<std::uint32_t>(std::popcount(word.codes));
    }
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::uint32_t bit = codes[i] % 64;
        const Word& word = words_[codes[i] / 64];
        const std::uint64_t less = word.codes & ((std::uint64_t{1} << bit) - 1);
        places_[word.before + static_cast<std::uint32_t>(std::popcount(less))] =
            static_cast<std::uint16_t>(i);
    }
}

std::vector<std::uint32_t> LevelOrder::codes() const {
    std::vector<std::uint32_t> out(places_.size());
    std::size_t n = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
        for (std::uint64_t bits = words_[w].codes; bits != 0; bits &= bits - 1) {
            out[places_[n++]] = static_cast<std::uint32_t>(64 * w) +
                                static_cast<std::uint32_t>(std::countr_zero(bits));
        }
    }
    return out;
}

std::size_t LevelOrder::bytes() const {
    return sizeof *this + words_.size() * sizeof(Word) + places_.size() * sizeof places_[0];
}

LevelOrders::~LevelOrders() {
    for (std::uint32_t i = 0; i < n_; ++i) {
        delete &at(i);
    }
    for (auto& chunk : chunks_) {
        delete[] chunk.load();
    }
}

LevelOrders::Found LevelOrders::find(std::span<const std::uint32_t> here,
                                     std::span<const std::uint32_t> code_of_row,
                                     std::span<const std::uint32_t> rows) const {
    Found out;
    if (here.size() < 2) {
        return out;
    }
    const std::size_t k = leaf_->n_statistics();
    std::vector<double> sums(here.size() * k, 0.0), scores(here.size());
    std::vector<std::uint32_t> place(here.back() + 1);
    for (std::uint32_t i = 0; i < here.size(); ++i) {
        place[here[i]] = i;
    }
    for (const std::uint32_t row : rows) {
        leaf_->add(row, sums.data() + place[code_of_row[row]] * k);
    }
    leaf_->scores(sums, scores.data());
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t i = 0; i < here.size(); ++i) {
        order.emplace_back(scores[i], here[i]);
    }
    std::ranges::sort(order);
    out.codes.reserve(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        if (i > 0 && order[i - 1].first < order[i].first) {
            out.cuts.push_back(i);
        }
        out.codes.push_back(order[i].second);
    }
    return out;
}

std::uint32_t LevelOrders::number(std::span<const std::uint32_t> codes) {
    const Key key = key_of(codes);
    const std::lock_guard lock(mutex_);
    if (const auto known = numbers_.find(key); known != numbers_.end()) {
        return known->second;
    }
    const std::uint32_t number = n_.load(std::memory_order_relaxed);
    const ChunkPlace slot = slot_of(number);
    std::atomic<Place*>& chunk = chunks_[slot.chunk];
    if (slot.at == 0) {
        const std::size_t room = std::size_t{kFirst} << slot.chunk;
        chunk.store(new Place[room]{}, std::memory_order_release);
        bytes_ += room * sizeof(Place);
    }
    auto made = std::make_unique<const LevelOrder>(codes);
    bytes_ += made->bytes() + kBytesOfEntry;
    numbers_.emplace(key, number);
    chunk.load(std::memory_order_relaxed)[slot.at].store(made.release(), std::memory_order_release);
    n_.store(number + 1, std::memory_order_release);
    return number;
}

}  // namespace slp
