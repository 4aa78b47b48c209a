// Every kind of column against the definition of its cuts: which partitions of the codes in a box
// they are.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "check.hpp"
#include "problem/columns/left_sides.hpp"

using namespace slp;
using slp::test::check;

namespace {

using Codes = std::vector<std::uint32_t>;

// Of each row, how often it has each of two classes: shares of the second of 1/2, 1/4, 1/2, 0, 3/4
// and 1/4.
const std::vector<double> kCounts{1, 1, 3, 1, 2, 2, 4, 0, 1, 3, 6, 2};

double share(std::uint32_t code) {
    return kCounts[2 * code + 1] / (kCounts[2 * code] + kCounts[2 * code + 1]);
}

// A row for each code; of `holes` the last code is that of missing values.
Feature feature_of(FeatureKind kind, bool holes) {
    constexpr std::uint32_t kCodes = 6;
    Feature out;
    out.kind = kind;
    out.n_codes = kCodes;
    out.holes = holes;
    out.first_cell = 3;
    for (std::uint32_t code = 0; code < kCodes; ++code) {
        out.codes.push_back(code);
        out.numbers.push_back(code * code);
    }
    out.numbers.resize(kCodes - (kind == FeatureKind::cuts) - holes);
    out.breakpoints = {5.0};
    if (kind != FeatureKind::values && kind != FeatureKind::cuts) {
        out.numbers.clear();
        out.breakpoints.clear();
    }
    if (kind == FeatureKind::ordered_subsets) {
        out.orders = std::make_shared<LevelOrders>();
        out.orders->set_leaf(std::make_shared<const LeafModel>("dirichlet", std::vector{1.0, 1.0},
                                                               kCounts, 2));
    }
    return out;
}

std::vector<Feature> features() {
    std::vector<Feature> out;
    for (const bool holes : {false, true}) {
        for (const auto kind : {FeatureKind::values, FeatureKind::cuts, FeatureKind::levels}) {
            out.push_back(feature_of(kind, holes));
        }
    }
    out.push_back(feature_of(FeatureKind::subsets, false));
    out.push_back(feature_of(FeatureKind::ordered_subsets, false));
    return out;
}

// Whether some codes are the left side of a cut of the codes in a box, both as sets.
bool is_left_side(const Feature& feature, const Codes& left, const Codes& here) {
    const std::uint32_t missing = feature.missing();
    Codes values;
    std::ranges::copy_if(here, std::back_inserter(values), [&](auto c) { return c != missing; });
    Codes own;
    std::ranges::copy_if(left, std::back_inserter(own), [&](auto c) { return c != missing; });
    const bool misses = values.size() < here.size();
    if (misses && own.empty()) {
        return left.size() == 1 && !values.empty();  // the test for missing values
    }
    if (own.empty() || own.size() == values.size()) {
        return false;
    }
    switch (feature.kind) {
        case FeatureKind::levels:
            return own.size() == 1 && (values.size() > 2 || own[0] == values[0]);
        case FeatureKind::subsets: return own[0] == values[0];
        case FeatureKind::ordered_subsets: {
            Codes others;
            std::ranges::set_difference(values, own, std::back_inserter(others));
            const auto below = [](const Codes& a, const Codes& b) {
                return share(*std::ranges::max_element(a, {}, share)) <
                       share(*std::ranges::min_element(b, {}, share));
            };
            return own[0] == values[0] && (below(own, others) || below(others, own));
        }
        default: return std::equal(own.begin(), own.end(), values.begin());
    }
}

// All sets of some codes.
std::vector<Codes> subsets_of(const Codes& codes) {
    std::vector<Codes> out;
    for (std::uint32_t set = 0; set < 1U << codes.size(); ++set) {
        Codes& own = out.emplace_back();
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (set >> i & 1) {
                own.push_back(codes[i]);
            }
        }
    }
    return out;
}

Codes side(const Feature& feature, Cut cut, const Codes& here, bool left) {
    Codes out;
    const RowTest test = feature.test(cut);
    std::ranges::copy_if(here, std::back_inserter(out),
                         [&](auto code) { return test.code_goes_left(code) == left; });
    return out;
}

auto each(const Codes& codes) {
    return [&codes](auto use) { std::ranges::for_each(codes, use); };
}

}  // namespace

