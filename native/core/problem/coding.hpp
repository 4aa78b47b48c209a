// Coding of columns and merging of repeated rows.
//
// The contract of the first compiled kernels. Nothing in native/core knows of Python: inputs are
// spans over memory that the caller keeps alive, results own their memory, and no function keeps
// state, so that any number of threads may call them at once.
//
// Dimension letters: n rows, d features, m distinct rows, c cuts.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slp {

// A column of numbers as small integers.
struct CodedColumn {
    // The distinct values, strictly increasing. Minus zero is zero.
    std::vector<double> values;
    // Length n. Row i holds values[codes[i]].
    std::vector<std::int32_t> codes;
};

// Codes a column by its own distinct values.
//
// column: length n, n < 2^31, without NaN; infinities are values like others.
// Time O(n), by sorting bytes; 32 n bytes while it runs.
CodedColumn code_values(std::span<const double> column);

// Codes a column by declared cuts: code = number of cuts <= value, so that code i says
// cuts[i-1] <= value < cuts[i].
//
// column: length n, without NaN. cuts: length c, c < 2^31, strictly increasing, without NaN.
// Returns n codes in 0..c. Time O(n log c).
std::vector<std::int32_t> code_by_cuts(std::span<const double> column,
                                       std::span<const double> cuts);

// The bytes of a table of codes, row by row in one block of memory that it does not own. A code may
// take any number of bytes, the same in every row.
struct CodeTable {
    // Length n_rows * width; row i is the `width` bytes from i * width on.
    std::span<const std::uint8_t> bytes;
    // n. Kept beside the bytes because a table without features still has rows.
    std::size_t n_rows;
    std::size_t width;

    std::span<const std::uint8_t> row(std::size_t i) const {
        return bytes.subspan(i * width, width);
    }
};

// The distinct rows of a table and where each row of the table went.
struct MergedRows {
    // Length m: the first row of the table of each kind, ascending.
    std::vector<std::int64_t> first;
    // Length n. Row i of the table equals distinct row row_of[i].
    std::vector<std::int64_t> row_of;
    // Length m. Rows of the table that each distinct row stands for; they sum to n.
    std::vector<std::int64_t> counts;
};

// Merges rows that are equal in every feature. Without features all rows are equal.
//
// Expected time O(n width), by hashing.
MergedRows merge_rows(const CodeTable& table);

}  // namespace slp
