#include "tables/terms.hpp"

#include <algorithm>

namespace slp::tables {

namespace {

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15;
    return x ^ (x >> 29);
}

}  // namespace

TermId Terms::of(std::int32_t functor, std::span<const TermId> args) {
    if (2 * (nodes_.size() + 1) > slots_.size()) {
        grow();
    }
    std::uint64_t hash = mixed(static_cast<std::uint32_t>(functor));
    bool ground = true;
    for (const TermId arg : args) {
        hash = mixed(hash + static_cast<std::uint32_t>(arg));
        ground = ground && is_ground(arg);
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
        const TermId other = slots_[slot];
        const Node& node = nodes_[static_cast<std::size_t>(other)];
        if (node.hash == hash && node.functor == functor &&
            std::ranges::equal(this->args(other), args)) {
            return other;
        }
    }
    const auto out = static_cast<TermId>(nodes_.size());
    slots_[slot] = out;
    const auto n = static_cast<std::uint32_t>(args.size());
    nodes_.push_back({args_.size(), functor, n, hash, ground});
    args_.insert(args_.end(), args.begin(), args.end());
    return out;
}

void Terms::grow() {
    slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), -1);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t t = 0; t < nodes_.size(); ++t) {
        std::size_t slot = nodes_[t].hash & mask;
        while (slots_[slot] >= 0) {
            slot = (slot + 1) & mask;
        }
        slots_[slot] = static_cast<TermId>(t);
    }
}

}  // namespace slp::tables
