#include "problem/ensemble.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "problem/columns/levels.hpp"
#include "threads.hpp"

namespace slp {

namespace {

// Rows, or trees, in one piece of a thread's work. All trees read the rows while these are in the
// cache.
constexpr std::size_t kAtATime = 256;

// work(first, last) for runs that make up 0 to n - 1, in several threads.
template <typename Work>
void deal_out(std::size_t n, std::size_t n_threads, const Work& work) {
    std::atomic<std::size_t> next{0};
    const auto take = [&](std::size_t) {
        for (std::size_t first; (first = next.fetch_add(kAtATime)) < n;) {
            work(first, std::min(n, first + kAtATime));
        }
    };
    run_threads(std::min(n_threads, n / kAtATime + 1), take);
}

}  // namespace

Ensemble::Ensemble(std::span<const std::int32_t> features, std::span<const double> operands,
                   std::span<const double> others, std::span<const std::int64_t> starts,
                   std::span<const bool> levels)
    : n_features_(levels.size()) {
    nodes_.reserve(features.size());
    for (std::size_t u = 0; u + 1 < starts.size(); ++u) {
        roots_.push_back(static_cast<std::uint32_t>(starts[u]));
    }
    std::vector<std::uint32_t> waiting;  // splits whose right side has not begun
    bool after_leaf = false;
    for (std::size_t i = 0; i < features.size(); ++i) {
        const auto at = static_cast<std::uint32_t>(i);
        if (after_leaf && !waiting.empty()) {
            nodes_[waiting.back()].right = at;
            waiting.pop_back();
        }
        const std::int32_t f = features[i];
        after_leaf = f < 0;
        if (after_leaf) {
            nodes_.push_back({0.0, NAN, -1, static_cast<std::uint32_t>(n_leaves_++), false});
        } else {
            nodes_.push_back(
                {operands[i], others[i], f, 0, levels[static_cast<std::size_t>(f)]});
            waiting.push_back(at);
        }
    }
}

Ensemble::Shapes Ensemble::shapes() const {
    const std::size_t n = roots_.size();
    Shapes out{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n),
               std::vector<std::int64_t>(n * n_features_)};
    std::vector<std::int64_t> above(nodes_.size());  // splits above each node
    for (std::size_t u = 0; u < n; ++u) {
        const std::size_t end = u + 1 < n ? roots_[u + 1] : nodes_.size();
        for (std::size_t i = roots_[u]; i < end; ++i) {
            const EnsembleNode& node = nodes_[i];
            if (node.feature < 0) {
                ++out.n_leaves[u];
                out.depth[u] = std::max(out.depth[u], above[i]);
            } else {
                ++out.splits[u * n_features_ + static_cast<std::size_t>(node.feature)];
                above[i + 1] = above[node.right] = above[i] + 1;
            }
        }
    }
    return out;
}

std::uint32_t Ensemble::leaf_of(std::size_t tree, const double* row) const {
    const EnsembleNode* node = &nodes_[roots_[tree]];
    while (node->feature >= 0) {
        const double value = row[node->feature];
        const Missing side =
            node->level ? columns::Levels::side(node->operand, value, node->other)
                        : (value < node->operand ? Missing::left : Missing::right);
        if (side == Missing::untold) {
            return kNoLeaf;
        }
        node = side == Missing::left ? node + 1 : &nodes_[node->right];
    }
    return node->right;
}

void Ensemble::leaves(const Rows& rows, std::size_t n_threads, std::int64_t* out) const {
    deal_out(rows.m, n_threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t u = 0; u < roots_.size(); ++u) {
            for (std::size_t i = first; i < last; ++i) {
                const std::uint32_t leaf = leaf_of(u, rows.values + i * n_features_);
                out[u * rows.m + i] = leaf == kNoLeaf ? -1 : std::int64_t{leaf};
            }
        }
    });
}

void Ensemble::sums(std::span<const double> statistics, std::size_t k, const Rows& rows,
                    std::size_t n_threads, double* out) const {
    std::fill_n(out, n_leaves_ * k, 0.0);
    deal_out(roots_.size(), n_threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t u = first; u < last; ++u) {
            for (std::size_t i = 0; i < rows.m; ++i) {
                const std::uint32_t leaf = leaf_of(u, rows.values + i * n_features_);
                for (std::size_t j = 0; j < k && leaf != kNoLeaf; ++j) {
                    out[leaf * k + j] += statistics[i * k + j];
                }
            }
        }
    });
}

void Ensemble::average(std::span<const double> values, std::size_t q,
                       std::span<const double> weights, const Rows& rows, std::size_t n_threads,
                       double* out) const {
    std::fill_n(out, rows.m * q, 0.0);
    deal_out(rows.m, n_threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t u = 0; u < roots_.size(); ++u) {
            for (std::size_t i = first; i < last; ++i) {
                const std::uint32_t leaf = leaf_of(u, rows.values + i * n_features_);
                for (std::size_t j = 0; j < q; ++j) {
                    out[i * q + j] += leaf == kNoLeaf ? NAN : weights[u] * values[leaf * q + j];
                }
            }
        }
    });
}

}  // namespace slp
