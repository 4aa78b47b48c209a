#include "modal/feature_scan.hpp"

#include <algorithm>
#include <bit>

namespace slp::modal {

FeatureScan::FeatureScan(const Problem& problem, const Geometry& geometry, Budget& budget)
    : problem_(problem),
      geometry_(geometry),
      charge_(budget),
      k_(problem.leaf.n_statistics()),
      min_leaf_(problem.grammar.min_leaf),
      running_(k_) {}

void FeatureScan::make_room(std::size_t n_rows, const Feature& feature) {
    const auto n_codes = static_cast<std::size_t>(feature.n_codes);
    const std::size_t most = std::min(n_codes, n_rows);
    const std::size_t by_code = std::max(n_codes, buckets_.size());
    const std::size_t by_cut = std::max(most, cuts_.size());
    charge_.raise_to(by_code * (sizeof(Bucket) + 8 * k_) + by_code / 8 +
                     by_cut * (sizeof(Cut) + 16 * k_ + 4));
    if (buckets_.size() < n_codes) {
        buckets_.resize(n_codes);
        sums_.resize(n_codes * k_, 0.0);
        occupied_.resize((n_codes + 63) / 64, 0);
    }
    if (cuts_.size() < most) {
        cuts_.resize(most);
        sides_.resize(2 * most * k_);
        codes_.reserve(most);
    }
}

void FeatureScan::fill(const RowSet& set, const Feature& feature, bool keys) {
    const std::uint32_t* const code = feature.codes.data();
    for (const std::uint32_t row : set.rows) {
        const std::uint32_t at = code[row];
        Bucket& bucket = buckets_[at];
        if (bucket.sizes == 0) {
            occupied_[at / 64] |= std::uint64_t{1} << (at % 64);
        }
        bucket.sizes += geometry_.sizes_of(row);
        problem_.leaf.add(row, sums_.data() + at * k_);
        if (keys) {
            bucket.key = bucket.key + geometry_.key_of(row);
        }
    }
    codes_.clear();
    const std::size_t words = (static_cast<std::size_t>(feature.n_codes) + 63) / 64;
    if (words <= set.rows.size()) {
        for (std::size_t w = 0; w < words; ++w) {
            for (std::uint64_t bits = occupied_[w]; bits != 0; bits &= bits - 1) {
                codes_.push_back(static_cast<std::uint32_t>(w * 64) +
                                 static_cast<std::uint32_t>(std::countr_zero(bits)));
            }
            occupied_[w] = 0;
        }
        return;
    }
    for (const std::uint32_t row : set.rows) {  // many codes, few rows
        const std::uint64_t bit = std::uint64_t{1} << (code[row] % 64);
        if (occupied_[code[row] / 64] & bit) {
            occupied_[code[row] / 64] &= ~bit;
            codes_.push_back(code[row]);
        }
    }
    std::sort(codes_.begin(), codes_.end());
}

void FeatureScan::add(const RowSet& set, const Cut& cut, const double* left) {
    const std::int64_t n = data_rows(cut.left);
    if (n < min_leaf_ || static_cast<std::int64_t>(data_rows(set.sizes)) - n < min_leaf_) {
        return;
    }
    cuts_[n_cuts_] = cut;
    double* const sides = sides_.data() + 2 * n_cuts_ * k_;
    for (std::size_t i = 0; i < k_; ++i) {
        sides[i] = left[i];
        sides[k_ + i] = set.statistics[i] - left[i];
    }
    ++n_cuts_;
}

void FeatureScan::scan(const RowSet& set, std::uint32_t f, bool keys) {
    const Feature& feature = problem_.table.features[f];
    n_cuts_ = 0;
    if (set.rows.size() < 2 || data_rows(set.sizes) / 2 < min_leaf_) {
        return;
    }
    make_room(set.rows.size(), feature);
    fill(set, feature, keys);
    const bool levels = feature.kind == FeatureKind::levels;
    // Of two levels, `= a` and `= b` are one split, on the first.
    const std::size_t n = codes_.size();
    const std::size_t tests = levels && n > 2 ? n : n - 1;
    Cut cut{};
    std::fill(running_.begin(), running_.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t code = codes_[i];
        Bucket& bucket = buckets_[code];
        double* const sums = sums_.data() + code * k_;
        if (levels) {
            cut = {code, code, bucket.sizes, bucket.key};
        } else {
            cut.low = code;
            cut.high = i + 1 < n ? codes_[i + 1] : code;
            cut.left += bucket.sizes;
            cut.key = cut.key + bucket.key;
            for (std::size_t j = 0; j < k_; ++j) {
                running_[j] += sums[j];
            }
        }
        if (i < tests) {
            add(set, cut, levels ? sums : running_.data());
        }
        bucket = {};
        std::fill_n(sums, k_, 0.0);
    }
}

}  // namespace slp::modal
