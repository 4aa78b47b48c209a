// The states of a grammar: all listed, or each made on first use.
//
// A program such as growtree has a state for each depth that its table allows: a million for a
// million rows. A chain reaches about sixty. So samplers and the estimate of sizes take an open
// grammar, whose source makes a state's rules on first use. Passes over all states take a listed
// one. The numbers of an open grammar's states depend on the order of use, so no result may depend
// on them.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace slp {

struct Rule;
using Rules = std::vector<Rule>;

// A state of an open grammar.
struct MadeState {
    Rules rules;
    // A bound from below on the leaves of the trees that it derives.
    std::uint32_t least_leaves = 1;
    // The number of the prior of its leaves (LeafModel::set_prior).
    std::uint32_t leaf_prior = 0;
};

// The source of an open grammar's states, for any number of threads.
class StateSource {
public:
    virtual ~StateSource() = default;
    // A state, which stays where it is. An exception from it ends the present work.
    virtual const MadeState& state(std::size_t number) = 0;
};

// States made so far, appended to by one thread at a time and read by any number.
class MadeStates {
public:
    // Null if it was not made yet.
    const MadeState* find(std::size_t state) const {
        const Chunk* const chunk =
            state < kStates ? chunks_[state / kChunk].load(std::memory_order_acquire) : nullptr;
        return chunk == nullptr ? nullptr
                                : (*chunk)[state % kChunk].load(std::memory_order_acquire);
    }

    // Keeps a state, unless another thread was first.
    const MadeState& add(std::size_t state, MadeState&& made) {
        if (state >= kStates) {
            throw std::length_error("the grammar has too many states");
        }
        const std::lock_guard lock(mutex_);
        if (const MadeState* const found = find(state)) {
            return *found;
        }
        auto& chunk = chunks_[state / kChunk];
        if (chunk.load(std::memory_order_relaxed) == nullptr) {
            kept_chunks_.push_back(std::make_unique<Chunk>());
            chunk.store(kept_chunks_.back().get(), std::memory_order_release);
        }
        kept_.push_back(std::make_unique<const MadeState>(std::move(made)));
        (*chunk.load(std::memory_order_relaxed))[state % kChunk].store(kept_.back().get(),
                                                                       std::memory_order_release);
        return *kept_.back();
    }

private:
    static constexpr std::size_t kChunk = 1 << 12, kStates = std::size_t{1} << 25;
    using Chunk = std::array<std::atomic<const MadeState*>, kChunk>;

    std::mutex mutex_;
    std::array<std::atomic<Chunk*>, kStates / kChunk> chunks_{};
    std::vector<std::unique_ptr<Chunk>> kept_chunks_;
    std::vector<std::unique_ptr<const MadeState>> kept_;
};

class States {
public:
    States() = default;
    States(std::initializer_list<Rules> listed) : listed_(listed) {}
    // An open grammar's; `most_cuts`: no more splits on one path lead to any of its states.
    States(std::shared_ptr<StateSource> source, std::int32_t most_cuts)
        : source_(std::move(source)), most_cuts_(most_cuts) {}

    bool open() const { return source_ != nullptr; }
    std::int32_t most_cuts() const { return most_cuts_; }

    const Rules& operator[](std::size_t state) const {
        return source_ == nullptr ? listed_[state] : source_->state(state).rules;
    }
    Rules& operator[](std::size_t state) { return listed_[state]; }

    // Only for an open grammar.
    std::uint32_t least_leaves(std::size_t state) const {
        return source_->state(state).least_leaves;
    }

    // The number of the prior of a state's leaves.
    std::uint32_t leaf_prior(std::size_t state) const {
        if (source_ != nullptr) {
            return source_->state(state).leaf_prior;
        }
        return state < leaf_priors_.size() ? leaf_priors_[state] : 0;
    }

    // Only for a listed grammar.
    std::size_t size() const { return all().size(); }
    auto begin() const { return all().begin(); }
    auto end() const { return all().end(); }

    void push_back(Rules rules, std::uint32_t leaf_prior = 0) {
        listed_.push_back(std::move(rules));
        leaf_priors_.resize(listed_.size(), 0);
        leaf_priors_.back() = leaf_prior;
    }
    Rules& emplace_back() { return listed_.emplace_back(); }
    Rules& back() { return listed_.back(); }
    void clear() {
        listed_.clear();
        leaf_priors_.clear();
    }

private:
    const std::vector<Rules>& all() const {
        if (open()) {
            throw std::logic_error("the states of an open grammar are not listed");
        }
        return listed_;
    }

    std::vector<Rules> listed_;
    std::vector<std::uint32_t> leaf_priors_;  // of the first of these; 0 of others
    std::shared_ptr<StateSource> source_;
    std::int32_t most_cuts_ = 0;
};

}  // namespace slp
