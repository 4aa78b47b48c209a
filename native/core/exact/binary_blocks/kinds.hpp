// Kinds of splits: the splits that lead every state to the same states, and that the same states
// allow. A bare prior has one kind; a constraint adds about one for each feature that it names.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/block_grammar.hpp"

namespace slp::exact {

struct SplitKinds {
    // cells: of each bit's split.
    SplitKinds(const BlockGrammar& grammar, std::span<const std::int32_t> cells);

    std::vector<std::uint32_t> of_bit;
    // A split class of each kind.
    std::vector<std::uint32_t> classes;

    // A kind, or its mirror image: splits of this kind whose left side is called right. Where the
    // sides of a kind are alike it is its own mirror image.
    struct Group {
        std::uint32_t kind;
        bool mirrored;
        std::uint32_t mirror;  // number of the other group
    };
    std::vector<Group> groups;
    std::vector<std::uint32_t> group_of_kind;  // the one that is not mirrored
};

}  // namespace slp::exact
