// MassBounds are proved: f(u) < u and l <= f(l) are checked, whatever candidates are worth. Elimination
// against systems whose solutions are known.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "tables/component.hpp"
#include "tables/graph.hpp"
#include "tables/solved.hpp"

using namespace slp::tables;
using slp::test::check;

namespace {

const GoOn kAlways = [] { return true; };

// s = 0.6 s s + 0.4 has the roots 2/3 and 1.
std::vector<EquationTerm> branching() {
    const auto bounds = [](double x) {
        return MassBounds{Mass::of(x), Mass::of(x), Mass::of(x), true, false};
    };
    return {{0, 0, 0, bounds(0.6)}, {0, kNone, kNone, bounds(0.4)}};
}

}  // namespace

TEST(bounds_are_proved_and_not_believed) {
    const std::vector<EquationTerm> terms = branching();
    Component component(1, terms, kAlways);
    for (const double s : {0.1, 2.0 / 3, 0.7, 0.999, 1.0, 1.1}) {
        const bool below = s < 2.0 / 3 - 1e-12 || s > 1 + 1e-12;
        check(component.is_below({0.6, 0.4}, {s}) == below);
        check(component.is_above({0.6, 0.4}, {s}) == (s > 2.0 / 3 + 1e-12 && s < 1 - 1e-12));
    }
    const MassBounds found = component.solution().front();
    check(found.known && found.lower.in_units(0) < 2.0 / 3 && found.upper.in_units(0) > 2.0 / 3);
    check(found.upper.in_units(0) - found.lower.in_units(0) < 3e-14);
}

TEST(totals_are_rounded_once) {
    Total sum;
    for (const std::int64_t e : {0, -900, 900, -5000, 899}) {
        sum.add(Mass::of(0.75, e));
    }
    check(sum.mass().in_units(900) == 0.75 + 0.375);
    Total small;
    small.add(kOne);
    for (int k = 0; k < 1 << 20; ++k) {
        small.add(Mass::of(0x1p-60));  // a plain sum would lose each
    }
    check(small.mass().in_units(0) == 1 + 0x1p-40);
}

TEST(elimination_solves_what_it_is_given) {
    std::mt19937_64 random(7);
    for (const std::size_t n : {1U, 3U, 40U, 300U}) {
        for (const std::size_t each : {2U, 20U}) {  // sparse, and soon dense
            std::vector<std::pair<std::int32_t, std::int32_t>> entries;
            std::vector<double> values, want(n), right(n);
            for (std::size_t i = 0; i < n; ++i) {
                right[i] = want[i] = 1 + static_cast<double>(i % 7);
            }
            for (std::size_t k = 0; k < each * n; ++k) {
                const std::size_t row = k % n, column = random() % n;
                entries.emplace_back(static_cast<std::int32_t>(row),
                                     static_cast<std::int32_t>(column));
                values.push_back(0.9 / static_cast<double>(7 * each));
                right[row] -= values.back() * want[column];
            }
            Elimination system(n, entries);
            check(system.fits() && system.factor(values, kAlways));
            const std::vector<double> have = system.solve(right);
            for (std::size_t i = 0; i < n; ++i) {
                check(std::abs(have[i] - want[i]) < 1e-12 * want[i]);
            }
        }
    }
    Elimination loop(2, {{0, 1}, {1, 0}});
    check(!loop.factor(std::vector<double>{1.0, 1.0}, kAlways));  // spectral radius 1
    check(!loop.factor(std::vector<double>{4.0, 0.5}, kAlways));
}

TEST(variables_stand_behind_those_they_need) {
    const auto edge = [](std::int32_t target, std::int32_t prefix, std::int32_t answer) {
        return Hyperedge{target, prefix, answer, false, 0.5, 1.0};
    };
    // 4 and 5 need each other and have no mass.
    const Graph graph(std::vector<VariableKind>(6, VariableKind::answer),
                      {edge(3, kNone, kNone), edge(0, 1, 2), edge(1, 3, 2), edge(2, kNone, kNone),
                       edge(2, 1, 1), edge(4, 5, 3), edge(5, 4, 3)});
    const Lists parts = components(graph);
    check(parts.size() == 5 && graph.into[4].empty() && graph.into[5].empty());
    std::vector<std::size_t> turn(6);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (const std::int32_t v : parts[p]) {
            turn[static_cast<std::size_t>(v)] = p;
        }
    }
    check(turn[3] < turn[1] && turn[1] == turn[2] && turn[1] < turn[0]);
}
