// The number of bits that two runs of words have both.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace slp::search {

using CountOfBoth = std::uint32_t (*)(const std::uint64_t*, const std::uint64_t*, std::size_t);

inline std::uint32_t count_of_both(const std::uint64_t* a, const std::uint64_t* b,
                                   std::size_t n) {
    int out = 0;
    for (std::size_t w = 0; w < n; ++w) {
        out += std::popcount(a[w] & b[w]);
    }
    return static_cast<std::uint32_t>(out);
}

#ifdef __x86_64__
[[gnu::target("popcnt")]] inline std::uint32_t count_of_both_popcnt(const std::uint64_t* a,
                                                                    const std::uint64_t* b,
                                                                    std::size_t n) {
    return count_of_both(a, b, n);
}
#endif

// By the instruction for it, where the processor has one.
inline CountOfBoth counter_of_both() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("popcnt")) {
        return count_of_both_popcnt;
    }
#endif
    return count_of_both;
}

}  // namespace slp::search
