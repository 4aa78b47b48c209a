// The cuts of one box, computed only for the features that are needed.
//
// A proposal needs the features that can cut a box, and the cuts of the chosen feature. That takes
// a few rows of each feature and all rows of one, not all rows of all features.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace slp::mcmc {

using Rows = std::span<const std::uint32_t>;

class CutFinder {
public:
    explicit CutFinder(const Problem& problem);

    // Go to a box: distinct rows, ascending. They must stay where they are until the next call.
    void enter(Rows rows);

    // Whether the box has a structurally valid split on a feature.
    bool can_split(std::size_t f);
    // The structurally valid splits on a feature, in canonical order.
    std::span<const Cut> cuts(std::size_t f);

    // The same one at a time, without a list of all where that is quicker: how many there are, the
    // k-th (from 0), and whether one is among them, which then is written as it is here.
    std::size_t n_cuts(std::size_t f);
    Cut cut(std::size_t f, std::size_t k);
    bool find(std::size_t f, Cut& cut);

private:
    enum class Known : std::uint8_t { nothing, no, yes };
    struct FoundCuts {
        std::size_t begin = 0, end = 0;
        bool listed = false;
        Known varies = Known::nothing;
    };

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    bool varies(const Feature& feature) const;
    void list(std::size_t f);
    void list_wide(const Feature& feature);
    void find_codes(std::size_t f);
    // Marks the codes of a feature that occur; false if there are more codes than bits for the
    // rows.
    bool mark(std::size_t f);
    // Whether the marks tell its cuts.
    bool by_marks(std::size_t f) {
        return min_leaf_ <= 1 && problem_.table.features[f].plain() && !found_[f].listed &&
               mark(f);
    }
    void clear_marks();
    std::size_t words_of(std::size_t f) const {
        return (static_cast<std::size_t>(problem_.table.features[f].n_codes) + 63) / 64;
    }
    // For the codes marked: the number of tests; the k-th code; the next one.
    std::size_t n_tests() const;
    std::uint32_t marked_code(std::size_t k) const;
    std::uint32_t next_code(std::uint32_t code) const;
    void count_rows(const Feature& feature);

    const Problem& problem_;
    std::uint64_t min_leaf_;
    Rows rows_;
    std::vector<FoundCuts> found_;
    std::vector<Cut> cuts_;
    // Bits of the codes of a feature that occur, and how many these are; that feature.
    std::vector<std::uint64_t> occupied_;
    std::size_t n_marked_ = 0, marked_ = kNone;
    // Scratch: the codes, and rows of the data by code.
    std::vector<std::uint32_t> codes_;
    std::vector<std::uint64_t> n_rows_;
};

}  // namespace slp::mcmc
