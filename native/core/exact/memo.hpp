// The table of items done: 128-bit key -> a fixed number of words, insert-if-absent, any number of
// threads.
//
// Shards by bits of the key, each an open-addressed array (linear probing) that grows under its own
// lock. Readers take no lock: a slot's first key word is written last (release) and read first
// (acquire), and never changes. An array that was outgrown is freed once every reader has left the
// epoch in which it could see it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "budget.hpp"
#include "problem/key.hpp"

namespace slp::exact {

class Memo {
public:
    // words: length of a value. n_threads: the most readers at the same time.
    Memo(std::size_t words, std::size_t n_threads, Budget& budget);

    // Values found stay in place only while their reader exists.
    class Reading {
    public:
        Reading(Memo& memo, std::size_t thread)
            : at_(memo.n_threads_ > 1 ? &memo.epochs_[thread].at : nullptr) {
            if (at_ != nullptr) {
                at_->store(memo.epoch_.load(std::memory_order_acquire));
            }
        }
        ~Reading() {
            if (at_ != nullptr) {
                at_->store(0, std::memory_order_release);
            }
        }
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;

    private:
        std::atomic<std::uint64_t>* at_;
    };

    // The value of a key, or null. Only while Reading.
    const std::uint64_t* find(Key key) const {
        const auto [words, is_there] = slot_of(key, *shards_[shard_of(key)].array.load());
        return is_there ? words + 2 : nullptr;
    }

    void prefetch(Key key) const {
        const Array& array = *shards_[shard_of(key)].array.load(std::memory_order_acquire);
        __builtin_prefetch(array.words + home(key, array.capacity) * stride_);
    }

    // Stores a value unless the key is there; returns whether it was stored. Never while Reading.
    bool insert(Key key, const std::uint64_t* value);

    // Stores a value of one word, or keeps the lesser of it and the present one. Never while a
    // thread reads.
    template <typename Less>
    void insert_least(Key key, std::uint64_t value, Less less) {
        if (insert(key, &value)) {
            return;
        }
        const std::lock_guard guard(shards_[shard_of(key)].lock);
        auto* const kept = const_cast<std::uint64_t*>(find(key));
        if (less(value, *kept)) {
            *kept = value;
        }
    }

    std::size_t size() const;

private:
    struct Array {
        Budget& budget;
        std::size_t capacity, bytes;
        std::uint64_t* words;

        ~Array();
    };
    struct alignas(64) Shard {
        ~Shard() { delete array.load(); }

        std::atomic<Array*> array{nullptr};
        std::atomic<std::size_t> size{0};
        std::mutex lock;
    };
    struct alignas(64) Epoch {
        std::atomic<std::uint64_t> at{0};
    };

    __extension__ using Wide = unsigned __int128;
    static constexpr std::size_t kShards = 16;

    static std::size_t shard_of(Key key) { return key.b >> 60; }
    static std::size_t home(Key key, std::size_t capacity) {
        return static_cast<std::size_t>((static_cast<Wide>(key.a) * capacity) >> 64);
    }
    static std::uint64_t first_word(Key key) { return key.a != 0 ? key.a : 1; }
    // The slot of a key, or the empty one that it would take.
    struct MemoSlot {
        std::uint64_t* words;
        bool is_there;
    };
    MemoSlot slot_of(Key key, const Array& array) const {
        std::size_t i = home(key, array.capacity);
        for (;;) {
            std::uint64_t* const words = array.words + i * stride_;
            const std::uint64_t found = std::atomic_ref(words[0]).load(std::memory_order_acquire);
            const bool is_there = found == first_word(key) && words[1] == key.b;
            if (is_there || found == 0) {
                return {words, is_there};
            }
            i = i + 1 == array.capacity ? 0 : i + 1;
        }
    }

    Array* make_array(std::size_t capacity);
    void grow(Shard& shard);
    void wait_for_readers();

    std::size_t stride_;
    std::size_t n_threads_;
    Budget& budget_;
    std::unique_ptr<Shard[]> shards_;
    std::unique_ptr<Epoch[]> epochs_;
    std::atomic<std::uint64_t> epoch_{1};
};

}  // namespace slp::exact
