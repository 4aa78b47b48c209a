// Objects that threads borrow: each thread needs one for itself, and the next thread reuses it.

#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace slp {

template <typename T>
class ObjectPool {
public:
    explicit ObjectPool(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

    // Lends one for as long as `work` runs.
    template <typename Work>
    auto lend(Work work) {
        std::unique_ptr<T> own;
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                own = std::move(idle_.back());
                idle_.pop_back();
            }
        }
        if (!own) {
            own = make_();
        }
        auto out = work(*own);
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(own));
        return out;
    }

    // Frees those that no thread has. They may be large, and the next loan makes a new one.
    void free_idle() {
        const std::lock_guard lock(mutex_);
        idle_.clear();
    }

private:
    std::function<std::unique_ptr<T>()> make_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace slp
