// A hypergraph under labels that change, as in learning: its masses and expected uses by label.
// Specification: slp/reference/tables/weighing.py. Masses are values without bounds.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tables/elimination.hpp"
#include "tables/graph.hpp"
#include "tables/mass.hpp"
#include "tables/solved.hpp"

namespace slp::tables {

class Labelled {
public:
    // `number`: of each edge that of its label, kNone where its label stays.
    Labelled(const Graph& graph, std::vector<std::int32_t> number, std::size_t n_labels);

    // Gives labels values from 0 up. False where masses are not finite.
    bool weigh(std::span<const double> values, const GoOn& go_on);
    // Of each variable, under the last values.
    std::span<const Mass> masses() const { return masses_; }
    // Expected uses of each label in proofs of the roots; nothing where they are infinite.
    std::optional<std::vector<double>> expected_uses(std::span<const Root> roots,
                                                     const GoOn& go_on) const;

    std::size_t n_labels() const { return n_labels_; }
    std::size_t size() const { return graph_.size(); }

private:
    bool solve(std::span<const std::int32_t> part, const GoOn& go_on);
    bool solve_together(std::span<const std::int32_t> part, const GoOn& go_on);
    Mass mass(std::int32_t i) const {
        return i == kNone ? kOne : masses_[static_cast<std::size_t>(i)];
    }

    Graph graph_;
    Lists parts_;  // strongly connected components of graph_
    std::vector<std::int32_t> number_;
    std::size_t n_labels_;
    std::vector<bool> is_zero_;  // labels, as parts_ has them
    std::vector<Mass> masses_;
    std::vector<std::int32_t> place_;  // in the component that is solved now
};

}  // namespace slp::tables
