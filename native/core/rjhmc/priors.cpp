// Priors of the parameters of one topology, with the Jacobians, and their gradients.

#include <cmath>
#include <numeric>

#include "rjhmc/model.hpp"
#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

void Model::unconstrained_priors(std::size_t m, std::span<const double> q,
                                 std::span<double> gradient, double& out) {
    for (std::size_t j = 0; j < m; ++j) {
        out += log_logistic(q[j]) + log_logistic(-q[j]);
        if (!gradient.empty()) {
            const Share tau = logistic(q[j]);
            gradient[j] += tau.rest - tau.it;
        }
    }
    if (data_.n_sticks() > 0) {
        prior_of_sticks(m, q, gradient, out);
    }
    if (!data_.classes()) {
        prior_of_numbers(m, q, gradient, out);
    }
    if (data_.free_h()) {
        const double apart = (q.back() - data_.log_h_mean) / data_.log_h_sd;
        out -= 0.5 * (kLogTwoPi + apart * apart) + std::log(data_.log_h_sd);
        if (!gradient.empty()) {
            gradient.back() -= apart / data_.log_h_sd;
        }
    }
}

// With z_k the shares of what is left of the stick, delta ~ Dirichlet(c) makes them independent:
// z_k ~ Beta(c_k, c_(k+1) + ... + c_d).
void Model::prior_of_sticks(std::size_t m, std::span<const double> q, std::span<double> gradient,
                            double& out) const {
    const std::size_t sticks = data_.n_sticks();
    double rest = std::accumulate(data_.delta.begin(), data_.delta.end(), 0.0);
    for (std::size_t k = 0; k < sticks; ++k) {
        const double c = data_.delta[k];
        rest -= c;
        const double constant = log_gamma(c + rest) - log_gamma(c) - log_gamma(rest);
        const double offset = std::log(static_cast<double>(sticks - k));
        for (std::size_t j = 0; j < m; ++j) {
            const double t = q[m + j * sticks + k] - offset;
            out += constant + c * log_logistic(t) + rest * log_logistic(-t);
            if (!gradient.empty()) {
                const Share z = logistic(t);
                gradient[m + j * sticks + k] += c * z.rest - rest * z.it;
            }
        }
    }
}

void Model::prior_of_numbers(std::size_t m, std::span<const double> q, std::span<double> gradient,
                             double& out) const {
    const std::size_t first = m * (1 + data_.n_sticks());
    const double inverse = 1.0 / (data_.mu_sd * data_.mu_sd);
    for (std::size_t l = first; l <= first + m; ++l) {
        const double apart = q[l] - data_.mu_mean;
        out -= 0.5 * (kLogTwoPi + apart * apart * inverse) + std::log(data_.mu_sd);
        if (!gradient.empty()) {
            gradient[l] -= apart * inverse;
        }
    }
    const double log_variance = q[first + m + 1];
    const double over = data_.scale * std::exp(-log_variance);
    out += data_.shape * std::log(data_.scale) - log_gamma(data_.shape) -
           data_.shape * log_variance - over;
    if (!gradient.empty()) {
        gradient[first + m + 1] += over - data_.shape;
    }
}

}  // namespace slp::rjhmc
