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

// Rows of more different values of D / E have no best parting: it takes the square of their number.
constexpr std::size_t kMostPlaces = 200;

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
        case LeafKind::normal_inverse_gamma:
        case LeafKind::normal_linear:
        case LeafKind::table: break;
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

// Statistics of rates: events at 1, exposure at `exposure`; of counts what the factorials take at
// 2.
void LeafBound::add_rates(std::size_t exposure) {
    const std::size_t n = rows_.size() / k_;
    std::vector<double> wide(n * (k_ + 1)), ratio(n);
    for (std::size_t row = 0; row < n; ++row) {
        const double* const from = rows_.data() + row * k_;
        double* const to = wide.data() + row * (k_ + 1);
        std::copy_n(from, k_, to);
        const double events = from[1], time = from[exposure];
        const double most = events > 0 ? events * std::log(events / time) - events : 0.0;
        ratio[row] = events > 0 ? events / time : 0.0;
        to[k_] = most - (leaf_.kind() == LeafKind::gamma_poisson ? from[2] : 0.0);
    }
    rows_ = std::move(wide);
    width_ = k_ + 1;
    std::vector<double> values = ratio;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const double value : ratio) {
        order_.push_back(static_cast<std::uint32_t>(
            std::lower_bound(values.begin(), values.end(), value) - values.begin()));
    }
    by_place_.assign(values.size() * k_, 0.0);
}

double LeafBound::log_best_parting(std::span<const std::uint32_t> rows) {
    if (order_.empty()) {
        return INFINITY;
    }
    places_.clear();
    for (const std::uint32_t row : rows) {
        places_.push_back(order_[row]);
    }
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    if (places_.size() > kMostPlaces) {
        return INFINITY;
    }
    for (const std::uint32_t place : places_) {
        std::fill_n(by_place_.data() + place * k_, k_, 0.0);
    }
    for (const std::uint32_t row : rows) {
        leaf_.add(row, by_place_.data() + order_[row] * k_);
    }
    const std::size_t m = places_.size();
    up_to_.assign((m + 1) * k_, 0.0);
    best_.assign(m + 1, 0.0);
    std::vector<double> leaf(k_);
    for (std::size_t i = 1; i <= m; ++i) {
        double* const own = up_to_.data() + i * k_;
        for (std::size_t s = 0; s < k_; ++s) {
            own[s] = own[s - k_] + by_place_[places_[i - 1] * k_ + s];
        }
        best_[i] = -INFINITY;
        for (std::size_t j = 0; j < i; ++j) {
            for (std::size_t s = 0; s < k_; ++s) {
                leaf[s] = own[s] - up_to_[j * k_ + s];
            }
            best_[i] = std::max(best_[i], best_[j] + leaf_.log_marginal(leaf.data()));
        }
    }
    return best_[m];
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
        case LeafKind::normal_inverse_gamma:
        case LeafKind::normal_linear:
        case LeafKind::table: break;
    }
    return INFINITY;
}

}  // namespace slp::search
