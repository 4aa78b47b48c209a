// Positive numbers of any size, for sums of products: plain doubles, or doubles with an exponent.
//
// Rounding: a sum of E products of values with relative errors a and b has relative error at most a
// + b + (E + 3) 2^-53, all terms being positive. Over a tree of at most n leaves that adds up to
// less than n (E + 4) 2^-53, E the most edges of an item: 3e-12 for n = 150 and E = 150, and in
// practice far less, as errors cancel. Doubles are used while every value lies well inside their
// range (`in_range`), so underflow loses nothing; the search stops at once if one leaves it.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "problem/edges.hpp"

namespace slp::exact {

inline constexpr double kTiny = 0x1p-900, kHuge = 0x1p900;
// The product of two of these is no zero.
inline constexpr double kTinyFactor = 0x1p-480, kHugeFactor = 0x1p480;

struct Linear {
    static constexpr std::size_t kWords = 1;
    double m = 0.0;

    static Linear from_log(double x) { return {std::exp(x)}; }
    static Linear load(const std::uint64_t* w) { return {std::bit_cast<double>(w[0])}; }
    void store(std::uint64_t* w) const { w[0] = std::bit_cast<std::uint64_t>(m); }
    double log() const { return std::log(m); }
    bool is_zero() const { return m == 0.0; }
    bool in_range() const { return m >= kTiny && m <= kHuge; }

    friend Linear operator*(Linear x, Linear y) { return {x.m * y.m}; }
    friend Linear operator*(Linear x, double y) { return {x.m * y}; }
    Linear times(const Edge& edge) const { return {m * edge.probability()}; }
    void operator+=(Linear x) { m += x.m; }
    friend bool operator<(Linear x, Linear y) { return x.m < y.m; }
    // x / y as a double.
    friend double ratio(Linear x, Linear y) { return x.m / y.m; }
};

// m * 2^(512 e), m in [2^-256, 2^256), or zero.
struct Scaled {
    static constexpr std::size_t kWords = 2;
    double m = 0.0;
    std::int64_t e = 0;

    static Scaled from_log(double x) {
        if (x == -INFINITY) {
            return {};
        }
        constexpr double unit = 354.891356446692;  // 512 log 2
        const double e = std::nearbyint(x / unit);
        // e * log(2) * 512 in two parts, so that large exponents lose nothing
        constexpr double high = 0x1.62e42feep+8, low = 0x1.a39ef35793c76p-24;
        return normal(std::exp((x - e * high) - e * low), static_cast<std::int64_t>(e));
    }
    static Scaled load(const std::uint64_t* w) {
        return {std::bit_cast<double>(w[0]), std::bit_cast<std::int64_t>(w[1])};
    }
    void store(std::uint64_t* w) const {
        w[0] = std::bit_cast<std::uint64_t>(m);
        w[1] = std::bit_cast<std::uint64_t>(e);
    }
    double log() const { return std::log(m) + static_cast<double>(e) * 354.891356446691992; }
    bool is_zero() const { return m == 0.0; }
    bool in_range() const { return true; }

    friend Scaled operator*(Scaled x, Scaled y) { return normal(x.m * y.m, x.e + y.e); }
    // y at most 2^512.
    friend Scaled operator*(Scaled x, double y) {
        return y >= 0x1p-500 ? normal(x.m * y, x.e) : normal(x.m * (y * 0x1p512), x.e - 1);
    }
    Scaled times(const Edge& edge) const {
        Scaled out = *this * edge.scaled;
        out.e += out.is_zero() ? 0 : edge.exponent;
        return out;
    }
    void operator+=(Scaled x) {
        if (x.e == e) {
            m += x.m;
            if (m >= 0x1p256) {
                *this = normal(m, e);
            }
        } else if (x.is_zero()) {
            return;
        } else if (is_zero() || x.e > e + 1) {
            *this = x;
        } else if (x.e == e + 1) {
            *this = normal(x.m + m * 0x1p-512, x.e);
        } else if (x.e == e - 1) {
            m += x.m * 0x1p-512;
        }
    }
    friend bool operator<(Scaled x, Scaled y) {
        if (x.is_zero() || y.is_zero()) {
            return x.m < y.m;
        }
        return x.e != y.e ? x.e < y.e : x.m < y.m;
    }
    friend double ratio(Scaled x, Scaled y) {
        // Beyond 8 it is 0 or infinite, and 512 times the difference may be no int.
        const auto e = static_cast<int>(std::clamp<std::int64_t>(x.e - y.e, -8, 8));
        return x.is_zero() ? 0.0 : std::ldexp(x.m / y.m, 512 * e);
    }

private:
    static Scaled normal(double m, std::int64_t e) {
        if (m >= 0x1p256) {
            return {m * 0x1p-512, e + 1};
        }
        if (m < 0x1p-256) {
            return m == 0.0 ? Scaled{} : Scaled{m * 0x1p512, e - 1};
        }
        return {m, e};
    }
};

}  // namespace slp::exact
