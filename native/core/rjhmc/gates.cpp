// Gates and the probabilities of reaching nodes, forward; derivatives by them, backward.

#include <algorithm>
#include <cmath>

#include "rjhmc/model.hpp"
#include "rjhmc/numbers.hpp"
#include "rjhmc/rows.hpp"

namespace slp::rjhmc {

// tau, the shares of the stick with their logits, delta and h from the unconstrained parameters.
void Model::unpack(std::size_t m, std::span<const double> q) {
    const std::size_t sticks = data_.n_sticks(), d = data_.d;
    if (data_.free_h()) {
        h_ = std::exp(q.back());
    }
    for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t k = 0; k < sticks; ++k) {
            logits_[j * sticks + k] = q[m + j * sticks + k] - sticks_[k].offset;
        }
    }
    logistics(q.data(), m, tau_.data());
    logistics(logits_.data(), m * sticks, shares_.data());
    for (std::size_t j = 0; j < m; ++j) {
        double left = 1.0;
        for (std::size_t k = 0; k < sticks; ++k) {
            const Proportion z = shares_[j * sticks + k];
            delta_[j * d + k] = left * z.it;
            left *= z.rest;
        }
        if (data_.soft_index()) {
            delta_[j * d + d - 1] = left;
        }
    }
}

// The gates of all inner nodes for some rows. `left_` and `right_` of inner node j, in preorder.
void Model::gates(const Topology& tree, std::size_t begin, std::size_t end) {
    const double inverse = 1.0 / h_;
    std::size_t j = 0;
    for (const SoftNode& node : tree) {
        if (node.leaf()) {
            continue;
        }
        const double* values = data_.values.data() + begin;
        if (data_.soft_index()) {
            mix(delta_.data() + j * data_.d, values, data_.n, data_.d, end - begin, chunk_.data());
            values = chunk_.data();
        } else {
            values += static_cast<std::size_t>(node.feature) * data_.n;
        }
        gates_of(tau_[j].it, inverse, values, end - begin, left_of(j) + begin, right_of(j) + begin);
        ++j;
    }
}

// The probabilities of reaching each node, for the rows of a chunk.
void Model::reach(const Topology& tree, std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    std::fill(reach_.begin(), reach_.begin() + static_cast<std::ptrdiff_t>(n), 1.0);
    std::size_t j = 0;
    for (std::size_t v = 0; v < tree.size(); ++v) {
        if (tree[v].leaf()) {
            continue;
        }
        const double* const own = reach_.data() + v * kChunk;
        double* const below = reach_.data() + (v + 1) * kChunk;
        double* const other = reach_.data() + static_cast<std::size_t>(tree[v].right) * kChunk;
        const double* const left = left_of(j) + begin;
        const double* const right = right_of(j) + begin;
        part(own, left, right, n, below, other);
        ++j;
    }
}

// With `value_` the derivative by phi of each leaf's rows: from the leaves up, what a row's gate
// changes is reach * left * right * (value on the left - value on the right) / h by tau - v.
void Model::add_gradients(const Topology& tree, std::size_t begin, std::size_t end,
                          std::span<double> gradient) {
    const std::size_t n = end - begin, d = data_.d;
    const double inverse = 1.0 / h_;
    std::size_t j = tree.size() / 2;
    for (std::size_t v = tree.size(); v-- > 0;) {
        if (tree[v].leaf()) {
            continue;
        }
        --j;
        double* const own = value_.data() + v * kChunk;
        const double* const low = value_.data() + (v + 1) * kChunk;
        const double* const high = value_.data() + static_cast<std::size_t>(tree[v].right) * kChunk;
        const double* const left = left_of(j) + begin;
        const double* const right = right_of(j) + begin;
        const double* const reached = reach_.data() + v * kChunk;
        double* const slope = chunk_.data();
        const double sum = pull_back(reached, left, right, low, high, n, slope, own);
        gradient[j] += inverse * sum;
        by_score_[j] += sum;
        if (data_.free_h() && !data_.soft_index()) {
            const auto f = static_cast<std::size_t>(tree[v].feature);
            by_score_v_[j] += dot(slope, data_.values.data() + f * data_.n + begin, n);
        }
        if (data_.soft_index()) {
            add_dots(-inverse, slope, data_.values.data() + begin, data_.n, d, n,
                     by_delta_.data() + j * d);
        }
    }
}

// Adds the derivative by log h. The derivative of the score (tau - v) / h by log h is minus the
// score. In HMC-DFI, `by_delta_` gives the sum of v times the derivative, feature by feature.
void Model::add_slopes_by_h(const Topology& tree, std::span<double> gradient) {
    for (std::size_t j = 0; j < tree.size() / 2; ++j) {
        double by_v = by_score_v_[j];
        for (std::size_t f = 0; data_.soft_index() && f < data_.d; ++f) {
            by_v -= h_ * delta_[j * data_.d + f] * by_delta_[j * data_.d + f];
        }
        gradient.back() -= (tau_[j].it * by_score_[j] - by_v) / h_;
    }
}

// Sends derivatives by tau and delta, from the likelihood, to the unconstrained ones, in place.
void Model::to_unconstrained(std::size_t m, std::span<double> gradient) {
    const std::size_t sticks = data_.n_sticks(), d = data_.d;
    for (std::size_t j = 0; j < m; ++j) {
        gradient[j] *= tau_[j].it * tau_[j].rest;
        if (sticks == 0) {
            continue;
        }
        const double* const by = by_delta_.data() + j * d;
        const double* const delta = delta_.data() + j * d;
        double after = by[d - 1] * delta[d - 1];
        for (std::size_t k = sticks; k-- > 0;) {
            const Proportion z = shares_[j * sticks + k];
            gradient[m + j * sticks + k] = by[k] * delta[k] * z.rest - z.it * after;
            after += by[k] * delta[k];
        }
    }
}

}  // namespace slp::rjhmc
