// Proofs of bounds: candidates from floats, each of them checked. Compiled without contraction.

#include <algorithm>
#include <cmath>

#include "tables/component.hpp"

namespace slp::tables {

namespace {

constexpr double kRounding = 0x1p-52;
// Iterations that look whether a solution is infinite.
constexpr int kKleene = 512;
// Lower bounds are cut to this, where a solution may be infinite.
constexpr double kLarge = 1e90;

}  // namespace

bool Component::is_above(const Numbers& c, const Numbers& u) const {
    const Numbers value = f(c, u);
    for (std::size_t i = 0; i < size_; ++i) {
        if (!(value[i] * (1 + error_) < u[i] * (1 - kRounding))) {
            return false;
        }
    }
    return true;
}

bool Component::is_below(const Numbers& c, const Numbers& low) const {
    const Numbers value = f(c, low);
    for (std::size_t i = 0; i < size_; ++i) {
        if (!(value[i] * (1 - error_) >= low[i])) {
            return false;
        }
    }
    return true;
}

Component::Maybe Component::above(const Numbers& c, const Numbers& m) {
    const Maybe away = solve(c, m, m);
    for (int k = 50; away && k > 1; --k) {
        Numbers u = m;
        for (std::size_t i = 0; i < size_; ++i) {
            u[i] += std::ldexp((*away)[i], -k);
        }
        if (is_above(c, u)) {
            return u;
        }
    }
    return std::nullopt;
}

// A lower bound, where f(u) < u is certain.
Component::Maybe Component::below(const Numbers& c, const Numbers& m, const Numbers& u) {
    const Maybe away = solve(c, m, m);
    for (int k = 50; away && k > 1; --k) {
        Numbers low = m;
        bool within = true;
        for (std::size_t i = 0; i < size_; ++i) {
            low[i] = std::max(m[i] - std::ldexp((*away)[i], -k), 0.0);
            within = within && low[i] <= u[i];
        }
        if (within && is_below(c, low)) {
            return low;
        }
    }
    return std::nullopt;
}

// A lower bound by coefficients that are lowered, by as little as can be; else by iterates of f
// from 0.
Component::Numbers Component::lowered(const Numbers& c) {
    for (int k = 46; k > 4; k -= 6) {
        Numbers less = c;
        for (double& x : less) {
            x *= 1 - std::ldexp(1.0, -k);
        }
        const Maybe m = newton(less);
        const Maybe u = m ? above(less, *m) : std::nullopt;
        if (Maybe low = u ? below(less, *m, *u) : std::nullopt) {
            return *low;
        }
    }
    Numbers low(size_);
    for (std::size_t k = 0; k <= size_ && go_on_(); ++k) {
        low = step_below(c, low);
    }
    return low;
}

// A lower bound from another one. Large ones are cut: whatever is less is one, too.
Component::Numbers Component::step_below(const Numbers& c, const Numbers& low) const {
    Numbers cut = c;
    for (double& x : cut) {
        x = std::min(x, kLarge);
    }
    Numbers out = f(cut, low);
    for (double& x : out) {
        x = std::clamp(x * (1 - error_), 0.0, kLarge);
    }
    return out;
}

bool Component::is_infinite(const Numbers& c) const {
    Numbers cut = c;
    for (double& x : cut) {
        x = std::min(x, kLarge);
    }
    Numbers low(size_);
    for (int k = 1; k <= kKleene && go_on_(); ++k) {
        low = step_below(c, low);
        if ((k & (k - 1)) == 0 && grows(derivatives(cut, low))) {
            return true;
        }
    }
    return false;
}

// Whether J z > z is certain for some z > 0.
bool Component::grows(const Numbers& derivatives) const {
    const auto product = [&](const Numbers& z) {
        Numbers out(size_);
        for (std::size_t e = 0; e < entries_.size(); ++e) {
            out[static_cast<std::size_t>(entries_[e].first)] +=
                derivatives[e] * z[static_cast<std::size_t>(entries_[e].second)];
        }
        return out;
    };
    Numbers z(size_, 1.0);
    for (int k = 0; k < 64; ++k) {
        const Numbers more = product(z);
        double most = 0.0;
        for (std::size_t i = 0; i < size_; ++i) {
            z[i] += more[i];  // converges where J alone would be periodic
            most = std::max(most, z[i]);
        }
        for (double& x : z) {
            x /= most;
        }
    }
    // Each term gives up to two parts of the sum.
    const double error = (8.0 + 2.0 * static_cast<double>(most_)) * kRounding;
    const Numbers grown = product(z);
    for (std::size_t i = 0; i < size_; ++i) {
        if (!(z[i] > 0 && grown[i] * (1 - error) > z[i])) {
            return false;
        }
    }
    return true;
}

}  // namespace slp::tables
