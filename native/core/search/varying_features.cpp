#include "search/varying_features.hpp"

#include <bit>

namespace slp::search {

namespace {

// Rows of a side that are looked at.
constexpr std::size_t kMostWitnesses = 24;

std::uint32_t count_of_both(const std::uint64_t* a, std::size_t n) {
    int out = 0;
    for (std::size_t w = 0; w < n; ++w) {
        out += std::popcount(a[w] & a[n + w]);
    }
    return static_cast<std::uint32_t>(out);
}

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
        const Feature& feature = problem_.table.features[splits_[j].feature];
        std::uint64_t* to = signatures_.data() + j / 64;
        for (const std::uint32_t row : box_.rows) {
            *to |= std::uint64_t{feature.goes_left(splits_[j].low, row)} << (j % 64);
            to += words_;
        }
    }
}

bool VaryingFeatures::goes_left(const std::uint64_t* signature, std::size_t j) const {
    const std::size_t bit = bits_.words() > 0 ? splits_[j].feature : j;
    return (signature[bit / 64] >> (bit % 64) & 1) != 0;
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
    std::size_t met = 0;
    for (std::size_t k = 0; k < box_.rows.size(); ++k) {
        const std::uint64_t* const own =
            bits_.words() > 0 ? bits_.of(box_.rows[k]) : signatures_.data() + k * words_;
        if (goes_left(own, split) == left && met++ % stride == 0) {
            witnesses_.push_back(own);
        }
    }
    return true;
}

std::array<std::uint32_t, 2> VaryingFeatures::varying(std::size_t j) {
    const std::size_t w = words_;
    ones_and_zeros_.assign(4 * w, 0);
    for (const std::uint64_t* const own : witnesses_) {
        std::uint64_t* const to = ones_and_zeros_.data() + (goes_left(own, j) ? 2 * w : 0);
        for (std::size_t i = 0; i < w; ++i) {
            to[i] |= own[i];
            to[w + i] |= ~own[i];
        }
    }
    const std::uint64_t* const of = ones_and_zeros_.data();
    return {count_of_both(of, w), count_of_both(of + 2 * w, w)};
}

}  // namespace slp::search
