#include "search/varying_features.hpp"

namespace slp::search {

namespace {

// Rows of a side that are looked at.
constexpr std::size_t kMostWitnesses = 24;

}  // namespace

void VaryingFeatures::prepare(const Box& box, std::span<const BoxSplit> splits) {
    box_ = box;
    splits_ = splits;
    known_ = false;
}

void VaryingFeatures::find_signatures() {
    known_ = true;
    words_ = bits_.words();
    if (words_ > 0) {
        return;
    }
    words_ = (splits_.size() + 63) / 64;
    for (std::size_t j = 1; j < splits_.size() && words_ > 0; ++j) {
        words_ = splits_[j].feature == splits_[j - 1].feature ? 0 : words_;
    }
    signatures_.assign(box_.rows.size() * words_, 0);
    for (std::size_t j = 0; j < splits_.size() && words_ > 0; ++j) {
        const RowTest test = problem_.table.features[splits_[j].feature].test(splits_[j].cut);
        std::uint64_t* to = signatures_.data() + j / 64;
        for (const std::uint32_t row : box_.rows) {
            *to |= std::uint64_t{test.goes_left(row)} << (j % 64);
            to += words_;
        }
    }
}

bool VaryingFeatures::find_witnesses(std::size_t split, bool left) {
    if (!known_) {
        find_signatures();
    }
    if (words_ == 0) {
        return false;
    }
    const std::size_t side = distinct_rows(splits_[split].side(box_, left).sizes);
    const std::size_t stride = (side + kMostWitnesses - 1) / kMostWitnesses;
    witnesses_.clear();
    const std::size_t word = bit_of(split) / 64, shift = bit_of(split) % 64;
    std::size_t met = 0;
    for (std::size_t k = 0; k < box_.rows.size(); ++k) {
        const std::uint64_t* const own =
            bits_.words() > 0 ? bits_.of(box_.rows[k]) : signatures_.data() + k * words_;
        if ((own[word] >> shift & 1) == left && met++ % stride == 0) {
            witnesses_.push_back(own);
        }
    }
    return true;
}

std::array<std::uint32_t, 2> VaryingFeatures::varying(std::size_t j) {
    const std::size_t w = words_, word = bit_of(j) / 64, shift = bit_of(j) % 64;
    ones_and_zeros_.assign(4 * w, 0);
    for (const std::uint64_t* const own : witnesses_) {
        std::uint64_t* const to = ones_and_zeros_.data() + 2 * w * (own[word] >> shift & 1);
        for (std::size_t i = 0; i < w; ++i) {
            to[i] |= own[i];
            to[w + i] |= ~own[i];
        }
    }
    const std::uint64_t* const of = ones_and_zeros_.data();
    return {count_of_both_(of, of + w, w), count_of_both_(of + 2 * w, of + 3 * w, w)};
}

}  // namespace slp::search
