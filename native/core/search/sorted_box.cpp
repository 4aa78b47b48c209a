#include "search/sorted_box.hpp"

#include <algorithm>
#include <numeric>

namespace slp::search {

void SortedBox::fill(const Problem& problem, std::span<const std::uint32_t> rows) {
    const std::size_t k = problem.leaf.n_statistics(), d = problem.table.features.size();
    n = rows.size();
    statistics.assign(n * k, 0.0);
    counts.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        problem.leaf.add(rows[i], statistics.data() + i * k);
        counts[i] = problem.table.counts[rows[i]];
    }
    order.resize(n * d);
    codes.resize(n * d);
    for (std::size_t f = 0; f < d; ++f) {
        const std::vector<std::uint32_t>& of = problem.table.features[f].codes;
        std::uint32_t* const own = order.data() + f * n;
        std::iota(own, own + n, 0U);
        std::stable_sort(own, own + n, [&](std::uint32_t a, std::uint32_t b) {
            return of[rows[a]] < of[rows[b]];
        });
        std::transform(own, own + n, codes.data() + f * n,
                       [&](std::uint32_t i) { return of[rows[i]]; });
    }
    add_sums(k);
}

void SortedBox::fill(const SortedBox& from, std::span<const std::uint8_t> right, bool is_right) {
    const std::size_t k = from.sums.size(), d = from.n == 0 ? 0 : from.order.size() / from.n;
    number_.resize(from.n);
    n = 0;
    for (std::size_t i = 0; i < from.n; ++i) {
        number_[i] = static_cast<std::uint32_t>(n);
        n += right[i] == is_right ? 1 : 0;
    }
    statistics.resize(n * k);
    counts.resize(n);
    for (std::size_t i = 0; i < from.n; ++i) {
        if (right[i] == is_right) {
            counts[number_[i]] = from.counts[i];
            std::copy_n(from.statistics.data() + i * k, k, statistics.data() + number_[i] * k);
        }
    }
    order.resize(n * d);
    codes.resize(n * d);
    std::uint32_t *to = order.data(), *code = codes.data();
    for (std::size_t i = 0; i < from.order.size(); ++i) {
        const std::uint32_t row = from.order[i];
        if (right[row] == is_right) {
            *to++ = number_[row];
            *code++ = from.codes[i];
        }
    }
    add_sums(k);
}

void SortedBox::add_sums(std::size_t k) {
    sums.assign(k, 0.0);
    data_rows = 0;
    for (std::size_t i = 0; i < n; ++i) {
        data_rows += counts[i];
        for (std::size_t c = 0; c < k; ++c) {
            sums[c] += statistics[i * k + c];
        }
    }
}

}  // namespace slp::search
