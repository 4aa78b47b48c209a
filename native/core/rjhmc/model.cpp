#include "rjhmc/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rjhmc/numbers.hpp"
#include "rjhmc/rows.hpp"

namespace slp::rjhmc {

Model::Model(const Data& data) : data_(data) {
    for (const double own : data_.concentration) {
        total_ += own;
        leaf_constant_ -= log_gamma_of(own).it;
    }
    if (data_.classes()) {
        leaf_constant_ += log_gamma_of(total_).it;
    } else {
        variance_constant_ = data_.shape * std::log(data_.scale) - log_gamma_of(data_.shape).it;
    }
    sticks_.resize(data_.n_sticks());
    double rest = data_.soft_index() ? data_.delta.back() : 0.0;
    for (std::size_t k = sticks_.size(); k-- > 0;) {
        const double c = data_.delta[k];
        sticks_[k] = {c, rest, std::log(static_cast<double>(sticks_.size() - k)),
                      log_gamma_of(c + rest).it - log_gamma_of(c).it - log_gamma_of(rest).it};
        rest += c;
    }
    reserve({SoftNode{}});
}

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
        shares_.resize((m + 1) * data_.n_sticks());
        logits_.resize(shares_.size());
        delta_.resize(data_.soft_index() ? (m + 1) * d : 0);
        by_delta_.resize(delta_.size());
        by_score_.resize(m + 1);
        by_score_v_.resize(m + 1);
        counts_.resize((m + 1) * data_.concentration.size());
        slopes_.resize(counts_.size());
        posterior_.resize(counts_.size() + m + 1);
        log_gammas_.resize(posterior_.size());
        digammas_.resize(posterior_.size());
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
                const double* const reached = reach_.data() + v * kChunk;
                data_.for_each_class(begin, end, [&](std::size_t a, std::size_t i, std::size_t k) {
                    counts_[l * c + a] +=
                        dot(reached + (i - begin), data_.responses.data() + i, k - i);
                });
                ++l;
            }
        }
    }
}

// The formula on the soft counts, and its derivatives by them.
double Model::likelihood_of_counts(std::size_t n_leaves) {
    const std::size_t c = data_.concentration.size();
    std::size_t at = 0;
    for (std::size_t l = 0; l < n_leaves; ++l) {
        double rows = 0;
        for (std::size_t a = 0; a < c; ++a) {
            rows += counts_[l * c + a];
            posterior_[at++] = data_.concentration[a] + counts_[l * c + a];
        }
        posterior_[at++] = total_ + rows;
    }
    log_gammas(posterior_.data(), at, log_gammas_.data(), digammas_.data());
    double out = static_cast<double>(n_leaves) * leaf_constant_;
    for (std::size_t l = 0; l < n_leaves; ++l) {
        const std::size_t first = l * (c + 1);
        for (std::size_t a = 0; a < c; ++a) {
            out += log_gammas_[first + a];
            slopes_[l * c + a] = digammas_[first + a] - digammas_[first + c];
        }
        out -= log_gammas_[first + c];
    }
    return out;
}

double Model::likelihood_of_classes(const Topology& tree, std::span<double> gradient) {
    const std::size_t n = data_.n, c = data_.concentration.size();
    count_classes(tree);
    const double out = likelihood_of_counts(tree.size() / 2 + 1);
    if (gradient.empty()) {
        return out;
    }
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
        const std::size_t end = std::min(n, begin + kChunk);
        if (n > kChunk) {
            reach(tree, begin, end);
        }
        std::size_t l = 0;
        for (std::size_t v = 0; v < tree.size(); ++v) {
            if (!tree[v].leaf()) {
                continue;
            }
            double* const value = value_.data() + v * kChunk;
            data_.for_each_class(begin, end, [&](std::size_t a, std::size_t i, std::size_t k) {
                scale(slopes_[l * c + a], data_.responses.data() + i, k - i, value + (i - begin));
            });
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
        squares += residuals(precision, rows, rows + n, end - begin, chunk_.data(), mean);
        if (gradient.empty()) {
            continue;
        }
        l = first;
        for (std::size_t v = 0; v < tree.size(); ++v) {
            if (tree[v].leaf()) {
                gradient[l] += dot(mean, reach_.data() + v * kChunk, end - begin);
                scale(q[l++], mean, end - begin, value_.data() + v * kChunk);
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
    unpack(m, q);
    if (data_.likelihood) {
        std::fill(by_delta_.begin(), by_delta_.end(), 0.0);
        std::fill(by_score_.begin(), by_score_.end(), 0.0);
        std::fill(by_score_v_.begin(), by_score_v_.end(), 0.0);
        out = data_.classes() ? likelihood_of_classes(tree, gradient)
                              : likelihood_of_numbers(tree, q, gradient);
        if (!gradient.empty() && data_.free_h()) {
            add_slopes_by_h(tree, gradient);
        }
        if (!gradient.empty()) {
            to_unconstrained(m, gradient);
        }
    }
    unconstrained_priors(m, q, gradient, out);
    return out;
}

double Model::log_marginal(const double* counts) {
    std::copy_n(counts, data_.concentration.size(), counts_.data());
    return likelihood_of_counts(1);
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
        data_.for_each_class(0, n, [&](std::size_t a, std::size_t i, std::size_t k) {
            counts[l * c + a] = dot(phi.data() + l * n + i, data_.responses.data() + i, k - i);
        });
    }
}

}  // namespace slp::rjhmc
