#include "problem/feature_cuts.hpp"

#include <algorithm>

namespace slp {

namespace {

void list_groups(std::span<const std::uint32_t> codes, std::vector<Cut>& out) {
    std::uint32_t all = 0;
    for (const std::uint32_t code : codes) {
        all |= 1U << code;
    }
    const std::uint32_t n = 1U << (codes.size() - 1);
    for (std::uint32_t chosen = 0; chosen + 1 < n; ++chosen) {
        std::uint32_t left = 1U << codes[0];
        for (std::size_t i = 1; i < codes.size(); ++i) {
            left |= (chosen >> (i - 1) & 1) << codes[i];
        }
        out.push_back({left, all ^ left});
    }
}

}  // namespace

std::size_t most_splits(const Feature& feature, std::size_t n_rows) {
    const std::size_t codes = std::min(static_cast<std::size_t>(feature.n_codes), n_rows);
    if (feature.kind == FeatureKind::subsets) {
        return codes < 2 ? 0 : (std::size_t{1} << (codes - 1)) - 1;
    }
    return feature.holes ? 2 * codes + 1 : codes;
}

void list_cuts(const Feature& feature, std::span<const std::uint32_t> codes,
               std::vector<Cut>& out) {
    if (codes.size() < 2) {
        return;
    }
    if (feature.kind == FeatureKind::subsets) {
        list_groups(codes, out);
        return;
    }
    const bool levels = feature.kind == FeatureKind::levels;
    const bool misses = codes.back() == feature.missing();
    const std::size_t n = codes.size() - (misses ? 1 : 0);
    // With two levels, `= a` and `= b` are the same split. The test is on the first level.
    const std::size_t tests = levels && n > 2 ? n : n - 1;
    for (std::size_t i = 0; i < tests; ++i) {
        const Cut cut{codes[i], codes[levels ? i : i + 1]};
        if (misses) {
            out.push_back(feature.with_side(cut, Missing::right));
            out.push_back(feature.with_side(cut, Missing::left));
        } else {
            out.push_back(cut);
        }
    }
    if (misses) {
        out.push_back({codes.back(), codes.back()});
    }
}

}  // namespace slp
