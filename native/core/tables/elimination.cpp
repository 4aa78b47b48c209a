#include "tables/elimination.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace slp::tables {

namespace {

// Unknowns of the dense rest, whose square is held: 128 MiB.
constexpr std::size_t kMostDense = 4096;
// Entries of the rows above it.
constexpr std::size_t kMostEntries = 30'000'000;

}  // namespace

Elimination::Elimination(std::size_t n, std::vector<std::pair<std::int32_t, std::int32_t>> entries)
    : n_(n), entries_(std::move(entries)), place_(n), rows_(n) {
    std::vector<std::vector<std::int32_t>> near(n);
    for (const auto& [row, column] : entries_) {
        if (row != column) {
            near[static_cast<std::size_t>(row)].push_back(column);
            near[static_cast<std::size_t>(column)].push_back(row);
        }
    }
    for (std::vector<std::int32_t>& own : near) {
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
    }
    order(near);
    if (!fits_) {
        return;
    }
    for (std::size_t p = 0; p < n_; ++p) {
        std::vector<std::int32_t>& right = rows_[p].right;
        for (std::int32_t& column : right) {
            column = static_cast<std::int32_t>(place_[static_cast<std::size_t>(column)]);
        }
        std::sort(right.begin(), right.end());
        for (const std::int32_t q : right) {
            rows_[static_cast<std::size_t>(q)].left.push_back(static_cast<std::int32_t>(p));
        }
    }
    for (std::size_t e = 0; e < entries_.size(); ++e) {
        const std::size_t row = place_[static_cast<std::size_t>(entries_[e].first)];
        rows_[row].entries.push_back(static_cast<std::int32_t>(e));
    }
}

// Unknowns with the fewest neighbours first. An unknown that goes makes its neighbours neighbours.
void Elimination::order(const std::vector<std::vector<std::int32_t>>& given) {
    std::vector<std::vector<std::int32_t>> near = given;
    std::set<std::pair<std::size_t, std::int32_t>> waiting;
    for (std::size_t i = 0; i < n_; ++i) {
        waiting.emplace(near[i].size(), static_cast<std::int32_t>(i));
    }
    std::size_t entries = 0;
    while (!waiting.empty() && 2 * (waiting.begin()->first + 1) <= waiting.size()) {
        const auto [degree, i] = *waiting.begin();
        waiting.erase(waiting.begin());
        std::vector<std::int32_t> own = std::move(near[static_cast<std::size_t>(i)]);
        for (const std::int32_t j : own) {
            std::vector<std::int32_t>& theirs = near[static_cast<std::size_t>(j)];
            waiting.erase({theirs.size(), j});
            std::vector<std::int32_t> both;
            std::set_union(theirs.begin(), theirs.end(), own.begin(), own.end(),
                           std::back_inserter(both));
            std::erase_if(both, [&](std::int32_t k) { return k == i || k == j; });
            theirs = std::move(both);
            waiting.emplace(theirs.size(), j);
        }
        entries += own.size();
        place_[static_cast<std::size_t>(i)] = ordered_.size();
        rows_[ordered_.size()].right = std::move(own);
        ordered_.push_back(i);
        if (entries > kMostEntries) {
            fits_ = false;
            return;
        }
    }
    if (waiting.size() > kMostDense) {
        fits_ = false;
        return;
    }
    std::vector<std::int32_t> rest;
    for (const auto& [degree, i] : waiting) {
        rest.push_back(i);
    }
    for (std::size_t k = 0; k < rest.size(); ++k) {
        place_[static_cast<std::size_t>(rest[k])] = ordered_.size();
        rows_[ordered_.size()].right.assign(rest.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                                            rest.end());
        ordered_.push_back(rest[k]);
    }
}

void Elimination::subtract(double factor, std::size_t pivot, std::vector<double>& row) const {
    const EliminationRow& from = rows_[pivot];
    const std::size_t n = from.right.size();
    if (n > 0 && static_cast<std::size_t>(from.right.back()) + 1 - n ==
                     static_cast<std::size_t>(from.right.front())) {  // no gaps
        double* const to = row.data() + from.right.front();
        const double* const rest = from.rest.data();
        for (std::size_t k = 0; k < n; ++k) {
            to[k] += factor * rest[k];
        }
        return;
    }
    for (std::size_t k = 0; k < n; ++k) {
        row[static_cast<std::size_t>(from.right[k])] += factor * from.rest[k];
    }
}

bool Elimination::factor(std::span<const double> values, const GoOn& go_on) {
    std::vector<double> row(n_, 0.0);
    for (std::size_t p = 0; p < n_; ++p) {
        EliminationRow& own = rows_[p];
        for (const std::int32_t e : own.entries) {
            const auto at = static_cast<std::size_t>(e);
            row[place_[static_cast<std::size_t>(entries_[at].second)]] += values[at];
        }
        own.factors.clear();
        for (const std::int32_t q : own.left) {
            const auto at = static_cast<std::size_t>(q);
            const double factor = std::exchange(row[at], 0.0) / rows_[at].pivot;
            own.factors.push_back(factor);
            if (factor > 0) {
                subtract(factor, at, row);
            }
        }
        own.rest.clear();
        for (const std::int32_t q : own.right) {
            own.rest.push_back(std::exchange(row[static_cast<std::size_t>(q)], 0.0));
        }
        own.pivot = 1.0 - std::exchange(row[p], 0.0);
        if (!(own.pivot > 0) || (p % 64 == 0 && !go_on())) {
            return false;
        }
    }
    return true;
}

std::vector<double> Elimination::solve(std::span<const double> right) const {
    std::vector<double> y(n_);
    for (std::size_t p = 0; p < n_; ++p) {
        const EliminationRow& own = rows_[p];
        double sum = right[static_cast<std::size_t>(ordered_[p])];
        for (std::size_t k = 0; k < own.left.size(); ++k) {
            sum += own.factors[k] * y[static_cast<std::size_t>(own.left[k])];
        }
        y[p] = sum;
    }
    std::vector<double> out(n_);
    for (std::size_t p = n_; p-- > 0;) {
        const EliminationRow& own = rows_[p];
        double sum = y[p];
        for (std::size_t k = 0; k < own.right.size(); ++k) {
            sum += own.rest[k] * y[static_cast<std::size_t>(own.right[k])];
        }
        y[p] = sum / own.pivot;
        out[static_cast<std::size_t>(ordered_[p])] = y[p];
    }
    return out;
}

}  // namespace slp::tables
