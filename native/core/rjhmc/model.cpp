#include "rjhmc/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rjhmc/numbers.hpp"
#include "rjhmc/rows.hpp"

namespace slp::rjhmc {

Model::Model(const Data& data) : data_(data) {}

// Makes room for a topology; its number of inner nodes.
std::size_t Model::reserve(const Topology& tree) {
    const std::size_t m = tree.size() / 2, d = data_.d;
    if (reach_.size() < tree.size() * kChunk) {
        left_.resize(tree.size() * data_.n);
        right_.resize(tree.size() * data_.n);
        reach_.resize(tree.size() * kChunk);
        value_.resize(tree.size() * kChunk);
        chunk_.resize(2 * kChunk);
        tau_.resize(m + 1);
        delta_.resize(data_.soft_index() ? (m + 1) * d : 0);
        by_delta_.resize(delta_.size());
        by_score_.resize(m + 1);
        by_score_v_.resize(m + 1);
        counts_.resize((m + 1) * data_.concentration.size());
        slopes_.resize(counts_.size());
    }
    return m;
}

// Soft counts of all leaves, from the gates and paths of all rows.
void Model::count_classes(const Topology& tree) {
    const std::size_t n = data_.n, c = data_.concentration.size();
    std::fill_n(counts_.begin(), (tree.size() / 2 + 1) * c, 0.0);
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
        const std::size_t end = std::min(n, begin + kChunk);
        gates(tree, begin, end);
        reach(tree, begin, end);
        std::size_t l = 0;
        for (std::size_t v = 0; v < tree.size(); ++v) {
            if (tree[v].leaf()) {
                for (std::size_t a = 0; a < c; ++a) {
                    counts_[l * c + a] += dot(reach_.data() + v * kChunk,
                                              data_.responses.data() + a * n + begin, end - begin);
                }
                ++l;
            }
        }
    }
}

// The formula on the soft counts; with `slopes` its derivatives by them too.
double Model::likelihood_of_counts(std::size_t n_leaves, bool slopes) {
    const std::size_t c = data_.concentration.size();
    const double total =
        std::accumulate(data_.concentration.begin(), data_.concentration.end(), 0.0);
    double out = 0;
    for (std::size_t l = 0; l < n_leaves; ++l) {
        double rows = 0;
        for (std::size_t a = 0; a < c; ++a) {
            const double own = data_.concentration[a], count = counts_[l * c + a];
            rows += count;
            out += log_gamma(own + count) - log_gamma(own);
            slopes_[l * c + a] = slopes ? digamma(own + count) : 0.0;
        }
        out += log_gamma(total) - log_gamma(total + rows);
        const double of_all = slopes ? digamma(total + rows) : 0.0;
        for (std::size_t a = 0; a < c; ++a) {
            slopes_[l * c + a] -= of_all;
        }
    }
    return out;
}

double Model::likelihood_of_classes(const Topology& tree, std::span<double> gradient) {
    const std::size_t n = data_.n, c = data_.concentration.size();
    count_classes(tree);
    const double out = likelihood_of_counts(tree.size() / 2 + 1, !gradient.empty());
    if (gradient.empty()) {
        return out;
    }
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
        const std::size_t end = std::min(n, begin + kChunk);
        reach(tree, begin, end);
        std::size_t l = 0;
        for (std::size_t v = 0; v < tree.size(); ++v) {
            if (!tree[v].leaf()) {
                continue;
            }
            double* const value = value_.data() + v * kChunk;
            std::fill_n(value, end - begin, 0.0);
            for (std::size_t a = 0; a < c; ++a) {
                const double* const rows = data_.responses.data() + a * n + begin;
                add_scaled(slopes_[l * c + a], rows, end - begin, value);
            }
            ++l;
        }
        add_gradients(tree, begin, end, gradient);
    }
    return out;
}

