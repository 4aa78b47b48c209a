#include "exact/tree_summary.hpp"

#include <algorithm>

namespace slp::exact {

namespace {

// The probability of one of two independent events: nothing is lost where both are small.
double used_by(double left, double right) {
    return left + std::max(0.0, 1.0 - left) * right;
}

}  // namespace

void SummarySum::rescale(double scale) {
    const double by = std::exp(scale_ - scale);
    total_ *= by;
    for (double& number : numbers_) {
        number *= by;
    }
    scale_ = scale;
}

double SummarySum::choice(double log_weight, double log_best, double count) {
    log_best_ = std::max(log_best_, log_best);
    count_ += count;
    if (log_weight == -INFINITY) {
        return 0.0;
    }
    if (log_weight > scale_) {
        rescale(log_weight);
    }
    const double part = std::exp(log_weight - scale_);
    total_ += part;
    return part;
}

void SummarySum::add_leaf(double log_weight, std::size_t state, bool can_split) {
    const SummaryLayout& at = *layout_;
    const double part = choice(log_weight, log_weight, 1.0);
    numbers_[at.leaves()] += part;
    numbers_[at.depth()] += part;
    numbers_[can_split ? at.stops(state) : at.alone(state)] += part;
}

// Uses below a side. The leaves below its splits are added by the caller.
void SummarySum::add_side(double part, const SideSum& side, std::size_t state) {
    const SummaryLayout& at = *layout_;
    numbers_[side.can_split ? at.stops(state) : at.alone(state)] += part * side.stop;
    double* const splits = numbers_.data() + at.splits(state);
    for (std::size_t f = 0; f < at.d; ++f) {
        splits[f] += part * side.split[f];
    }
}

void SummarySum::add_split(double log_weight, std::size_t state, std::size_t feature,
                           const SideSum& left, std::size_t left_state, const SideSum& right,
                           std::size_t right_state) {
    const SummaryLayout& at = *layout_;
    const double part = choice(log_weight + left.log_total + right.log_total,
                               log_weight + left.log_best + right.log_best,
                               left.count * right.count);
    if (part == 0.0) {
        return;
    }
    for (std::size_t f = 0; f < at.d; ++f) {
        numbers_[at.used(f)] +=
            part * (f == feature ? 1.0 : used_by(left.split[f], right.split[f]));
    }
    const double one = left.stop * right.go_on + left.go_on * right.stop;
    const double both = left.go_on * right.go_on;
    numbers_[at.leaves() + 1] += part * left.stop * right.stop;
    numbers_[at.depth() + 1] += part * left.stop * right.stop;
    if (one + both > 0.0) {  // there is a second level
        numbers_[at.leaves() + 2] += part * one;
        numbers_[at.depth() + 2] += part * (one + both);
    }
    if (both > 0.0) {
        numbers_[at.leaves() + 3] += part * both;
    }
    numbers_[at.splits(state) + feature] += part;
    add_side(part, left, left_state);
    add_side(part, right, right_state);
}

void SummarySum::add_split(double log_weight, std::size_t state, std::size_t feature,
                           const TreeSummary& left, const TreeSummary& right) {
    const SummaryLayout& at = *layout_;
    const double part = choice(log_weight + left.log_total + right.log_total,
                               log_weight + left.log_best + right.log_best,
                               left.count * right.count);
    if (part == 0.0) {
        return;
    }
    const double *const x = left.numbers.data(), *const y = right.numbers.data();
    for (std::size_t f = 0; f < at.d; ++f) {
        numbers_[at.used(f)] +=
            part * (f == feature ? 1.0 : used_by(x[at.used(f)], y[at.used(f)]));
    }
    const std::size_t most = at.n_leaves();
    for (std::size_t i = 0; i + 1 < most; ++i) {
        for (std::size_t j = 0; i + j + 1 < most; ++j) {
            numbers_[at.leaves() + i + j + 1] +=
                part * x[at.leaves() + i] * y[at.leaves() + j];
        }
    }
    double x_below = 0, y_up_to = 0;
    for (std::size_t t = at.depth(); t < at.depth() + at.levels; ++t) {
        y_up_to += y[t];
        numbers_[t + 1] += part * (x[t] * y_up_to + x_below * y[t]);
        x_below += x[t];
    }
    numbers_[at.splits(state) + feature] += part;
    for (std::size_t i = at.alone(0); i < at.size(); ++i) {
        numbers_[i] += part * (x[i] + y[i]);
    }
}

void SummarySum::merge(const SummarySum& other) {
    if (other.scale_ > scale_) {
        rescale(other.scale_);
    }
    log_best_ = std::max(log_best_, other.log_best_);
    count_ += other.count_;
    if (other.scale_ == -INFINITY) {
        return;
    }
    const double by = std::exp(other.scale_ - scale_);
    total_ += by * other.total_;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        numbers_[i] += by * other.numbers_[i];
    }
}

TreeSummary SummarySum::found() const {
    TreeSummary out{-INFINITY, log_best_, count_, numbers_};
    if (total_ > 0) {
        out.log_total = scale_ + std::log(total_);
        for (double& number : out.numbers) {
            number /= total_;
        }
    }
    return out;
}

}  // namespace slp::exact
