#include "mcmc/cuts.hpp"

#include <algorithm>
#include <bit>

#include "problem/columns/left_sides.hpp"

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
    clear_marks();
    rows_ = rows;
    std::fill(found_.begin(), found_.end(), FoundCuts{});
    cuts_.clear();
}

bool CutFinder::can_split(std::size_t f) {
    if (min_leaf_ > 1 || problem_.table.features[f].looks_at_response()) {
        return !cuts(f).empty();
    }
    FoundCuts& found = found_[f];
    if (found.varies == Known::nothing) {
        found.varies = varies(problem_.table.features[f]) ? Known::yes : Known::no;
    }
    return found.varies == Known::yes;
}

std::span<const Cut> CutFinder::cuts(std::size_t f) {
    FoundCuts& found = found_[f];
    if (!found.listed) {
        found.begin = cuts_.size();
        list(f);
        found.end = cuts_.size();
        found.listed = true;
    }
    return {cuts_.data() + found.begin, found.end - found.begin};
}

// --- one cut at a time --------------------------------------------------------------------------

std::size_t CutFinder::n_cuts(std::size_t f) {
    return by_marks(f) ? n_tests() : cuts(f).size();
}

Cut CutFinder::cut(std::size_t f, std::size_t k) {
    if (!by_marks(f)) {
        return cuts(f)[k];
    }
    const std::uint32_t code = marked_code(k);
    const Feature& feature = problem_.table.features[f];
    return feature.single() ? Cut::on(code) : Cut::between(code, next_code(code));
}

bool CutFinder::find(std::size_t f, Cut& cut) {
    const Feature& feature = problem_.table.features[f];
    if (!by_marks(f)) {
        const auto own = cuts(f);
        const auto found = std::ranges::find_if(
            own, [&](const Cut& other) { return feature.same_cut(other, cut); });
        cut = found == own.end() ? cut : *found;
        return found != own.end();
    }
    const auto n_codes = static_cast<std::uint32_t>(feature.n_codes);
    const std::uint32_t low = cut.last_left(), high = cut.first_right();
    if (low >= n_codes || high >= n_codes) {
        return false;
    }
    const auto occurs = [&](std::uint32_t c) { return (occupied_[c / 64] >> (c % 64) & 1) != 0; };
    if (feature.single()) {  // of two levels the test is on the first
        return cut == Cut::on(low) && occurs(low) && n_marked_ > 1 &&
               (n_marked_ > 2 || low == marked_code(0));
    }
    return low < high && occurs(low) && occurs(high) && next_code(low) == high;
}

bool CutFinder::mark(std::size_t f) {
    const std::size_t words = words_of(f);
    if (words > rows_.size()) {
        return false;
    }
    if (marked_ != f) {
        clear_marks();
        const std::uint32_t* code = problem_.table.features[f].codes.data();
        for (const std::uint32_t row : rows_) {
            occupied_[code[row] / 64] |= std::uint64_t{1} << (code[row] % 64);
        }
        marked_ = f;
        for (std::size_t w = 0; w < words; ++w) {
            n_marked_ += static_cast<std::size_t>(std::popcount(occupied_[w]));
        }
    }
    return true;
}

void CutFinder::clear_marks() {
    if (marked_ != kNone) {
        std::fill_n(occupied_.begin(), words_of(marked_), 0);
        marked_ = kNone;
        n_marked_ = 0;
    }
}

std::size_t CutFinder::n_tests() const {
    return problem_.table.features[marked_].n_plain_cuts(n_marked_);
}

std::uint32_t CutFinder::marked_code(std::size_t k) const {
    std::size_t w = 0;
    for (std::size_t n; k >= (n = static_cast<std::size_t>(std::popcount(occupied_[w]))); ++w) {
        k -= n;
    }
    std::uint64_t bits = occupied_[w];
    for (; k > 0; --k) {
        bits &= bits - 1;
    }
    return static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
}

