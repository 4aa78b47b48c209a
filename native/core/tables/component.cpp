// Compiled without contraction, which the proofs of bounds do not need, for the same numbers on
// every processor.

#include "tables/component.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tables/graph.hpp"

namespace slp::tables {

namespace {

constexpr double kRounding = 0x1p-52;
// Iterations of Newton's method; at a critical point each gives one bit.
constexpr int kNewton = 80;
// Values solve their equations but for so much of each.
constexpr double kSolved = 1e-9;
// Scaled masses stay within 2 to this power.
constexpr int kRange = 60;

std::vector<std::pair<std::int32_t, std::int32_t>> entries_of(
    const std::vector<EquationTerm>& terms) {
    std::vector<std::pair<std::int32_t, std::int32_t>> out;
    for (const EquationTerm& term : terms) {
        for (const std::int32_t needed : {term.first, term.second}) {
            if (needed != kNone) {
                out.emplace_back(term.target, needed);
            }
        }
    }
    return out;
}

int exponent_of(double x) {
    int out = 0;
    std::frexp(x, &out);
    return out;
}

}  // namespace

Component::Component(std::size_t size, const std::vector<EquationTerm>& terms, const GoOn& go_on)
    : size_(size), terms_(terms), go_on_(go_on), entries_(entries_of(terms)),
      system_(size, entries_) {
    std::vector<std::size_t> counts(size);
    const auto none = static_cast<std::int32_t>(size);
    for (const EquationTerm& term : terms) {
        target_.push_back(term.target);
        first_.push_back(term.first == kNone ? none : term.first);
        second_.push_back(term.second == kNone ? none : term.second);
        ++counts[static_cast<std::size_t>(term.target)];
    }
    most_ = *std::max_element(counts.begin(), counts.end());
    // A product of three, and a sum of so many.
    error_ = (4.0 + static_cast<double>(most_)) * kRounding;
}

std::vector<MassBounds> Component::solution() {
    const Maybe m = scale_and_solve();
    const Numbers lower = scaled(&MassBounds::lower);
    Maybe u, low;
    if (m && std::all_of(terms_.begin(), terms_.end(),
                         [](const EquationTerm& t) { return t.coefficient.known; })) {
        u = above(scaled(&MassBounds::upper), *m);
    }
    if (u) {
        low = below(lower, *m, *u);
    }
    if (!low) {
        low = lowered(lower);
    }
    const bool infinite = !u && is_infinite(lower);
    std::vector<MassBounds> out(size_);
    for (std::size_t i = 0; i < size_; ++i) {
        out[i].lower = Mass::of((*low)[i], scale_[i]);
        out[i].value = Mass::of((m ? *m : *low)[i], scale_[i]);
        out[i].upper = u ? Mass::of((*u)[i], scale_[i]) : Mass{};
        out[i].known = u.has_value();
        out[i].infinite = infinite;
    }
    return out;
}

std::optional<std::vector<Mass>> Component::values() {
    const Maybe m = scale_and_solve();
    if (!m) {
        return std::nullopt;
    }
    const Numbers again = f(scaled(&MassBounds::value), *m);
    std::vector<Mass> out;
    for (std::size_t i = 0; i < size_; ++i) {
        if (!(std::abs(again[i] - (*m)[i]) <= kSolved * (*m)[i])) {
            return std::nullopt;  // a step of Newton's method found that there is no solution
        }
        out.push_back(Mass::of((*m)[i], scale_[i]));
    }
    return out;
}

// The value, in units of powers of two near it.
Component::Maybe Component::scale_and_solve() {
    scale_ = first_scale();
    Maybe m = newton(scaled(&MassBounds::value));
    for (int k = 0; k < kRange && m; ++k) {
        const bool near = std::all_of(m->begin(), m->end(), [](double x) {
            return std::abs(exponent_of(x)) <= kRange;
        });
        if (near) {
            break;
        }
        for (std::size_t i = 0; i < size_; ++i) {
            scale_[i] += exponent_of((*m)[i]);
        }
        m = newton(scaled(&MassBounds::value));
    }
    return m;
}

// A power of two near each unknown: that of an iterate of f from 0.
std::vector<std::int64_t> Component::first_scale() const {
    std::vector<std::size_t> by_target(terms_.size());
    for (std::size_t t = 0; t < by_target.size(); ++t) {
        by_target[t] = t;
    }
    std::stable_sort(by_target.begin(), by_target.end(),
                     [&](std::size_t a, std::size_t b) { return target_[a] < target_[b]; });
    std::vector<Mass> x(size_ + 1);
    x[size_] = kOne;
    for (std::size_t sweep = 0; sweep < size_; ++sweep) {  // each makes one more positive
        bool all = true;
        for (std::size_t k = 0; k < by_target.size();) {
            const auto target = static_cast<std::size_t>(target_[by_target[k]]);
            Total sum;
            for (; k < by_target.size(); ++k) {
                const std::size_t t = by_target[k];
                if (static_cast<std::size_t>(target_[t]) != target) {
                    break;
                }
                sum.add(terms_[t].coefficient.value.times(x[static_cast<std::size_t>(first_[t])])
                            .times(x[static_cast<std::size_t>(second_[t])]));
            }
            x[target] = sum.mass();
            all = all && x[target];
        }
        if (all || !go_on_()) {
            break;
        }
    }
    std::vector<std::int64_t> out(size_);
    for (std::size_t i = 0; i < size_; ++i) {
        out[i] = x[i] ? x[i].exponent : 0;
    }
    return out;
}

Component::Numbers Component::scaled(Mass MassBounds::* which) const {
    const auto at = [&](std::int32_t i) {
        const auto place = static_cast<std::size_t>(i);
        return place == size_ ? 0 : scale_[place];
    };
    Numbers out;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
        const Mass& c = terms_[t].coefficient.*which;
        out.push_back(c.in_units(at(target_[t]) - at(first_[t]) - at(second_[t])));
    }
    return out;
}

