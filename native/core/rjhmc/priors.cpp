// Priors of the parameters of one topology, with the Jacobians, and their gradients.

#include <algorithm>
#include <cmath>

#include "rjhmc/model.hpp"
#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

void Model::unconstrained_priors(std::size_t m, std::span<const double> q,
                                 std::span<double> gradient, double& out) {
    // log(logistic(t)) is the log of the larger share; where t < 0, t is added.
    LogProduct larger;
    for (std::size_t j = 0; j < m; ++j) {
        out -= std::abs(q[j]);
        larger.times(std::max(tau_[j].it, tau_[j].rest));
        if (!gradient.empty()) {
            gradient[j] += tau_[j].rest - tau_[j].it;
        }
    }
    out += 2.0 * larger.log();
    if (data_.n_sticks() > 0) {
        prior_of_sticks(m, gradient, out);
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
void Model::prior_of_sticks(std::size_t m, std::span<double> gradient, double& out) const {
    const std::size_t sticks = data_.n_sticks();
    for (std::size_t k = 0; k < sticks; ++k) {
        const Stick& stick = sticks_[k];
        LogProduct larger;
        for (std::size_t j = 0; j < m; ++j) {
            const double t = logits_[j * sticks + k];
            const Proportion z = shares_[j * sticks + k];
            out += t < 0 ? stick.own * t : -stick.rest * t;
            larger.times(std::max(z.it, z.rest));
            if (!gradient.empty()) {
                gradient[m + j * sticks + k] += stick.own * z.rest - stick.rest * z.it;
            }
        }
        out += static_cast<double>(m) * stick.constant + (stick.own + stick.rest) * larger.log();
    }
}

void Model::prior_of_numbers(std::size_t m, std::span<const double> q, std::span<double> gradient,
                             double& out) const {
    const std::size_t first = m * (1 + data_.n_sticks());
    const double inverse = 1.0 / (data_.mu_sd * data_.mu_sd);
    out -= static_cast<double>(m + 1) * (0.5 * kLogTwoPi + std::log(data_.mu_sd));
    for (std::size_t l = first; l <= first + m; ++l) {
        const double apart = q[l] - data_.mu_mean;
        out -= 0.5 * apart * apart * inverse;
        if (!gradient.empty()) {
            gradient[l] -= apart * inverse;
        }
    }
    const double log_variance = q[first + m + 1];
    const double over = data_.scale * std::exp(-log_variance);
    out += variance_constant_ - data_.shape * log_variance - over;
    if (!gradient.empty()) {
        gradient[first + m + 1] += over - data_.shape;
    }
}

}  // namespace slp::rjhmc
