// The equations of each strongly connected component, solved after those it needs: a sum for a
// variable that does not need itself. As slp/reference/tables/bounds.py. Compiled without
// contraction.

#include <algorithm>

#include "tables/component.hpp"
#include "tables/solved.hpp"

namespace slp::tables {

namespace {

// More than the relative error of a sum of products of four factors: each factor and the sum is
// rounded once.
constexpr double kError = 0x1p-49;

class Solver {
public:
    Solver(const Graph& graph, bool probabilities, const GoOn& go_on)
        : graph_(graph), go_on_(go_on), found_(graph.size()), place_(graph.size(), kNone) {
        one_ = {kOne, kOne, kOne, true, false};
        const bool once = probabilities && visits_once(graph);
        for (const VariableKind kind : graph.kinds) {
            at_most_one_.push_back(probabilities && (once || kind != VariableKind::prefix));
        }
    }

    std::vector<MassBounds> run() {
        const Lists parts = components(graph_);
        for (std::size_t p = 0; p < parts.size(); ++p) {
            if (p % 4096 == 0 && !go_on_()) {
                break;
            }
            const std::span<const std::int32_t> part = parts[p];
            const auto first = static_cast<std::size_t>(part.front());
            if (part.size() == 1 && !graph_.needs_itself(part.front())) {
                found_[first] = sum(first);
            } else {
                solve_together(part);
            }
            for (const std::int32_t i : part) {
                if (at_most_one_[static_cast<std::size_t>(i)]) {
                    cap(found_[static_cast<std::size_t>(i)]);
                }
            }
        }
        return std::move(found_);
    }

private:
    const Hyperedge& edge(std::int32_t e) const {
        return graph_.edges[static_cast<std::size_t>(e)];
    }

    const MassBounds& at(std::int32_t i) const {
        return i == kNone ? one_ : found_[static_cast<std::size_t>(i)];
    }

    // The product of an edge's coefficient and two masses; its rounding is counted later.
    static MassBounds factor(const Hyperedge& edge, const MassBounds& a, const MassBounds& b) {
        const double c = edge.coefficient();
        MassBounds out;
        out.lower = a.lower.times(b.lower).times(c);
        out.value = a.value.times(b.value).times(c);
        out.known = a.known && b.known;
        if (out.known) {
            out.upper = a.upper.times(b.upper).times(c);
        }
        out.infinite = a.infinite || b.infinite;
        return out;
    }

    MassBounds sum(std::size_t i) const {
        Total lower, value, upper;
        MassBounds out;
        for (const std::int32_t e : graph_.into[i]) {
            const MassBounds one = factor(edge(e), at(edge(e).prefix), at(edge(e).answer));
            lower.add(one.lower);
            value.add(one.value);
            upper.add(one.upper);
            out.known = out.known && one.known;
            out.infinite = out.infinite || one.infinite;
        }
        out.lower = lower.mass().times(1 - kError);
        out.value = value.mass();
        out.upper = out.known ? upper.mass().times(1 + kError) : Mass{};
        return out;
    }

    static void cap(MassBounds& mass) {
        mass.upper = mass.known ? std::min(mass.upper, kOne) : kOne;
        mass.lower = std::min(mass.lower, kOne);
        mass.value = std::min(mass.value, kOne);
        mass.known = true;
        mass.infinite = false;
    }

    void solve_together(std::span<const std::int32_t> part) {
        for (std::size_t k = 0; k < part.size(); ++k) {
            place_[static_cast<std::size_t>(part[k])] = static_cast<std::int32_t>(k);
        }
        const auto inside = [&](std::int32_t i) {
            return i == kNone ? kNone : place_[static_cast<std::size_t>(i)];
        };
        std::vector<EquationTerm> terms;
        bool infinite = false;
        for (const std::int32_t i : part) {
            for (const std::int32_t e : graph_.into[static_cast<std::size_t>(i)]) {
                const std::int32_t first = inside(edge(e).prefix), second = inside(edge(e).answer);
                MassBounds c = factor(edge(e), first == kNone ? at(edge(e).prefix) : one_,
                                  second == kNone ? at(edge(e).answer) : one_);
                c.lower = c.lower.times(1 - kError);
                c.upper = c.upper.times(1 + kError);
                // The least solution grows with its coefficients.
                infinite = infinite || c.infinite;
                terms.push_back({inside(i), first, second, c});
            }
        }
        const std::vector<MassBounds> solved = Component(part.size(), terms, go_on_).solution();
        for (std::size_t k = 0; k < part.size(); ++k) {
            const auto i = static_cast<std::size_t>(part[k]);
            MassBounds& out = found_[i] = solved[k];
            out.value = std::max(out.value, out.lower);
            out.value = out.known ? std::min(out.value, out.upper) : out.value;
            out.infinite = out.infinite || infinite;
            place_[i] = kNone;
        }
    }

    const Graph& graph_;
    const GoOn& go_on_;
    MassBounds one_;
    std::vector<MassBounds> found_;
    std::vector<bool> at_most_one_;
    std::vector<std::int32_t> place_;  // in the component that is solved now
};

}  // namespace

std::vector<MassBounds> bounds_of(const Graph& graph, bool probabilities, const GoOn& go_on) {
    return Solver(graph, probabilities, go_on).run();
}

}  // namespace slp::tables
