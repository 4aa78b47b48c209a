#include "search/leaf_bound.hpp"

#include <algorithm>
#include <cmath>

namespace slp::search {

namespace {

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
    if (leaf_.of_classes()) {
        add_classes(problem);
    } else {
        add_rows();
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
            to[2 * k_] = leaf_.log_most_likely(from);
        } else {
            std::copy_n(from, k_, to + k_);
        }
    }
    rows_ = std::move(wide);
    width_ = 2 * k_ + 1;
}

void LeafBound::add_rows() {
    const std::size_t n = rows_.size() / k_;
    for (std::size_t row = 0; row < n; ++row) {
        if (leaf_.log_most_likely(rows_.data() + row * k_) == INFINITY) {
            return;
        }
    }
    by_rows_ = true;
    std::vector<double> wide(n * (k_ + 1));
    for (std::size_t row = 0; row < n; ++row) {
        const double* const from = rows_.data() + row * k_;
        double* const to = wide.data() + row * (k_ + 1);
        std::copy_n(from, k_, to);
        to[k_] = leaf_.log_most_likely(from);
    }
    if (const std::optional<TwoSums> rate = leaf_.two_sums()) {
        order_by(*rate);
    }
    rows_ = std::move(wide);
    width_ = k_ + 1;
}

// `order_`, for rows of events and exposure.
void LeafBound::order_by(const TwoSums& rate) {
    std::vector<double> ratio;
    for (std::size_t at = 0; at < rows_.size(); at += k_) {
        const double events = rows_[at + rate.first];
        ratio.push_back(events > 0 ? events / rows_[at + rate.second] : 0.0);
    }
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
    if (by_rows_) {
        return sums[k_];
    }
    if (!leaf_.of_classes()) {
        return INFINITY;
    }
    const double whole = leaf_.log_pure(sums);
    return mixed_ ? std::min(whole, sums[2 * k_] + leaf_.log_pure(sums + k_)) : whole;
}

}  // namespace slp::search
