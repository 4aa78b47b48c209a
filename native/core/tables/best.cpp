// The best proofs. Proofs are finished in the order of their masses; a finished proof is joined
// with all finished proofs of the other variable of each edge (Knuth, "A generalization of
// Dijkstra's algorithm", Information Processing Letters 6, 1977). As slp/reference/tables/best.py,
// ties included.

#include <algorithm>
#include <queue>

#include "tables/solved.hpp"

namespace slp::tables {

namespace {

class BestFirst {
public:
    BestFirst(const Graph& graph, std::span<const std::int32_t> answers, std::size_t k)
        : graph_(graph), k_(k), wanted_(graph.size()), done_(graph.size()),
          largest_(graph.size()), using_(graph.size()) {
        for (const std::int32_t answer : answers) {
            wanted_[static_cast<std::size_t>(answer)] = true;
        }
        for (std::size_t e = 0; e < graph.edges.size(); ++e) {
            const Hyperedge& edge = graph.edges[e];
            if (graph.kinds[static_cast<std::size_t>(edge.target)] == VariableKind::failure) {
                continue;
            }
            const auto number = static_cast<std::int32_t>(e);
            if (edge.prefix == kNone) {
                push(number, -1, -1);
                continue;
            }
            for (const std::int32_t i : {edge.prefix, edge.answer}) {
                using_[static_cast<std::size_t>(i)].push_back(number);
            }
        }
    }

    std::pair<std::vector<std::int64_t>, std::vector<BestProof>> run(const GoOn& go_on) {
        std::vector<std::int64_t> best;
        for (std::size_t turn = 0; !heap_.empty() && best.size() < k_; ++turn) {
            if (turn % 4096 == 0 && !go_on()) {
                break;
            }
            const std::int64_t proof = heap_.top().proof;
            heap_.pop();
            const auto target = static_cast<std::size_t>(edge(proof).target);
            if (done_[target].size() == k_) {
                continue;
            }
            done_[target].push_back(proof);
            if (wanted_[target]) {
                best.push_back(proof);
            }
            for (const std::int32_t e : using_[target]) {
                join(e, proof);
            }
        }
        return {std::move(best), std::move(proofs_)};
    }

private:
    struct QueueEntry {
        Mass mass;
        std::uint64_t order;
        std::int64_t proof;

        // The largest mass first, then the oldest.
        bool operator<(const QueueEntry& other) const {
            if (mass < other.mass || other.mass < mass) {
                return mass < other.mass;
            }
            return order > other.order;
        }
    };

    const Hyperedge& edge(std::int64_t proof) const {
        return graph_.edges[static_cast<std::size_t>(
            proofs_[static_cast<std::size_t>(proof)].edge)];
    }

    // Joins a proof that was just finished with all those of the edge's other variable.
    void join(std::int32_t e, std::int64_t proof) {
        const Hyperedge& by = graph_.edges[static_cast<std::size_t>(e)];
        if (edge(proof).target == by.prefix) {
            for (const std::int64_t other : done_[static_cast<std::size_t>(by.answer)]) {
                if (!push(e, proof, other)) {  // the others have less mass
                    break;
                }
            }
        } else {
            for (const std::int64_t other : done_[static_cast<std::size_t>(by.prefix)]) {
                if (!push(e, other, proof)) {
                    break;
                }
            }
        }
    }

    Mass mass(std::int64_t proof) const {
        return proof < 0 ? kOne : proofs_[static_cast<std::size_t>(proof)].mass;
    }

    // False where k proofs of the target with as much mass are known: then this one and those with
    // less are never among its k best.
    bool push(std::int32_t e, std::int64_t prefix, std::int64_t answer) {
        const Hyperedge& by = graph_.edges[static_cast<std::size_t>(e)];
        const auto target = static_cast<std::size_t>(by.target);
        const Mass own = mass(prefix).times(mass(answer)).times(by.label);
        // The k largest masses of the target so far, the least in front.
        std::vector<Mass>& largest = largest_[target];
        const auto falling = [](const Mass& a, const Mass& b) { return b < a; };
        const auto number = static_cast<std::int64_t>(proofs_.size());
        for (std::size_t k = 0; k < k_ && static_cast<double>(k) < by.proofs; ++k) {
            if (largest.size() == k_) {
                if (!(largest.front() < own)) {
                    return k > 0;
                }
                std::ranges::pop_heap(largest, falling);
                largest.pop_back();
            }
            largest.push_back(own);
            std::ranges::push_heap(largest, falling);
            if (k == 0) {
                proofs_.push_back({own, e, prefix, answer});
            }
            heap_.push({own, order_++, number});
        }
        return true;
    }

    const Graph& graph_;
    std::size_t k_;
    std::vector<bool> wanted_;
    std::vector<std::vector<std::int64_t>> done_;
    std::vector<std::vector<Mass>> largest_;
    std::vector<std::vector<std::int32_t>> using_;
    std::vector<BestProof> proofs_;
    std::priority_queue<QueueEntry> heap_;
    std::uint64_t order_ = 0;
};

}  // namespace

std::pair<std::vector<std::int64_t>, std::vector<BestProof>> best_proofs(
    const Graph& graph, std::span<const std::int32_t> answers, std::size_t k, const GoOn& go_on) {
    return BestFirst(graph, answers, k).run(go_on);
}

std::vector<std::int32_t> begun(const Graph& graph, const std::vector<BestProof>& proofs,
                                std::int64_t proof) {
    std::vector<std::int32_t> out;
    std::vector<std::int64_t> todo{proof};
    while (!todo.empty()) {
        const std::int64_t at = todo.back();
        todo.pop_back();
        if (at < 0) {
            continue;
        }
        const BestProof& own = proofs[static_cast<std::size_t>(at)];
        if (graph.edges[static_cast<std::size_t>(own.edge)].begins) {
            out.push_back(own.edge);
        }
        todo.push_back(own.answer);
        todo.push_back(own.prefix);
    }
    return out;
}

}  // namespace slp::tables
