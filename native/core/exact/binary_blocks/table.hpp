// Tables in which no feature has more than two values. A row is then a word of bits.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "exact/block_grammar.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// Words of bits, one for each feature: narrow ones are faster.
using Narrow = std::uint64_t;
__extension__ using Wide = unsigned __int128;
template <typename Word>
inline constexpr std::size_t kBits = 8 * sizeof(Word);

inline std::size_t count_bits(Narrow word) {
    return static_cast<std::size_t>(std::popcount(word));
}
inline std::size_t count_bits(Wide word) {
    return count_bits(Narrow(word)) + count_bits(Narrow(word >> kBits<Narrow>));
}

// The number of the lowest bit; of 0 that is kBits.
inline std::size_t lowest_bit(Narrow word) {
    return static_cast<std::size_t>(std::countr_zero(word));
}
inline std::size_t lowest_bit(Wide word) {
    const std::size_t low = lowest_bit(Narrow(word));
    return low < kBits<Narrow> ? low : low + lowest_bit(Narrow(word >> kBits<Narrow>));
}

// Boxes of at most so many distinct rows are small: they are evaluated with all sets of their rows
// (binary_blocks/small_boxes.hpp). Where each set has a vector, look-ups soon take less time.
template <bool kVector>
inline constexpr std::size_t kFewRows = kVector ? 3 : 6;
inline constexpr std::size_t kMostFewRows = kFewRows<false>;

template <typename Word>
struct BinaryTable {
    struct BinaryRow {
        Key key;
        Sizes sizes;
        // One for each feature that tells rows apart: whether the row has the larger code.
        Word bits;
    };
    std::vector<BinaryRow> rows;
    // Number of the feature of each bit; ascending.
    std::vector<std::uint32_t> features;
    // The cell and the length of each bit's split, as in problem/geometry.hpp.
    std::vector<std::int32_t> cells;
    std::vector<double> lengths;

    // The bit of a feature; none if the feature does not tell rows apart.
    Word bit_of(std::int32_t feature) const {
        for (std::size_t b = 0; b < features.size(); ++b) {
            if (static_cast<std::int32_t>(features[b]) == feature) {
                return Word{1} << b;
            }
        }
        return 0;
    }

    // Bits that part these rows.
    Word varying(std::span<const std::uint32_t> of) const {
        Word any = 0, every = ~Word{0};
        for (const std::uint32_t row : of) {
            any |= rows[row].bits;
            every &= rows[row].bits;
        }
        return any & ~every;
    }
};

using AnyBinaryTable = std::variant<BinaryTable<Narrow>, BinaryTable<Wide>>;

// The rows as words of bits, or nothing if some feature has more than two values, or more have two
// than a word has bits.
template <typename Word>
std::optional<AnyBinaryTable> table_of(const Problem& problem, const Geometry& geometry,
                                       const BlockGrammar& grammar) {
    const Table& table = problem.table;
    BinaryTable<Word> out;
    for (std::uint32_t row = 0; row < table.n_rows; ++row) {
        out.rows.push_back({geometry.key_of(row), geometry.sizes_of(row), 0});
    }
    for (std::uint32_t f = 0; f < table.features.size(); ++f) {
        const std::vector<std::uint32_t>& codes = table.features[f].codes;
        const auto [low, high] = std::minmax_element(codes.begin(), codes.end());
        if (low == codes.end() || *low == *high || !grammar.is_split[f]) {
            continue;
        }
        if (out.features.size() == kBits<Word> ||
            !std::all_of(codes.begin(), codes.end(),
                         [&](std::uint32_t code) { return code == *low || code == *high; })) {
            return std::nullopt;
        }
        const Word bit = Word{1} << out.features.size();
        out.features.push_back(f);
        const Cut cut = table.features[f].plain_cut(*low, *high);
        out.cells.push_back(table.features[f].cell(cut));
        out.lengths.push_back(geometry.length(f, cut));
        for (std::uint32_t row = 0; row < table.n_rows; ++row) {
            out.rows[row].bits |= codes[row] == *high ? bit : 0;
        }
    }
    return out;
}

// The same with the narrowest words that have enough bits.
inline std::optional<AnyBinaryTable> binary_table(const Problem& problem, const Geometry& geometry,
                                                  const BlockGrammar& grammar) {
    std::optional<AnyBinaryTable> narrow = table_of<Narrow>(problem, geometry, grammar);
    return narrow ? narrow : table_of<Wide>(problem, geometry, grammar);
}

}  // namespace slp::exact
