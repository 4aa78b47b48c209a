#include "mh/forest.hpp"

#include <algorithm>

namespace slp::mh {

void Forest::add(const Proof& proof) {
    const std::size_t k = problem_.leaf.n_statistics();
    roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    std::vector<std::uint32_t> waiting;  // splits whose right side has not begun
    bool begins_right = false;
    for (const mh::Node& node : proof.nodes) {
        if (node.n_parts() == 1) {
            continue;  // a call has the same box
        }
        const auto at = static_cast<std::uint32_t>(nodes_.size());
        if (begins_right) {
            nodes_[waiting.back()].right = at;
            waiting.pop_back();
        }
        begins_right = node.n_parts() == 0;
        if (begins_right) {
            nodes_.push_back({0.0, -1, n_leaves_++, false});
            statistics_.resize(statistics_.size() + k);
            problem_.leaf.sum(proof.rows_of(node), statistics_.data() + statistics_.size() - k);
        } else {
            const auto& feature =
                problem_.table.features[static_cast<std::size_t>(node.taken.feature)];
            const bool level = feature.kind == exact::FeatureKind::levels;
            const double threshold =
                level ? static_cast<double>(node.taken.low)
                      : geometry_.threshold(feature, node.taken.low, node.taken.high);
            nodes_.push_back({threshold, node.taken.feature, 0, level});
            waiting.push_back(at);
        }
    }
}

std::uint32_t Forest::leaf_of(std::size_t tree, const double* row) const {
    std::uint32_t at = roots_[tree];
    while (nodes_[at].feature >= 0) {
        const Node& node = nodes_[at];
        const double value = row[node.feature];
        const bool left = node.level ? value == node.threshold : value < node.threshold;
        at = left ? at + 1 : node.right;
    }
    return nodes_[at].right;
}

void Forest::average(std::span<const double> values, std::size_t q, std::span<const double> rows,
                     std::size_t m, double* out) const {
    const std::size_t d = problem_.table.features.size();
    for (std::size_t i = 0; i < m; ++i) {
        double* const own = out + i * q;
        std::fill_n(own, q, 0.0);
        for (std::size_t t = 0; t < roots_.size(); ++t) {
            const double* leaf = values.data() + leaf_of(t, rows.data() + i * d) * q;
            for (std::size_t j = 0; j < q; ++j) {
                own[j] += leaf[j];
            }
        }
        for (std::size_t j = 0; j < q; ++j) {
            own[j] /= static_cast<double>(roots_.size());
        }
    }
}

void Forest::leaves(std::span<const double> rows, std::size_t m, std::uint32_t* out) const {
    const std::size_t d = problem_.table.features.size();
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t t = 0; t < roots_.size(); ++t) {
            *out++ = leaf_of(t, rows.data() + i * d);
        }
    }
}

}  // namespace slp::mh
