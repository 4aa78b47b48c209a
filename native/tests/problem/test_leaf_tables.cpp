// Leaf models that are tables: the number at the statistics, and what is refused.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "problem/leaf_models.hpp"

using namespace slp;
using slp::test::check;

namespace {

// Statistics of three rows: rows, sum, two whole numbers, and one that is added.
const std::vector<double> kStatistics{1, 5, 1, 2, 0.5, 2, 9, 0, 1, -0.25, 1, 5, 2, 0, 4};

// 2, then 10 a + b for sums a up to 3 and b up to 3.
std::vector<double> numbers() {
    std::vector<double> out{2};
    for (int place = 0; place < 16; ++place) {
        out.push_back(10.0 * (place / 4) + place % 4);
    }
    return out;
}

bool is_refused(std::vector<double> table, std::vector<double> statistics, std::size_t k = 5) {
    try {
        const LeafModel leaf("table", std::move(table), std::move(statistics), k);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(a_leaf_has_the_number_at_its_statistics) {
    const LeafModel leaf("table", numbers(), kStatistics, 5);
    for (unsigned chosen = 0; chosen < 8; ++chosen) {
        std::vector<std::uint32_t> rows, others;
        for (std::uint32_t row = 0; row < 3; ++row) {
            (chosen >> row & 1 ? rows : others).push_back(row);
        }
        std::vector<double> own(5), rest(5), whole(5);
        leaf.sum(rows, own.data());
        leaf.sum(others, rest.data());
        leaf.sum(std::vector<std::uint32_t>{0, 1, 2}, whole.data());
        const auto want = [](const std::vector<double>& s) { return 10 * s[2] + s[3] + s[4]; };
        check(leaf.log_marginal(own.data()) == want(own));
        double both = 0;
        leaf.log_of_sides(own.data(), 5, 1, whole.data(), &both);
        check(std::abs(both - want(own) - want(rest)) < 1e-12);
    }
}

TEST(tables_that_do_not_fit_their_statistics_are_refused) {
    check(!is_refused(numbers(), kStatistics));
    for (const std::size_t size : {16, 18}) {
        std::vector<double> table = numbers();
        table.resize(size);
        check(is_refused(table, kStatistics));
    }
    for (const double axes : std::vector<double>{0.0, 1.0, 1.5, 3.0, 4.0, -1.0, INFINITY, NAN}) {
        std::vector<double> table = numbers();
        table[0] = axes;
        check(is_refused(table, kStatistics));
    }
    for (const double wrong : std::vector<double>{-1.0, 0.5, 1e300, INFINITY, NAN}) {
        std::vector<double> statistics = kStatistics;
        statistics[2] = wrong;
        check(is_refused(numbers(), statistics));
    }
    check(is_refused({}, kStatistics));
    check(is_refused({1, 0, 0}, {1, 1}, 2));
}
