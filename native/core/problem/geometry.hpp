// The rows of a box, and its distinct splits (slp.reference.boxes).

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "arena.hpp"
#include "problem/key.hpp"
#include "problem/problem.hpp"

namespace slp {

// Two sizes in one word, so that one addition adds both: distinct rows below, rows of the data
// above.
using Sizes = std::uint64_t;
inline std::uint32_t distinct_rows(Sizes s) {
    return static_cast<std::uint32_t>(s);
}
inline std::uint32_t data_rows(Sizes s) {
    return static_cast<std::uint32_t>(s >> 32);
}

struct Box {
    // Distinct rows, ascending.
    std::span<const std::uint32_t> rows;
    Key key;
    Sizes sizes = 0;
};

// A distinct, structurally valid split. The right side is the rest of the box.
struct BoxSplit {
    Key left;
    Sizes left_sizes;
    Cut cut;
    std::uint32_t feature;
    // Cell of the canonical threshold, counted through all features.
    std::int32_t cell;

    // One side of the box that it splits, its rows not listed.
    Box side(const Box& box, bool is_left) const {
        return is_left ? Box{{}, left, left_sizes}
                       : Box{{}, box.key - left, box.sizes - left_sizes};
    }
};

// Calls use(the feature's splits, number of the first) for each feature, its splits in one run.
template <typename Use>
void for_each_feature(std::span<const BoxSplit> splits, Use use) {
    for (std::uint32_t first = 0; first < splits.size();) {
        std::uint32_t end = first;
        while (end < splits.size() && splits[end].feature == splits[first].feature) {
            ++end;
        }
        use(splits.subspan(first, end - first), first);
        first = end;
    }
}

// Keys of rows, and the gaps of cuts. Read only.
class Geometry {
public:
    explicit Geometry(const Problem& problem);

    Box root() const;
    // The sides of a split; `out` has room for the side's distinct rows.
    Box side(const Box& box, const BoxSplit& split, bool left, std::uint32_t* out) const;
    // The same, its rows in the arena.
    Box side(const Box& box, const BoxSplit& split, bool left, Arena& arena) const {
        const Sizes sizes = split.side(box, left).sizes;
        return side(box, split, left, arena.allocate<std::uint32_t>(distinct_rows(sizes)));
    }
    // Key and sizes of a set of rows.
    Box box_of(std::span<const std::uint32_t> rows) const;
    // Weight of a cut of feature f under the measure `gap`. Distances of values are in the
    // feature's unit, so that halves and sums of them keep all digits.
    double gap(std::size_t f, Cut cut) const { return feature(f).gap(cut, units_[f]); }
    // The gap between the least code of f and the largest.
    double span(std::size_t f) const { return feature(f).span(units_[f]); }
    // Weight of a cut under the measure `range`: its interval's share of the range of the values of
    // f, or the least double above 0 if the share is less. 1 of a feature that is not of values, as
    // no rule with that measure splits on it.
    double length(std::size_t f, Cut cut) const { return feature(f).length(cut, units_[f]); }
    // One distinct row's sizes and key.
    Sizes sizes_of(std::uint32_t row) const { return rows_[row].sizes; }
    Key key_of(std::uint32_t row) const { return rows_[row].key; }

private:
    friend class Splitter;
    struct Row {
        Key key;
        Sizes sizes;
    };

    const Feature& feature(std::size_t f) const { return problem_.table.features[f]; }

    const Problem& problem_;
    std::vector<Row> rows_;
    std::vector<std::uint32_t> all_;
    std::vector<double> units_;  // by feature
};

// Finds the splits of boxes, one at a time; one for each thread.
//
// For each feature the rows' keys are added up by code; a set of codes that occur, read in order,
// then gives the keys of all left sides as running sums. O(m) for m rows, and the codes that occur.
class Splitter {
public:
    explicit Splitter(const Geometry& geometry);

    // The splits of a box in canonical order (features in order, thresholds ascending, levels in
    // order), in memory of the arena.
    std::span<BoxSplit> splits(const Box& box, Arena& arena);

private:
    struct Bucket {
        std::uint64_t a, b;
        Sizes sizes;
    };

    // Memory for the codes of the longest feature, allocated when a box is first split, because
    // most chains never use their splitters.
    void make_room();
    void fill_buckets(const Feature& feature, const Box& box);
    void find_codes(const Feature& feature, const Box& box);
    // The splits of plain features, whose left sides are codes up to one, or one code; of others.
    BoxSplit* running_splits(std::uint32_t f, BoxSplit* out);
    BoxSplit* single_splits(std::uint32_t f, BoxSplit* out);
    BoxSplit* wide_splits(std::uint32_t f, const Box& box, BoxSplit* out);

    const Geometry& geometry_;
    std::vector<Bucket> buckets_;
    std::vector<std::uint64_t> occupied_;
    std::vector<std::uint32_t> codes_;
    std::vector<Cut> cuts_;
};

}  // namespace slp
