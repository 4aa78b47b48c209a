// The hypergraph of a query as arrays, and the order in which its equations can be solved.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace slp::tables {

// In place of a prefix or an answer of an edge that has none.
inline constexpr std::int32_t kNone = -1;

enum class VariableKind : std::uint8_t { answer, prefix, failure };

// A term of the equation of `target`: label x proofs x mass of `prefix` x mass of `answer`.
struct Hyperedge {
    std::int32_t target, prefix, answer;
    bool begins;  // with a labelled clause
    double label, proofs;

    double coefficient() const { return label * proofs; }
};

// Numbers in lists: list i stands from first[i] to first[i + 1].
struct Lists {
    std::vector<std::size_t> first;
    std::vector<std::int32_t> all;

    std::span<const std::int32_t> operator[](std::size_t i) const {
        return std::span(all).subspan(first[i], first[i + 1] - first[i]);
    }
    std::size_t size() const { return first.size() - 1; }
};

struct Graph {
    std::vector<VariableKind> kinds;  // of each variable
    std::vector<Hyperedge> edges;
    Lists into;  // the edges to each variable, but those that have mass 0

    Graph(std::vector<VariableKind> of, std::vector<Hyperedge> all);
    std::size_t size() const { return kinds.size(); }
    // Whether some edge to a variable comes from itself.
    bool needs_itself(std::int32_t variable) const;
};

// The variables of each strongly connected component; each stands behind those it needs.
Lists components(const Graph& graph);

// Whether no proof of a call passes the same prefix twice.
bool visits_once(const Graph& graph);

}  // namespace slp::tables
