#include "problem/coding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace slp {

namespace {

// Hash of a row: every eight bytes are folded in and stirred with the finaliser of SplitMix64
// (Steele, Lea & Flood 2014), since codes are small and their low bits alike.
struct RowHash {
    const CodeTable* table;

    std::size_t operator()(std::size_t i) const {
        std::uint64_t h = 0;
        const auto row = table->row(i);
        for (std::size_t at = 0; at < row.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, row.data() + at, std::min(row.size() - at, sizeof word));
            h += 0x9e3779b97f4a7c15ULL + word;
            h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
            h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
            h ^= h >> 31;
        }
        return static_cast<std::size_t>(h);
    }
};

// A number of a column as an integer of the same order, and its row.
struct Cell {
    std::uint64_t key;
    std::uint32_t row;
};

std::uint64_t key_of(double x) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // minus zero becomes zero
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// The cells in order: sorted by one byte of their keys after the other, from the lowest. A byte
// that all keys share, as most of those of whole numbers, takes no pass.
std::vector<Cell> sorted(std::span<const double> column) {
    std::vector<Cell> cells, others(column.size());
    cells.reserve(column.size());
    std::array<std::array<std::uint32_t, 256>, 8> counts{};
    for (std::uint32_t row = 0; row < column.size(); ++row) {
        const std::uint64_t key = key_of(column[row]);
        cells.push_back({key, row});
        for (std::size_t byte = 0; byte < 8; ++byte) {
            ++counts[byte][key >> (8 * byte) & 255];
        }
    }
    for (std::size_t byte = 0; byte < 8 && !cells.empty(); ++byte) {
        auto& places = counts[byte];
        if (places[cells[0].key >> (8 * byte) & 255] == cells.size()) {
            continue;
        }
        std::exclusive_scan(places.begin(), places.end(), places.begin(), std::uint32_t{0});
        for (const Cell& cell : cells) {
            others[places[cell.key >> (8 * byte) & 255]++] = cell;
        }
        cells.swap(others);
    }
    return cells;
}

}  // namespace

CodedColumn code_values(std::span<const double> column) {
    CodedColumn result;
    result.codes.resize(column.size());
    std::int32_t code = -1;
    std::uint64_t last = 0;
    for (const Cell& cell : sorted(column)) {
        if (code < 0 || cell.key != last) {
            last = cell.key;
            ++code;
            result.values.push_back(column[cell.row] + 0.0);
        }
        result.codes[cell.row] = code;
    }
    result.values.shrink_to_fit();  // they are kept, and may be few among many rows
    return result;
}

std::vector<std::int32_t> code_by_cuts(std::span<const double> column,
                                       std::span<const double> cuts) {
    std::vector<std::int32_t> codes;
    codes.reserve(column.size());
    for (const double x : column) {
        const auto place = std::ranges::upper_bound(cuts, x);
        codes.push_back(static_cast<std::int32_t>(place - cuts.begin()));
    }
    return codes;
}

MergedRows merge_rows(const CodeTable& table) {
    MergedRows result;
    result.row_of.reserve(table.n_rows);
    // Open addressing: of each kind the first row, at most half of the slots taken.
    constexpr auto kFree = std::numeric_limits<std::size_t>::max();
    const std::size_t mask = std::bit_ceil(2 * table.n_rows + 2) - 1;
    std::vector<std::size_t> slots(mask + 1, kFree);
    const RowHash hash{&table};
    for (std::size_t i = 0; i < table.n_rows; ++i) {
        const auto row = table.row(i);
        std::size_t slot = hash(i) & mask;
        while (slots[slot] != kFree && !std::ranges::equal(row, table.row(slots[slot]))) {
            slot = (slot + 1) & mask;
        }
        if (slots[slot] == kFree) {
            slots[slot] = i;
            result.first.push_back(static_cast<std::int64_t>(i));
            result.counts.push_back(0);
            result.row_of.push_back(static_cast<std::int64_t>(result.counts.size()) - 1);
        } else {
            result.row_of.push_back(result.row_of[slots[slot]]);
        }
        ++result.counts[static_cast<std::size_t>(result.row_of.back())];
    }
    return result;
}

}  // namespace slp
