#include "rjhmc/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

namespace {

// Sum of products; four sums side by side, which compilers may vectorise without changing any.
double dot(const double* a, const double* b, std::size_t n) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; ++i) {
        s0 += a[i] * b[i];
    }
    return (s0 + s1) + (s2 + s3);
}

constexpr double kLogTwoPi = 1.83787706640934548356;

}  // namespace

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
        counts_.resize((m + 1) * data_.concentration.size());
        slopes_.resize(counts_.size());
    }
    return m;
}

// The log prior of tau, delta, mu and sigma^2 with the Jacobians, added to `out`.
void Model::unconstrained_priors(std::size_t m, std::span<const double> q,
                                 std::span<double> gradient, double& out) {
    const bool slopes = !gradient.empty();
    for (std::size_t j = 0; j < m; ++j) {
        out += log_logistic(q[j]) + log_logistic(-q[j]);
        if (slopes) {
            const Share tau = logistic(q[j]);
            gradient[j] += tau.rest - tau.it;
        }
    }
    const std::size_t sticks = data_.n_sticks();
    if (sticks > 0) {
        // With z_k the shares of what is left of the stick, delta ~ Dirichlet(c) makes them
        // independent: z_k ~ Beta(c_k, c_(k+1) + ... + c_d).
        double rest = std::accumulate(data_.delta.begin(), data_.delta.end(), 0.0);
        for (std::size_t k = 0; k < sticks; ++k) {
            const double c = data_.delta[k];
            rest -= c;
            const double constant = log_gamma(c + rest) - log_gamma(c) - log_gamma(rest);
            const double offset = std::log(static_cast<double>(sticks - k));
            for (std::size_t j = 0; j < m; ++j) {
                const double t = q[m + j * sticks + k] - offset;
                out += constant + c * log_logistic(t) + rest * log_logistic(-t);
                if (slopes) {
                    const Share z = logistic(t);
                    gradient[m + j * sticks + k] += c * z.rest - rest * z.it;
                }
            }
        }
    }
    if (data_.classes()) {
        return;
    }
    const std::size_t first = m * (1 + sticks);
    const double inverse = 1.0 / (data_.mu_sd * data_.mu_sd);
    for (std::size_t l = first; l <= first + m; ++l) {
        const double apart = q[l] - data_.mu_mean;
        out -= 0.5 * (kLogTwoPi + apart * apart * inverse) + std::log(data_.mu_sd);
        if (slopes) {
            gradient[l] -= apart * inverse;
        }
    }
    const double log_variance = q[first + m + 1];
    const double over = data_.scale * std::exp(-log_variance);
    out += data_.shape * std::log(data_.scale) - log_gamma(data_.shape) -
           data_.shape * log_variance - over;
    if (slopes) {
        gradient[first + m + 1] += over - data_.shape;
    }
}

// tau and delta from the unconstrained parameters.
void Model::unpack(std::size_t m, std::span<const double> q) {
    const std::size_t sticks = data_.n_sticks(), d = data_.d;
    for (std::size_t j = 0; j < m; ++j) {
        tau_[j] = logistic(q[j]).it;
        double left = 1.0;
        for (std::size_t k = 0; k < sticks; ++k) {
            const double offset = std::log(static_cast<double>(sticks - k));
            const Share z = logistic(q[m + j * sticks + k] - offset);
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
    for (const Node& node : tree) {
        if (node.leaf()) {
            continue;
        }
        double* const left = left_of(j);
        double* const right = right_of(j);
        const double* values = data_.values.data();
        if (data_.soft_index()) {
            std::fill(left + begin, left + end, 0.0);
            for (std::size_t f = 0; f < data_.d; ++f) {
                const double weight = delta_[j * data_.d + f];
                const double* const own = values + f * data_.n;
                for (std::size_t i = begin; i < end; ++i) {
                    left[i] += weight * own[i];
                }
            }
            values = left;
        } else {
            values += static_cast<std::size_t>(node.feature) * data_.n;
        }
        const double tau = tau_[j];
        for (std::size_t i = begin; i < end; ++i) {
            const double t = (tau - values[i]) * inverse;
            const double e = exp_of_minus(std::abs(t));
            const double large = 1.0 / (1.0 + e), small = e * large;
            left[i] = t >= 0 ? large : small;
            right[i] = t >= 0 ? small : large;
        }
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
        for (std::size_t i = 0; i < n; ++i) {
            below[i] = own[i] * left[i];
            other[i] = own[i] * right[i];
        }
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
        for (std::size_t i = 0; i < n; ++i) {
            slope[i] = reached[i] * left[i] * right[i] * (low[i] - high[i]);
            own[i] = left[i] * low[i] + right[i] * high[i];
        }
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += slope[i];
        }
        gradient[j] += sum * inverse;
        if (data_.soft_index()) {
            for (std::size_t f = 0; f < d; ++f) {
                by_delta_[j * d + f] -=
                    inverse * dot(slope, data_.values.data() + f * data_.n + begin, n);
            }
        }
    }
}

// Sends derivatives by tau and delta, from the likelihood, to the unconstrained ones, in place.
void Model::to_unconstrained(std::size_t m, std::span<const double> q,
                             std::span<double> gradient) {
    const std::size_t sticks = data_.n_sticks(), d = data_.d;
    for (std::size_t j = 0; j < m; ++j) {
        const Share tau = logistic(q[j]);
        gradient[j] *= tau.it * tau.rest;
        if (sticks == 0) {
            continue;
        }
        const double* const by = by_delta_.data() + j * d;
        const double* const delta = delta_.data() + j * d;
        double after = by[d - 1] * delta[d - 1];
        for (std::size_t k = sticks; k-- > 0;) {
            const double offset = std::log(static_cast<double>(sticks - k));
            const Share z = logistic(q[m + j * sticks + k] - offset);
            gradient[m + j * sticks + k] = by[k] * delta[k] * z.rest - z.it * after;
            after += by[k] * delta[k];
        }
    }
}

double Model::likelihood_of_classes(const Topology& tree, std::span<double> gradient) {
    const std::size_t n = data_.n, c = data_.concentration.size(), k = tree.size() / 2 + 1;
    std::fill_n(counts_.begin(), k * c, 0.0);
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
    const double total =
        std::accumulate(data_.concentration.begin(), data_.concentration.end(), 0.0);
    double out = 0;
    for (std::size_t l = 0; l < k; ++l) {
        double rows = 0;
        for (std::size_t a = 0; a < c; ++a) {
            const double own = data_.concentration[a], count = counts_[l * c + a];
            rows += count;
            out += log_gamma(own + count) - log_gamma(own);
            slopes_[l * c + a] = gradient.empty() ? 0.0 : digamma(own + count);
        }
        out += log_gamma(total) - log_gamma(total + rows);
        const double of_all = gradient.empty() ? 0.0 : digamma(total + rows);
        for (std::size_t a = 0; a < c; ++a) {
            slopes_[l * c + a] -= of_all;
        }
    }
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
                const double slope = slopes_[l * c + a];
                const double* const rows = data_.responses.data() + a * n + begin;
                for (std::size_t i = 0; i < end - begin; ++i) {
                    value[i] += slope * rows[i];
                }
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
                const double mu = q[l++];
                const double* const reached = reach_.data() + v * kChunk;
                for (std::size_t i = 0; i < end - begin; ++i) {
                    mean[i] += reached[i] * mu;
                }
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
        out = data_.classes() ? likelihood_of_classes(tree, gradient)
                              : likelihood_of_numbers(tree, q, gradient);
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