double Model::likelihood_of_numbers(const Topology& tree, std::span<const double> q,
                                    std::span<double> gradient) {
    const std::size_t n = data_.n, m = tree.size() / 2;
    const std::size_t first = m * (1 + data_.n_sticks());
    const double log_variance = q[first + m + 1], precision = std::exp(-log_variance);
    double squares = data_.within;
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
        const std::size_t end = std::min(n, begin + kChunk);
        gates(tree, begin, end);
        reach(tree, begin, end);
        double* const mean = chunk_.data() + kChunk;
        std::fill_n(mean, end - begin, 0.0);
        std::size_t l = first;
        for (std::size_t v = 0; v < tree.size(); ++v) {
            if (tree[v].leaf()) {
                add_scaled(q[l++], reach_.data() + v * kChunk, end - begin, mean);
            }
        }
        const double* const rows = data_.responses.data() + begin;
        const double* const y = rows + n;
        for (std::size_t i = 0; i < end - begin; ++i) {
            const double apart = y[i] - mean[i];
            squares += rows[i] * apart * apart;
            mean[i] = rows[i] * apart * precision;  // the derivative by the mean
        }
        if (gradient.empty()) {
            continue;
        }
        l = first;
        for (std::size_t v = 0; v < tree.size(); ++v) {
            if (tree[v].leaf()) {
                gradient[l] += dot(mean, reach_.data() + v * kChunk, end - begin);
                double* const value = value_.data() + v * kChunk;
                for (std::size_t i = 0; i < end - begin; ++i) {
                    value[i] = mean[i] * q[l];
                }
                ++l;
            }
        }
        add_gradients(tree, begin, end, gradient);
    }
    if (!gradient.empty()) {
        gradient[first + m + 1] += 0.5 * (squares * precision - data_.n_rows);
    }
    return -0.5 * (data_.n_rows * (kLogTwoPi + log_variance) + squares * precision);
}

double Model::log_density(const Topology& tree, std::span<const double> q,
                          std::span<double> gradient) {
    const std::size_t m = reserve(tree);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double out = 0;
    if (data_.likelihood) {
        unpack(m, q);
        std::fill(by_delta_.begin(), by_delta_.end(), 0.0);
        std::fill(by_score_.begin(), by_score_.end(), 0.0);
        std::fill(by_score_v_.begin(), by_score_v_.end(), 0.0);
        out = data_.classes() ? likelihood_of_classes(tree, gradient)
                              : likelihood_of_numbers(tree, q, gradient);
        if (!gradient.empty() && data_.free_h()) {
            add_slopes_by_h(tree, gradient);
        }
        if (!gradient.empty()) {
            to_unconstrained(m, q, gradient);
        }
    }
    unconstrained_priors(m, q, gradient, out);
    return out;
}

double Model::log_likelihood(const Topology& tree, std::span<const double> q) {
    const std::size_t m = reserve(tree);
    unpack(m, q);
    return data_.classes() ? likelihood_of_classes(tree, {}) : likelihood_of_numbers(tree, q, {});
}

void Model::leaves(const Topology& tree, std::span<const double> q, std::vector<double>& phi,
                   std::vector<double>& counts) {
    const std::size_t m = reserve(tree), n = data_.n, c = data_.concentration.size();
    unpack(m, q);
    phi.resize((m + 1) * n);
    counts.assign((m + 1) * c, 0.0);
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
        const std::size_t end = std::min(n, begin + kChunk);
        gates(tree, begin, end);
        reach(tree, begin, end);
        std::size_t l = 0;
        for (std::size_t v = 0; v < tree.size(); ++v) {
            if (tree[v].leaf()) {
                std::copy_n(reach_.data() + v * kChunk, end - begin, phi.data() + l * n + begin);
                ++l;
            }
        }
    }
    for (std::size_t l = 0; l <= m; ++l) {
        for (std::size_t a = 0; a < c; ++a) {
            counts[l * c + a] = dot(phi.data() + l * n, data_.responses.data() + a * n, n);
        }
    }
}

}  // namespace slp::rjhmc