TEST(the_cuts_of_a_box_are_the_partitions_that_its_kind_says) {
    for (const Feature& feature : features()) {
        check(feature.sound());
        for (const Codes& here : subsets_of(feature.codes)) {
            std::vector<Cut> cuts;
            feature.list_cuts(here, here, cuts);
            check(cuts.size() <= feature.most_cuts(here.size()));
            std::set<Codes> lefts;
            for (const Cut& cut : cuts) {
                const Codes left = side(feature, cut, here, true);
                check(is_left_side(feature, left, here));
                check(lefts.insert(left).second);
                check(feature.cell(cut) >= 3 && feature.cell(cut) < 3 + feature.n_cells());
            }
            for (const Codes& left : subsets_of(here)) {
                check(lefts.contains(left) == is_left_side(feature, left, here));
            }
        }
    }
}

TEST(a_cut_is_found_again_from_its_sides) {
    for (const Feature& feature : features()) {
        for (const Codes& here : subsets_of(feature.codes)) {
            std::vector<Cut> cuts;
            feature.list_cuts(here, here, cuts);
            std::set<Codes> lefts;
            for (const Cut& cut : cuts) {
                const Codes left = side(feature, cut, here, true);
                const Codes right = side(feature, cut, here, false);
                Cut found;
                check(feature.cut_between(each(left), each(right), found) && found == cut);
                check(feature.same_test(found, cut) && feature.restores(found, cut));
                lefts.insert(left);
            }
            for (const Codes& left : subsets_of(here)) {
                Codes right;
                std::ranges::set_difference(here, left, std::back_inserter(right));
                Cut found;
                check(left.empty() || right.empty() || lefts.contains(left) ||
                      !feature.cut_between(each(left), each(right), found));
            }
        }
    }
}

TEST(sums_over_left_sides_are_those_of_the_codes_that_go_left) {
    for (const Feature& feature : features()) {
        for (const Codes& here : subsets_of(feature.codes)) {
            std::vector<Cut> cuts;
            feature.list_cuts(here, here, cuts);
            std::set<std::uint32_t> now, kept;
            std::size_t n = 0;
            const LeftSides sides{
                .clear = [&] { now.clear(); },
                .add = [&](std::size_t i) { now.insert(here[i]); },
                .keep = [&] { kept = now; },
                .back = [&] { now = kept; },
                .cut = [&](std::size_t j) {
                    check(Codes(now.begin(), now.end()) == side(feature, cuts[j], here, true));
                    ++n;
                }};
            for_each_left_side(feature, here, cuts, sides);
            check(n == cuts.size());
        }
    }
}

TEST(a_row_with_a_third_level_has_no_side_of_a_test_of_two) {
    const Feature levels{.kind = FeatureKind::levels, .n_codes = 3, .codes = {0, 1, 2}};
    const Cut cut = Cut::on(1);
    check(levels.side_of(cut, 1, 2) == Missing::left);
    check(levels.side_of(cut, 2, 2) == Missing::right);
    check(levels.side_of(cut, 0, 2) == Missing::untold);
    check(levels.side_of(cut, -1, 2) == Missing::untold);
    check(levels.side_of(cut, 0) == Missing::right);
    check(levels.side_of(cut, -1) == Missing::right);
}

TEST(a_row_without_a_side_is_shared_by_the_weights_of_the_sides) {
    check(share_left(Untold::average, 1, 4) == 0.25);
    check(share_left(Untold::larger, 1, 4) == 0.0);
    check(share_left(Untold::larger, 2, 4) == 1.0);
    check(std::isnan(share_left(Untold::error, 1, 4)));
}

TEST(two_versions_of_a_cut_differ_in_the_side_of_missing_values_alone) {
    for (const Feature& feature : features()) {
        const std::uint32_t missing = feature.missing();
        std::vector<Cut> cuts;
        feature.list_cuts(feature.codes, feature.codes, cuts);
        std::size_t versions = 0;
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            versions += has_other_version(feature, cuts, i);
        }
        // All but the test for missing values, where there are any.
        check(versions == (missing == UINT32_MAX ? 0 : cuts.size() - 1));
        check(std::ranges::count_if(cuts, [&](Cut cut) { return feature.tests_missing(cut); }) ==
              (missing == UINT32_MAX ? 0 : 1));
    }
}

