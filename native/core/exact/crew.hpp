// The threads of a search: how they start, stop, and say how far they are.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "exact/memo.hpp"

namespace slp::exact {

enum class Status : std::uint8_t { done, stopped, out_of_budget, out_of_range };

struct Progress {
    std::uint64_t items = 0;   // in the memo
    std::uint64_t edges = 0;   // of them, counted by whoever evaluated them first
    std::uint64_t repeated = 0;  // items that two threads evaluated
    std::size_t bytes = 0;     // in use
    std::size_t peak_bytes = 0;
};

// Called by the thread that called run(), some ten times a second; false stops the search.
using Poll = std::function<bool(const Progress&)>;

class Crew {
public:
    // Runs work(t) in n_threads threads, t = 0 in the caller's, until one of them ends it. What is
    // thrown ends it too: want of memory as a status, anything else is thrown again.
    template <typename Work>
    Status run(std::size_t n_threads, const Work& work) {
        std::vector<std::thread> helpers;
        std::exception_ptr fault;
        std::mutex fault_lock;
        const auto guarded = [&](std::size_t thread) {
            try {
                work(thread);
            } catch (const OutOfBudget&) {
                end(Status::out_of_budget);
            } catch (const std::bad_alloc&) {
                end(Status::out_of_budget);
            } catch (...) {
                end(Status::stopped);
                const std::lock_guard guard(fault_lock);
                fault = std::current_exception();
            }
        };
        for (std::size_t t = 1; t < n_threads; ++t) {
            helpers.emplace_back(guarded, t);
        }
        guarded(0);
        for (std::thread& helper : helpers) {
            helper.join();
        }
        if (fault) {
            std::rethrow_exception(fault);
        }
        return static_cast<Status>(ended_.load() - 1);
    }

    // The first to end it says why.
    void end(Status why) {
        int running = 0;
        ended_.compare_exchange_strong(running, static_cast<int>(why) + 1);
    }

    bool ended() const { return ended_.load(std::memory_order_relaxed) != 0; }

private:
    std::atomic<int> ended_{0};
};

// What one thread asks now and then: whether to go on. The caller's thread asks whoever called.
class Watch {
public:
    Watch(Crew& crew, const Poll* poll) : crew_(crew), poll_(poll) {}

    template <typename Report>
    bool go_on(const Report& progress) {
        if (crew_.ended()) {
            return false;
        }
        if (poll_ != nullptr) {
            const auto now = std::chrono::steady_clock::now();
            if (now >= next_poll_) {
                next_poll_ = now + std::chrono::milliseconds(100);
                if (!(*poll_)(progress())) {
                    crew_.end(Status::stopped);
                    return false;
                }
            }
        }
        return true;
    }

private:
    Crew& crew_;
    const Poll* poll_;
    std::chrono::steady_clock::time_point next_poll_ = std::chrono::steady_clock::now();
};

// Bytes that one owner holds, counted in a budget until it goes.
class Charge {
public:
    explicit Charge(Budget& budget) : budget_(budget) {}
    ~Charge() { budget_.give_back(bytes_); }
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;

    // It never shrinks.
    void raise_to(std::size_t bytes) {
        if (bytes > bytes_) {
            budget_.take(bytes - bytes_);
            bytes_ = bytes;
        }
    }

private:
    Budget& budget_;
    std::size_t bytes_ = 0;
};

// What one thread has counted; read by others at any time.
struct alignas(64) Counter {
    std::atomic<std::uint64_t> items{0}, edges{0}, repeated{0};

    static void add(std::atomic<std::uint64_t>& to, std::uint64_t n) {
        to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
};

}  // namespace slp::exact
