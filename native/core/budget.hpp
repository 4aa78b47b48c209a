// Budgets of bytes for searches, and their owners.

#pragma once

#include <atomic>
#include <cstddef>
#include <stdexcept>

namespace slp {

// A request that exceeds the budget.
struct OutOfBudget : std::runtime_error {
    OutOfBudget() : std::runtime_error("the budget of memory is used up") {}
};

// The bytes that all parts of one search use, and their limit.
class Budget {
public:
    explicit Budget(std::size_t limit) : limit_(limit) {}
    void take(std::size_t bytes) {
        const std::size_t now = used_.fetch_add(bytes) + bytes;
        if (now > limit_) {
            used_.fetch_sub(bytes);
            throw OutOfBudget();
        }
        std::size_t peak = peak_.load(std::memory_order_relaxed);
        while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
        }
    }
    void give_back(std::size_t bytes) { used_.fetch_sub(bytes); }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }
    std::size_t left() const { return limit_ - used(); }
    std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }

private:
    std::size_t limit_;
    std::atomic<std::size_t> used_{0};
    std::atomic<std::size_t> peak_{0};
};

// Bytes that one owner holds, counted in a budget until it goes.
class Charge {
public:
    explicit Charge(Budget& budget) : budget_(budget) {}
    ~Charge() { budget_.give_back(bytes_); }
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;

    void add(std::size_t bytes) {
        budget_.take(bytes);
        bytes_ += bytes;
    }
    void give_back(std::size_t bytes) {
        budget_.give_back(bytes);
        bytes_ -= bytes;
    }
    // It never shrinks.
    void raise_to(std::size_t bytes) {
        if (bytes > bytes_) {
            add(bytes - bytes_);
        }
    }

private:
    Budget& budget_;
    std::size_t bytes_ = 0;
};

}  // namespace slp
