#include "problem/geometry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "problem/columns/left_sides.hpp"

namespace slp {

namespace {

constexpr std::uint64_t kRowStream = 1;

}  // namespace

Geometry::Geometry(const Problem& problem)
    : problem_(problem), rows_(problem.table.n_rows), all_(problem.table.n_rows) {
    for (std::uint32_t i = 0; i < problem.table.n_rows; ++i) {
        rows_[i] = {random_key(kRowStream, i), Sizes{problem.table.counts[i]} << 32 | 1};
    }
    std::iota(all_.begin(), all_.end(), 0U);
    for (const Feature& feature : problem.table.features) {
        units_.push_back(feature.unit());
    }
}

Box Geometry::root() const {
    return box_of(all_);
}

Box Geometry::box_of(std::span<const std::uint32_t> rows) const {
    Box box{rows, {}, 0};
    for (const std::uint32_t row : rows) {
        box.key = box.key + rows_[row].key;
        box.sizes += rows_[row].sizes;
    }
    return box;
}

Box Geometry::side(const Box& box, const BoxSplit& split, bool left, std::uint32_t* out) const {
    std::size_t size = 0;
    feature(split.feature).test(split.cut).for_rows([&](auto goes_left) {
        for (const std::uint32_t row : box.rows) {
            if (goes_left(row) == left) {
                out[size++] = row;
            }
        }
    });
    return {{out, size},
            left ? split.left : box.key - split.left,
            left ? split.left_sizes : box.sizes - split.left_sizes};
}

Splitter::Splitter(const Geometry& geometry) : geometry_(geometry) {}

void Splitter::make_room() {
    std::size_t most = 1;
    for (const Feature& feature : geometry_.problem_.table.features) {
        most = std::max(most, static_cast<std::size_t>(feature.n_codes));
    }
    buckets_.assign(most, Bucket{0, 0, 0});
    occupied_.assign((most + 63) / 64, 0);
    codes_.resize(std::min<std::size_t>(most, geometry_.problem_.table.n_rows));
}

std::span<BoxSplit> Splitter::splits(const Box& box, Arena& arena) {
    const auto& features = geometry_.problem_.table.features;
    std::size_t most = 0;
    for (const Feature& feature : features) {
        most += feature.most_cuts(box.rows.size());
    }
    BoxSplit* const begin = arena.allocate<BoxSplit>(most);
    BoxSplit* end = begin;
    if (box.rows.size() < 2 || data_rows(box.sizes) / 2 < geometry_.problem_.grammar.min_leaf) {
        return {begin, end};
    }
    if (buckets_.empty()) {
        make_room();
    }
    for (std::uint32_t f = 0; f < features.size(); ++f) {
        fill_buckets(features[f], box);
        find_codes(features[f], box);
        end = !features[f].plain()    ? wide_splits(f, box, end)
              : features[f].single() ? single_splits(f, end)
                                     : running_splits(f, end);
    }
    const auto least = static_cast<std::uint64_t>(geometry_.problem_.grammar.min_leaf);
    if (least > 1) {
        end = std::remove_if(begin, end, [&](const BoxSplit& split) {
            const std::uint32_t left = data_rows(split.left_sizes);
            return left < least || data_rows(box.sizes) - left < least;
        });
    }
    return {begin, end};
}

void Splitter::fill_buckets(const Feature& feature, const Box& box) {
    const std::uint32_t* code = feature.codes.data();
    for (const std::uint32_t row : box.rows) {
        const Geometry::Row& own = geometry_.rows_[row];
        Bucket& bucket = buckets_[code[row]];
        bucket.a += own.key.a;
        bucket.b += own.key.b;
        bucket.sizes += own.sizes;
        occupied_[code[row] / 64] |= std::uint64_t{1} << (code[row] % 64);
    }
}

// Lists the codes that occur, ascending, and clears the marks.
void Splitter::find_codes(const Feature& feature, const Box& box) {
    codes_.clear();
    const std::size_t words = (static_cast<std::size_t>(feature.n_codes) + 63) / 64;
    if (words <= box.rows.size()) {
        for (std::size_t w = 0; w < words; ++w) {
            for (std::uint64_t bits = occupied_[w]; bits != 0; bits &= bits - 1) {
                codes_.push_back(static_cast<std::uint32_t>(w * 64) +
                                 static_cast<std::uint32_t>(std::countr_zero(bits)));
            }
            occupied_[w] = 0;
        }
        return;
    }
    for (const std::uint32_t row : box.rows) {  // many codes, few rows
        const std::uint32_t code = feature.codes[row];
        const std::uint64_t bit = std::uint64_t{1} << (code % 64);
        if (occupied_[code / 64] & bit) {
            occupied_[code / 64] &= ~bit;
            codes_.push_back(code);
        }
    }
    std::sort(codes_.begin(), codes_.end());
}

BoxSplit* Splitter::running_splits(std::uint32_t f, BoxSplit* out) {
    const Feature& feature = geometry_.problem_.table.features[f];
    Key left;
    Sizes sizes = 0;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
        Bucket& bucket = buckets_[codes_[i]];
        left = left + Key{bucket.a, bucket.b};
        sizes += bucket.sizes;
        bucket = {0, 0, 0};
        if (i + 1 < codes_.size()) {
            const Cut cut = feature.plain_cut(codes_[i], codes_[i + 1]);
            *out++ = {left, sizes, cut, f, feature.cell(cut)};
        }
    }
    return out;
}

BoxSplit* Splitter::single_splits(std::uint32_t f, BoxSplit* out) {
    const Feature& feature = geometry_.problem_.table.features[f];
    const std::size_t n = feature.n_plain_cuts(codes_.size());
    for (std::size_t i = 0; i < codes_.size(); ++i) {
        Bucket& bucket = buckets_[codes_[i]];
        if (i < n) {
            const Cut cut = Cut::on(codes_[i]);
            *out++ = {{bucket.a, bucket.b}, bucket.sizes, cut, f, feature.cell(cut)};
        }
        bucket = {0, 0, 0};
    }
    return out;
}

BoxSplit* Splitter::wide_splits(std::uint32_t f, const Box& box, BoxSplit* out) {
    const Feature& feature = geometry_.problem_.table.features[f];
    cuts_.clear();
    feature.list_cuts(codes_, box.rows, cuts_);
    Key left, left_kept;
    Sizes sizes = 0, sizes_kept = 0;
    const LeftSides sides{
        .clear =
            [&] {
                left = {};
                sizes = 0;
            },
        .add =
            [&](std::size_t i) {
                const Bucket& bucket = buckets_[codes_[i]];
                left = left + Key{bucket.a, bucket.b};
                sizes += bucket.sizes;
            },
        .keep =
            [&] {
                left_kept = left;
                sizes_kept = sizes;
            },
        .back =
            [&] {
                left = left_kept;
                sizes = sizes_kept;
            },
        .cut =
            [&](std::size_t j) {
                out[j] = {left, sizes, cuts_[j], f, feature.cell(cuts_[j])};
            }};
    for_each_left_side(feature, codes_, cuts_, sides);
    for (const std::uint32_t code : codes_) {
        buckets_[code] = {0, 0, 0};
    }
    return out + cuts_.size();
}

}  // namespace slp
