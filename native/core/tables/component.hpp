// Equations that need each other: x = f(x), each a sum of c, c x or c x y, with c > 0.
//
// The mathematics, and why the bounds hold, stand in slp/reference/tables/components.py, whose
// results these are but for rounding. Linear systems are solved by elimination, sparse as long as
// that pays. Rounding is outward by factors 1 +- error, as there; no mode of the processor changes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tables/elimination.hpp"
#include "tables/mass.hpp"

namespace slp::tables {

// A term of the equation of unknown `target`: a coefficient with bounds, and up to two unknowns
// (kNone in place of one).
struct EquationTerm {
    std::int32_t target, first, second;
    MassBounds coefficient;
};

class Component {
public:
    // The terms of `size` unknowns that need each other.
    Component(std::size_t size, const std::vector<EquationTerm>& terms, const GoOn& go_on);

    // Of each unknown a lower bound, the value by doubles, and an upper bound.
    std::vector<MassBounds> solution();
    // The values alone, not proved; nothing where they do not solve the equations.
    std::optional<std::vector<Mass>> values();

    using Numbers = std::vector<double>;
    // Whether f(u) < u, and low <= f(low), is certain. `c`: coefficients.
    bool is_above(const Numbers& c, const Numbers& u) const;
    bool is_below(const Numbers& c, const Numbers& low) const;

private:
    using Maybe = std::optional<Numbers>;

    std::vector<std::int64_t> first_scale() const;
    Numbers scaled(Mass MassBounds::* which) const;
    Numbers f(const Numbers& c, const Numbers& x) const;
    Numbers derivatives(const Numbers& c, const Numbers& x) const;
    Maybe solve(const Numbers& c, const Numbers& x, const Numbers& right);
    Maybe newton(const Numbers& c);
    Maybe scale_and_solve();
    Maybe above(const Numbers& c, const Numbers& m);
    Maybe below(const Numbers& c, const Numbers& m, const Numbers& u);
    Numbers lowered(const Numbers& c);
    Numbers step_below(const Numbers& c, const Numbers& low) const;
    bool is_infinite(const Numbers& c) const;
    bool grows(const Numbers& derivatives) const;

    std::size_t size_;
    const std::vector<EquationTerm>& terms_;
    const GoOn& go_on_;
    double error_ = 0.0;
    std::size_t most_ = 0;  // terms of an equation
    std::vector<std::int64_t> scale_;
    std::vector<std::int32_t> target_, first_, second_;  // size_ in place of kNone
    std::vector<std::pair<std::int32_t, std::int32_t>> entries_;  // of the Jacobian, term by term
    Elimination system_;
};

}  // namespace slp::tables
