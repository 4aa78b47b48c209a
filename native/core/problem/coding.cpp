#include "problem/coding.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace slp {

namespace {

// Hash of a row's codes: each code is folded in and stirred with the finaliser of SplitMix64
// (Steele, Lea & Flood 2014), since codes are small and their low bits alike.
struct RowHash {
    const CodeTable* table;

    std::size_t operator()(std::size_t i) const {
        std::uint64_t h = 0;
        for (const std::int32_t code : table->row(i)) {
            h += 0x9e3779b97f4a7c15ULL + static_cast<std::uint32_t>(code);
            h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
            h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
            h ^= h >> 31;
        }
        return static_cast<std::size_t>(h);
    }
};

}  // namespace

CodedColumn code_values(std::span<const double> column) {
    CodedColumn result;
    result.values.assign(column.begin(), column.end());
    std::ranges::sort(result.values);
    const auto repeated = std::ranges::unique(result.values);
    result.values.erase(repeated.begin(), repeated.end());
    result.values.shrink_to_fit();  // they are kept, and may be few among many rows
    for (double& value : result.values) {
        value += 0.0;  // minus zero becomes zero
    }
    result.codes.reserve(column.size());
    for (const double x : column) {
        const auto place = std::ranges::lower_bound(result.values, x);
        result.codes.push_back(static_cast<std::int32_t>(place - result.values.begin()));
    }
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
            result.distinct.insert(result.distinct.end(), row.begin(), row.end());
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
