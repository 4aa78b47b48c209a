// Masses of proofs: m 2^e with m in [1/2, 1), as slp.resolution.proofs.masses has them.

#pragma once

#include <cmath>
#include <cstdint>

namespace slp::tables {

struct Mass {
    std::int64_t exponent = kExponentOfZero;
    double mantissa = 0.0;

    // Below that of every mass above 0.
    static constexpr std::int64_t kExponentOfZero = -(std::int64_t{1} << 62);

    static Mass of(double value, std::int64_t exponent = 0) {
        if (!(value > 0)) {
            return {};
        }
        int own = 0;
        const double mantissa = std::frexp(value, &own);
        return {exponent + own, mantissa};
    }
    Mass times(double factor) const { return of(mantissa * factor, exponent); }
    Mass times(const Mass& other) const {
        // As of(mantissa * other.mantissa, ...): the product lies in [1/4, 1).
        const double product = mantissa * other.mantissa;
        if (!(product > 0)) {
            return {};
        }
        const bool low = product < 0.5;
        return {exponent + other.exponent - (low ? 1 : 0), low ? 2 * product : product};
    }
    explicit operator bool() const { return mantissa > 0; }
    // In units of 2^unit: 0 and infinity where it is too small or too large for a double.
    double in_units(std::int64_t unit) const {
        if (!(mantissa > 0)) {
            return 0.0;
        }
        const std::int64_t e = exponent - unit;
        return e < -2000 ? 0.0 : e > 2000 ? HUGE_VAL : std::ldexp(mantissa, static_cast<int>(e));
    }
    friend bool operator<(const Mass& a, const Mass& b) {
        return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa < b.mantissa;
    }
};

inline const Mass kOne{1, 0.5};

// A sum of masses, wrong by less than 2^-52 of it. Its parts are in units of the largest one so
// far. What a double-double of n parts loses is n 2^-105 of them (Dekker 1971), and parts that a
// double cannot hold are below 2^-1000 of the sum.
class Total {
public:
    void add(const Mass& mass) {
        if (!mass) {
            return;
        }
        if (mass.exponent > unit_) {
            const Mass high = Mass::of(high_, unit_);
            const double low = std::abs(low_);
            const double moved = Mass::of(low, unit_).in_units(mass.exponent);
            low_ = low_ < 0 ? -moved : moved;
            unit_ = mass.exponent;
            high_ = high.in_units(unit_);
        }
        const double part = mass.in_units(unit_);
        const double sum = high_ + part, back = sum - high_;
        low_ += (high_ - (sum - back)) + (part - back);
        high_ = sum + low_;
        low_ -= high_ - sum;
    }
    Mass mass() const { return Mass::of(high_, unit_); }

private:
    std::int64_t unit_ = Mass::kExponentOfZero;
    double high_ = 0.0, low_ = 0.0;
};

// A mass with bounds, as slp.resolution.tables.solved has it.
struct MassBounds {
    Mass lower, value, upper;
    bool known = true;  // the upper bound
    bool infinite = false;
};

}  // namespace slp::tables
