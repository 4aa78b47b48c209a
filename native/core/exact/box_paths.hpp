// Boxes drawn at random: paths from the root, side by side, which choose for each feature the codes
// that a box keeps (estimate.hpp).

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "exact/random_descents.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// One path: the rows that are left, and the ends that must keep occurring.
struct Path {
    std::vector<std::uint32_t> rows;
    // For each feature done, the codes that were chosen: both ends and that of missing values, or
    // all levels kept.
    std::vector<std::vector<std::uint32_t>> ends;
};

// Paths from the root to boxes, side by side, through the same sequence of choices.
class Paths {
public:
    // order: the features in the order of the choices; it must outlive this object.
    Paths(const Problem& problem, const std::vector<std::size_t>& order, std::size_t n,
          std::uint64_t seed);

    // Log of the estimated number of boxes, and whether it stopped because there are enough, or
    // because go_on, called for each feature, returned false.
    double run(bool& more, const std::function<bool()>& go_on);

    const std::vector<Path>& paths() const { return paths_; }

private:
    const std::vector<std::uint32_t>& codes(std::size_t f) const {
        return problem_.table.features[f].codes;
    }
    // The codes of a feature, reversed for an upper end.
    struct Codes {
        const Feature& feature;
        bool lower;

        bool is_missing(std::uint32_t row) const {
            return feature.codes[row] == feature.missing();
        }
        std::uint32_t in_order(std::uint32_t code) const {
            return lower ? code : static_cast<std::uint32_t>(feature.n_codes) - 1 - code;
        }
        std::uint32_t operator[](std::uint32_t row) const { return in_order(feature.codes[row]); }
    };

    template <typename Open, typename Take>
    void choose(Open open, Take take);
    void choose_end(std::size_t f, bool lower);
    std::vector<std::uint32_t> open_ends(const Path& path, const Codes& code);
    std::uint32_t farthest_end(const Path& path, const Codes& code) const;
    void choose_level(std::size_t f, std::uint32_t level);
    std::vector<std::uint32_t> open_choices(const Path& path, std::size_t f,
                                            std::uint32_t level) const;
    void draw_anew(std::vector<std::vector<std::uint32_t>>& open);

    const Problem& problem_;
    const std::vector<std::size_t>& order_;
    Random random_;
    std::uint64_t least_;  // rows of the data that a box has, at least
    std::vector<Path> paths_;
    double log_number_ = 0;
    std::vector<std::uint64_t> rows_of_;  // by code; 0 between uses
};

}  // namespace slp::exact
