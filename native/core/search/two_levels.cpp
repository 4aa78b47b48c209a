#include "search/two_levels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problem/split_measures.hpp"

namespace slp::search {

namespace {

// Pairs of splits times words of a plane: at most so many for a box.
constexpr double kMostWork = 5e8;

}  // namespace

TwoLevels::TwoLevels(const Problem& problem, const LeafBound& leaf, WeightBound& weights,
                     const RowBits& bits, Budget& budget)
    : problem_(problem),
      leaf_(leaf),
      weights_(weights),
      varying_(problem, bits),
      planes_(problem, leaf, bits),
      k_(problem.leaf.n_statistics()),
      width_(leaf.width()),
      plain_(problem.table.plain()),
      buffer_(2 * width_),
      weights_of_feature_(problem.table.features.size()),
      parts_met_(budget) {}

bool TwoLevels::prepare(const Box& box, std::span<const BoxSplit> splits, const double* sums,
                        const double* own) {
    counted_split_ = SIZE_MAX;
    if (!planes_.known() || problem_.counted() || problem_.grammar.min_leaf != 1 || !plain_) {
        return false;
    }
    const std::size_t words = planes_.lay_out(box);
    const auto n = static_cast<double>(splits.size());
    if (n * n * static_cast<double>(words + 4 * width_) > kMostWork) {
        return false;
    }
    box_ = box;
    splits_ = splits;
    sums_ = sums;
    own_ = own;
    varying_.prepare(box, splits);
    planes_.fill(box, splits);
    parts_.resize(splits.size() * width_);
    distinct_.resize(splits.size());
    is_split_.resize(splits.size());
    find_alike(box, splits);
    return true;
}

// A split is alike only if it is the only split on its feature. The splits on a feature with
// several splits are told apart by the neighbours of their cuts, so each stands for itself.
void TwoLevels::find_alike(const Box& box, std::span<const BoxSplit> splits) {
    alike_.resize(splits.size());
    std::iota(alike_.begin(), alike_.end(), 0U);
    parts_met_.start(splits.size());
    const std::vector<double>& weights = problem_.grammar.feature_weights;
    const bool grouped = problem_.grammar.grouped();
    for_each_feature(splits, [&](std::span<const BoxSplit> own, std::uint32_t j) {
        if (own.size() > 1) {
            return;
        }
        const auto sides = [&](std::uint32_t i) {
            return std::pair(splits[i].left, box.key - splits[i].left);
        };
        const std::uint32_t first = parts_met_.first(sides, j);
        if (!grouped && weights[own[0].feature] == weights[splits[first].feature]) {
            alike_[j] = first;
        }
    });
}

// Which splits of the box are distinct splits of the side, and how many each feature has.
void TwoLevels::count_splits(std::size_t split, bool left) {
    const std::uint32_t side =
        distinct_rows(splits_[split].side(box_, left).sizes);
    std::fill(weights_of_feature_.begin(), weights_of_feature_.end(), 0.0);
    const bool other_side = counted_split_ == split;  // of which the left parts are counted
    const double* const on_left = sums_ + split * width_;
    for (std::size_t j = 0; j < splits_.size(); ++j) {
        double* const to = parts_.data() + j * width_;
        if (alike_[j] != j) {
            const double* const first = parts_.data() + alike_[j] * width_;
            const bool mirrored = is_mirrored(j);
            for (std::size_t s = 0; s < width_; ++s) {
                const double all = left ? on_left[s] : own_[s] - on_left[s];
                to[s] = mirrored ? all - first[s] : first[s];
            }
            distinct_[j] = mirrored ? side - distinct_[alike_[j]] : distinct_[alike_[j]];
            continue;
        }
        if (!other_side) {
            distinct_[j] = planes_.both(split, j, to);
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
        const bool single = problem_.table.features[f].single();
        std::uint32_t before = 0;
        std::size_t last = 0, n = 0;
        for (std::size_t j = first; j < first + own.size(); ++j) {
            const std::uint32_t here = distinct_[j];
            is_split_[j] = here > 0 && here < side && (single || here != before);
            if (is_split_[j]) {
                last = j;
                ++n;
            }
            before = here;
        }
        if (single && own.size() > 1 && n == 2) {  // of two levels, one split
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
    last_split_ = nullptr;
    if (!list_splits(split, left, found)) {
        return INFINITY;
    }
    if (pairs_.empty()) {
        return -INFINITY;
    }
    if (is_last(state, found)) {
        add_leaves(split, left, found);
        const SideSplit& best = best_pair();
        last_split_ = &splits_[best.split];
        return found.log_weight + best.value;
    }
    add_parts(split, left, found, above);
    if (varying_.find_witnesses(split, left)) {
        std::ranges::make_heap(pairs_, {}, &SideSplit::value);
        while (!pairs_.front().counted) {
            std::ranges::pop_heap(pairs_, {}, &SideSplit::value);
            SideSplit& pair = pairs_.back();
            vary = varying_.varying(pair.split);
            pair.value = pair.log_probability + of_parts(split, left, pair.split, found, above);
            pair.counted = true;
            std::ranges::push_heap(pairs_, {}, &SideSplit::value);
        }
        return found.log_weight + pairs_.front().value;
    }
    return found.log_weight + best_pair().value;
}

// Then what the parts are worth is known.
bool TwoLevels::is_last(std::int32_t state, const WeightBound::OneSplit& found) {
    const auto only_stops = [&](std::int32_t part) {
        return weights_.only_stops(part) && weights_.is_exact(part);
    };
    return weights_.is_exact(state) && only_stops(found.left) && only_stops(found.right);
}

const TwoLevels::SideSplit& TwoLevels::best_pair() const {
    return *std::ranges::max_element(pairs_, {}, &SideSplit::value);
}

double TwoLevels::log_stump(std::size_t split, bool left, std::int32_t state) {
    const auto stop = [this](std::int32_t below, Sizes sizes, bool, const double* sums) {
        return weights_.log_stop_below(below, sizes) + leaf_.log_leaf(sums);
    };
    const WeightBound::OneSplit found = weights_.one_split(state);
    if (!list_splits(split, left, found) || pairs_.empty()) {
        return -INFINITY;
    }
    add_parts(split, left, found, stop);
    return found.log_weight + best_pair().value;
}

// Lists the splits of a side with their probabilities alone; false where these are not known.
bool TwoLevels::list_splits(std::size_t split, bool left, const WeightBound::OneSplit& found) {
    if (found.rule == nullptr || !depends_on_counts(found.rule->measure)) {
        return false;
    }
    if (counted_split_ != split || counted_left_ != left) {
        count_splits(split, left);
    }
    SplitMeasure measure(problem_.grammar, *found.rule);
    measure.find_groups([&](std::size_t f) { return weights_of_feature_[f] > 0; });
    double masses = 0;
    for (std::size_t f = 0; f < weights_of_feature_.size(); ++f) {
        const double n = weights_of_feature_[f];
        masses += n > 0 ? measure.mass(f, n) : 0.0;
    }
    const double total = measure.total(masses, found.rule->range_total);
    double probability = 0.0, log_probability = 0.0;
    std::uint32_t feature = UINT32_MAX;
    pairs_.clear();
    for (std::size_t j = 0; j < splits_.size(); ++j) {
        const bool known = alike_[j] != j && (found.left == found.right || !is_mirrored(j));
        if (!is_split_[j] || known) {
            continue;
        }
        if (splits_[j].feature != feature) {
            feature = splits_[j].feature;
            const double own = measure.probability(feature, weights_of_feature_[feature], total);
            if (own != probability) {
                probability = own;
                log_probability = std::log(own);
            }
        }
        pairs_.push_back({log_probability, log_probability, j, false});
    }
    return true;
}

template <typename Part>
void TwoLevels::add_parts(std::size_t split, bool left, const WeightBound::OneSplit& found,
                          const Part& value) {
    for (SideSplit& pair : pairs_) {
        pair.value += of_parts(split, left, pair.split, found, value);
    }
}

// The same where both parts only stop, for all splits together.
void TwoLevels::add_leaves(std::size_t split, bool left, const WeightBound::OneSplit& found) {
    const double* const on_left = sums_ + split * width_;
    for (std::size_t s = 0; s < width_; ++s) {
        buffer_[s] = left ? on_left[s] : own_[s] - on_left[s];
    }
    leaves_.resize(splits_.size());
    leaf_.log_of_sides(parts_.data(), splits_.size(), buffer_.data(), leaves_.data());
    const double labels =
        weights_.log_stop_above(found.left) + weights_.log_stop_above(found.right);
    for (SideSplit& pair : pairs_) {
        pair.value += labels + leaves_[pair.split];
    }
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
