#include "exact/interval_blocks/inner_feature.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "arena.hpp"
#include "exact/interval_blocks/member_splits.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

namespace {

// A sample of blocks: the number of members evaluated in them, with each feature as the inner one.
constexpr double kMostDescents = 60;
constexpr double kWorkOnDescents = 3e8;  // visits to rows, of all features together
constexpr double kFewestMembers = 3.0;

double members_per_block(const Problem& problem, const Geometry& geometry,
                         const BlockGrammar& grammar, std::uint32_t inner, int descents) {
    Splitter splitter(geometry);
    BlockRanks ranks(problem, geometry, inner);
    std::size_t members = 0, blocks = 0;
    std::uint64_t random = 1;
    for (int descent = 0; descent < descents; ++descent) {
        Arena arena;
        Box box = geometry.root();
        for (;;) {
            const std::span<const BoxSplit> splits =
                outer_splits(splitter.splits(box, arena), inner, grammar);
            ranks.set_rows(box);
            ranks.find_sources(splits);
            blocks += 1;
            for (std::size_t i = 0; i < ranks.k; ++i) {
                members += ranks.k - ranks.first_member[i];
            }
            if (splits.empty()) {
                break;
            }
            random = split_mix(random);
            const BoxSplit& split = splits[random % splits.size()];
            box = geometry.side(box, split, random >> 63 != 0, arena);
        }
    }
    return static_cast<double>(members) / static_cast<double>(blocks);
}

}  // namespace

bool weights_are_alike(const Problem& problem, const Geometry& geometry, Measure measure) {
    constexpr double kLeast = 0x1p-60;
    const auto [least, most] = std::ranges::minmax(problem.grammar.feature_weights);
    if (!(least >= kLeast * most)) {
        return false;
    }
    for (std::uint32_t f = 0; weighs_splits(measure) && f < problem.table.features.size(); ++f) {
        const Feature& feature = problem.table.features[f];
        for (std::uint32_t code = 0; code + 1 < static_cast<std::uint32_t>(feature.n_codes);
             ++code) {
            if (!feature.single() &&
                !(relative_weight(geometry, measure, f, Cut::between(code, code + 1)) >= kLeast)) {
                return false;
            }
        }
    }
    return true;
}

std::optional<std::uint32_t> inner_feature(const Problem& problem, const BlockGrammar& grammar,
                                           std::int32_t excluded) {
    const Geometry geometry(problem);
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t f = 0; f < problem.table.features.size(); ++f) {
        const Feature& feature = problem.table.features[f];
        if (grammar.is_split[f] && !feature.single() && feature.n_codes >= 2 &&
            feature.n_codes <= kMostInnerCodes && static_cast<std::int32_t>(f) != excluded) {
            candidates.push_back(f);
        }
    }
    // A descent visits each row a few times. On wide tables only a sample of the features is tried.
    const auto n_features = static_cast<double>(problem.table.features.size());
    const double descent = 4.0 * problem.table.n_rows * n_features;
    const double affordable = std::max(1.0, kWorkOnDescents / descent);
    const auto n = static_cast<double>(candidates.size());
    const auto descents = static_cast<int>(std::clamp(affordable / n, 1.0, kMostDescents));
    const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(n / affordable)));
    std::optional<std::uint32_t> best;
    double most = excluded < 0 ? kFewestMembers : 0.0;
    for (std::size_t i = 0; i < candidates.size(); i += step) {
        const double members =
            members_per_block(problem, geometry, grammar, candidates[i], descents);
        if (members > most) {
            most = members;
            best = candidates[i];
        }
    }
    return best;
}

}  // namespace slp::exact
