#include "search/split_planes.hpp"

#include <algorithm>
#include <bit>

namespace slp::search {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

}  // namespace

SplitPlanes::SplitPlanes(const Problem& problem, const LeafBound& leaf, const RowBits& bits)
    : problem_(problem),
      leaf_(leaf),
      bits_(bits),
      count_of_both_(counter_of_both()),
      k_(problem.leaf.n_statistics()),
      width_(leaf.width()) {
    const std::size_t n = problem.table.n_rows;
    if (!counts_rows_of_classes(problem)) {
        return;
    }
    mixed_.resize(n);
    class_.resize(n);
    std::vector<double> counts(k_);
    for (std::uint32_t row = 0; row < n; ++row) {
        std::fill(counts.begin(), counts.end(), 0.0);
        problem.leaf.add(row, counts.data());
        const auto most = std::max_element(counts.begin(), counts.end());
        class_[row] = static_cast<std::uint32_t>(most - counts.begin());
        mixed_[row] = std::ranges::count_if(counts, [](double m) { return m > 0; }) > 1;
        repeats_ = repeats_ || (!mixed_[row] && problem.table.counts[row] > 1);
    }
}

std::size_t SplitPlanes::lay_out(const Box& box) {
    // Where each class begins, in bits, then words.
    class_at_.assign(k_ + 1, 0);
    mixed_rows_.clear();
    std::size_t pure = 0;
    for (const std::uint32_t row : box.rows) {
        if (mixed_[row]) {
            mixed_rows_.push_back(row);
        } else {
            class_at_[class_[row] + 1] += problem_.table.counts[row];
            ++pure;
        }
    }
    for (std::size_t c = 0; c < k_; ++c) {
        class_at_[c + 1] = class_at_[c] + (class_at_[c + 1] + 63) / 64;
    }
    distinct_at_ = class_at_[k_];
    mixed_at_ = distinct_at_ + (repeats_ ? (pure + 63) / 64 : 0);
    words_ = mixed_at_ + (mixed_rows_.size() + 63) / 64;
    return words_;
}

void SplitPlanes::fill(const Box& box, std::span<const BoxSplit> splits) {
    find_plane_rows(box);
    planes_.resize(splits.size() * words_);
    if (bits_.words() > 0) {
        add_planes_of_bits(splits);
    } else {
        for (std::size_t i = 0; i < splits.size(); ++i) {
            add_plane(splits[i], planes_.data() + i * words_);
        }
    }
}

// The row of each bit of a plane; of bits that are not used none.
void SplitPlanes::find_plane_rows(const Box& box) {
    plane_rows_.assign(words_ * 64, kNone);
    std::vector<std::size_t> next(k_);
    for (std::size_t c = 0; c < k_; ++c) {
        next[c] = class_at_[c] * 64;
    }
    std::size_t distinct = distinct_at_ * 64, mixed = mixed_at_ * 64;
    for (const std::uint32_t row : box.rows) {
        if (mixed_[row]) {
            plane_rows_[mixed++] = row;
            continue;
        }
        for (std::uint32_t i = 0; i < problem_.table.counts[row]; ++i) {
            plane_rows_[next[class_[row]]++] = row;
        }
        if (repeats_) {
            plane_rows_[distinct++] = row;
        }
    }
}

void SplitPlanes::add_planes_of_bits(std::span<const BoxSplit> splits) {
    RowBits::Block block;
    for (std::size_t w = 0; w < words_; ++w) {
        const std::uint32_t* const rows = plane_rows_.data() + w * 64;
        auto split = splits.begin();
        for (std::uint32_t own = 0; split != splits.end(); ++own) {
            if (split->feature / 64 != own) {
                continue;
            }
            for (std::size_t bit = 0; bit < 64; ++bit) {
                block[bit] = rows[bit] == kNone ? 0 : bits_.of(rows[bit])[own];
            }
            RowBits::transpose(block);
            for (; split != splits.end() && split->feature / 64 == own; ++split) {
                planes_[static_cast<std::size_t>(split - splits.begin()) * words_ + w] =
                    block[split->feature % 64];
            }
        }
    }
}

void SplitPlanes::add_plane(const BoxSplit& split, std::uint64_t* out) const {
    const RowTest test = problem_.table.features[split.feature].test(split.cut);
    const std::uint32_t* row = plane_rows_.data();
    for (std::size_t w = 0; w < words_; ++w) {
        std::uint64_t word = 0;
        for (std::size_t bit = 0; bit < 64 && *row != kNone; ++bit, ++row) {
            word |= std::uint64_t{test.goes_left(*row)} << bit;
        }
        out[w] = word;
        row = plane_rows_.data() + (w + 1) * 64;
    }
}

std::uint32_t SplitPlanes::both(std::size_t i, std::size_t j, double* out) const {
    const std::uint64_t* const a = planes_.data() + i * words_;
    const std::uint64_t* const b = planes_.data() + j * words_;
    const auto ones = [&](std::size_t from, std::size_t to) {
        return count_of_both_(a + from, b + from, to - from);
    };
    std::fill_n(out, width_, 0.0);
    std::uint32_t distinct = 0;
    for (std::size_t c = 0; c < k_; ++c) {
        const std::uint32_t n = ones(class_at_[c], class_at_[c + 1]);
        out[c] = n;
        if (width_ > k_) {
            out[k_ + c] = n;
        }
        distinct += n;
    }
    if (repeats_) {
        distinct = ones(distinct_at_, mixed_at_);
    }
    for (std::size_t w = mixed_at_; w < words_; ++w) {
        for (std::uint64_t bits = a[w] & b[w]; bits != 0; bits &= bits - 1) {
            const auto at = (w - mixed_at_) * 64 + static_cast<std::size_t>(std::countr_zero(bits));
            leaf_.add(mixed_rows_[at], out);
            ++distinct;
        }
    }
    return distinct;
}

}  // namespace slp::search
