#include "problem/columns/kinds.hpp"

#include <algorithm>
#include <cmath>

namespace slp {

bool Feature::sound() const {
    return with_kind(*this, [this](const auto& own) {
        constexpr bool takes_sides = requires { own.other; };
        return takes_sides == has_versions() && own.kLooksAtResponse == looks_at_response() &&
               own.sound(static_cast<std::size_t>(n_codes));
    });
}

std::size_t Feature::most_cuts(std::size_t n_rows) const {
    const std::size_t most = std::min(static_cast<std::size_t>(n_codes), n_rows);
    return with_kind(*this, [&](const auto& own) { return own.most_cuts(most); });
}

void Feature::list_cuts(std::span<const std::uint32_t> here, std::span<const std::uint32_t> rows,
                        std::vector<Cut>& out) const {
    const auto add = [&](Cut cut) { out.push_back(cut); };
    with_kind(*this, [&]<typename K>(const K& own) {
        if constexpr (K::kLooksAtResponse) {
            own.for_each_cut(here, rows, add);
        } else {
            own.for_each_cut(here, add);
        }
    });
}

RowTest Feature::test_anywhere(Cut cut) const {
    return with_kind(*this, [&](const auto& own) { return own.test_anywhere(cut); });
}

RowTest Feature::plain_test(double operand) const {
    return single() ? columns::Levels{*this}.test(Cut::on(static_cast<std::uint32_t>(operand)))
                    : columns::Thresholds{*this}.test_below(operand);
}

Missing Feature::side_of(Cut cut, double value, double second) const {
    if (!has_versions() && std::isnan(value)) {
        return Missing::untold;
    }
    return with_kind(*this, [&](const auto& own) { return own.side_of(cut, value, second); });
}

std::int32_t Feature::code_of(double value) const {
    return with_kind(*this, [&](const auto& own) { return own.code_of(value); });
}

bool Feature::same_test(Cut a, Cut b) const {
    return with_kind(*this, [&](const auto& own) { return own.same_test(a, b); });
}

bool Feature::restores(Cut now, Cut before) const {
    return with_kind(*this, [&](const auto& own) { return own.restores(now, before); });
}

bool Feature::tests_missing(Cut cut) const {
    return with_kind(*this, [&](const auto& own) {
        if constexpr (requires { own.tests_missing(cut); }) {
            return own.tests_missing(cut);
        }
        return false;
    });
}

bool Feature::are_versions(Cut right, Cut left) const {
    return with_kind(*this, [&](const auto& own) {
        if constexpr (requires { own.are_versions(right, left); }) {
            return own.are_versions(right, left);
        }
        return false;
    });
}

std::int32_t Feature::n_cells() const {
    return with_kind(*this, [](const auto& own) { return own.n_cells(); });
}

double Feature::unit() const {
    return with_kind(*this, [](const auto& own) { return own.unit(); });
}

double Feature::span(double own_unit) const {
    return with_kind(*this, [&](const auto& own) { return own.span(own_unit); });
}

double Feature::length(Cut cut, double own_unit) const {
    return with_kind(*this, [&](const auto& own) { return own.length(cut, own_unit); });
}

double Feature::log_share(Cut cut) const {
    return with_kind(*this, [&]<typename K>(const K& own) {
        if constexpr (K::kLooksAtResponse) {
            return own.log_share(cut);
        }
        return 0.0;
    });
}

std::vector<std::uint64_t> Feature::left_words(Cut cut) const {
    return with_kind(*this, [&]<typename K>(const K& own) -> std::vector<std::uint64_t> {
        if constexpr (K::kLooksAtResponse) {
            return own.left_words(cut);
        }
        return {};
    });
}

double Feature::most_sets(double n, bool misses) const {
    return with_kind(*this, [&](const auto& own) { return own.most_sets(n, misses); });
}

std::vector<double> Feature::sets_by_cuts(double n, std::size_t most) const {
    return with_kind(*this, [&](const auto& own) { return own.sets_by_cuts(n, most); });
}

}  // namespace slp
