#include "exact/binary_blocks/small_boxes.hpp"

#include <algorithm>
#include <utility>

namespace slp::exact {

PartsOf::PartsOf(std::size_t m) {
    const std::size_t n_sets = std::size_t{1} << m;
    first.assign(n_sets + 1, 0);
    const auto lowest = [](std::size_t s) { return s & (~s + 1); };
    for (std::size_t s = 1; s < n_sets; ++s) {
        const std::size_t others = s ^ lowest(s);
        for (std::size_t rest = (0 - others) & others; rest != 0;
             rest = (rest - others) & others) {
            pairs.push_back(
                {static_cast<std::uint8_t>(s ^ rest), static_cast<std::uint8_t>(rest), 0, 0});
        }
        first[s + 1] = static_cast<std::uint16_t>(pairs.size());
    }
    const auto number_of = [&](std::size_t s, std::size_t part) {
        const std::size_t rest = (part & lowest(s)) != 0 ? s ^ part : part;
        const auto found = std::find_if(pairs.begin() + first[s], pairs.begin() + first[s + 1],
                                        [&](const Pair& pair) { return pair.rest == rest; });
        return static_cast<std::uint16_t>(found - pairs.begin());
    };
    for (std::size_t s = 1; s + 1 < n_sets; ++s) {
        const std::size_t row = lowest(~s);
        for (std::size_t e = first[s]; e < first[s + 1]; ++e) {
            pairs[e].with = number_of(s | row, pairs[e].part | row);
            pairs[e].without = number_of(s | row, pairs[e].part);
        }
    }
}

const std::array<PartsOf, kFewRows + 1>& parts_of_few() {
    static const std::array all = []<std::size_t... m>(std::index_sequence<m...>) {
        return std::array{PartsOf(m)...};
    }(std::make_index_sequence<kFewRows + 1>());
    return all;
}

}  // namespace slp::exact
