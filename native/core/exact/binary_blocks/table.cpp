#include "exact/binary_blocks/table.hpp"

#include <algorithm>

namespace slp::exact {

namespace {

template <typename Word>
std::optional<AnyBinaryTable> table_of(const Problem& problem, const Geometry& geometry) {
    const Table& table = problem.table;
    BinaryTable<Word> out;
    for (std::uint32_t row = 0; row < table.n_rows; ++row) {
        out.rows.push_back({geometry.key_of(row), geometry.sizes_of(row), 0});
    }
    for (std::uint32_t f = 0; f < table.features.size(); ++f) {
        const std::vector<std::uint32_t>& codes = table.features[f].codes;
        const auto [low, high] = std::minmax_element(codes.begin(), codes.end());
        if (low == codes.end() || *low == *high) {
            continue;
        }
        if (out.features.size() == kBits<Word> ||
            !std::all_of(codes.begin(), codes.end(),
                         [&](std::uint32_t code) { return code == *low || code == *high; })) {
            return std::nullopt;
        }
        const Word bit = Word{1} << out.features.size();
        out.features.push_back(f);
        out.cells.push_back(geometry.cell_of_split(table.features[f], *low, *high));
        out.lengths.push_back(geometry.length(f, *low, *high));
        for (std::uint32_t row = 0; row < table.n_rows; ++row) {
            out.rows[row].bits |= codes[row] == *high ? bit : 0;
        }
    }
    return out;
}

}  // namespace

std::optional<AnyBinaryTable> binary_table(const Problem& problem, const Geometry& geometry) {
    std::optional<AnyBinaryTable> narrow = table_of<Narrow>(problem, geometry);
    return narrow ? narrow : table_of<Wide>(problem, geometry);
}

}  // namespace slp::exact
