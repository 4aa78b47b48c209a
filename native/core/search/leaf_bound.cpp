#include "search/leaf_bound.hpp"

#include <algorithm>
#include <cmath>

namespace slp::search {

namespace {

// Log of the largest value of prod_c p_c^{m_c} over probabilities p.
double log_most_likely(std::span<const double> counts) {
    double total = 0, out = 0;
    for (const double m : counts) {
        total += m;
    }
    for (const double m : counts) {
        out += m > 0 ? m * std::log(m / total) : 0.0;
    }
    return out;
}

}  // namespace

LeafBound::LeafBound(const Problem& problem, bool likelihood)
    : leaf_(problem.leaf), likelihood_(likelihood), k_(problem.leaf.n_statistics()), width_(k_) {
    const std::size_t n = problem.table.n_rows;
    std::vector<double> own(n * k_);
    for (std::uint32_t row = 0; row < n; ++row) {
        std::fill_n(own.data() + row * k_, k_, 0.0);
        leaf_.add(row, own.data() + row * k_);
    }
    rows_ = std::move(own);
    if (!likelihood) {
        return;
    }
    switch (leaf_.kind()) {
        case LeafKind::dirichlet: add_classes(problem); break;
        case LeafKind::gamma_poisson: add_rates(0); break;
        case LeafKind::gamma_exponential: add_rates(2); break;
        case LeafKind::normal_inverse_gamma: break;
    }
}

void LeafBound::add_classes(const Problem& problem) {
    const std::size_t n = problem.table.n_rows;
    const auto is_mixed = [&](std::size_t row) {
        const double* const s = rows_.data() + row * k_;
        return std::count_if(s, s + k_, [](double m) { return m > 0; }) > 1;
    };
    for (std::size_t row = 0; row < n && !mixed_; ++row) {
        mixed_ = is_mixed(row);
    }
    if (!mixed_) {
        return;
    }
    // The classes of the pure groups, and the bound of the mixed ones.
    std::vector<double> wide(n * (2 * k_ + 1), 0.0);
    for (std::size_t row = 0; row < n; ++row) {
        const double* const from = rows_.data() + row * k_;
        double* const to = wide.data() + row * (2 * k_ + 1);
        std::copy_n(from, k_, to);
        if (is_mixed(row)) {
            to[2 * k_] = log_most_likely({from, k_});
        } else {
            std::copy_n(from, k_, to + k_);
        }
    }
    rows_ = std::move(wide);
    width_ = 2 * k_ + 1;
}

// Statistics of rates: events at 1, exposure at `exposure`; of counts what the factorials take at 2.
void LeafBound::add_rates(std::size_t exposure) {
    const std::size_t n = rows_.size() / k_;
    std::vector<double> wide(n * (k_ + 1));
    for (std::size_t row = 0; row < n; ++row) {
        const double* const from = rows_.data() + row * k_;
        double* const to = wide.data() + row * (k_ + 1);
        std::copy_n(from, k_, to);
        const double events = from[1], time = from[exposure];
        const double most = events > 0 ? events * std::log(events / time) - events : 0.0;
        to[k_] = most - (leaf_.kind() == LeafKind::gamma_poisson ? from[2] : 0.0);
    }
    rows_ = std::move(wide);
    width_ = k_ + 1;
}

void LeafBound::sum(std::span<const std::uint32_t> rows, double* out) const {
    std::fill_n(out, width_, 0.0);
    for (const std::uint32_t row : rows) {
        add(row, out);
    }
}

double LeafBound::log_parted(const double* sums) const {
    if (!likelihood_) {
        return 0.0;
    }
    switch (leaf_.kind()) {
        case LeafKind::dirichlet: {
            const double whole = leaf_.log_pure(sums);
            return mixed_ ? std::min(whole, sums[2 * k_] + leaf_.log_pure(sums + k_)) : whole;
        }
        case LeafKind::gamma_poisson:
        case LeafKind::gamma_exponential: return sums[k_];
        case LeafKind::normal_inverse_gamma: break;
    }
    return INFINITY;
}

}  // namespace slp::search
