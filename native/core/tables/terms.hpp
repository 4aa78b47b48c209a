// Interned terms: equal terms have equal numbers, so ground terms are compared and copied as
// numbers. A variable n = 0, 1, ... is the number -1 - n; constants are terms without arguments.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slp::tables {

using TermId = std::int32_t;

inline bool is_variable(TermId t) { return t < 0; }
inline TermId variable(std::int32_t n) { return -1 - n; }

class Terms {
public:
    // The term of a functor and its arguments.
    TermId of(std::int32_t functor, std::span<const TermId> args);

    std::int32_t functor(TermId t) const { return nodes_[static_cast<std::size_t>(t)].functor; }
    std::span<const TermId> args(TermId t) const {
        const Node& node = nodes_[static_cast<std::size_t>(t)];
        return std::span(args_).subspan(node.first, node.n);
    }
    // Terms that hold no variable.
    bool is_ground(TermId t) const {
        return !is_variable(t) && nodes_[static_cast<std::size_t>(t)].ground;
    }
    std::size_t size() const { return nodes_.size(); }

private:
    struct Node {
        std::size_t first;
        std::int32_t functor;
        std::uint32_t n;
        std::uint64_t hash;
        bool ground;
    };

    void grow();

    std::vector<Node> nodes_;
    std::vector<TermId> args_;
    std::vector<TermId> slots_;  // by hash, -1 where free; a power of two of them
};

}  // namespace slp::tables
