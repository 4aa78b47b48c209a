#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"
#include "problem/coding.hpp"

using slp::CodeTable;
using slp::test::check;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Doubles = std::vector<double>;
using Codes = std::vector<std::int32_t>;
using Bytes = std::vector<std::uint8_t>;
using Counts = std::vector<std::int64_t>;

Bytes random_bytes(std::size_t length, int largest, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_int_distribution<int> code(0, largest);
    Bytes bytes(length);
    for (auto& byte : bytes) {
        byte = static_cast<std::uint8_t>(code(generator));
    }
    return bytes;
}

}  // namespace

TEST(values_are_sorted_and_codes_point_to_them) {
    const auto coded = slp::code_values(Doubles{2.5, -infinity, 2.5, infinity, -1.0});
    check(coded.values == Doubles{-infinity, -1.0, 2.5, infinity});
    check(coded.codes == Codes{2, 0, 2, 3, 1});
}

TEST(numbers_of_every_size_are_coded_in_order) {
    std::mt19937_64 generator(3);
    Doubles column;
    while (column.size() < 3000) {
        const auto x = std::bit_cast<double>(generator());
        const auto few = static_cast<double>(generator() % 7) - 3.0;
        if (!std::isnan(x)) {
            column.insert(column.end(), {x, -x, few, few / 8, std::nextafter(few, x)});
        }
    }
    Doubles want = column;
    std::ranges::sort(want);
    const auto repeated = std::ranges::unique(want);
    want.erase(repeated.begin(), repeated.end());
    const auto coded = slp::code_values(column);
    check(coded.values == want);
    for (std::size_t i = 0; i < column.size(); ++i) {
        check(coded.values[static_cast<std::size_t>(coded.codes[i])] == column[i]);
    }
}

TEST(minus_zero_is_zero) {
    for (const Doubles& column : {Doubles{-0.0, 0.0}, Doubles{0.0, -0.0}, Doubles{-0.0}}) {
        const auto coded = slp::code_values(column);
        check(coded.values.size() == 1 && !std::signbit(coded.values[0]));
    }
}

TEST(an_empty_column_has_no_values) {
    const auto coded = slp::code_values(Doubles{});
    check(coded.values.empty() && coded.codes.empty());
}

TEST(a_value_on_a_cut_lies_above_it) {
    const Doubles cuts{1.0, 2.0};
    check(slp::code_by_cuts(Doubles{0.5, 1.0, 1.5, 2.0, infinity}, cuts) == Codes{0, 1, 1, 2, 2});
    check(slp::code_by_cuts(Doubles{0.5, 7.0}, Doubles{}) == Codes{0, 0});
}

TEST(equal_rows_merge_in_order_of_appearance) {
    const Bytes bytes{3, 1, 0, 0, 3, 1, 0, 2, 3, 1};
    const auto merged = slp::merge_rows(CodeTable{bytes, 5, 2});
    check(merged.first == Counts{0, 1, 3});
    check(merged.row_of == Counts{0, 1, 0, 2, 0});
    check(merged.counts == Counts{3, 1, 1});
}

TEST(rows_without_features_are_all_equal) {
    const auto merged = slp::merge_rows(CodeTable{{}, 4, 0});
    check(merged.first == Counts{0});
    check(merged.row_of == Counts{0, 0, 0, 0});
    check(merged.counts == Counts{4});
}

TEST(no_rows_merge_to_none) {
    const auto merged = slp::merge_rows(CodeTable{{}, 0, 3});
    check(merged.first.empty() && merged.row_of.empty() && merged.counts.empty());
}

TEST(merged_rows_stand_for_the_table) {
    for (const std::size_t width : {1, 3, 8, 11}) {
        constexpr std::size_t n = 2000;
        const Bytes bytes = random_bytes(n * width, width == 3 ? 6 : 1, 1);
        const CodeTable table{bytes, n, width};
        const auto merged = slp::merge_rows(table);
        for (std::size_t i = 0; i < n; ++i) {
            const auto kind = static_cast<std::size_t>(merged.row_of[i]);
            const auto first = static_cast<std::size_t>(merged.first[kind]);
            check(first <= i && std::ranges::equal(table.row(i), table.row(first)));
        }
        for (std::size_t a = 0; a < merged.first.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                check(!std::ranges::equal(table.row(static_cast<std::size_t>(merged.first[a])),
                                          table.row(static_cast<std::size_t>(merged.first[b]))));
            }
        }
        check(std::accumulate(merged.counts.begin(), merged.counts.end(), std::int64_t{0}) == n);
    }
}

TEST(kernels_may_run_at_once) {
    constexpr std::size_t n = 500, d = 4;
    const Bytes bytes = random_bytes(n * d, 2, 2);
    const CodeTable table{bytes, n, d};
    const auto want = slp::merge_rows(table);
    std::vector<Counts> have(4);
    {
        std::vector<std::jthread> threads;
        for (auto& row_of : have) {
            threads.emplace_back([&table, &row_of] { row_of = slp::merge_rows(table).row_of; });
        }
    }
    for (const auto& row_of : have) {
        check(row_of == want.row_of);
    }
}
