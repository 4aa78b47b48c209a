// All randomness of a transition comes through one interface, as in slp.runner.randomness.
//
// Runs use a generator of random numbers. Tests use a script that lists every outcome with its
// probability. So they compute the exact transition matrix of the code that runs.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace slp::mcmc {

class Randomness {
public:
    virtual ~Randomness() = default;
    // An index, i with probability weights[i] over their sum; the weights are >= 0, not all 0.
    virtual std::size_t among(std::span<const double> weights) = 0;
    // The same by the running sums of the weights, the last above 0.
    virtual std::size_t among_sums(std::span<const double> sums) = 0;
    // 0 to n - 1, each with the same probability; n below 2^32.
    virtual std::size_t index(std::size_t n) = 0;
    virtual bool happens(double probability) = 0;
};

// Randomness by xoshiro256++ (Blackman & Vigna 2021, Scrambled linear pseudorandom number
// generators).
class SeededRandomness final : public Randomness {
public:
    // Seeds that are not all 0.
    explicit SeededRandomness(const std::array<std::uint64_t, 4>& seeds) : s_(seeds) {}

    std::size_t among(std::span<const double> weights) override {
        if (weights.size() == 1) {
            return 0;
        }
        double left = uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
        std::size_t last = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (weights[i] > 0) {
                last = i;
                if (left < weights[i]) {
                    break;
                }
                left -= weights[i];
            }
        }
        return last;
    }

    std::size_t among_sums(std::span<const double> sums) override {
        if (sums.size() == 1) {
            return 0;
        }
        const auto at = std::upper_bound(sums.begin(), sums.end(), uniform() * sums.back());
        return static_cast<std::size_t>(std::min(at, sums.end() - 1) - sums.begin());
    }

    // Lemire (2019), Fast random integer generation in an interval, on 32 bits.
    std::size_t index(std::size_t n) override {
        if (n <= 1) {
            return 0;
        }
        const auto range = static_cast<std::uint32_t>(n);
        std::uint64_t product = (next() >> 32) * range;
        if (static_cast<std::uint32_t>(product) < range) {
            const std::uint32_t least = (0U - range) % range;
            while (static_cast<std::uint32_t>(product) < least) {
                product = (next() >> 32) * range;
            }
        }
        return product >> 32;
    }

    bool happens(double probability) override {
        return probability >= 1.0 || uniform() < probability;
    }

    // Uniform on [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    // Standard normal, by the polar method (Marsaglia & Bray 1964); its second number is not kept.
    double normal() {
        while (true) {
            const double u = 2.0 * uniform() - 1.0, v = 2.0 * uniform() - 1.0;
            const double s = u * u + v * v;
            if (s > 0 && s < 1) {
                return u * std::sqrt(-2.0 * std::log(s) / s);
            }
        }
    }

private:
    std::uint64_t next() {
        const std::uint64_t out = std::rotl(s_[0] + s_[3], 23) + s_[0];
        const std::uint64_t t = s_[1] << 17;
        s_[2] ^= s_[0];
        s_[3] ^= s_[1];
        s_[1] ^= s_[2];
        s_[0] ^= s_[3];
        s_[2] ^= t;
        s_[3] = std::rotl(s_[3], 45);
        return out;
    }

    std::array<std::uint64_t, 4> s_;
};

// Stream `number` of many from the same seeds: other seeds, by the mixing function of SplitMix64
// (Steele, Lea & Flood 2014, Fast splittable pseudorandom number generators).
inline SeededRandomness stream_of(std::array<std::uint64_t, 4> seeds, std::uint64_t number) {
    for (std::uint64_t& word : seeds) {
        std::uint64_t z = word + (number + 1) * 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        word = z ^ (z >> 31);
    }
    seeds[3] |= static_cast<std::uint64_t>((seeds[0] | seeds[1] | seeds[2] | seeds[3]) == 0);
    return SeededRandomness(seeds);
}

// Randomness that follows a script of outcomes, and takes the first possible outcome after its end.
// It records each decision's probabilities and outcome.
class ScriptedRandomness final : public Randomness {
public:
    explicit ScriptedRandomness(std::vector<std::uint32_t> script) : script_(std::move(script)) {}

    std::size_t among(std::span<const double> weights) override {
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        std::vector<double> probabilities;
        for (const double w : weights) {
            probabilities.push_back(w / total);
        }
        return decide(std::move(probabilities));
    }
    std::size_t among_sums(std::span<const double> sums) override {
        std::vector<double> weights(sums.size());
        std::adjacent_difference(sums.begin(), sums.end(), weights.begin());
        return among(weights);
    }
    std::size_t index(std::size_t n) override {
        return decide(std::vector<double>(n, 1.0 / static_cast<double>(n)));
    }
    bool happens(double probability) override {
        return decide({1.0 - probability, probability}) == 1;
    }

    const std::vector<std::uint32_t>& taken() const { return taken_; }
    const std::vector<std::vector<double>>& probabilities() const { return probabilities_; }

private:
    std::size_t decide(std::vector<double> probabilities) {
        std::uint32_t out = 0;
        if (taken_.size() < script_.size()) {
            out = script_[taken_.size()];
        } else {
            while (out + 1 < probabilities.size() && !(probabilities[out] > 0)) {
                ++out;
            }
        }
        taken_.push_back(out);
        probabilities_.push_back(std::move(probabilities));
        return out;
    }

    std::vector<std::uint32_t> script_, taken_;
    std::vector<std::vector<double>> probabilities_;
};

}  // namespace slp::mcmc
