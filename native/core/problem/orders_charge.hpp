// The memory of the orders of levels (columns/level_orders.hpp), counted in the budget of a search.

#pragma once

#include <atomic>
#include <cstddef>

#include "budget.hpp"
#include "problem/problem.hpp"

namespace slp {

class OrdersCharge {
public:
    OrdersCharge(const Table& table, Budget& budget)
        : table_(table), budget_(budget), any_(table.looks_at_response()) {}
    ~OrdersCharge() { budget_.give_back(charged_); }
    OrdersCharge(const OrdersCharge&) = delete;
    OrdersCharge& operator=(const OrdersCharge&) = delete;

    // Takes what they have grown by since the last call; throws OutOfBudget if there is not so
    // much. Any number of threads may call it.
    void look() {
        if (!any_) {
            return;
        }
        const std::size_t now = table_.bytes_of_orders();
        std::size_t before = charged_.load();
        while (before < now) {
            const std::size_t taken = before;
            budget_.take(now - taken);
            if (charged_.compare_exchange_strong(before, now)) {
                return;
            }
            budget_.give_back(now - taken);
        }
    }

private:
    const Table& table_;
    Budget& budget_;
    bool any_;
    std::atomic<std::size_t> charged_{0};
};

}  // namespace slp
