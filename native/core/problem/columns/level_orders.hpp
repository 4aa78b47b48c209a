// Orders of the levels of boxes by their responses: of each box those of its codes that occur, and
// where among them its cuts are. An order is kept once and has a number, so that a cut of a box is
// two numbers and means the same in every box and thread.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "problem/key.hpp"
#include "problem/leaf_models.hpp"

namespace slp {

// Codes, each at its place from 0.
class LevelOrder {
public:
    explicit LevelOrder(std::span<const std::uint32_t> codes);

    std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
    // That of a code; UINT32_MAX if it is not among them.
    std::uint32_t place(std::uint32_t code) const {
        const std::uint32_t word = code / 64, bit = code % 64;
        if (word >= words_.size() || (words_[word].codes >> bit & 1) == 0) {
            return UINT32_MAX;
        }
        const std::uint64_t before = words_[word].codes & ((std::uint64_t{1} << bit) - 1);
        return places_[words_[word].before + static_cast<std::uint32_t>(std::popcount(before))];
    }
    // That of the least code.
    std::uint32_t place_of_first() const { return places_[0]; }
    // The codes by their places.
    std::vector<std::uint32_t> codes() const;
    std::size_t bytes() const;

private:
    // Sixty-four codes: which of them occur, and how many do before.
    struct Word {
        std::uint64_t codes = 0;
        std::uint32_t before = 0;
    };
    std::vector<Word> words_;
    std::vector<std::uint16_t> places_;  // of the codes that occur, ascending
};

// The orders of one feature. Their numbers depend on which box asks first, so nothing that a user
// sees may depend on them.
class LevelOrders {
public:
    // Places are numbered in 16 bits.
    static constexpr std::int32_t kMostLevels = 1 << 16;

    LevelOrders() = default;
    ~LevelOrders();
    LevelOrders(const LevelOrders&) = delete;
    LevelOrders& operator=(const LevelOrders&) = delete;

    // Before anything is ordered.
    void set_leaf(std::shared_ptr<const LeafModel> leaf) { leaf_ = std::move(leaf); }
    bool has_leaf() const { return leaf_ != nullptr; }

    // The codes of rows, of which these (ascending) occur, by their responses; equal ones as they
    // are given. A cut is between two codes of different responses: the numbers of codes before it,
    // ascending. The rows of each code must be ascending, so that sums of real numbers are the same
    // to the last bit for every way to a box.
    struct Found {
        std::vector<std::uint32_t> codes, cuts;
    };
    Found find(std::span<const std::uint32_t> here, std::span<const std::uint32_t> code_of_row,
               std::span<const std::uint32_t> rows) const;

    // The number of an order, from 0; a new one the first time. Any number of threads may call it.
    std::uint32_t number(std::span<const std::uint32_t> codes);
    const LevelOrder& at(std::uint32_t number) const {
        const ChunkPlace slot = slot_of(number);
        return *chunks_[slot.chunk].load(std::memory_order_acquire)[slot.at].load(
            std::memory_order_acquire);
    }
    bool has(std::uint32_t number) const { return number < n_.load(std::memory_order_acquire); }
    // Of memory that all orders take; and whether it is more than a limit, which the owner of a
    // sampler sets and looks at.
    std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    void limit(std::size_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
    bool full() const { return bytes() > limit_.load(std::memory_order_relaxed); }

private:
    static constexpr std::uint32_t kFirst = 256;
    // Chunk c has room for 2^c times as many as the first.
    struct ChunkPlace {
        std::uint32_t chunk, at;
    };
    static ChunkPlace slot_of(std::uint32_t number) {
        const auto chunk = static_cast<std::uint32_t>(std::bit_width(number / kFirst + 1)) - 1;
        return {chunk, number - kFirst * ((1U << chunk) - 1)};
    }

    struct OrderHash {
        std::size_t operator()(const Key& key) const { return key.a; }
    };
    using Place = std::atomic<const LevelOrder*>;
    std::shared_ptr<const LeafModel> leaf_;
    std::mutex mutex_;
    std::unordered_map<Key, std::uint32_t, OrderHash> numbers_;  // by a key of the codes
    std::array<std::atomic<Place*>, 24> chunks_{};
    std::atomic<std::uint32_t> n_{0};
    std::atomic<std::size_t> bytes_{0}, limit_{SIZE_MAX};
};

}  // namespace slp
