// Work that several threads do together.

#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace slp {

// Calls work(t) for t = 0 to n_threads - 1, the first in the caller's thread, and waits for all
// of them. Exceptions of the other threads are lost, so their work must not throw.
//
// A system at its limits may refuse a thread. Then the other threads do the work, so each must
// continue until no work is left.
template <typename Work>
void run_threads(std::size_t n_threads, const Work& work) {
    struct Helpers {
        std::vector<std::thread> threads;

        ~Helpers() {
            for (std::thread& thread : threads) {
                thread.join();
            }
        }
    } helpers;
    try {
        for (std::size_t t = 1; t < n_threads; ++t) {
            helpers.threads.emplace_back(std::cref(work), t);
        }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    work(0);
}

}  // namespace slp
