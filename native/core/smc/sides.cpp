#include "smc/sides.hpp"

#include <algorithm>

#include "problem/columns/left_sides.hpp"

namespace slp::smc {

namespace {

// Codes are looked up in a table of all codes where the table takes less time to fill.
constexpr std::size_t kCodesPerRow = 4;

}  // namespace

SideFinder::SideFinder(const Problem& problem, const Geometry& geometry)
    : problem_(problem),
      geometry_(geometry),
      k_(problem.leaf.n_statistics()),
      sum_(problem.leaf.n_statistics()) {}

void SideFinder::find(mcmc::Rows rows, std::size_t f, std::span<const Cut> cuts,
                      bool with_likelihood) {
    const Feature& feature = problem_.table.features[f];
    if (!feature.plain()) {
        find_wide(rows, feature, cuts, with_likelihood);
        return;
    }
    const std::size_t n = cuts.size() + 1;
    keys_.assign(n, Key{});
    sizes_.assign(n, 0);
    statistics_.assign(n * k_, 0.0);
    add_rows(rows, feature, cuts);
    add_up(cuts.size(), feature.single(), with_likelihood);
}

void SideFinder::find_wide(mcmc::Rows rows, const Feature& feature,
                           std::span<const Cut> cuts, bool with_likelihood) {
    const std::uint32_t* code = feature.codes.data();
    codes_.clear();
    for (const std::uint32_t row : rows) {
        codes_.push_back(code[row]);
    }
    std::sort(codes_.begin(), codes_.end());
    codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
    keys_.assign(codes_.size(), Key{});
    sizes_.assign(codes_.size(), 0);
    statistics_.assign(codes_.size() * k_, 0.0);
    std::vector<double> all(k_, 0.0), sum(k_, 0.0), kept(k_), rest(k_);
    Side whole{}, left{}, left_kept{};
    for (const std::uint32_t row : rows) {
        const auto at = std::lower_bound(codes_.begin(), codes_.end(), code[row]);
        const auto i = static_cast<std::size_t>(at - codes_.begin());
        keys_[i] = keys_[i] + geometry_.key_of(row);
        sizes_[i] += geometry_.sizes_of(row);
        problem_.leaf.add(row, statistics_.data() + i * k_);
        problem_.leaf.add(row, all.data());
        whole.key = whole.key + geometry_.key_of(row);
        whole.sizes += geometry_.sizes_of(row);
    }
    left_.resize(cuts.size());
    right_.resize(cuts.size());
    const LeftSides sides{
        .clear =
            [&] {
                std::fill(sum.begin(), sum.end(), 0.0);
                left = {};
            },
        .add =
            [&](std::size_t i) {
                left.key = left.key + keys_[i];
                left.sizes += sizes_[i];
                for (std::size_t c = 0; c < k_; ++c) {
                    sum[c] += statistics_[i * k_ + c];
                }
            },
        .keep =
            [&] {
                kept = sum;
                left_kept = left;
            },
        .back =
            [&] {
                sum = kept;
                left = left_kept;
            },
        .cut =
            [&](std::size_t j) {
                left_[j] = {left.key, left.sizes, 0.0};
                right_[j] = {whole.key - left.key, whole.sizes - left.sizes, 0.0};
                if (with_likelihood) {
                    for (std::size_t c = 0; c < k_; ++c) {
                        rest[c] = all[c] - sum[c];
                    }
                    left_[j].log_marginal = problem_.leaf.log_marginal(sum.data());
                    right_[j].log_marginal = problem_.leaf.log_marginal(rest.data());
                }
            }};
    for_each_left_side(feature, codes_, cuts, sides);
}

void SideFinder::add_rows(mcmc::Rows rows, const Feature& feature,
                          std::span<const Cut> cuts) {
    const bool single = feature.single();
    const auto rest = static_cast<std::uint32_t>(cuts.size());
    const auto part = [&](std::uint32_t code) {
        const auto at = std::ranges::lower_bound(cuts, code, {}, &Cut::last_left);
        const bool none = single && (at == cuts.end() || at->last_left() != code);
        return none ? rest : static_cast<std::uint32_t>(at - cuts.begin());
    };
    const auto n_codes = static_cast<std::size_t>(feature.n_codes);
    const bool by_table = cuts.size() > 1 && n_codes <= kCodesPerRow * rows.size();
    if (by_table) {
        part_of_code_.assign(n_codes, rest);
        std::uint32_t code = 0;
        for (std::uint32_t j = 0; j < rest; ++j) {
            const std::uint32_t last = cuts[j].last_left();
            for (code = single ? last : code; code <= last; ++code) {
                part_of_code_[code] = j;
            }
        }
    }
    for (const std::uint32_t row : rows) {
        const std::uint32_t code = feature.codes[row];
        const std::size_t j = by_table ? part_of_code_[code] : part(code);
        keys_[j] = keys_[j] + geometry_.key_of(row);
        sizes_[j] += geometry_.sizes_of(row);
        problem_.leaf.add(row, statistics_.data() + j * k_);
    }
}

void SideFinder::add_up(std::size_t n, bool single, bool with_likelihood) {
    up_to_ = from_ = statistics_;
    for (std::size_t i = k_; i < up_to_.size(); ++i) {
        up_to_[i] += up_to_[i - k_];
    }
    for (std::size_t i = n * k_; i-- > 0;) {
        from_[i] += from_[i + k_];
    }
    Key all, key;
    Sizes all_sizes = 0, sizes = 0;
    for (std::size_t j = 0; j <= n; ++j) {
        all = all + keys_[j];
        all_sizes += sizes_[j];
    }
    left_.resize(n);
    right_.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
        key = single ? keys_[j] : key + keys_[j];
        sizes = single ? sizes_[j] : sizes + sizes_[j];
        left_[j] = {key, sizes, 0.0};
        right_[j] = {all - key, all_sizes - sizes, 0.0};
        if (!with_likelihood) {
            continue;
        }
        const double* right = from_.data() + (j + 1) * k_;
        if (single && j > 0) {
            for (std::size_t c = 0; c < k_; ++c) {
                sum_[c] = up_to_[(j - 1) * k_ + c] + right[c];
            }
            right = sum_.data();
        }
        const double* left = (single ? statistics_ : up_to_).data() + j * k_;
        left_[j].log_marginal = problem_.leaf.log_marginal(left);
        right_[j].log_marginal = problem_.leaf.log_marginal(right);
    }
}

}  // namespace slp::smc