std::uint32_t CutFinder::next_code(std::uint32_t code) const {
    std::size_t w = code / 64;
    std::uint64_t bits = occupied_[w] & (~std::uint64_t{1} << (code % 64));
    while (bits == 0) {
        bits = occupied_[++w];
    }
    return static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
}

// --- all cuts -----------------------------------------------------------------------------------

bool CutFinder::varies(const Feature& feature) const {
    const std::uint32_t* code = feature.codes.data();
    for (const std::uint32_t row : rows_) {
        if (code[row] != code[rows_[0]]) {
            return true;
        }
    }
    return false;
}

void CutFinder::list(std::size_t f) {
    const Feature& feature = problem_.table.features[f];
    find_codes(f);
    if (codes_.size() < 2) {
        return;
    }
    if (!feature.plain()) {
        list_wide(feature);
        return;
    }
    if (min_leaf_ <= 1) {
        feature.list_cuts(codes_, rows_, cuts_);
        return;
    }
    const bool single = feature.single();
    const std::size_t tests = feature.n_plain_cuts(codes_.size());
    count_rows(feature);
    std::uint64_t total = 0, left = 0;
    for (const std::uint32_t code : codes_) {
        total += n_rows_[code];
    }
    for (std::size_t i = 0; i < tests; ++i) {
        left = single ? n_rows_[codes_[i]] : left + n_rows_[codes_[i]];
        if (left >= min_leaf_ && total - left >= min_leaf_) {
            cuts_.push_back(single ? Cut::on(codes_[i]) : Cut::between(codes_[i], codes_[i + 1]));
        }
    }
    for (const std::uint32_t code : codes_) {
        n_rows_[code] = 0;
    }
}

// The same of a feature that is not plain.
void CutFinder::list_wide(const Feature& feature) {
    const std::size_t begin = cuts_.size();
    feature.list_cuts(codes_, rows_, cuts_);
    if (min_leaf_ <= 1) {
        return;
    }
    count_rows(feature);
    std::uint64_t total = 0, left = 0, kept = 0;
    for (const std::uint32_t code : codes_) {
        total += n_rows_[code];
    }
    std::vector<std::uint8_t> valid(cuts_.size() - begin, 0);
    const LeftSides sides{
        .clear = [&] { left = 0; },
        .add = [&](std::size_t i) { left += n_rows_[codes_[i]]; },
        .keep = [&] { kept = left; },
        .back = [&] { left = kept; },
        .cut = [&](std::size_t j) {
            valid[j] = left >= min_leaf_ && total - left >= min_leaf_;
        }};
    for_each_left_side(feature, codes_, std::span(cuts_).subspan(begin), sides);
    std::size_t end = begin;
    for (std::size_t j = 0; j < valid.size(); ++j) {
        if (valid[j]) {
            cuts_[end++] = cuts_[begin + j];
        }
    }
    cuts_.resize(end);
    for (const std::uint32_t code : codes_) {
        n_rows_[code] = 0;
    }
}

// Lists the codes that occur, ascending.
void CutFinder::find_codes(std::size_t f) {
    codes_.clear();
    if (!mark(f)) {  // many codes, few rows
        const std::uint32_t* code = problem_.table.features[f].codes.data();
        for (const std::uint32_t row : rows_) {
            codes_.push_back(code[row]);
        }
        std::sort(codes_.begin(), codes_.end());
        codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
        return;
    }
    for (std::size_t w = 0; w < words_of(f); ++w) {
        for (std::uint64_t bits = occupied_[w]; bits != 0; bits &= bits - 1) {
            codes_.push_back(static_cast<std::uint32_t>(w * 64) +
                             static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
    }
}

void CutFinder::count_rows(const Feature& feature) {
    for (const std::uint32_t row : rows_) {
        n_rows_[feature.codes[row]] += problem_.table.counts[row];
    }
}

}  // namespace slp::mcmc
