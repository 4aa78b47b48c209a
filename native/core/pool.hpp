// Memory of one thread that is freed only at the end; counted in the budget.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "budget.hpp"

namespace slp {

class Pool {
public:
    explicit Pool(Budget& budget) : budget_(budget) {}
    ~Pool() { clear(); }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    std::uint64_t* allocate(std::size_t words) {
        if (words > left_) {
            add_chunk(words);
        }
        std::uint64_t* const out = next_;
        next_ += words;
        left_ -= words;
        return out;
    }

    // Takes back the newest allocation.
    void take_back(std::size_t words) {
        next_ -= words;
        left_ += words;
    }

    void clear() {
        chunks_.clear();
        budget_.give_back(bytes_);
        bytes_ = left_ = 0;
    }

private:
    static constexpr std::size_t kFirstChunk = std::size_t{1} << 10;    // words
    static constexpr std::size_t kLargestChunk = std::size_t{1} << 18;  // words

    // Chunks grow with the total, so that little is unused.
    void add_chunk(std::size_t words) {
        const std::size_t usual = std::clamp(bytes_ / 64, kFirstChunk, kLargestChunk);
        const std::size_t size = std::max(words, usual);
        budget_.take(size * sizeof(std::uint64_t));
        bytes_ += size * sizeof(std::uint64_t);
        chunks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(size));
        next_ = chunks_.back().get();
        left_ = size;
    }

    Budget& budget_;
    std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
    std::uint64_t* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace slp
