#include "smc/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slp::smc {

namespace {

using Sums = std::span<const double>;

// A place for the particle that survives, drawn by the probability of each place.
std::uint32_t place_of(mcmc::Randomness& random, std::uint32_t kept,
                       std::span<const double> probabilities) {
    return kept == kNone ? kNone : static_cast<std::uint32_t>(random.among(probabilities));
}

Resampled multinomial(mcmc::Randomness& random, Sums sums, std::uint32_t n, std::uint32_t kept) {
    Resampled out;
    out.place = kept == kNone ? kNone : static_cast<std::uint32_t>(random.index(n));
    for (std::uint32_t j = 0; j < n; ++j) {
        out.particles.push_back(
            j == out.place ? kept : static_cast<std::uint32_t>(random.among_sums(sums)));
    }
    return out;
}

Resampled residual(mcmc::Randomness& random, Sums sums, std::uint32_t n, std::uint32_t kept) {
    Resampled out;
    std::vector<double> rest, probabilities;
    double before = 0.0, left = 0.0, of_kept = 0.0;
    for (std::uint32_t i = 0; i < sums.size(); ++i) {
        const double expected = sums[i] - before;
        const double whole = std::floor(expected);
        out.particles.insert(out.particles.end(), static_cast<std::size_t>(whole), i);
        probabilities.resize(out.particles.size(), i == kept ? 1.0 : 0.0);
        of_kept = i == kept ? expected - whole : of_kept;
        rest.push_back(left += expected - whole);
        before = sums[i];
    }
    const auto drawn = static_cast<double>(n - out.particles.size());
    probabilities.resize(n, of_kept / drawn);
    out.place = place_of(random, kept, probabilities);
    for (auto j = static_cast<std::uint32_t>(out.particles.size()); j < n; ++j) {
        out.particles.push_back(
            j == out.place ? kept : static_cast<std::uint32_t>(random.among_sums(rest)));
    }
    return out;
}

Resampled stratified(mcmc::Randomness& random, Sums sums, std::uint32_t n, std::uint32_t kept) {
    Resampled out;
    std::vector<double> inside;
    if (kept != kNone) {
        for (std::uint32_t j = 0; j < n; ++j) {
            const double low = std::max(kept > 0 ? sums[kept - 1] : 0.0, static_cast<double>(j));
            inside.push_back(std::max(0.0, std::min(sums[kept], j + 1.0) - low));
        }
        out.place = place_of(random, kept, inside);
    }
    for (std::uint32_t j = 0; j < n; ++j) {
        if (j == out.place) {
            out.particles.push_back(kept);
            continue;
        }
        const double low = j, high = j + 1.0;
        const auto first = std::upper_bound(sums.begin(), sums.end(), low);
        inside.clear();
        for (auto at = first; at != sums.end() && (at == first || *(at - 1) < high); ++at) {
            inside.push_back(std::min(*at, high) - low);
        }
        out.particles.push_back(static_cast<std::uint32_t>(first - sums.begin()) +
                                static_cast<std::uint32_t>(random.among_sums(inside)));
    }
    return out;
}

// The particles that a point, the same in all strata, gives.
std::vector<std::uint32_t> at_point(Sums sums, double point, std::uint32_t n) {
    // The last of weight above 0.
    const auto last = std::lower_bound(sums.begin(), sums.end(), sums.back());
    std::vector<std::uint32_t> out;
    auto at = sums.begin();
    for (std::uint32_t j = 0; j < n; ++j) {
        while (at != last && *at <= j + point) {
            ++at;
        }
        out.push_back(static_cast<std::uint32_t>(at - sums.begin()));
    }
    return out;
}

// The outcome changes where the point passes the fractional part of a running sum.
Resampled systematic(mcmc::Randomness& random, Sums sums, std::uint32_t n, std::uint32_t kept) {
    std::vector<double> ends;
    for (const double sum : sums.first(sums.size() - 1)) {
        if (const double part = sum - std::floor(sum); part > 0) {
            ends.push_back(part);
        }
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    ends.push_back(1.0);
    const auto begin = [&](std::size_t piece) { return piece > 0 ? ends[piece - 1] : 0.0; };
    const auto drawn = [&](std::size_t piece) {
        return at_point(sums, (begin(piece) + ends[piece]) / 2, n);
    };
    if (kept == kNone) {
        return {drawn(random.among_sums(ends)), kNone};
    }
    // Each piece with each place that gets the particle there.
    std::vector<std::pair<std::size_t, std::uint32_t>> of_kept;
    std::vector<double> lengths;
    for (std::size_t piece = 0; piece < ends.size(); ++piece) {
        const auto particles = drawn(piece);
        for (std::uint32_t j = 0; j < n; ++j) {
            if (particles[j] == kept) {
                of_kept.emplace_back(piece, j);
                lengths.push_back(ends[piece] - begin(piece));
            }
        }
    }
    const auto [piece, place] = of_kept[place_of(random, kept, lengths)];
    return {drawn(piece), place};
}

}  // namespace

double effective_size(std::span<const double> log_weights) {
    const double top = *std::max_element(log_weights.begin(), log_weights.end());
    if (top == -INFINITY) {
        return 0.0;
    }
    double sum = 0.0, squares = 0.0;
    for (const double w : log_weights) {
        const double weight = std::exp(w - top);
        sum += weight;
        squares += weight * weight;
    }
    return sum * sum / squares;
}

Resampled resampled(mcmc::Randomness& random, Scheme scheme, std::span<const double> log_weights,
                    std::uint32_t n, std::uint32_t kept) {
    const double top = *std::max_element(log_weights.begin(), log_weights.end());
    std::vector<double> sums;
    double sum = 0.0;
    for (std::size_t i = 0; i < log_weights.size(); ++i) {
        const double weight = std::exp(log_weights[i] - top);
        sums.push_back(sum += i == kept ? std::max(weight, kLeastShare) : weight);
    }
    for (double& s : sums) {
        s = n * (s / sum);
    }
    switch (scheme) {
        case Scheme::multinomial: return multinomial(random, sums, n, kept);
        case Scheme::residual: return residual(random, sums, n, kept);
        case Scheme::stratified: return stratified(random, sums, n, kept);
        case Scheme::systematic: break;
    }
    return systematic(random, sums, n, kept);
}

}  // namespace slp::smc
