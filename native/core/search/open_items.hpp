// Items that were opened, with their branches, so that they need not be opened again when the
// search comes back to them. Where those that were used last take half of their part of the budget,
// the others are forgotten.

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "problem/key.hpp"
#include "search/branching.hpp"

namespace slp::search {

// The branches of an opened item, and their splits.
struct OpenItem {
    OpenItem(Budget& budget, double most_left_out, std::span<const Branch> own)
        : charge(budget), left_out(most_left_out) {
        const auto n_splits = static_cast<std::size_t>(std::ranges::count_if(
            own, [](const Branch& branch) { return branch.split != nullptr; }));
        charge.add(kOverhead + own.size() * sizeof(Branch) + n_splits * sizeof(BoxSplit));
        branches.assign(own.begin(), own.end());
        splits.reserve(n_splits);
        for (Branch& branch : branches) {
            if (branch.split != nullptr) {
                splits.push_back(*branch.split);
                branch.split = &splits.back();
            }
        }
    }

    // Bytes of the object and of its place in a map.
    static constexpr std::size_t kOverhead = 256;

    Charge charge;
    // The leaf rules, and branches that are not among these, are worth at most this.
    double left_out;
    std::vector<Branch> branches;
    std::vector<BoxSplit> splits;
};

class OpenItems {
public:
    struct Hash {
        std::size_t operator()(Key key) const { return key.a; }
    };

    // most: bytes that they may take of the budget.
    OpenItems(Budget& budget, std::size_t most) : budget_(budget), most_(most) {}

    void clear() {
        last_.clear();
        before_.clear();
        bytes_ = 0;
    }
    // Null if it is not there.
    std::shared_ptr<OpenItem> find(Key key) {
        if (const auto found = last_.find(key); found != last_.end()) {
            return found->second;
        }
        const auto found = before_.find(key);
        if (found == before_.end()) {
            return nullptr;
        }
        const std::shared_ptr<OpenItem> item = std::move(found->second);
        before_.erase(found);
        add(key, item);
        return item;
    }

    // Null if there is no room.
    std::shared_ptr<OpenItem> keep(Key key, double left_out, std::span<const Branch> branches) {
        try {
            auto made = std::make_shared<OpenItem>(budget_, left_out, branches);
            if (bytes_of(*made) > most_ / 2) {
                return nullptr;
            }
            add(key, made);
            return made;
        } catch (const OutOfBudget&) {
            return nullptr;
        }
    }

private:
    static std::size_t bytes_of(const OpenItem& item) {
        return OpenItem::kOverhead + item.branches.size() * (sizeof(Branch) + sizeof(BoxSplit));
    }

    void add(Key key, std::shared_ptr<OpenItem> item) {
        const std::size_t size = bytes_of(*item);
        if (bytes_ + size > most_ / 2) {
            before_ = std::move(last_);
            last_.clear();
            bytes_ = 0;
        }
        bytes_ += size;
        last_[key] = std::move(item);
    }

    Budget& budget_;
    // bytes_: of those used last.
    std::size_t most_, bytes_ = 0;
    std::unordered_map<Key, std::shared_ptr<OpenItem>, Hash> last_, before_;
};

}  // namespace slp::search
