// Where things are met among the ranks of a block: rows of a side of a split, and levels.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace slp::exact {

// For every rank i the first rank from i on at which something holds; k if there is none.
template <typename Holds>
void find_next(std::size_t k, std::vector<std::uint32_t>& next, Holds holds) {
    auto found = static_cast<std::uint32_t>(k);
    for (std::size_t i = k; i-- > 0;) {
        found = holds(i) ? static_cast<std::uint32_t>(i) : found;
        next[i] = found;
    }
}

// Where the ranks of a side of a split are among the side's own: `below[i]` of them are below i,
// and the last up to i has number `last[i]` (below 0, wrapped, where there is none).
struct SideRanks {
    std::vector<std::uint32_t> below, last;

    explicit SideRanks(std::size_t most) : below(most), last(most) {}

    template <typename Holds>
    void find(std::size_t k, Holds holds) {
        std::uint32_t n = 0;
        for (std::size_t i = 0; i < k; ++i) {
            below[i] = n;
            n += holds(i) ? 1 : 0;
            last[i] = n - 1;
        }
    }
};

// The levels of a feature by rank, for splits on them.
class LevelRanks {
public:
    explicit LevelRanks(std::size_t most) : levels_(most), next_(most) {}

    // Finds for each of k ranks the next three levels from there on, and their ranks. order: codes
    // and rows, code << 32 | row, codes ascending.
    void find(std::size_t k, std::span<const std::uint64_t> order,
              std::span<const std::uint32_t> rank_of_row) {
        std::fill_n(levels_.begin(), k, First{});
        for (std::size_t at = 0; at < order.size();) {
            const auto level = static_cast<std::uint32_t>(order[at] >> 32);
            std::fill_n(next_.begin(), k, 0U);
            for (; at < order.size() && order[at] >> 32 == level; ++at) {
                next_[rank_of_row[static_cast<std::uint32_t>(order[at])]] = 1;
            }
            find_next(k, next_, [&](std::size_t i) { return next_[i] != 0; });
            for (std::size_t i = 0; i < k; ++i) {
                if (next_[i] < k) {
                    levels_[i].add(next_[i], level);
                }
            }
        }
    }

    // If two levels are left, `= a` and `= b` are one split, on the first: members where
    // `level` is the second begin to have it where there is a third.
    void skip_second_of_pairs(std::size_t k, std::uint32_t level,
                              std::vector<std::uint32_t>& start) const {
        for (std::size_t i = 0; i < k; ++i) {
            const First& first = levels_[i];
            const std::uint32_t second = std::max(first.level[0], first.level[1]);
            if (first.position[1] < k && level == second) {
                const auto third = std::min(first.position[2], static_cast<std::uint32_t>(k));
                start[i] = std::max(start[i], third);
            }
        }
    }

    // Members (i, j) from j = `start[i]` to `end` - 1 have two levels, `level` and `second`; NaN
    // and 0 where there are none.
    struct Pair {
        double second;
        std::uint32_t end;
    };
    Pair pair(std::size_t k, std::size_t i, std::uint32_t level) const {
        const First& first = levels_[i];
        if (first.position[1] >= k || (level != first.level[0] && level != first.level[1])) {
            return {std::numeric_limits<double>::quiet_NaN(), 0};
        }
        return {static_cast<double>(level == first.level[0] ? first.level[1] : first.level[0]),
                std::min(first.position[2], static_cast<std::uint32_t>(k))};
    }

private:
    // The first levels that occur from a rank on, by where they do; lower levels first among
    // equals.
    struct First {
        std::uint32_t position[3] = {~0U, ~0U, ~0U};
        std::uint32_t level[3] = {0, 0, 0};

        void add(std::uint32_t where, std::uint32_t which) {
            for (int i = 0; i < 3; ++i) {
                if (where < position[i]) {
                    std::swap(where, position[i]);
                    std::swap(which, level[i]);
                }
            }
        }
    };

    std::vector<First> levels_;
    std::vector<std::uint32_t> next_;
};

}  // namespace slp::exact
