// The splits of nodes with the weights that `informed` draws them by, kept from one move to the
// next: the nodes of a tree, and of trees near it, come again and again, at all powers of a ladder.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mcmc/local_splits.hpp"
#include "mcmc/randomness.hpp"
#include "problem/key.hpp"

namespace slp::mcmc {

// A split: log of its weight in the program, up to a factor, and of the marginal likelihoods of
// both sides.
struct LikelySplit {
    std::uint32_t feature;
    Cut cut;
    double log_weight, log_likelihood;

    double log_informed(double power) const;
};

// The likely splits of a node: features and cuts ascending.
using LikelySplits = std::vector<LikelySplit>;

// The splits of a node under one power.
struct InformedSplits {
    std::shared_ptr<const LikelySplits> likely;
    double power = 0.0;
    // Running sums of the weights, which are divided by their largest one; log of that.
    std::vector<double> sums;
    double log_top = 0.0;

    InformedSplits(std::shared_ptr<const LikelySplits> own, double at_power);

    const LikelySplit& draw(Randomness& random) const {
        return (*likely)[random.among_sums(sums)];
    }
    // The log probability of drawing a split of the list.
    double log_probability(const Taken& taken) const { return log_probability(find(taken)); }
    double log_probability(const LikelySplit& split) const;
    // Log of the weight of a split of the list, and of the sum of all.
    double log_informed(const Taken& taken) const { return find(taken).log_informed(power); }
    double log_sum() const { return log_top + std::log(sums.back()); }

private:
    const LikelySplit& find(const Taken& taken) const;
};

// The trees of at most one split at a node, under one power: logs of the weight of the leaf, of the
// factor of the informed weights of the splits, and of the sum over all. None by default.
struct Stumps {
    double log_stop = -INFINITY, log_split = -INFINITY, log_sum = -INFINITY;
};

// A node as far as its splits depend on it; and a power.
struct NodeKey {
    Key rows;
    std::int32_t state;
    double power = 0.0;

    friend bool operator==(const NodeKey&, const NodeKey&) = default;
};

struct HashOfNode {
    std::size_t operator()(const NodeKey& key) const {
        return key.rows.a ^ static_cast<std::uint64_t>(key.state) ^
               (std::hash<double>{}(key.power) * 0x9e3779b97f4a7c15U);
    }
};

// Values by node: those used last, in two generations of `most` splits each.
template <typename Value>
class KeptValues {
public:
    explicit KeptValues(std::size_t most) : most_(most) {}

    // A value; by `make`, which gives its splits too, if it is not kept. The reference holds until
    // the next call.
    template <typename Make>
    const Value& find(const NodeKey& key, Make make) {
        if (const auto found = young_.find(key); found != young_.end()) {
            return found->second.first;
        }
        auto older = old_.extract(key);
        std::pair<Value, std::size_t> own = older.empty() ? make() : std::move(older.mapped());
        if (n_young_ > 0 && n_young_ + own.second > most_) {
            old_ = std::exchange(young_, {});
            n_young_ = 0;
        }
        n_young_ += own.second;
        return young_.emplace(key, std::move(own)).first->second.first;
    }

    void clear() {
        young_.clear();
        old_.clear();
        n_young_ = 0;
    }

private:
    std::unordered_map<NodeKey, std::pair<Value, std::size_t>, HashOfNode> young_, old_;
    std::size_t most_;
    std::size_t n_young_ = 0;
};

// What is found never depends on what is kept. It takes 32 bytes for each split of a node, and 40
// for each of a node under a power, in two generations, and twice what the largest node needs.
// Sums of twigs take less than a megabyte.
class InformedCache {
public:
    // For tables with so many cuts: small ones have few nodes that come again.
    explicit InformedCache(std::size_t n_cuts)
        : likely_(std::min(kMostSplits, n_cuts * n_cuts / 4)),
          informed_(std::min(kMostSplits, n_cuts * n_cuts / 4)),
          stumps_(kMostStumps) {}

    // Drops everything: the weights of splits are others.
    void clear() {
        likely_.clear();
        informed_.clear();
        stumps_.clear();
    }

    // `make` lists the splits of the node.
    template <typename Make>
    std::shared_ptr<const LikelySplits> likely(const NodeKey& node, Make make) {
        return likely_.find(node, [&] {
            auto made = std::make_shared<const LikelySplits>(make());
            const std::size_t n = made->size();
            return std::pair(std::move(made), n);
        });
    }

    template <typename Make>
    const InformedSplits& informed(const NodeKey& node, double power, Make make) {
        return informed_.find({node.rows, node.state, power}, [&] {
            InformedSplits made(likely(node, make), power);
            const std::size_t n = made.sums.size();
            return std::pair(std::move(made), n);
        });
    }

    template <typename Make>
    const Stumps& stumps(const NodeKey& node, double power, Make make) {
        return stumps_.find({node.rows, node.state, power},
                            [&] { return std::pair(make(), std::size_t{1}); });
    }

private:
    static constexpr std::size_t kMostSplits = 1 << 16, kMostStumps = 1 << 12;

    KeptValues<std::shared_ptr<const LikelySplits>> likely_;
    KeptValues<InformedSplits> informed_;
    KeptValues<Stumps> stumps_;
};

}  // namespace slp::mcmc
