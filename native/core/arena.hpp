// A stack of memory for what a search keeps along one path: allocation moves a mark forward,
// release moves it back. Pointers stay valid until released.

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "budget.hpp"

namespace slp {

class Arena {
public:
    struct Mark {
        std::size_t chunk = 0;
        std::size_t used = 0;
    };

    Arena() = default;
    // Memory is taken from a budget before it is allocated.
    explicit Arena(Budget& budget) : budget_(&budget) {}
    ~Arena() {
        if (budget_ != nullptr) {
            budget_->give_back(bytes_);
        }
    }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    Mark mark() const { return at_; }
    void release(Mark mark) { at_ = mark; }

    template <typename T>
    T* allocate(std::size_t count) {
        const std::size_t size = (count * sizeof(T) + 15) / 16 * 16;
        while (at_.chunk < chunks_.size() && at_.used + size > chunks_[at_.chunk].size) {
            at_ = {at_.chunk + 1, 0};
        }
        if (at_.chunk == chunks_.size()) {
            add_chunk(std::max({size, kFirstChunk, bytes_}));  // doubles
        }
        std::byte* out = chunks_[at_.chunk].data.get() + at_.used;
        at_.used += size;
        return reinterpret_cast<T*>(out);
    }

private:
    static constexpr std::size_t kFirstChunk = std::size_t{1} << 14;

    struct Chunk {
        std::unique_ptr<std::byte[]> data;
        std::size_t size;
    };

    void add_chunk(std::size_t size) {
        if (budget_ != nullptr) {
            budget_->take(size);
        }
        bytes_ += size;
        chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    }

    Budget* budget_ = nullptr;
    std::vector<Chunk> chunks_;
    Mark at_;
    std::size_t bytes_ = 0;
};

}  // namespace slp
