#include "search/side_cuts.hpp"

#include <algorithm>
#include <cmath>

namespace slp::search {

namespace {

constexpr std::uint32_t kNoCode = 0xFFFFFFFF;

}  // namespace

CutShares::CutShares(const Problem& problem)
    : log_share(problem.table.features.size()), problem_(problem) {}

void CutShares::find(const Rule& rule, std::span<const double> n) {
    const SplitMeasure measure(problem_.grammar, rule);
    double masses = 0;
    for (std::size_t f = 0; f < n.size(); ++f) {
        masses += n[f] > 0 ? measure.mass(f, n[f]) : 0.0;
    }
    most = -INFINITY;
    double probability = -1.0, log_probability = 0.0;
    for (std::size_t f = 0; f < n.size(); ++f) {
        const double own = std::max(n[f], 1.0);
        const double all = masses + (n[f] > 0 ? 0.0 : measure.mass(f, 1.0));
        const double p = measure.probability(f, own, measure.total(all, rule.range_total));
        if (p != probability) {
            probability = p;
            log_probability = std::log(p);
        }
        log_share[f] = log_probability;
        most = std::max(most, log_probability);
    }
}

SideCuts::SideCuts(const Problem& problem, LimitedStates& states, bool likelihood)
    : problem_(problem),
      states_(states),
      likelihood_(likelihood),
      k_(problem.leaf.n_statistics()),
      shares_(problem),
      n_valid_(problem.table.features.size()),
      best_(n_valid_.size()),
      best_valid_(n_valid_.size()),
      at_valid_(n_valid_.size()) {}

void SideCuts::find(const SortedBox& box, std::span<const std::uint8_t> right) {
    const std::size_t d = n_valid_.size();
    for (CutList& side : sides_) {
        side.first.assign(d + 1, 0);
        side.left.resize(box.n * d * k_);
        side.from.resize(box.n * d);
        side.to.resize(box.n * d);
        side.valid.resize(box.n * d);
        side.value.resize(box.n * d);
        side.sums.assign(k_, 0.0);
        side.data_rows = 0;
    }
    for (std::size_t i = 0; i < box.n; ++i) {
        CutList& side = sides_[right[i]];
        side.data_rows += box.counts[i];
        for (std::size_t c = 0; c < k_; ++c) {
            side.sums[c] += box.statistics[i * k_ + c];
        }
    }
    k_ == 2 ? scan<2>(box, right) : k_ == 3 ? scan<3>(box, right) : scan<0>(box, right);
    score(sides_[0]);
    score(sides_[1]);
}

// K: the number of statistics, 0 for any.
template <std::size_t K>
void SideCuts::scan(const SortedBox& box, std::span<const std::uint8_t> right) {
    const std::size_t k = K > 0 ? K : k_;
    const auto least = static_cast<std::uint32_t>(problem_.grammar.min_leaf);
    std::vector<double> sums(2 * k);
    for (std::size_t f = 0; f < n_valid_.size(); ++f) {
        const bool single = problem_.table.features[f].single();
        const std::uint32_t* const order = box.order_of(f).data();
        const std::uint32_t* const codes = box.codes_of(f).data();
        std::array<std::uint32_t, 2> last{kNoCode, kNoCode}, rows{0, 0};
        std::array<std::uint32_t, 2> next{sides_[0].first[f], sides_[1].first[f]};
        std::ranges::fill(sums, 0.0);
        const auto cut = [&](std::size_t s, std::uint32_t to) {
            CutList& side = sides_[s];
            const std::uint32_t at = next[s]++;
            std::copy_n(sums.data() + s * k, k, side.left.data() + at * k);
            side.from[at] = last[s];
            side.to[at] = to;
            side.valid[at] = rows[s] >= least && side.data_rows - rows[s] >= least;
            if (single) {
                std::fill_n(sums.data() + s * k, k, 0.0);
                rows[s] = 0;
            }
        };
        for (std::size_t i = 0; i < box.n; ++i) {
            const std::uint32_t row = order[i], code = codes[i];
            const std::size_t s = right[row];
            if (code != last[s]) {
                if (last[s] != kNoCode) {
                    cut(s, code);
                }
                last[s] = code;
            }
            const double* const own = box.statistics.data() + row * k;
            for (std::size_t c = 0; c < k; ++c) {
                sums[s * k + c] += own[c];
            }
            rows[s] += box.counts[row];
        }
        for (std::size_t s = 0; s < 2; ++s) {
            const std::uint32_t begin = sides_[s].first[f];
            if (single && next[s] > begin) {
                cut(s, last[s]);
                if (next[s] - begin == 2) {  // of two levels, one split
                    --next[s];
                }
            }
            sides_[s].first[f + 1] = next[s];
        }
    }
}

void SideCuts::score(CutList& side) {
    const std::size_t n = side.first.back();
    if (!likelihood_) {
        std::fill_n(side.value.begin(), n, 0.0);
        side.leaf = 0.0;
        return;
    }
    problem_.leaf.log_of_sides(side.left.data(), k_, n, side.sums.data(), side.value.data());
    side.leaf = problem_.leaf.log_marginal(side.sums.data());
}

Solved SideCuts::best(bool right, std::int32_t number, BestCut& cut) {
    const LimitedState& state = states_.of(number);
    const CutList& side = sides_[right];
    cut = {};
    if (state.rule == nullptr) {
        const double stop = state.stop + side.leaf;
        return {stop, stop, stop};
    }
    bool any = false;
    for (std::size_t f = 0; f < n_valid_.size(); ++f) {
        n_valid_[f] = 0;
        best_[f] = best_valid_[f] = -INFINITY;
        for (std::uint32_t i = side.first[f]; i < side.first[f + 1]; ++i) {
            best_[f] = std::max(best_[f], side.value[i]);
            if (side.valid[i]) {
                ++n_valid_[f];
                if (side.value[i] > best_valid_[f]) {
                    best_valid_[f] = side.value[i];
                    at_valid_[f] = i;
                }
            }
        }
        any = any || n_valid_[f] > 0;
    }
    shares_.find(*state.rule, n_valid_);
    const double split =
        state.split + states_.of(state.left).stop + states_.of(state.right).stop;
    Solved out{state.log_stop(any) + side.leaf, 0.0, 0.0};
    double above = shares_.most + side.leaf;  // a cut that other rows alone make
    for (std::size_t f = 0; f < n_valid_.size(); ++f) {
        above = std::max(above, shares_.log_share[f] + best_[f]);
        const double value = split + shares_.log_share[f] + best_valid_[f];
        if (value > out.low) {
            out.low = value;
            cut = {static_cast<std::int32_t>(f), side.from[at_valid_[f]], side.to[at_valid_[f]]};
        }
    }
    out.high = out.low;
    out.cap = std::max(out.low, split + above);
    return out;
}

}  // namespace slp::search
