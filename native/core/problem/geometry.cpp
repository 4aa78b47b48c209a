#include "problem/geometry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "problem/feature_cuts.hpp"

namespace slp {

namespace {

constexpr std::uint64_t kRowStream = 1;

double canonical_threshold(const Feature& feature, std::uint32_t low, std::uint32_t high) {
    if (feature.kind == FeatureKind::cuts) {
        return feature.numbers[low + (high - low - 1) / 2];
    }
    const double a = feature.numbers[low], b = feature.numbers[high];
    const double middle =
        b - a < std::numeric_limits<double>::infinity() ? a + (b - a) / 2 : a / 2 + b / 2;
    return middle > a ? middle : b;
}

// The power of two by which distances of a feature's values are multiplied. It is 1 where they lie
// well inside the range of doubles. Else it brings the largest to about 2^1021, so that neither
// half of the smallest nor the sum of all leaves the doubles.
double unit_of(const Feature& feature) {
    const std::vector<double>& values = feature.numbers;
    if (feature.kind != FeatureKind::values || values.size() < 2) {
        return 1.0;
    }
    const double range = values.back() - values.front();
    double least = range;
    for (std::size_t i = 1; i < values.size(); ++i) {
        least = std::min(least, values[i] - values[i - 1]);
    }
    if (least >= 0x1p-960 && range <= 0x1p1000) {
        return 1.0;
    }
    const int exponent = range < std::numeric_limits<double>::infinity() ? std::ilogb(range) : 1024;
    return std::ldexp(1.0, std::clamp(1021 - exponent, -1022, 1022));
}

double distance(double a, double b, double unit) {
    const double whole = b - a;
    return whole < std::numeric_limits<double>::infinity() ? whole * unit : b * unit - a * unit;
}

}  // namespace

Geometry::Geometry(const Problem& problem)
    : problem_(problem), rows_(problem.table.n_rows), all_(problem.table.n_rows) {
    for (std::uint32_t i = 0; i < problem.table.n_rows; ++i) {
        rows_[i] = {random_key(kRowStream, i), Sizes{problem.table.counts[i]} << 32 | 1};
    }
    std::iota(all_.begin(), all_.end(), 0U);
    for (const Feature& feature : problem.table.features) {
        units_.push_back(unit_of(feature));
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
    const Feature& feature = problem_.table.features[split.feature];
    std::size_t size = 0;
    for (const std::uint32_t row : box.rows) {
        if (feature.goes_left(split.low, row) == left) {
            out[size++] = row;
        }
    }
    return {{out, size},
            left ? split.left : box.key - split.left,
            left ? split.left_sizes : box.sizes - split.left_sizes};
}

double Geometry::threshold(const BoxSplit& split) const {
    return threshold(problem_.table.features[split.feature], split.low, split.high);
}

double Geometry::gap(std::size_t f, std::uint32_t low, std::uint32_t high) const {
    const Feature& feature = problem_.table.features[f];
    if (feature.holes) {
        low = feature.without_side(low);
        high = feature.without_side(high);
        if (low == feature.missing()) {  // as a mean gap of neighbouring values
            const std::size_t n = feature.kind == FeatureKind::values ? feature.numbers.size() : 0;
            return n < 2 ? 1.0 : span(f) / static_cast<double>(n - 1);
        }
    }
    switch (feature.kind) {
        case FeatureKind::values:
            return distance(feature.numbers[low], feature.numbers[high], units_[f]);
        case FeatureKind::cuts: return static_cast<double>(high - low);
        default: return 1.0;
    }
}

double Geometry::span(std::size_t f) const {
    const Feature& feature = problem_.table.features[f];
    switch (feature.kind) {
        case FeatureKind::values:
            return distance(feature.numbers.front(), feature.numbers.back(), units_[f]);
        case FeatureKind::cuts: return static_cast<double>(feature.n_codes - 1);
        default: return 1.0;
    }
}

double Geometry::length(std::size_t f, std::uint32_t low, std::uint32_t high) const {
    const Feature& feature = problem_.table.features[f];
    if (feature.kind != FeatureKind::values || feature.without_side(low) == feature.missing()) {
        return 1.0;
    }
    return std::max(gap(f, low, high) / span(f), std::numeric_limits<double>::denorm_min());
}

double Geometry::threshold(const Feature& feature, std::uint32_t low, std::uint32_t high) const {
    low = feature.without_side(low);
    return low == feature.missing()
               ? std::numeric_limits<double>::infinity()
               : canonical_threshold(feature, low, feature.without_side(high));
}

std::int32_t Geometry::wide_cell(const Feature& feature, std::uint32_t low,
                                 std::uint32_t high) const {
    if (feature.kind == FeatureKind::subsets) {
        return feature.first_cell + static_cast<std::int32_t>(low) - 1;
    }
    low = feature.without_side(low);
    if (low == feature.missing()) {
        return feature.first_cell + feature.n_cells() - 1;
    }
    return feature.kind == FeatureKind::levels
               ? feature.first_cell + static_cast<std::int32_t>(low)
               : cell(feature, low, feature.without_side(high));
}

std::int32_t Geometry::cell(const Feature& feature, std::uint32_t low, std::uint32_t high) const {
    if (feature.breakpoints.empty()) {
        return feature.first_cell;
    }
    const double threshold = canonical_threshold(feature, low, high);
    const auto& points = feature.breakpoints;
    const auto at = std::lower_bound(points.begin(), points.end(), threshold);
    const auto i = static_cast<std::int32_t>(at - points.begin());
    return feature.first_cell + 2 * i + (at != points.end() && *at == threshold ? 1 : 0);
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
        most += most_splits(feature, box.rows.size());
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
        end = !features[f].plain()                           ? wide_splits(f, end)
              : features[f].kind == FeatureKind::levels ? level_splits(f, box, end)
                                                             : threshold_splits(f, box, end);
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

BoxSplit* Splitter::threshold_splits(std::uint32_t f, const Box&, BoxSplit* out) {
    const Feature& feature = geometry_.problem_.table.features[f];
    Key left;
    Sizes sizes = 0;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
        Bucket& bucket = buckets_[codes_[i]];
        left = left + Key{bucket.a, bucket.b};
        sizes += bucket.sizes;
        bucket = {0, 0, 0};
        if (i + 1 < codes_.size()) {
            *out++ = {left,          sizes, codes_[i],
                      codes_[i + 1], f,     geometry_.cell(feature, codes_[i], codes_[i + 1])};
        }
    }
    return out;
}

BoxSplit* Splitter::level_splits(std::uint32_t f, const Box&, BoxSplit* out) {
    const Feature& feature = geometry_.problem_.table.features[f];
    // With two levels, `= a` and `= b` are the same split. The test is on the first level.
    const std::size_t tests = codes_.size() <= 2 ? codes_.size() - 1 : codes_.size();
    for (std::size_t i = 0; i < codes_.size(); ++i) {
        Bucket& bucket = buckets_[codes_[i]];
        if (i < tests) {
            const auto cell = feature.first_cell + static_cast<std::int32_t>(codes_[i]);
            *out++ = {{bucket.a, bucket.b}, bucket.sizes, codes_[i], codes_[i], f, cell};
        }
        bucket = {0, 0, 0};
    }
    return out;
}

// Splits by subsets, or with a side of missing values.
BoxSplit* Splitter::wide_splits(std::uint32_t f, BoxSplit* out) {
    const Feature& feature = geometry_.problem_.table.features[f];
    cuts_.clear();
    list_cuts(feature, codes_, cuts_);
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
                const Cut& cut = cuts_[j];
                const std::int32_t cell = geometry_.cell_of_split(feature, cut.low, cut.high);
                *out++ = {left, sizes, cut.low, cut.high, f, cell};
            }};
    for_each_left_side(feature, codes_, cuts_, sides);
    for (const std::uint32_t code : codes_) {
        buckets_[code] = {0, 0, 0};
    }
    return out;
}

}  // namespace slp
