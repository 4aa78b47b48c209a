#include "mcmc/cuts.hpp"

#include <algorithm>
#include <bit>

namespace slp::mcmc {

CutFinder::CutFinder(const Problem& problem)
    : problem_(problem),
      min_leaf_(static_cast<std::uint64_t>(problem.grammar.min_leaf)),
      found_(problem.table.features.size()) {
    std::size_t most = 0;
    for (const Feature& feature : problem.table.features) {
        most = std::max(most, static_cast<std::size_t>(feature.n_codes));
    }
    occupied_.assign((most + 63) / 64, 0);
    n_rows_.assign(min_leaf_ > 1 ? most : 0, 0);
}

void CutFinder::enter(Rows rows) {
    rows_ = rows;
    std::fill(found_.begin(), found_.end(), Found{});
    cuts_.clear();
}

bool CutFinder::can_split(std::size_t f) {
    if (min_leaf_ > 1) {
        return !cuts(f).empty();
    }
    Found& found = found_[f];
    if (found.varies == Known::nothing) {
        found.varies = varies(problem_.table.features[f]) ? Known::yes : Known::no;
    }
    return found.varies == Known::yes;
}

std::span<const Cut> CutFinder::cuts(std::size_t f) {
    Found& found = found_[f];
    if (!found.listed) {
        found.begin = cuts_.size();
        list(problem_.table.features[f]);
        found.end = cuts_.size();
        found.listed = true;
    }
    return {cuts_.data() + found.begin, found.end - found.begin};
}

bool CutFinder::varies(const Feature& feature) const {
    const std::uint32_t* code = feature.codes.data();
    for (const std::uint32_t row : rows_) {
        if (code[row] != code[rows_[0]]) {
            return true;
        }
    }
    return false;
}

void CutFinder::list(const Feature& feature) {
    find_codes(feature);
    if (codes_.size() < 2) {
        return;
    }
    const bool levels = feature.kind == FeatureKind::levels;
    // Of two levels, `= a` and `= b` are one split, on the first.
    const std::size_t tests = levels && codes_.size() > 2 ? codes_.size() : codes_.size() - 1;
    if (min_leaf_ <= 1) {
        for (std::size_t i = 0; i < tests; ++i) {
            cuts_.push_back({codes_[i], codes_[levels ? i : i + 1]});
        }
        return;
    }
    count_rows(feature);
    std::uint64_t total = 0, left = 0;
    for (const std::uint32_t code : codes_) {
        total += n_rows_[code];
    }
    for (std::size_t i = 0; i < tests; ++i) {
        left = levels ? n_rows_[codes_[i]] : left + n_rows_[codes_[i]];
        if (left >= min_leaf_ && total - left >= min_leaf_) {
            cuts_.push_back({codes_[i], codes_[levels ? i : i + 1]});
        }
    }
    for (const std::uint32_t code : codes_) {
        n_rows_[code] = 0;
    }
}

// Lists the codes that occur, ascending.
void CutFinder::find_codes(const Feature& feature) {
    const std::uint32_t* code = feature.codes.data();
    const std::size_t words = (static_cast<std::size_t>(feature.n_codes) + 63) / 64;
    codes_.clear();
    if (words > rows_.size()) {  // many codes, few rows
        for (const std::uint32_t row : rows_) {
            codes_.push_back(code[row]);
        }
        std::sort(codes_.begin(), codes_.end());
        codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
        return;
    }
    for (const std::uint32_t row : rows_) {
        occupied_[code[row] / 64] |= std::uint64_t{1} << (code[row] % 64);
    }
    for (std::size_t w = 0; w < words; ++w) {
        for (std::uint64_t bits = occupied_[w]; bits != 0; bits &= bits - 1) {
            codes_.push_back(static_cast<std::uint32_t>(w * 64) +
                             static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
        occupied_[w] = 0;
    }
}

void CutFinder::count_rows(const Feature& feature) {
    for (const std::uint32_t row : rows_) {
        n_rows_[feature.codes[row]] += problem_.table.counts[row];
    }
}

}  // namespace slp::mcmc
