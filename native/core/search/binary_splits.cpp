#include "search/binary_splits.hpp"

#include <algorithm>

namespace slp::search {

namespace {

// The bits take at most one part in so many of what is left of the budget.
constexpr std::size_t kPartOfBudget = 8;

}  // namespace

BinarySplits::BinarySplits(const Problem& problem, const Geometry& geometry, const LeafBound& leaf,
                           Budget& budget)
    : problem_(problem),
      geometry_(geometry),
      leaf_(leaf),
      d_(problem.table.features.size()),
      width_(leaf.width()),
      charge_(budget) {
    const std::size_t n = problem.table.n_rows, cells = (n + 1) * d_;
    const std::size_t bytes = cells + d_ * (1 + sizeof(RowSetSum) + width_ * sizeof(double)) +
                              subsets_.size() * width_ * sizeof(double);
    const bool two_codes = std::ranges::all_of(
        problem.table.features,
        [](const Feature& feature) { return feature.n_codes <= 2 && feature.plain(); });
    if (!two_codes || bytes > budget.left() / kPartOfBudget) {
        return;
    }
    charge_.add(bytes);
    left_.assign(cells, 0);
    for (std::size_t f = 0; f < d_; ++f) {
        const Feature& feature = problem.table.features[f];
        const RowTest test = feature.test(feature.plain_cut(0, 1));
        for (std::uint32_t row = 0; row < n; ++row) {
            left_[row * d_ + f] = test.plain_goes_left(row);
        }
    }
    subset_sums_.resize(subsets_.size() * width_);
    subset_of_.resize(d_);
    lefts_.resize(d_);
    left_sums_.resize(d_ * width_);
}

std::span<BoxSplit> BinarySplits::splits(const Box& box, Arena& arena, double*& sums) {
    const std::int64_t least = problem_.grammar.min_leaf;
    if (box.rows.size() < 2 || data_rows(box.sizes) / 2 < least) {
        return {};
    }
    std::ranges::fill(lefts_, RowSetSum{});
    std::ranges::fill(left_sums_, 0.0);
    for (std::size_t at = 0; at < box.rows.size(); at += kRows) {
        const auto rows = box.rows.subspan(at, std::min(kRows, box.rows.size() - at));
        list_subsets(rows);
        find_subset_of_each_feature(rows);
        switch (width_) {
            case 2: add_sums<2>(); break;  // two classes; two with groups of mixed classes
            case 5: add_sums<5>(); break;
            default: add_sums<0>();
        }
    }
    BoxSplit* const begin = arena.allocate<BoxSplit>(d_);
    BoxSplit* end = begin;
    sums = arena.allocate<double>(d_ * width_);
    double* to = sums;
    for (std::uint32_t f = 0; f < d_; ++f) {
        const Sizes left = lefts_[f].sizes;
        if (distinct_rows(left) == 0 || left == box.sizes || data_rows(left) < least ||
            data_rows(box.sizes - left) < least) {
            continue;
        }
        const Feature& feature = problem_.table.features[f];
        const Cut cut = feature.plain_cut(0, 1);
        *end++ = {lefts_[f].key, left, cut, f, feature.cell(cut)};
        to = std::copy_n(left_sums_.data() + f * width_, width_, to);
    }
    return {begin, end};
}

void BinarySplits::list_subsets(std::span<const std::uint32_t> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t own = std::size_t{1} << i;  // those without the row come before
        for (std::size_t subset = 0; subset < own; ++subset) {
            subsets_[own + subset] = {subsets_[subset].key + geometry_.key_of(rows[i]),
                                      subsets_[subset].sizes + geometry_.sizes_of(rows[i])};
            double* const to = subset_sums_.data() + (own + subset) * width_;
            std::copy_n(subset_sums_.data() + subset * width_, width_, to);
            leaf_.add(rows[i], to);
        }
    }
}

void BinarySplits::find_subset_of_each_feature(std::span<const std::uint32_t> rows) {
    std::array<const std::uint8_t*, kRows> of;
    for (std::size_t i = 0; i < kRows; ++i) {
        const std::size_t row = i < rows.size() ? rows[i] : problem_.table.n_rows;
        of[i] = left_.data() + row * d_;
    }
    std::uint8_t* const to = subset_of_.data();
    for (std::size_t f = 0; f < d_; ++f) {
        to[f] = static_cast<std::uint8_t>(of[0][f] + 2 * of[1][f] + 4 * of[2][f] + 8 * of[3][f]);
    }
}

// width: of the sums; 0 where it is known only now.
template <std::size_t width>
void BinarySplits::add_sums() {
    const std::size_t w = width > 0 ? width : width_;
    for (std::size_t f = 0; f < d_; ++f) {
        const RowSetSum& own = subsets_[subset_of_[f]];
        lefts_[f] = {lefts_[f].key + own.key, lefts_[f].sizes + own.sizes};
    }
    for (std::size_t f = 0; f < d_; ++f) {
        const double* const own = subset_sums_.data() + subset_of_[f] * w;
        for (std::size_t s = 0; s < w; ++s) {
            left_sums_[f * w + s] += own[s];
        }
    }
}

}  // namespace slp::search
