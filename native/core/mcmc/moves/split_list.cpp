#include "mcmc/moves/split_list.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "problem/columns/left_sides.hpp"

namespace slp::mcmc {

SplitList::SplitList(const Problem& problem)
    : problem_(problem),
      k_(problem.leaf.n_statistics()),
      total_(k_),
      left_(k_),
      right_(k_) {}

void SplitList::list(LocalProcess& process, std::int32_t rule, std::int32_t feature) {
    splits_.clear();
    process.list_splits(rule, feature, splits_);
    rule_ = &process.rule(rule);
}

std::size_t SplitList::number(const Taken& taken) const {
    const auto found = std::ranges::find_if(splits_, [&](const WeighedSplit& own) {
        return static_cast<std::int32_t>(own.feature) == taken.feature &&
               own.cut == taken.cut;
    });
    return static_cast<std::size_t>(found - splits_.begin());
}

std::size_t SplitList::draw(Randomness& random) {
    // Not kept: wide tables have a million splits at the root.
    std::vector<double> weights;
    weights.reserve(splits_.size());
    for (const WeighedSplit& split : splits_) {
        weights.push_back(split.weight);
    }
    return random.among(weights);
}

double SplitList::sum() const {
    double out = 0.0;
    for (const WeighedSplit& split : splits_) {
        out += split.weight;
    }
    return out;
}

void SplitList::take(const LikelySplits& likely, std::int32_t feature, double power) {
    splits_.clear();
    double top = -INFINITY;
    for (const LikelySplit& split : likely) {
        if (static_cast<std::int32_t>(split.feature) == feature) {
            splits_.push_back({split.feature, split.cut, split.log_informed(power)});
            top = std::max(top, splits_.back().weight);
        }
    }
    for (WeighedSplit& split : splits_) {
        split.weight = std::exp(split.weight - top);
    }
}

LikelySplits SplitList::likely(Rows rows) {
    problem_.leaf.sum(rows, total_.data());
    log_likelihood_.clear();
    for (std::size_t begin = 0; begin < splits_.size();) {
        std::size_t end = begin;
        while (end < splits_.size() && splits_[end].feature == splits_[begin].feature) {
            ++end;
        }
        add_feature(rows, begin, end);
        begin = end;
    }
    LikelySplits out;
    for (std::size_t i = 0; i < splits_.size(); ++i) {
        const WeighedSplit& split = splits_[i];
        out.push_back({split.feature, split.cut, std::log(split.weight), log_likelihood_[i]});
    }
    return out;
}

// Log likelihoods of the splits from `begin` to `end`, which are on one feature.
void SplitList::add_feature(Rows rows, std::size_t begin, std::size_t end) {
    const Feature& feature = problem_.table.features[splits_[begin].feature];
    sort_by_code(feature, rows);
    if (!feature.plain()) {
        add_wide_feature(feature, std::span(splits_).subspan(begin, end - begin));
        return;
    }
    const bool single = feature.single();
    std::fill(left_.begin(), left_.end(), 0.0);
    std::size_t next = 0;
    for (std::size_t i = begin; i < end; ++i) {
        if (single) {
            std::fill(left_.begin(), left_.end(), 0.0);
        }
        for (; next < codes_.size() && codes_[next] <= splits_[i].cut.last_left(); ++next) {
            if (single && codes_[next] != splits_[i].cut.code()) {
                continue;
            }
            for (std::size_t c = 0; c < k_; ++c) {
                left_[c] += sums_[next * k_ + c];
            }
        }
        for (std::size_t c = 0; c < k_; ++c) {
            right_[c] = total_[c] - left_[c];
        }
        log_likelihood_.push_back(log_of_sides(feature, splits_[i].cut));
    }
}

// That of both sides as leaves, whose statistics are left_ and right_.
double SplitList::log_of_sides(const Feature& feature, Cut cut) {
    if (problem_.leaf.in_boxes()) {
        const auto at = static_cast<std::size_t>(feature.cell(cut)) * 2;
        // A side that no derivation takes has some prior.
        problem_.set_prior(left_.data(), std::max(rule_->transitions[at], 0));
        problem_.set_prior(right_.data(), std::max(rule_->transitions[at + 1], 0));
    }
    return problem_.leaf.log_marginal(left_.data()) + problem_.leaf.log_marginal(right_.data());
}

// The same of a feature that is not plain.
void SplitList::add_wide_feature(const Feature& feature, std::span<const WeighedSplit> splits) {
    std::vector<double> kept(k_);
    const std::size_t first = log_likelihood_.size();
    log_likelihood_.resize(first + splits.size());
    const LeftSides sides{
        .clear = [&] { std::fill(left_.begin(), left_.end(), 0.0); },
        .add =
            [&](std::size_t i) {
                for (std::size_t c = 0; c < k_; ++c) {
                    left_[c] += sums_[i * k_ + c];
                }
            },
        .keep = [&] { kept = left_; },
        .back = [&] { left_ = kept; },
        .cut =
            [&](std::size_t j) {
                for (std::size_t c = 0; c < k_; ++c) {
                    right_[c] = total_[c] - left_[c];
                }
                log_likelihood_[first + j] = log_of_sides(feature, splits[j].cut);
            }};
    for_each_left_side(feature, codes_, splits, sides);
}

void SplitList::sort_by_code(const Feature& feature, Rows rows) {
    const std::uint32_t* code = feature.codes.data();
    codes_.clear();
    for (const std::uint32_t row : rows) {
        codes_.push_back(code[row]);
    }
    const auto n_codes = static_cast<std::size_t>(feature.n_codes);
    if (n_codes > 8 * rows.size()) {  // many codes, few rows
        std::sort(codes_.begin(), codes_.end());
        codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
        sums_.assign(codes_.size() * k_, 0.0);
        for (const std::uint32_t row : rows) {
            const auto at = std::ranges::lower_bound(codes_, code[row]) - codes_.begin();
            problem_.leaf.add(row, sums_.data() + static_cast<std::size_t>(at) * k_);
        }
        return;
    }
    sums_.assign(n_codes * k_, 0.0);
    slot_.assign(n_codes, 0);
    for (const std::uint32_t row : rows) {
        problem_.leaf.add(row, sums_.data() + code[row] * k_);
        slot_[code[row]] = 1;
    }
    codes_.clear();
    for (std::uint32_t c = 0; c < n_codes; ++c) {
        if (slot_[c] != 0) {
            std::copy_n(sums_.data() + c * k_, k_, sums_.data() + codes_.size() * k_);
            codes_.push_back(c);
        }
    }
}

}  // namespace slp::mcmc