Component::Numbers Component::f(const Numbers& c, const Numbers& x) const {
    Numbers y = x, out(size_);
    y.push_back(1.0);
    for (std::size_t t = 0; t < c.size(); ++t) {
        out[static_cast<std::size_t>(target_[t])] +=
            c[t] * y[static_cast<std::size_t>(first_[t])] * y[static_cast<std::size_t>(second_[t])];
    }
    return out;
}

// The parts of the Jacobian, as entries_ has them.
Component::Numbers Component::derivatives(const Numbers& c, const Numbers& x) const {
    Numbers y = x, out;
    y.push_back(1.0);
    const auto none = static_cast<std::int32_t>(size_);
    for (std::size_t t = 0; t < c.size(); ++t) {
        if (first_[t] != none) {
            out.push_back(c[t] * y[static_cast<std::size_t>(second_[t])]);
        }
        if (second_[t] != none) {
            out.push_back(c[t] * y[static_cast<std::size_t>(first_[t])]);
        }
    }
    return out;
}

// (I - J(x))^-1 right; nothing unless it is finite and positive, as it is below a finite solution.
Component::Maybe Component::solve(const Numbers& c, const Numbers& x, const Numbers& right) {
    if (!system_.fits() || !system_.factor(derivatives(c, x), go_on_)) {
        return std::nullopt;
    }
    Numbers out = system_.solve(right);
    const bool finite =
        std::all_of(out.begin(), out.end(), [](double v) { return std::isfinite(v); });
    return finite ? Maybe(std::move(out)) : std::nullopt;
}

// The least solution of x = f(x), about; nothing where it seems to be infinite.
Component::Maybe Component::newton(const Numbers& c) {
    Numbers x(size_);
    for (int k = 0; k < kNewton; ++k) {
        Numbers right = f(c, x);
        for (std::size_t i = 0; i < size_; ++i) {
            right[i] = std::max(right[i] - x[i], 0.0);
        }
        const Maybe step = solve(c, x, right);
        if (!step) {
            break;
        }
        bool small = true;
        for (std::size_t i = 0; i < size_; ++i) {
            x[i] += (*step)[i];
            small = small && (*step)[i] <= 4 * kRounding * x[i];
        }
        if (small) {
            break;
        }
    }
    const bool sound = std::all_of(x.begin(), x.end(), [](double v) { return v > 0 && v < 1e200; });
    return sound ? Maybe(std::move(x)) : std::nullopt;
}

}  // namespace slp::tables
