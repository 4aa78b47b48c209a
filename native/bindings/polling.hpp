// Work without the interpreter lock that asks Python regularly whether to go on.

#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>

#include "arrays.hpp"
#include "thread_team.hpp"

// progress(items, edges, bytes), or None; whether to go on.
using Report = nanobind::typed<
    nanobind::object,
    nanobind::typed<nanobind::callable, bool(std::uint64_t, std::uint64_t, std::uint64_t)>>;

// Runs work without the interpreter lock, but takes it regularly to check for interrupts and to
// report: progress(items, edges, bytes), unless it is None; a report that returns false stops it.
// Python exceptions are passed on.
template <typename Run>
auto run_unlocked(const Run& run, const Report& progress) {
    std::exception_ptr raised;
    const slp::Poll poll = [&](const slp::Progress& now) {
        const HeldLock lock;  // until an exception of Python has been caught
        try {
            return unless_ended([&] {
                if (PyErr_CheckSignals() != 0) {
                    throw nanobind::python_error();
                }
                return progress.is_none() ||
                       nanobind::cast<bool>(progress(now.items, now.edges, now.bytes));
            });
        } catch (...) {
            raised = std::current_exception();
            return false;
        }
    };
    const auto status = without_lock([&] { return run(poll); });
    if (raised) {
        std::rethrow_exception(raised);
    }
    return status;
}
