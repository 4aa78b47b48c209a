#include "exact/binary_blocks/kinds.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace slp::exact {

namespace {

// State, left and right state, weight; whether of the start alone. Or -1, a share class, and whether
// it takes the splits over.
using Term = std::array<double, 5>;

std::vector<Term> terms_of(const BlockGrammar& grammar, std::uint32_t of_class, bool mirrored) {
    std::vector<Term> out;
    for (std::size_t q = 0; q < grammar.n_shares; ++q) {
        out.push_back({-1.0, static_cast<double>(q), grammar.takes_over(q, of_class) ? 1.0 : 0.0});
    }
    const auto add = [&](std::span<const BlockGrammar::Run> runs, double of_start) {
        for (const BlockGrammar::Run& run : runs) {
            for (std::uint32_t t = 0; t < run.n; ++t) {
                double left = run.left + (run.crossed ? 0 : t), right = run.right + t;
                if (mirrored) {
                    std::swap(left, right);
                }
                const double weight =
                    run.weights < 0 ? 1.0
                                    : grammar.weights[static_cast<std::size_t>(run.weights) + t];
                out.push_back({static_cast<double>(run.to + t), left, right, weight, of_start});
            }
        }
    };
    add(grammar.runs_of(of_class), 0.0);
    add(grammar.runs_of_start(of_class), 1.0);
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

SplitKinds::SplitKinds(const BlockGrammar& grammar, std::span<const std::int32_t> cells) {
    std::vector<std::vector<Term>> terms;
    for (const std::int32_t cell : cells) {
        const std::uint32_t own = grammar.class_of_cell[static_cast<std::size_t>(cell)];
        std::vector<Term> own_terms = terms_of(grammar, own, false);
        const auto found = std::find(terms.begin(), terms.end(), own_terms);
        const auto kind = static_cast<std::uint32_t>(found - terms.begin());
        of_bit.push_back(kind);
        if (found != terms.end()) {
            continue;
        }
        const bool has_sides = terms_of(grammar, own, true) != own_terms;
        const auto group = static_cast<std::uint32_t>(groups.size());
        classes.push_back(own);
        terms.push_back(std::move(own_terms));
        group_of_kind.push_back(group);
        groups.push_back({kind, false, group + (has_sides ? 1 : 0)});
        if (has_sides) {
            groups.push_back({kind, true, group});
        }
    }
}

}  // namespace slp::exact
