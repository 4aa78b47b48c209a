// What the search keeps: for each item (a box in a product state) bounds on the log weight of its
// best derivation, and the best tree found so far.
//
// A set-associative table of 128-bit keys. It doubles until its part of the budget is used up.
// From then on a new item takes the place of the one of its bucket that took the least work. What
// is lost is found again when it is needed: bounds are only ever tightened.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "problem/columns/cut.hpp"
#include "budget.hpp"
#include "problem/key.hpp"

namespace slp::search {

// A tree that was found: a number in `Trees`, or one of these.
using TreeRef = std::uint32_t;
inline constexpr TreeRef kNoTree = 0xFFFFFFFF, kLeafTree = 0xFFFFFFFE;

// Trees that share their subtrees, counted by references.
class Trees {
public:
    struct SharedNode {
        std::uint32_t feature;
        Cut cut;
        TreeRef left, right;
        std::uint32_t references;
    };

    explicit Trees(Budget& budget) : charge_(budget) {}

    const SharedNode& operator[](TreeRef tree) const { return nodes_[tree]; }
    bool is_split(TreeRef tree) const { return tree < kLeafTree; }
    void keep(TreeRef tree) {
        if (is_split(tree)) {
            ++nodes_[tree].references;
        }
    }
    void drop(TreeRef tree) {
        stack_.push_back(tree);
        while (!stack_.empty()) {
            const TreeRef at = stack_.back();
            stack_.pop_back();
            if (is_split(at) && --nodes_[at].references == 0) {
                stack_.push_back(nodes_[at].left);
                stack_.push_back(nodes_[at].right);
                free_.push_back(at);
            }
        }
    }
    // Whether the budget has room for one more.
    bool room() {
        if (free_.empty()) {
            try {
                grow();
            } catch (const OutOfBudget&) {
                return false;
            }
        }
        return true;
    }
    // A new tree with one reference. Throws OutOfBudget.
    TreeRef make(std::uint32_t feature, Cut cut, TreeRef left,
                 TreeRef right) {
        if (free_.empty()) {
            grow();
        }
        const TreeRef at = free_.back();
        free_.pop_back();
        nodes_[at] = {feature, cut, left, right, 1};
        keep(left);
        keep(right);
        return at;
    }

private:
    void grow() {
        const std::size_t old = nodes_.size(), size = std::max<std::size_t>(64, 2 * old);
        // While the nodes are moved, both arrays are there.
        charge_.raise_to((size + old) * (sizeof(SharedNode) + 2 * sizeof(TreeRef)));
        nodes_.resize(size);
        free_.reserve(size);
        stack_.reserve(size);
        for (std::size_t i = size; i-- > old;) {
            free_.push_back(static_cast<TreeRef>(i));
        }
    }

    Charge charge_;
    std::vector<SharedNode> nodes_;
    std::vector<TreeRef> free_, stack_;
};

// 40 bytes.
struct Entry {
    Key key;
    // Logs. low: the value of `tree`; high: no derivation of the item has more.
    double low = -INFINITY, high = INFINITY;
    TreeRef tree = kNoTree;
    // Steps of work that went into it, at least 1; 0 in an empty place.
    std::uint32_t work = 0;
};

class NodeTable {
public:
    // most: bytes that it may take of the budget.
    NodeTable(Trees& trees, Budget& budget, std::size_t most)
        : trees_(trees), budget_(budget), most_(most) {
        resize(kFirstBuckets);
    }
    ~NodeTable() { budget_.give_back(bytes()); }
    NodeTable(const NodeTable&) = delete;
    NodeTable& operator=(const NodeTable&) = delete;

    std::size_t size() const { return size_; }
    // Items that made way for others.
    std::uint64_t lost() const { return lost_; }

    // Null if it is not there. Valid until the next insertion.
    const Entry* find(Key key) const {
        for (const Entry& entry : buckets_[bucket_of(key)]) {
            if (entry.work > 0 && entry.key == key) {
                return &entry;
            }
        }
        return nullptr;
    }

    // Stores bounds, or tightens those that are there; the tree gets a reference of its own.
    void store(Key key, double low, double high, TreeRef tree, std::uint32_t work) {
        Entry& entry = place(key);
        if (low > entry.low || entry.tree == kNoTree) {
            trees_.keep(tree);
            trees_.drop(entry.tree);
            entry.tree = tree;
            entry.low = low;
        }
        entry.high = std::min(entry.high, high);
        entry.work = std::max({entry.work, work, 1U});
    }

    // Empties every other bucket, to make room for trees.
    void forget_half() {
        for (std::size_t b = forgotten_++ % 2; b < n_buckets_; b += 2) {
            for (Entry& entry : buckets_[b]) {
                clear(entry);
            }
        }
    }

private:
    static constexpr std::size_t kWays = 8, kFirstBuckets = 1 << 5;
    using Bucket = std::array<Entry, kWays>;

    std::size_t bytes() const { return n_buckets_ * sizeof(Bucket); }
    std::size_t bucket_of(Key key) const { return key.a & (n_buckets_ - 1); }

    void clear(Entry& entry) {
        if (entry.work > 0) {
            trees_.drop(entry.tree);
            entry = {};
            --size_;
            ++lost_;
        }
    }

    Entry& place(Key key) {
        if (size_ > n_buckets_ * kWays / 2) {
            resize(2 * n_buckets_);
        }
        Bucket& bucket = buckets_[bucket_of(key)];
        Entry* least = &bucket[0];
        for (Entry& entry : bucket) {
            if (entry.work > 0 && entry.key == key) {
                return entry;
            }
            if (entry.work < least->work) {
                least = &entry;
            }
        }
        clear(*least);
        ++size_;
        least->key = key;
        least->work = 1;
        return *least;
    }

    // Unless that is more than it may take: while entries are moved, both arrays are there.
    void resize(std::size_t n) {
        const std::size_t more = n * sizeof(Bucket);
        if (n > kFirstBuckets && bytes() + more > most_) {
            return;
        }
        try {
            budget_.take(more);
        } catch (const OutOfBudget&) {
            if (n == kFirstBuckets) {
                throw;
            }
            return;
        }
        auto old = std::move(buckets_);
        const std::size_t n_old = n_buckets_;
        buckets_ = std::make_unique<Bucket[]>(n);
        n_buckets_ = n;
        for (std::size_t b = 0; b < n_old; ++b) {
            for (const Entry& entry : old[b]) {
                if (entry.work > 0) {  // a bucket becomes two, so there is room
                    *std::ranges::find_if(buckets_[bucket_of(entry.key)],
                                          [](const Entry& to) { return to.work == 0; }) = entry;
                }
            }
        }
        budget_.give_back(n_old * sizeof(Bucket));
    }

    Trees& trees_;
    Budget& budget_;
    std::size_t most_, n_buckets_ = 0, size_ = 0;
    std::uint64_t lost_ = 0, forgotten_ = 0;
    std::unique_ptr<Bucket[]> buckets_;
};

}  // namespace slp::search
