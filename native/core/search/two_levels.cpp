#include "search/two_levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "problem/split_measures.hpp"

namespace slp::search {

namespace {

// Pairs of splits times words of a plane: at most so many for a box.
constexpr double kMostWork = 2e7;

constexpr std::uint32_t kNone = 0xFFFFFFFF;

inline std::uint32_t count_of_both(const std::uint64_t* a, const std::uint64_t* b,
                                   std::size_t n) {
    int out = 0;
    for (std::size_t w = 0; w < n; ++w) {
        out += std::popcount(a[w] & b[w]);
    }
    return static_cast<std::uint32_t>(out);
}

#ifdef __x86_64__
[[gnu::target("popcnt")]] std::uint32_t count_of_both_popcnt(const std::uint64_t* a,
                                                             const std::uint64_t* b,
                                                             std::size_t n) {
    return count_of_both(a, b, n);
}
#endif

auto counter() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("popcnt")) {
        return count_of_both_popcnt;
    }
#endif
    return count_of_both;
}

}  // namespace

TwoLevels::TwoLevels(const Problem& problem, const LeafBound& leaf, WeightBound& weights,
                     const RowBits& bits)
    : problem_(problem),
      leaf_(leaf),
      weights_(weights),
      bits_(bits),
      varying_(problem, bits),
      count_of_both_(counter()),
      k_(problem.leaf.n_statistics()),
      width_(leaf.width()),
      buffer_(2 * width_),
      weights_of_feature_(problem.table.features.size()) {
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

bool TwoLevels::prepare(const Box& box, std::span<const BoxSplit> splits, const double* sums,
                        const double* own) {
    counted_split_ = SIZE_MAX;
    if (class_.empty() || problem_.counted() || problem_.grammar.min_leaf != 1) {
        return false;
    }
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
    const auto n = static_cast<double>(splits.size());
    if (n * n * static_cast<double>(words_ + 4 * width_) > kMostWork) {
        return false;
    }
    box_ = box;
    splits_ = splits;
    sums_ = sums;
    own_ = own;
    varying_.prepare(box, splits);
    find_plane_rows();
    planes_.resize(splits.size() * words_);
    if (bits_.words() > 0) {
        add_planes_of_bits();
    } else {
        for (std::size_t i = 0; i < splits.size(); ++i) {
            add_plane(splits[i], planes_.data() + i * words_);
        }
    }
    parts_.resize(splits.size() * width_);
    distinct_.resize(splits.size());
    is_split_.resize(splits.size());
    return true;
}

// The row of each bit of a plane; of bits that are not used none.
void TwoLevels::find_plane_rows() {
    plane_rows_.assign(words_ * 64, kNone);
    std::vector<std::size_t> next(k_);
    for (std::size_t c = 0; c < k_; ++c) {
        next[c] = class_at_[c] * 64;
    }
    std::size_t distinct = distinct_at_ * 64, mixed = mixed_at_ * 64;
    for (const std::uint32_t row : box_.rows) {
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

void TwoLevels::add_planes_of_bits() {
    RowBits::Block block;
    for (std::size_t w = 0; w < words_; ++w) {
        const std::uint32_t* const rows = plane_rows_.data() + w * 64;
        auto split = splits_.begin();
        for (std::uint32_t own = 0; split != splits_.end(); ++own) {
            if (split->feature / 64 != own) {
                continue;
            }
            for (std::size_t bit = 0; bit < 64; ++bit) {
                block[bit] = rows[bit] == kNone ? 0 : bits_.of(rows[bit])[own];
            }
            RowBits::transpose(block);
            for (; split != splits_.end() && split->feature / 64 == own; ++split) {
                planes_[static_cast<std::size_t>(split - splits_.begin()) * words_ + w] =
                    block[split->feature % 64];
            }
        }
    }
}

void TwoLevels::add_plane(const BoxSplit& split, std::uint64_t* out) const {
    const Feature& feature = problem_.table.features[split.feature];
    const std::uint32_t* row = plane_rows_.data();
    for (std::size_t w = 0; w < words_; ++w) {
        std::uint64_t word = 0;
        for (std::size_t bit = 0; bit < 64 && *row != kNone; ++bit, ++row) {
            word |= std::uint64_t{feature.goes_left(split.low, *row)} << bit;
        }
        out[w] = word;
        row = plane_rows_.data() + (w + 1) * 64;
    }
}

std::uint32_t TwoLevels::both(std::size_t i, std::size_t j, double* out) const {
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

// Which splits of the box are distinct splits of the side, and how many each feature has.
void TwoLevels::count_splits(std::size_t split, bool left) {
    const std::uint32_t side =
        distinct_rows(splits_[split].side(box_, left).sizes);
    std::fill(weights_of_feature_.begin(), weights_of_feature_.end(), 0.0);
    const bool other_side = counted_split_ == split;  // of which the left parts are counted
    for (std::size_t j = 0; j < splits_.size(); ++j) {
        double* const to = parts_.data() + j * width_;
        if (!other_side) {
            distinct_[j] = both(split, j, to);
        }
        if (!left || other_side) {  // what is on the left of j, and not on that side of the split
            for (std::size_t s = 0; s < width_; ++s) {
                to[s] = sums_[j * width_ + s] - to[s];
            }
            distinct_[j] = distinct_rows(splits_[j].left_sizes) - distinct_[j];
        }
    }
    for_each_feature(splits_, [&](std::span<const BoxSplit> own, std::uint32_t first) {
        const std::uint32_t f = own.front().feature;
        const bool levels = problem_.table.features[f].kind == FeatureKind::levels;
        std::uint32_t before = 0;
        std::size_t last = 0, n = 0;
        for (std::size_t j = first; j < first + own.size(); ++j) {
            const std::uint32_t here = distinct_[j];
            is_split_[j] = here > 0 && here < side && (levels || here != before);
            if (is_split_[j]) {
                last = j;
                ++n;
            }
            before = here;
        }
        if (levels && own.size() > 1 && n == 2) {  // of two levels, one split
            is_split_[last] = 0;
            --n;
        }
        weights_of_feature_[f] = static_cast<double>(n);
    });
    counted_split_ = split;
    counted_left_ = left;
}

double TwoLevels::part(std::int32_t state, Sizes sizes, std::uint32_t varying,
                       const double* sums) {
    const double stop = weights_.log_stop_above(state, sizes) + leaf_.log_leaf(sums);
    const double weight = weights_.log_split_above(state, sizes, varying);
    return weight == -INFINITY ? stop : std::max(stop, weight + leaf_.log_parted(sums));
}

// Features that vary are counted for the best splits alone, until the best is one of these.
double TwoLevels::log_split_above(std::size_t split, bool left, std::int32_t state) {
    std::array<std::uint32_t, 2> vary{};
    const auto above = [&](std::int32_t below, Sizes sizes, bool on_left, const double* sums) {
        return part(below, sizes, vary[on_left], sums);
    };
    const WeightBound::OneSplit found = weights_.one_split(state);
    if (!log_split(split, left, found, above)) {
        return INFINITY;
    }
    if (!pairs_.empty() && varying_.find_witnesses(split, left)) {
        std::ranges::make_heap(pairs_, {}, &Pair::value);
        while (!pairs_.front().counted) {
            std::ranges::pop_heap(pairs_, {}, &Pair::value);
            Pair& pair = pairs_.back();
            vary = varying_.varying(pair.split);
            pair.value = pair.log_share + of_parts(split, left, pair.split, found, above);
            pair.counted = true;
            std::ranges::push_heap(pairs_, {}, &Pair::value);
        }
        return found.log_weight + pairs_.front().value;
    }
    return found.log_weight + best_pair();
}

double TwoLevels::best_pair() const {
    double best = -INFINITY;
    for (const Pair& pair : pairs_) {
        best = std::max(best, pair.value);
    }
    return best;
}

double TwoLevels::log_stump(std::size_t split, bool left, std::int32_t state) {
    const auto stop = [this](std::int32_t below, Sizes sizes, bool, const double* sums) {
        return weights_.log_stop_below(below, sizes) + leaf_.log_leaf(sums);
    };
    const WeightBound::OneSplit found = weights_.one_split(state);
    return log_split(split, left, found, stop) ? found.log_weight + best_pair() : -INFINITY;
}

template <typename Part>
bool TwoLevels::log_split(std::size_t split, bool left, const WeightBound::OneSplit& found,
                          const Part& value) {
    if (found.rule == nullptr || !depends_on_counts(found.rule->measure)) {
        return false;
    }
    if (counted_split_ != split || counted_left_ != left) {
        count_splits(split, left);
    }
    const SplitMeasure measure(found.rule->measure, problem_.grammar.feature_weights);
    double masses = 0;
    for (std::size_t f = 0; f < weights_of_feature_.size(); ++f) {
        const double n = weights_of_feature_[f];
        masses += n > 0 ? measure.mass(f, n) : 0.0;
    }
    const double total = measure.total(masses, found.rule->range_total);
    double share = 0.0, log_share = 0.0;
    std::uint32_t feature = UINT32_MAX;
    pairs_.clear();
    for (std::size_t j = 0; j < splits_.size(); ++j) {
        if (!is_split_[j]) {
            continue;
        }
        if (splits_[j].feature != feature) {
            feature = splits_[j].feature;
            const double own = measure.share(feature, weights_of_feature_[feature], total);
            if (own != share) {
                share = own;
                log_share = std::log(own);
            }
        }
        pairs_.push_back({log_share + of_parts(split, left, j, found, value), log_share, j, false});
    }
    return true;
}

// What both parts of the side are worth together.
template <typename Part>
double TwoLevels::of_parts(std::size_t split, bool left, std::size_t j,
                           const WeightBound::OneSplit& found, const Part& value) {
    const double* const a = parts_.data() + j * width_;
    double* const b = buffer_.data();
    const double* const side_left = sums_ + split * width_;
    for (std::size_t s = 0; s < width_; ++s) {
        b[s] = (left ? side_left[s] : own_[s] - side_left[s]) - a[s];
    }
    double rows = 0;
    for (std::size_t c = 0; c < k_; ++c) {
        rows += a[c];
    }
    const Sizes side_sizes = splits_[split].side(box_, left).sizes;
    const Sizes a_sizes = Sizes{static_cast<std::uint32_t>(rows)} << 32 | distinct_[j];
    return value(found.left, a_sizes, true, a) + value(found.right, side_sizes - a_sizes, false, b);
}

}  // namespace slp::search
