// The interpreter lock: work without it, and code that takes it again.
//
// While the interpreter exits, Python (3.11 to 3.13) ends a daemon thread that asks for the lock,
// by `pthread_exit`. The GNU library unwinds the stack of such a thread, and a C++ frame that may
// not throw, or that catches everything, then aborts the process. So such a thread waits here until
// the process has ended, as Python itself does from 3.14 on.

#pragma once

#include <nanobind/nanobind.h>

#ifdef __GLIBC__
#include <cxxabi.h>
#endif

#include <chrono>
#include <thread>

[[noreturn]] inline void wait_for_exit() {
    for (;;) {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

// The result of `work`, which may ask for the interpreter lock. It does not return in a thread that
// Python ends.
template <typename Work>
decltype(auto) unless_ended(const Work& work) {
#ifdef __GLIBC__
    try {
        return work();
    } catch (const abi::__forced_unwind&) {
        wait_for_exit();
    }
#else
    return work();
#endif
}

inline void wait_if_exiting() {
#if PY_VERSION_HEX >= 0x030D0000
    const bool exiting = Py_IsFinalizing() != 0;
#else
    const bool exiting = _Py_IsFinalizing() != 0;
#endif
    if (exiting) {
        wait_for_exit();
    }
}

// Holds the interpreter lock.
class HeldLock {
public:
    HeldLock() {
        wait_if_exiting();
        state_ = unless_ended([] { return PyGILState_Ensure(); });
    }
    ~HeldLock() { PyGILState_Release(state_); }
    HeldLock(const HeldLock&) = delete;
    HeldLock& operator=(const HeldLock&) = delete;

private:
    PyGILState_STATE state_;
};

// Gives the interpreter lock to other threads.
class ReleasedLock {
public:
    ReleasedLock() : thread_(PyEval_SaveThread()) {}
    ~ReleasedLock() {
        wait_if_exiting();
        unless_ended([this] { PyEval_RestoreThread(thread_); });
    }
    ReleasedLock(const ReleasedLock&) = delete;
    ReleasedLock& operator=(const ReleasedLock&) = delete;

private:
    PyThreadState* thread_;
};

// The result of `work`, computed without the interpreter lock; `work` must not use Python.
template <typename Work>
auto without_lock(const Work& work) {
    const ReleasedLock released;
    return work();
}

// The result of a function of Python, called by work that runs without the interpreter lock.
template <typename Call>
decltype(auto) with_lock(const Call& call) {
    const HeldLock held;
    return unless_ended(call);
}