TEST(cuts_that_keep_codes_keep_them_on_the_side_that_they_say) {
    for (const Feature& feature : features()) {
        for (const Codes& kept : subsets_of(feature.codes)) {
            if (kept.empty() || kept.size() == feature.codes.size()) {
                continue;
            }
            std::vector<Cut> all;
            feature.list_cuts(feature.codes, feature.codes, all);
            const auto to_the_end = [](std::ptrdiff_t n) { return n; };
            const auto add = [&](Cut cut, bool left) {
                check(std::ranges::find(all, cut) != all.end());
                const RowTest test = feature.test(cut);
                check(std::ranges::all_of(kept, [&](auto code) {
                    return test.code_goes_left(code) == left;
                }));
            };
            feature.cuts_keeping(feature.codes, kept, feature.codes, to_the_end, add);
        }
    }
}

TEST(an_order_keeps_its_number_and_a_cut_its_sides) {
    const Feature feature = feature_of(FeatureKind::ordered_subsets, false);
    std::vector<Cut> whole, part;
    feature.list_cuts(feature.codes, feature.codes, whole);  // 3 | 1 5 | 0 2 | 4
    const Codes some{0, 1, 3, 4, 5};
    feature.list_cuts(some, some, part);  // 3 | 1 5 | 0 | 4
    check(whole.size() == 3 && part.size() == 3 && whole[0].rest() != part[0].rest());
    check(feature.orders->number(std::vector<std::uint32_t>{3, 1, 5, 0, 2, 4}) == whole[0].rest());
    for (std::size_t i = 0; i < 3; ++i) {
        check(feature.restores(whole[i], part[i]));  // the larger box sends their codes alike
        check(!feature.same_test(whole[i], part[i]) && !feature.same_test(part[i], whole[i]));
    }
    // As it is written from its sides, left first.
    const Cut written = Cut::of_order(
        4, feature.orders->number(std::vector<std::uint32_t>{0, 2, 4, 5, 1, 3}));
    check(!feature.same_cut(written, whole[1]));
    const Cut same = Cut::of_order(
        3, feature.orders->number(std::vector<std::uint32_t>{0, 2, 4, 1, 3, 5}));
    check(feature.same_cut(same, whole[1]) && feature.same_cut(whole[1], same) && same != whole[1]);
    check(feature.left_words(same) == std::vector<std::uint64_t>{0b010101});
    check(std::abs(feature.log_share(same) + std::log(31.0)) < 1e-14);
}

TEST(orders_have_the_same_numbers_for_all_threads) {
    LevelOrders orders;
    constexpr std::uint32_t kOrders = 3000, kThreads = 4;
    std::vector<std::vector<std::uint32_t>> found(kThreads);
    const auto order_of = [](std::uint32_t i) {
        std::vector<std::uint32_t> codes{i % 7, 7 + i % 60, 100 + i};
        std::ranges::rotate(codes, codes.begin() + i % 3);
        return codes;
    };
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (std::uint32_t i = 0; i < kOrders; ++i) {
                found[t].push_back(orders.number(order_of(t % 2 == 0 ? i : kOrders - 1 - i)));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::uint32_t i = 0; i < kOrders; ++i) {
        check(found[0][i] == found[2][i] && found[1][i] == found[0][kOrders - 1 - i]);
        check(orders.at(found[0][i]).codes() == order_of(i));
    }
    check(orders.bytes() > kOrders * sizeof(LevelOrder) && !orders.has(kOrders));
}

TEST(new_values_go_where_the_codes_of_the_table_go) {
    for (const Feature& feature : features()) {
        std::vector<Cut> cuts;
        feature.list_cuts(feature.codes, feature.codes, cuts);
        for (const Cut& cut : cuts) {
            const RowTest test = feature.test_anywhere(cut);
            for (const std::uint32_t code : feature.codes) {
                // Of declared cuts, the code says that as many are at the value or below it.
                const double value =
                    feature.missing() == code ? std::numeric_limits<double>::quiet_NaN()
                    : !feature.ordered()      ? code
                    : feature.kind == FeatureKind::values || code > 0
                        ? feature.numbers[code - (feature.kind == FeatureKind::cuts)]
                        : -1.0;
                const Missing want = test.code_goes_left(code) ? Missing::left : Missing::right;
                check(feature.side_of(cut, value) == want);
                check(feature.missing() == code ||
                      feature.code_of(value) == static_cast<std::int32_t>(code));
            }
        }
    }
}
