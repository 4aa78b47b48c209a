// The threads of a search: how they start and stop, and how they report their progress.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <span>

#include "budget.hpp"
#include "problem/key.hpp"
#include "threads.hpp"

namespace slp {

enum class Status : std::uint8_t { done, stopped, out_of_budget, out_of_range };

struct Progress {
    std::uint64_t items = 0;     // in the memo
    std::uint64_t edges = 0;     // of them, counted by the thread that finished first
    std::uint64_t repeated = 0;  // items that two threads evaluated
    std::size_t bytes = 0;       // in use
    std::size_t peak_bytes = 0;
};

// Called by the thread that called run(), some ten times a second; false stops the search.
using Poll = std::function<bool(const Progress&)>;

// The result of work(), with lack of memory as a status.
template <typename Work>
Status within_budget(const Work& work) {
    try {
        return work();
    } catch (const OutOfBudget&) {
    } catch (const std::bad_alloc&) {
    }
    return Status::out_of_budget;
}

class ThreadTeam {
public:
    // Runs work(t) in n_threads threads, t = 0 in the caller's, until one of them ends the run. An
    // exception ends it too: lack of memory becomes a status, any other is thrown again.
    template <typename Work>
    Status run(std::size_t n_threads, const Work& work) {
        std::exception_ptr fault;
        std::mutex fault_lock;
        run_threads(n_threads, [&](std::size_t thread) {
            try {
                const auto own = [&] {
                    work(thread);
                    return Status::done;
                };
                if (within_budget(own) == Status::out_of_budget) {
                    end(Status::out_of_budget);
                }
            } catch (...) {
                end(Status::stopped);
                const std::lock_guard guard(fault_lock);
                fault = std::current_exception();
            }
        });
        if (fault) {
            std::rethrow_exception(fault);
        }
        return static_cast<Status>(ended_.load() - 1);
    }

    // The status of the thread that ended it first.
    void end(Status why) {
        int running = 0;
        ended_.compare_exchange_strong(running, static_cast<int>(why) + 1);
    }

    bool ended() const { return ended_.load(std::memory_order_relaxed) != 0; }

private:
    std::atomic<int> ended_{0};
};

// Tells one thread whether to go on. The thread that called run() also polls its caller.
class Watch {
public:
    Watch(ThreadTeam& team, const Poll* poll) : team_(team), poll_(poll) {}

    template <typename Report>
    bool go_on(const Report& progress) {
        if (team_.ended()) {
            return false;
        }
        if (poll_ != nullptr) {
            const auto now = std::chrono::steady_clock::now();
            if (now >= next_poll_) {
                next_poll_ = now + std::chrono::milliseconds(100);
                if (!(*poll_)(progress())) {
                    team_.end(Status::stopped);
                    return false;
                }
            }
        }
        return true;
    }

private:
    ThreadTeam& team_;
    const Poll* poll_;
    std::chrono::steady_clock::time_point next_poll_ = std::chrono::steady_clock::now();
};

// What one thread has counted; read by others at any time.
struct alignas(64) Counter {
    std::atomic<std::uint64_t> items{0}, edges{0}, repeated{0};

    static void add(std::atomic<std::uint64_t>& to, std::uint64_t n) {
        to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
};

// What all threads of a search have counted, and the memory that they use.
inline Progress progress_of(std::span<const Counter> counters, const Budget& budget) {
    Progress out;
    for (const Counter& c : counters) {
        out.items += c.items.load(std::memory_order_relaxed);
        out.edges += c.edges.load(std::memory_order_relaxed);
        out.repeated += c.repeated.load(std::memory_order_relaxed);
    }
    out.bytes = budget.used();
    out.peak_bytes = budget.peak();
    return out;
}

// The child that a thread visits first, of n: the threads of a search start at different ones.
inline std::uint32_t first_child(std::size_t thread, Key of, std::uint32_t n) {
    return n > 0 && thread > 0 ? static_cast<std::uint32_t>(split_mix(thread + of.a) % n) : 0;
}

}  // namespace slp
