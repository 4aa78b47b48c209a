// Runs every registered case; the exit code is the number of failures (at most 1).

#include <cstdio>
#include <exception>

#include "check.hpp"

int main() {
    int failed = 0;
    for (const auto& test : slp::test::cases()) {
        try {
            test.run();
        } catch (const std::exception& error) {
            ++failed;
            std::printf("FAILED %s: %s\n", test.name, error.what());
        }
    }
    const int passed = static_cast<int>(slp::test::cases().size()) - failed;
    std::printf("native core: %d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
