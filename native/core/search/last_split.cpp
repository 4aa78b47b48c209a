#include "search/last_split.hpp"

#include <algorithm>
#include <cmath>

#include "problem/columns/left_sides.hpp"
#include "problem/split_measures.hpp"

namespace slp::search {

namespace {

std::optional<TwoSums> sums_of_leaves(const Problem& problem) {
    if (problem.counted() ||
        std::ranges::none_of(problem.table.features, &Feature::any_partition)) {
        return std::nullopt;
    }
    return problem.leaf.two_sums();
}

}  // namespace

LastSplit::LastSplit(const Problem& problem, const LeafBound& leaf, WeightBound& weights)
    : problem_(problem),
      leaf_(leaf),
      weights_(weights),
      two_sums_(sums_of_leaves(problem)),
      left_(leaf.width()),
      kept_(leaf.width()),
      right_(leaf.width()) {}

bool LastSplit::takes(std::int32_t state) {
    if (!two_sums_) {
        return false;
    }
    const WeightBound::OneSplit split = weights_.one_split(state);
    return split.rule != nullptr && weights_.only_stops(split.left) &&
           weights_.only_stops(split.right);
}

double LastSplit::log_split_above(std::int32_t state, std::span<const std::uint32_t> rows,
                                  const double* sums) {
    const std::vector<Feature>& features = problem_.table.features;
    const WeightBound::OneSplit split = weights_.one_split(state);
    SplitMeasure measure(problem_.grammar, *split.rule);
    by_feature_.clear();
    for (const Feature& feature : features) {
        sum_codes(feature, rows);
        by_feature_.push_back(cuts(feature, rows, sums));
    }
    measure.find_groups([&](std::size_t f) { return by_feature_[f].n > 0; });
    double masses = 0;
    for (std::size_t f = 0; f < features.size(); ++f) {
        const double n = by_feature_[f].n;
        masses += n > 0 ? measure.mass(f, n) : 0.0;
    }
    const double total = measure.total(masses, split.rule->range_total);
    const bool weighs = weighs_splits(split.rule->measure);  // then no probability is above 1
    double out = -INFINITY;
    for (std::size_t f = 0; f < features.size(); ++f) {
        const auto [n, best] = by_feature_[f];
        if (n > 0) {
            // At most; the probability of a cut, not of a version.
            const double probability = weighs ? 1.0 : measure.probability(f, n, total);
            out = std::max(out, std::log(probability) + best);
        }
    }
    return split.log_weight + out + weights_.log_stop_above(split.left) +
           weights_.log_stop_above(split.right);
}

void LastSplit::sum_codes(const Feature& feature, std::span<const std::uint32_t> rows) {
    by_code_.assign(static_cast<std::size_t>(feature.n_codes) * leaf_.width(), 0.0);
    codes_.clear();
    for (const std::uint32_t row : rows) {
        codes_.push_back(feature.codes[row]);
        leaf_.add(row, of_code(feature.codes[row]));
    }
    std::sort(codes_.begin(), codes_.end());
    codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
}

LastSplit::Cuts LastSplit::cuts(const Feature& feature, std::span<const std::uint32_t> rows,
                                const double* sums) {
    if (codes_.size() < 2) {
        return {0, -INFINITY};
    }
    if (feature.any_partition()) {
        return {static_cast<double>(feature.most_cuts(codes_.size())), best_partition(sums)};
    }
    listed_.clear();
    feature.list_cuts(codes_, rows, listed_);
    Cuts out{0, -INFINITY};
    for (std::size_t i = 0; i < listed_.size(); ++i) {
        out.n += has_other_version(feature, listed_, i) ? 0.5 : 1.0;
    }
    const LeftSides sides{
        .clear = [&] { std::ranges::fill(left_, 0.0); },
        .add =
            [&](std::size_t i) {
                const double* const from = of_code(codes_[i]);
                for (std::size_t k = 0; k < left_.size(); ++k) {
                    left_[k] += from[k];
                }
            },
        .keep = [&] { kept_ = left_; },
        .back = [&] { left_ = kept_; },
        .cut = [&](std::size_t) { out.best = std::max(out.best, log_leaves(left_.data(), sums)); }};
    for_each_left_side(feature, codes_, listed_, sides);
    return out;
}

// A sum of two convex functions of the left side is largest at a corner of the sums of all subsets;
// these are the runs from either end in the order of the ratio of the two sums. The empty subset is
// one of them, with the leaf of all rows.
double LastSplit::best_partition(const double* sums) {
    const auto [a, b] = *two_sums_;
    // Rows without time or exposure have no ratio. They change no sum, so they may go first.
    const auto tells_nothing = [&](const double* s) { return s[a] == 0 && s[b] == 0; };
    std::ranges::sort(codes_, [&](std::uint32_t x, std::uint32_t y) {
        const double *const one = of_code(x), *const other = of_code(y);
        if (tells_nothing(one) || tells_nothing(other)) {
            return tells_nothing(one) && !tells_nothing(other);
        }
        return one[a] * other[b] < other[a] * one[b];
    });
    double out = leaf_.log_leaf(sums);
    std::ranges::fill(left_, 0.0);
    for (std::size_t i = 0; i + 1 < codes_.size(); ++i) {
        const double* const from = of_code(codes_[i]);
        for (std::size_t k = 0; k < left_.size(); ++k) {
            left_[k] += from[k];
        }
        out = std::max(out, log_leaves(left_.data(), sums));
    }
    return out;
}

double LastSplit::log_leaves(const double* left, const double* sums) {
    for (std::size_t k = 0; k < right_.size(); ++k) {
        right_[k] = sums[k] - left[k];
    }
    return leaf_.log_leaf(left) + leaf_.log_leaf(right_.data());
}

}  // namespace slp::search
