#include "smc/resampling.hpp"

#include <algorithm>
#include <cmath>

namespace slp::smc {

namespace {

using Sums = std::span<const double>;
using Drawn = std::vector<std::uint32_t>;

Drawn multinomial(mcmc::Randomness& random, Sums sums, std::uint32_t n) {
    Drawn out;
    for (std::uint32_t i = 0; i < n; ++i) {
        out.push_back(static_cast<std::uint32_t>(random.among_sums(sums)));
    }
    return out;
}

Drawn residual(mcmc::Randomness& random, Sums sums, std::uint32_t n) {
    Drawn out;
    std::vector<double> rest;
    double before = 0.0, left = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double expected = sums[i] - before;
        const double whole = std::floor(expected);
        out.insert(out.end(), static_cast<std::size_t>(whole), static_cast<std::uint32_t>(i));
        rest.push_back(left += expected - whole);
        before = sums[i];
    }
    while (out.size() < n) {
        out.push_back(static_cast<std::uint32_t>(random.among_sums(rest)));
    }
    return out;
}

Drawn stratified(mcmc::Randomness& random, Sums sums, std::uint32_t n) {
    Drawn out;
    std::vector<double> inside;
    for (std::uint32_t j = 0; j < n; ++j) {
        const double low = j, high = j + 1.0;
        const auto first = std::upper_bound(sums.begin(), sums.end(), low);
        inside.clear();
        for (auto at = first; at != sums.end() && (at == first || *(at - 1) < high); ++at) {
            inside.push_back(std::min(*at, high) - low);
        }
        out.push_back(static_cast<std::uint32_t>(first - sums.begin()) +
                      static_cast<std::uint32_t>(random.among_sums(inside)));
    }
    return out;
}

// The outcome changes where the point passes the fractional part of a running sum.
Drawn systematic(mcmc::Randomness& random, Sums sums, std::uint32_t n) {
    std::vector<double> ends;
    for (const double sum : sums.first(sums.size() - 1)) {
        if (const double part = sum - std::floor(sum); part > 0) {
            ends.push_back(part);
        }
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    ends.push_back(1.0);
    const std::size_t piece = random.among_sums(ends);
    const double point = (ends[piece] + (piece > 0 ? ends[piece - 1] : 0.0)) / 2;
    // The last of weight above 0.
    const auto last = std::lower_bound(sums.begin(), sums.end(), sums.back());
    Drawn out;
    auto at = sums.begin();
    for (std::uint32_t j = 0; j < n; ++j) {
        while (at != last && *at <= j + point) {
            ++at;
        }
        out.push_back(static_cast<std::uint32_t>(at - sums.begin()));
    }
    return out;
}

}  // namespace

double log_sum(std::span<const double> log_weights) {
    const double top = *std::max_element(log_weights.begin(), log_weights.end());
    double sum = 0.0;
    for (const double w : log_weights) {
        sum += top > -INFINITY ? std::exp(w - top) : 0.0;
    }
    return top + (sum > 0 ? std::log(sum) : 0.0);
}

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

std::vector<std::uint32_t> resampled(mcmc::Randomness& random, Scheme scheme,
                                     std::span<const double> log_weights, std::uint32_t n) {
    const double top = *std::max_element(log_weights.begin(), log_weights.end());
    std::vector<double> sums;
    double sum = 0.0;
    for (const double w : log_weights) {
        sums.push_back(sum += std::exp(w - top));
    }
    for (double& s : sums) {
        s = n * (s / sum);
    }
    switch (scheme) {
        case Scheme::multinomial: return multinomial(random, sums, n);
        case Scheme::residual: return residual(random, sums, n);
        case Scheme::stratified: return stratified(random, sums, n);
        case Scheme::systematic: break;
    }
    return systematic(random, sums, n);
}

}  // namespace slp::smc
