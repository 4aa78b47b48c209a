// For tables whose features have two codes each: a bit for each feature of a row, set where the row
// goes left. Planes (a bit for each row) of many rows are found 64 rows and 64 features at a time.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "budget.hpp"
#include "problem/problem.hpp"

namespace slp::search {

class RowBits {
public:
    // Empty for other tables, and where the bits (n * d) are no small part of the budget.
    RowBits(const Problem& problem, Budget& budget) : charge_(budget) {
        const auto& features = problem.table.features;
        const std::size_t n = problem.table.n_rows, words = (features.size() + 63) / 64;
        const std::size_t bytes = n * words * sizeof(std::uint64_t);
        const bool two_codes = std::ranges::all_of(
            features,
            [](const Feature& feature) { return feature.n_codes <= 2 && feature.plain(); });
        if (!two_codes || bytes > budget.left() / kPartOfBudget) {
            return;
        }
        charge_.add(bytes);
        words_ = words;
        bits_.assign(n * words, 0);
        for (std::size_t f = 0; f < features.size(); ++f) {
            const RowTest test = features[f].test(features[f].plain_cut(0, 1));
            for (std::uint32_t row = 0; row < n; ++row) {
                bits_[row * words + f / 64] |= std::uint64_t{test.plain_goes_left(row)}
                                               << (f % 64);
            }
        }
    }

    // Words of a row; 0 if there are no bits.
    std::size_t words() const { return words_; }
    // The bit of feature f is bit f % 64 of word f / 64.
    const std::uint64_t* of(std::uint32_t row) const { return bits_.data() + row * words_; }

    using Block = std::array<std::uint64_t, 64>;

    // Bit i of word j becomes bit j of word i.
    static void transpose(Block& block) {
        std::uint64_t mask = 0xFFFFFFFF;
        for (std::size_t width = 32; width > 0; width /= 2, mask ^= mask << width) {
            for (std::size_t i = 0; i < 64; i = ((i | width) + 1) & ~width) {
                const std::uint64_t both = ((block[i] >> width) ^ block[i | width]) & mask;
                block[i] ^= both << width;
                block[i | width] ^= both;
            }
        }
    }

private:
    static constexpr std::size_t kPartOfBudget = 8;

    Charge charge_;
    std::size_t words_ = 0;
    std::vector<std::uint64_t> bits_;
};

}  // namespace slp::search
