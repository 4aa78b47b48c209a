// A soft tree: a topology with the unconstrained parameters of `Model`, and how nodes come and go.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rjhmc/model.hpp"

namespace slp::rjhmc {

struct SoftTree {
    Topology nodes;
    std::vector<double> q;

    std::size_t n_inner() const { return nodes.size() / 2; }
    std::size_t n_leaves() const { return nodes.size() / 2 + 1; }
    // How many inner nodes come before a node in preorder; the leaves are the others.
    std::size_t inner_before(std::size_t node) const {
        std::size_t out = 0;
        for (std::size_t v = 0; v < node; ++v) {
            out += static_cast<std::size_t>(!nodes[v].leaf());
        }
        return out;
    }
    // Whether both children of a node are leaves.
    bool prunable(std::size_t node) const {
        return !nodes[node].leaf() && nodes[node + 1].leaf() && nodes[node + 2].leaf();
    }

    // A leaf becomes an inner node with two leaves. `own`: logit tau, then its sticks; `mu` of both
    // leaves, empty for classes.
    void grow(std::size_t leaf, const SoftNode& left, const SoftNode& right, std::int32_t feature,
              std::span<const double> own, std::span<const double> mu) {
        const std::size_t m = n_inner(), sticks = own.size() - 1, j = inner_before(leaf);
        const std::size_t l = leaf - j, first = m * (1 + sticks);
        const auto at = [this](std::size_t i) {
            return q.begin() + static_cast<std::ptrdiff_t>(i);
        };
        if (!mu.empty()) {
            q[first + l] = mu[1];
            q.insert(at(first + l), mu[0]);
        }
        q.insert(at(m + j * sticks), own.begin() + 1, own.end());
        q.insert(at(j), own[0]);
        shift(leaf, 2);
        nodes[leaf].right = static_cast<std::int32_t>(leaf + 2);
        nodes[leaf].feature = feature;
        nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(leaf + 1), {left, right});
    }

    // An inner node with two leaves becomes a leaf. `mu`: of the leaf; not used for classes.
    void prune(std::size_t node, std::size_t sticks, bool numbers, double mu) {
        const std::size_t m = n_inner(), j = inner_before(node), l = node - j;
        const auto at = [this](std::size_t i) {
            return q.begin() + static_cast<std::ptrdiff_t>(i);
        };
        if (numbers) {
            const std::size_t first = m * (1 + sticks);
            q[first + l] = mu;
            q.erase(at(first + l + 1));
        }
        q.erase(at(m + j * sticks), at(m + (j + 1) * sticks));
        q.erase(at(j));
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(node + 1),
                    nodes.begin() + static_cast<std::ptrdiff_t>(node + 3));
        nodes[node].right = nodes[node].feature = -1;
        shift(node, -2);
    }

private:
    // Moves what lies behind a node.
    void shift(std::size_t node, std::int32_t by) {
        for (SoftNode& other : nodes) {
            if (!other.leaf() && other.right > static_cast<std::int32_t>(node)) {
                other.right += by;
            }
        }
    }
};

}  // namespace slp::rjhmc
