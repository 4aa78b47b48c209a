// The smallest test runner that does: named cases register themselves, checks throw.

#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace slp::test {

struct Case {
    const char* name;
    void (*run)();
};

// Every case of the executable, in the order of registration.
inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

struct Registration {
    Registration(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

inline void check(bool holds, std::source_location where = std::source_location::current()) {
    if (!holds) {
        throw std::runtime_error(std::string(where.file_name()) + ":" +
                                 std::to_string(where.line()) + ": check failed");
    }
}

}  // namespace slp::test

// Defines and registers a case: TEST(name) { check(...); }
#define TEST(name)                                                     \
    static void name();                                                \
    static const slp::test::Registration register_##name{#name, name}; \
    static void name()
