// The masses of all variables of a hypergraph with bounds, and what reads them: expected uses,
// draws, best proofs. Specification: slp/reference/tables.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tables/elimination.hpp"
#include "tables/graph.hpp"
#include "tables/mass.hpp"

namespace slp::tables {

// `probabilities`: the masses of a call's answers are probabilities, as those of its failure.
std::vector<MassBounds> bounds_of(const Graph& graph, bool probabilities, const GoOn& go_on);

// A variable with its probability.
using Root = std::pair<std::int32_t, double>;

// Proofs drawn: the edges that begin with a labelled clause, in their order of use, proof after
// proof.
struct Draws {
    std::vector<std::int64_t> first;  // where each proof's edges begin, and their number
    std::vector<std::int32_t> edges, roots;
    std::vector<double> log_masses;
};

// The proofs of each variable parted by their last edges.
class Shares {
public:
    // `masses` of the variables; `graph` must outlive the shares.
    Shares(const Graph& graph, std::span<const Mass> masses);

    // The expected uses of each edge in proofs of the roots; nothing where they are infinite.
    // `parts`: the components of the graph.
    std::optional<std::vector<double>> expected_uses(std::span<const Root> roots,
                                                     const Lists& parts, const GoOn& go_on) const;
    // `n` independent proofs of the roots. Seeds alone decide them, not the number of threads.
    Draws draw(std::span<const Root> roots, std::size_t n,
               const std::array<std::uint64_t, 4>& seeds, std::size_t threads,
               const GoOn& go_on) const;

private:
    bool uses_together(std::span<const std::int32_t> part, std::vector<double>& uses,
                       std::vector<std::int32_t>& place, const GoOn& go_on) const;
    template <typename Random>
    bool draw_one(std::int32_t root, Random& random, Draws& out, const GoOn& go_on) const;

    const Graph& graph_;
    std::vector<double> share_;    // of each edge
    std::vector<double> running_;  // sums of shares, in the order of graph_.into
};

struct BestProof {
    Mass mass;
    std::int32_t edge;
    std::int64_t prefix, answer;  // their proofs, -1 for none
};

// The `k` proofs of the answers with the largest masses, by Knuth's algorithm: the number of each
// among all that were made, and these. No label may be above 1.
std::pair<std::vector<std::int64_t>, std::vector<BestProof>> best_proofs(
    const Graph& graph, std::span<const std::int32_t> answers, std::size_t k, const GoOn& go_on);

// The edges of a proof that begin with a labelled clause, in their order of use.
std::vector<std::int32_t> begun(const Graph& graph, const std::vector<BestProof>& proofs,
                                std::int64_t proof);

}  // namespace slp::tables
