// Additive 128-bit keys: the key of a box is the sum of its rows' random keys, that of an item (a
// box in a product state) the box's plus the state's. Two of B items collide with probability below
// B^2 / 2^129: 1e-22 for ten million.

#pragma once

#include <cstdint>

namespace slp {

struct Key {
    std::uint64_t a = 0;
    std::uint64_t b = 0;

    friend bool operator==(Key x, Key y) { return x.a == y.a && x.b == y.b; }
    friend bool operator<(Key x, Key y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
    friend Key operator+(Key x, Key y) { return {x.a + y.a, x.b + y.b}; }
    friend Key operator-(Key x, Key y) { return {x.a - y.a, x.b - y.b}; }
};

// The i-th random key of a stream (SplitMix64, Steele, Lea & Flood 2014).
inline std::uint64_t split_mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

inline Key random_key(std::uint64_t stream, std::uint64_t i) {
    const std::uint64_t base = split_mix(stream * 0x2545f4914f6cdd1dULL + 1);
    return {split_mix(base + 2 * i), split_mix(~base + 2 * i + 1)};
}

}  // namespace slp
