#include "tables/labelled.hpp"

#include <algorithm>
#include <utility>

#include "tables/component.hpp"

namespace slp::tables {

Labelled::Labelled(const Graph& graph, std::vector<std::int32_t> number, std::size_t n_labels)
    : graph_(graph), number_(std::move(number)), n_labels_(n_labels), masses_(graph.size()),
      place_(graph.size(), kNone) {}

bool Labelled::weigh(std::span<const double> values, const GoOn& go_on) {
    for (std::size_t e = 0; e < number_.size(); ++e) {
        if (number_[e] != kNone) {
            graph_.edges[e].label = values[static_cast<std::size_t>(number_[e])];
        }
    }
    std::vector<bool> zero(n_labels_);
    for (std::size_t k = 0; k < n_labels_; ++k) {
        zero[k] = !(values[k] > 0);
    }
    if (parts_.first.empty() || zero != is_zero_) {  // what has mass has changed
        graph_ = Graph(std::move(graph_.kinds), std::move(graph_.edges));
        parts_ = components(graph_);
        is_zero_ = std::move(zero);
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        if ((p % 4096 == 0 && !go_on()) || !solve(parts_[p], go_on)) {
            return false;
        }
    }
    return true;
}

// The mass of one variable, or of those that need each other; false where they are not finite.
bool Labelled::solve(std::span<const std::int32_t> part, const GoOn& go_on) {
    if (part.size() > 1 || graph_.needs_itself(part.front())) {
        return solve_together(part, go_on);
    }
    Total sum;
    for (const std::int32_t e : graph_.into[static_cast<std::size_t>(part.front())]) {
        const Hyperedge& edge = graph_.edges[static_cast<std::size_t>(e)];
        sum.add(mass(edge.prefix).times(mass(edge.answer)).times(edge.coefficient()));
    }
    masses_[static_cast<std::size_t>(part.front())] = sum.mass();
    return true;
}

bool Labelled::solve_together(std::span<const std::int32_t> part, const GoOn& go_on) {
    for (std::size_t k = 0; k < part.size(); ++k) {
        place_[static_cast<std::size_t>(part[k])] = static_cast<std::int32_t>(k);
    }
    const auto inside = [&](std::int32_t i) {
        return i == kNone ? kNone : place_[static_cast<std::size_t>(i)];
    };
    std::vector<EquationTerm> terms;
    for (const std::int32_t i : part) {
        for (const std::int32_t e : graph_.into[static_cast<std::size_t>(i)]) {
            const Hyperedge& edge = graph_.edges[static_cast<std::size_t>(e)];
            const std::int32_t first = inside(edge.prefix), second = inside(edge.answer);
            const Mass a = first == kNone ? mass(edge.prefix) : kOne;
            const Mass b = second == kNone ? mass(edge.answer) : kOne;
            const Mass c = a.times(b).times(edge.coefficient());
            terms.push_back({inside(i), first, second, {c, c, c}});
        }
    }
    for (const std::int32_t i : part) {
        place_[static_cast<std::size_t>(i)] = kNone;
    }
    const auto found = Component(part.size(), terms, go_on).values();
    for (std::size_t k = 0; found && k < part.size(); ++k) {
        masses_[static_cast<std::size_t>(part[k])] = (*found)[k];
    }
    return found.has_value();
}

std::optional<std::vector<double>> Labelled::expected_uses(std::span<const Root> roots,
                                                           const GoOn& go_on) const {
    const auto uses = Shares(graph_, masses_).expected_uses(roots, parts_, go_on);
    if (!uses) {
        return std::nullopt;
    }
    std::vector<double> out(n_labels_);
    for (std::size_t e = 0; e < number_.size(); ++e) {
        if (number_[e] != kNone) {
            out[static_cast<std::size_t>(number_[e])] += (*uses)[e];
        }
    }
    return out;
}

}  // namespace slp::tables
