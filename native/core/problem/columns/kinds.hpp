// The kinds of columns, and what each of them defines: `Kind` below stands for any of them. What
// a function means is said in feature.hpp, where passes ask for it.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/columns/concepts.hpp"
#include "problem/columns/feature.hpp"
#include "problem/columns/levels.hpp"
#include "problem/columns/ordered_subsets.hpp"
#include "problem/columns/sided.hpp"
#include "problem/columns/subsets.hpp"
#include "problem/columns/thresholds.hpp"

namespace slp {

// A view of a feature's data; cells are counted from its first one.
template <typename K>
concept ColumnKind = requires(const K kind, Cut cut, Cut& out, double x, std::size_t n,
                              std::span<const std::uint32_t> codes) {
    // Whether left sides are all codes up to one, or one code; the second; whether there are
    // thresholds; whether every partition is a cut; whether a cut may say no side of a third code;
    // whether cuts depend on the responses: then functions are given rows too.
    requires std::same_as<decltype(K::kPlain), const bool>;
    requires std::same_as<decltype(K::kSingle), const bool>;
    requires std::same_as<decltype(K::kOrdered), const bool>;
    requires std::same_as<decltype(K::kAnyPartition), const bool>;
    requires std::same_as<decltype(K::kNamesPairs), const bool>;
    requires std::same_as<decltype(K::kLooksAtResponse), const bool>;
    { kind.sound(n) } -> std::same_as<bool>;
    // The cuts of a box, and those between or around sets of codes.
    { kind.most_cuts(n) } -> std::same_as<std::size_t>;
    requires K::kLooksAtResponse || requires {
        kind.for_each_cut(codes, [](Cut) {});
        kind.cuts_keeping(codes, codes, [](std::ptrdiff_t at) { return at; }, [](Cut, bool) {});
    };
    requires !K::kLooksAtResponse || requires {
        kind.for_each_cut(codes, codes, [](Cut) {});
        kind.cuts_keeping(codes, codes, codes, [](std::ptrdiff_t at) { return at; },
                          [](Cut, bool) {});
        { kind.log_share(cut) } -> std::same_as<double>;
        { kind.left_words(cut) } -> std::same_as<std::vector<std::uint64_t>>;
    };
    { kind.cut_between([](auto) {}, [](auto) {}, out) } -> std::same_as<bool>;
    // Sides.
    { kind.test(cut) } -> std::same_as<RowTest>;
    { kind.test_anywhere(cut) } -> std::same_as<RowTest>;
    { kind.side_of(cut, x, x) } -> std::same_as<Missing>;
    { kind.code_of(x) } -> std::same_as<std::int32_t>;
    { kind.same_test(cut, cut) } -> std::same_as<bool>;
    { kind.restores(cut, cut) } -> std::same_as<bool>;
    // Numbers.
    { kind.n_cells() } -> std::same_as<std::int32_t>;
    { kind.cell(cut) } -> std::same_as<std::int32_t>;
    { kind.unit() } -> std::same_as<double>;
    { kind.gap(cut, x) } -> std::same_as<double>;
    { kind.span(x) } -> std::same_as<double>;
    { kind.length(cut, x) } -> std::same_as<double>;
    { kind.most_sets(x, true) } -> std::same_as<double>;
    { kind.sets_by_cuts(x, n) } -> std::same_as<std::vector<double>>;
};

// Calls use(kind) with the feature's kind.
template <typename Use>
decltype(auto) with_kind(const Feature& feature, Use use) {
    const auto found = [&]<ColumnKind K>() -> decltype(auto) { return use(K{feature}); };
    switch (feature.kind) {
        case FeatureKind::levels:
            return feature.holes ? found.template operator()<columns::Sided<columns::Levels>>()
                                 : found.template operator()<columns::Levels>();
        case FeatureKind::subsets: return found.template operator()<columns::Subsets>();
        case FeatureKind::ordered_subsets:
            return found.template operator()<columns::OrderedSubsets>();
        case FeatureKind::concepts: return found.template operator()<columns::Concepts>();
        case FeatureKind::values:
        case FeatureKind::cuts:
            return feature.holes
                       ? found.template operator()<columns::Sided<columns::Thresholds>>()
                       : found.template operator()<columns::Thresholds>();
    }
    __builtin_unreachable();  // so that the compiler tells of a kind that is forgotten here
}

// Calls use(kind) with the kind of a feature that has thresholds.
template <typename Use>
decltype(auto) with_thresholds(const Feature& feature, Use use) {
    const columns::Thresholds own{feature};
    return feature.holes ? use(columns::Sided<columns::Thresholds>{feature}) : use(own);
}

inline bool Feature::plain() const {
    return with_kind(*this, []<typename K>(const K&) { return K::kPlain; });
}
inline bool Feature::single() const {
    return with_kind(*this, []<typename K>(const K&) { return K::kSingle; });
}
inline bool Feature::ordered() const {
    return with_kind(*this, []<typename K>(const K&) { return K::kOrdered; });
}
inline bool Feature::any_partition() const {
    return with_kind(*this, []<typename K>(const K&) { return K::kAnyPartition; });
}

inline bool Feature::names_pairs() const {
    return with_kind(*this, []<typename K>(const K&) { return K::kNamesPairs; });
}

inline std::size_t Feature::n_plain_cuts(std::size_t n) const {
    return single() ? columns::Levels::n_cuts(n) : columns::Thresholds::n_cuts(n);
}
inline Cut Feature::plain_cut(std::uint32_t code, std::uint32_t next) const {
    return single() ? Cut::on(code) : Cut::between(code, next);
}
template <typename Left, typename Right>
bool Feature::cut_between(Left left, Right right, Cut& out) const {
    const auto codes_of = [this](const auto& given) {
        return [this, &given](auto use) {
            given([&](std::uint32_t row) { use(codes[row]); });
        };
    };
    return with_kind(*this, [&]<typename K>(const K& own) {
        if constexpr (K::kLooksAtResponse) {
            return own.cut_between(left, right, out);
        } else {
            return own.cut_between(codes_of(left), codes_of(right), out);
        }
    });
}
template <typename Step, typename Add>
void Feature::cuts_keeping(std::span<const std::uint32_t> here,
                           std::span<const std::uint32_t> kept,
                           std::span<const std::uint32_t> rows, Step step, Add add) const {
    with_kind(*this, [&]<typename K>(const K& own) {
        if constexpr (K::kLooksAtResponse) {
            own.cuts_keeping(here, kept, rows, step, add);
        } else {
            own.cuts_keeping(here, kept, step, add);
        }
    });
}

inline RowTest Feature::test(Cut cut) const {
    return with_kind(*this, [&](const auto& own) { return own.test(cut); });
}
inline std::int32_t Feature::cell(Cut cut) const {
    return first_cell + with_kind(*this, [&](const auto& own) { return own.cell(cut); });
}
inline double Feature::threshold(Cut cut) const {
    return with_thresholds(*this, [&](const auto& own) { return own.threshold(cut); });
}
inline double Feature::gap(Cut cut, double own_unit) const {
    return with_kind(*this, [&](const auto& own) { return own.gap(cut, own_unit); });
}

}  // namespace slp
