#include "mcmc/proof.hpp"

#include <algorithm>

namespace slp::mcmc {

namespace {

// Sums of the subtree at a position from those of its parts.
void add_parts(std::vector<ProofNode>& nodes, std::size_t position) {
    ProofNode& node = nodes[position];
    node.all = node.own;
    auto part = static_cast<std::uint32_t>(position + 1);
    for (std::uint32_t i = 0; i < node.n_parts(); ++i) {
        node.all.add(nodes[part].all);
        part = right_of(nodes, part);
    }
}

}  // namespace

void add_up(std::vector<ProofNode>& nodes, Rows rows, const Problem& problem, const LeafModel& leaf,
            std::span<double> statistics) {
    for (std::size_t i = nodes.size(); i-- > 0;) {
        ProofNode& node = nodes[i];
        if (node.n_parts() == 0) {
            node.own.n_leaves = 1;
            const Rows own = rows.subspan(node.begin - nodes[0].begin, node.size);
            leaf.sum(own, statistics.data());
            problem.set_prior(statistics.data(), node.state);
            node.own.log_likelihood = leaf.log_marginal(statistics.data());
        }
        add_parts(nodes, i);
    }
}

Point point_in_sequence(std::span<const ProofNode> nodes, std::uint32_t k) {
    std::uint32_t at = 0;
    while (true) {
        const ProofNode& node = nodes[at];
        if (k < node.own.n_points) {
            return {at, k == 1 || !node.rule_point};
        }
        k -= node.own.n_points;
        ++at;
        if (node.n_parts() == 2 && k >= nodes[at].all.n_points) {
            k -= nodes[at].all.n_points;
            at = right_of(nodes, at);
        }
    }
}

Point point_breadth_first(std::span<const ProofNode> nodes, std::uint32_t k,
                          std::vector<std::uint32_t>& queue) {
    queue.assign(1, 0);
    for (std::size_t i = 0;; ++i) {
        const std::uint32_t at = queue[i];
        const ProofNode& node = nodes[at];
        if (k < node.own.n_points) {
            return {at, k == 1 || !node.rule_point};
        }
        k -= node.own.n_points;
        if (node.n_parts() > 0) {
            queue.push_back(at + 1);
        }
        if (node.n_parts() > 1) {
            queue.push_back(right_of(nodes, at + 1));
        }
    }
}

void path_to(std::span<const ProofNode> nodes, std::uint32_t position,
             std::vector<std::uint32_t>& path) {
    path.assign(1, 0);
    while (path.back() != position) {
        std::uint32_t below = path.back() + 1;
        if (const std::uint32_t right = right_of(nodes, below); position >= right) {
            below = right;
        }
        path.push_back(below);
    }
}

void replace(Proof& proof, std::span<const std::uint32_t> path, std::span<const ProofNode> subtree,
             Rows rows) {
    const std::uint32_t at = path.back();
    const std::uint32_t begin = proof.nodes[at].begin;
    const std::size_t before = proof.nodes[at].all.n_nodes, after = subtree.size();
    const auto place = proof.nodes.begin() + at;
    if (after <= before) {
        std::copy(subtree.begin(), subtree.end(), place);
        proof.nodes.erase(place + static_cast<std::ptrdiff_t>(after),
                          place + static_cast<std::ptrdiff_t>(before));
    } else {
        const auto middle = subtree.begin() + static_cast<std::ptrdiff_t>(before);
        std::copy(subtree.begin(), middle, place);
        proof.nodes.insert(place + static_cast<std::ptrdiff_t>(before), middle, subtree.end());
    }
    std::copy(rows.begin(), rows.end(), proof.rows.begin() + begin);
    for (std::size_t i = path.size() - 1; i-- > 0;) {
        add_parts(proof.nodes, path[i]);
    }
}

Sums sums_with(std::span<const ProofNode> nodes, std::span<const std::uint32_t> path,
               const Sums& part) {
    Sums below = part;
    for (std::size_t i = path.size() - 1; i-- > 0;) {
        const ProofNode& node = nodes[path[i]];
        Sums all = node.own;
        std::uint32_t child = path[i] + 1;
        for (std::uint32_t j = 0; j < node.n_parts(); ++j) {
            all.add(child == path[i + 1] ? below : nodes[child].all);
            child = right_of(nodes, child);
        }
        below = all;
    }
    return below;
}

}  // namespace slp::mcmc
