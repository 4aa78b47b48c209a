#include "modal/feature_scan.hpp"

#include <algorithm>
#include <bit>

#include "problem/columns/left_sides.hpp"

namespace slp::modal {

namespace {

// Calls use<W>() for the widths of two classes and of numbers, use<0>() for others: a known width
// takes a third of the time.
template <typename Use>
void for_width(std::size_t width, const Use& use) {
    switch (width) {
        case 4: return use.template operator()<4>();
        case 5: return use.template operator()<5>();
        default: return use.template operator()<0>();
    }
}

}  // namespace

FeatureScan::FeatureScan(const Problem& problem, const Geometry& geometry, Budget& budget)
    : problem_(problem),
      geometry_(geometry),
      charge_(budget),
      width_(RowSums(problem).width()),
      min_leaf_(static_cast<double>(problem.grammar.min_leaf)),
      running_(width_) {}

void FeatureScan::make_room(std::size_t n_rows, const Feature& feature, bool keys) {
    const auto n_codes = static_cast<std::size_t>(feature.n_codes);
    const std::size_t most = feature.most_cuts(n_rows);
    const std::size_t by_code = std::max(n_codes * width_, sums_.size());
    const std::size_t by_cut = std::max(most, cuts_.size());
    const std::size_t by_key = keys ? std::max({n_codes, most, keys_.size()}) : keys_.size();
    charge_.raise_to(8 * by_code + by_code / width_ / 8 + 2 * sizeof(Key) * by_key +
                     by_cut * (sizeof(Cut) + 8 * width_ + 4));
    sums_.resize(by_code, 0.0);
    occupied_.resize((by_code / width_ + 63) / 64, 0);
    if (cuts_.size() < most) {
        cuts_.resize(most);
        left_.resize(most * width_);
        codes_.reserve(std::min(n_codes, n_rows));
    }
    keys_.resize(by_key);
    left_keys_.resize(by_key);
}

template <std::size_t W>
void FeatureScan::add_rows(const RowSet& set, const Feature& feature) {
    const std::size_t width = W > 0 ? W : width_;
    const double* single = set.single;
    for (const std::uint32_t row : set.rows) {
        const std::uint32_t code = feature.codes[row];
        double* const sums = sums_.data() + code * width;
        if (sums[kDistinct] == 0.0) {
            occupied_[code / 64] |= std::uint64_t{1} << (code % 64);
        }
        for (std::size_t j = 0; j < width; ++j) {
            sums[j] += single[j];
        }
        single += width;
    }
}

void FeatureScan::find_codes(const RowSet& set, const Feature& feature) {
    codes_.clear();
    const std::size_t words = (static_cast<std::size_t>(feature.n_codes) + 63) / 64;
    if (words <= set.rows.size()) {
        for (std::size_t w = 0; w < words; ++w) {
            for (std::uint64_t bits = occupied_[w]; bits != 0; bits &= bits - 1) {
                codes_.push_back(static_cast<std::uint32_t>(w * 64) +
                                 static_cast<std::uint32_t>(std::countr_zero(bits)));
            }
            occupied_[w] = 0;
        }
        return;
    }
    for (const std::uint32_t row : set.rows) {  // many codes, few rows
        const std::uint32_t code = feature.codes[row];
        const std::uint64_t bit = std::uint64_t{1} << (code % 64);
        if (occupied_[code / 64] & bit) {
            occupied_[code / 64] &= ~bit;
            codes_.push_back(code);
        }
    }
    std::sort(codes_.begin(), codes_.end());
}

template <std::size_t W>
void FeatureScan::list_cuts(const RowSet& set, const Feature& feature) {
    const bool single = feature.single();
    const std::size_t width = W > 0 ? W : width_;
    const std::size_t n = codes_.size();
    const std::size_t tests = feature.n_plain_cuts(n);
    double* const running = running_.data();
    std::fill_n(running, width, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t code = codes_[i];
        double* const own = sums_.data() + code * width;
        double* const left = left_.data() + n_cuts_ * width;
        for (std::size_t j = 0; j < width; ++j) {
            running[j] = single ? own[j] : running[j] + own[j];
            own[j] = 0.0;
        }
        const double rest = set.sums[kData] - running[kData];
        if (i < tests && running[kData] >= min_leaf_ && rest >= min_leaf_) {
            cuts_[n_cuts_++] = single ? Cut::on(code) : Cut::between(code, codes_[i + 1]);
            std::copy_n(running, width, left);
        }
    }
}

// The same of a feature that is not plain.
void FeatureScan::list_wide_cuts(const RowSet& set, const Feature& feature, bool keys) {
    std::vector<Cut> cuts;
    feature.list_cuts(codes_, set.rows, cuts);
    std::vector<double> kept(width_);
    std::vector<std::uint8_t> valid(cuts.size(), 0);
    Key key{}, kept_key{};
    if (keys) {
        add_keys(set, feature);
    }
    const LeftSides sides{
        .clear =
            [&] {
                std::fill(running_.begin(), running_.end(), 0.0);
                key = {};
            },
        .add =
            [&](std::size_t i) {
                const double* const own = sums_.data() + codes_[i] * width_;
                for (std::size_t j = 0; j < width_; ++j) {
                    running_[j] += own[j];
                }
                key = keys ? key + keys_[codes_[i]] : key;
            },
        .keep =
            [&] {
                kept = running_;
                kept_key = key;
            },
        .back =
            [&] {
                running_ = kept;
                key = kept_key;
            },
        .cut =
            [&](std::size_t j) {
                const double rest = set.sums[kData] - running_[kData];
                valid[j] = running_[kData] >= min_leaf_ && rest >= min_leaf_;
                std::copy_n(running_.data(), width_, left_.data() + j * width_);
                if (keys) {
                    left_keys_[j] = key;
                }
            }};
    for_each_left_side(feature, codes_, cuts, sides);
    for (std::size_t j = 0; j < cuts.size(); ++j) {
        if (valid[j] != 0) {
            std::copy_n(left_.data() + j * width_, width_, left_.data() + n_cuts_ * width_);
            if (keys) {
                left_keys_[n_cuts_] = left_keys_[j];
            }
            cuts_[n_cuts_++] = cuts[j];
        }
    }
    for (const std::uint32_t code : codes_) {
        std::fill_n(sums_.data() + code * width_, width_, 0.0);
        if (keys) {
            keys_[code] = {};
        }
    }
}

// The keys of the rows of each code.
void FeatureScan::add_keys(const RowSet& set, const Feature& feature) {
    for (const std::uint32_t row : set.rows) {
        Key& key = keys_[feature.codes[row]];
        key = key + geometry_.key_of(row);
    }
}

// The keys of the left sides.
void FeatureScan::list_keys(const RowSet& set, const Feature& feature) {
    add_keys(set, feature);
    const bool single = feature.single();
    Key running{};
    std::size_t cut = 0;
    for (const std::uint32_t code : codes_) {
        running = single ? keys_[code] : running + keys_[code];
        keys_[code] = {};
        if (cut < n_cuts_ && cuts_[cut].last_left() == code) {
            left_keys_[cut++] = running;
        }
    }
}

void FeatureScan::scan(const RowSet& set, std::uint32_t f, bool keys) {
    const Feature& feature = problem_.table.features[f];
    n_cuts_ = 0;
    if (set.rows.size() < 2 || set.sums[kData] < 2 * min_leaf_) {
        return;
    }
    make_room(set.rows.size(), feature, keys);
    for_width(width_, [&]<std::size_t W>() { add_rows<W>(set, feature); });
    find_codes(set, feature);
    if (!feature.plain()) {
        list_wide_cuts(set, feature, keys);
        return;
    }
    for_width(width_, [&]<std::size_t W>() {
        list_cuts<W>(set, feature);
    });
    if (keys) {
        list_keys(set, feature);
    }
}

}  // namespace slp::modal
