#include "exact/memo.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <thread>

namespace slp::exact {

namespace {

constexpr std::size_t kFirstCapacity = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Memory that the system fills with zeros, page by page as it is used.
void* map_pages(std::size_t bytes) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// The same, laid on the borders of huge pages: look-ups have random addresses, and with small pages
// most would also miss the processor's table of addresses.
void* map_huge_pages(std::size_t bytes) {
    void* const all = map_pages(bytes + kHugePage);
    if (all == nullptr) {
        return nullptr;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(all);
    const std::uintptr_t begin = (first + kHugePage - 1) / kHugePage * kHugePage;
    const std::uintptr_t end = begin + bytes;
    if (begin > first) {
        munmap(all, begin - first);
    }
    if (const std::size_t rest = first + bytes + kHugePage - end; rest > 0) {
        munmap(reinterpret_cast<void*>(end), rest);
    }
    void* const memory = reinterpret_cast<void*>(begin);
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

}  // namespace

Memo::Memo(std::size_t words, std::size_t n_threads, Budget& budget)
    : stride_(words + 2),
      n_threads_(n_threads),
      budget_(budget),
      shards_(std::make_unique<Shard[]>(kShards)),
      epochs_(std::make_unique<Epoch[]>(n_threads)) {
    for (std::size_t i = 0; i < kShards; ++i) {
        shards_[i].array.store(make_array(kFirstCapacity));
    }
}

Memo::Array* Memo::make_array(std::size_t capacity) {
    std::size_t bytes = capacity * stride_ * sizeof(std::uint64_t);
    const bool large = bytes >= kHugePage;
    if (large) {  // whole huge pages, used up to the end
        bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
        capacity = bytes / (stride_ * sizeof(std::uint64_t));
    }
    budget_.take(bytes);
    void* const memory = large ? map_huge_pages(bytes) : map_pages(bytes);
    if (memory == nullptr) {
        budget_.give_back(bytes);
        throw std::bad_alloc();
    }
    return new Array{budget_, capacity, bytes, static_cast<std::uint64_t*>(memory)};
}

Memo::Array::~Array() {
    munmap(words, bytes);
    budget.give_back(bytes);
}

bool Memo::insert(Key key, const std::uint64_t* value) {
    Shard& shard = shards_[shard_of(key)];
    const std::lock_guard guard(shard.lock);
    const std::size_t size = shard.size.load(std::memory_order_relaxed);
    if ((size + 1) * 4 > shard.array.load(std::memory_order_relaxed)->capacity * 3) {
        grow(shard);
    }
    const auto [slot, is_there] = slot_of(key, *shard.array.load(std::memory_order_relaxed));
    if (!is_there) {
        slot[1] = key.b;
        std::copy_n(value, stride_ - 2, slot + 2);
        std::atomic_ref(slot[0]).store(first_word(key), std::memory_order_release);
        shard.size.store(size + 1, std::memory_order_relaxed);
    }
    return !is_there;
}

void Memo::grow(Shard& shard) {
    Array* const old = shard.array.load(std::memory_order_relaxed);
    Array* const larger = make_array(old->capacity + old->capacity / 2);
    for (std::size_t j = 0; j < old->capacity; ++j) {
        const std::uint64_t* slot = old->words + j * stride_;
        if (slot[0] != 0) {
            std::copy_n(slot, stride_, slot_of({slot[0], slot[1]}, *larger).words);
        }
    }
    shard.array.store(larger);
    wait_for_readers();
    delete old;
}

void Memo::wait_for_readers() {
    if (n_threads_ == 1) {
        return;
    }
    const std::uint64_t now = epoch_.fetch_add(1) + 1;
    for (std::size_t t = 0; t < n_threads_; ++t) {
        const auto is_before = [now](std::uint64_t at) { return at != 0 && at < now; };
        while (is_before(epochs_[t].at.load())) {
            std::this_thread::yield();
        }
    }
}

std::size_t Memo::size() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < kShards; ++i) {
        total += shards_[i].size.load(std::memory_order_relaxed);
    }
    return total;
}

}  // namespace slp::exact
