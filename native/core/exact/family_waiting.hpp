// The families that probability has come to and has not left yet (family_descent.hpp), by the number
// of their rows: a split leads to fewer, so all that comes to a family has come when its turn is.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "exact/budget.hpp"
#include "exact/family_places.hpp"
#include "exact/family_triangle.hpp"
#include "exact/geometry.hpp"

namespace slp::exact {

// Behind it in memory: for each lane where its derivatives by the members are, or null while the lane
// has not come; then the rows.
template <bool kVector>
struct WaitingFamily {
    const FamilyTriangle<FamilyCell<kVector>>* values;
    Box box;
    std::size_t bytes;

    double** lanes() { return reinterpret_cast<double**>(this + 1); }
};

template <bool kVector>
class WaitingFamilies {
public:
    using Waiting = WaitingFamily<kVector>;
    using Triangle = FamilyTriangle<FamilyCell<kVector>>;

    // n_families: how many there may be. depth: numbers of a member. Throws OutOfBudget.
    WaitingFamilies(std::size_t n_families, std::size_t n_rows, std::size_t n_lanes,
                    std::size_t depth, Budget& budget)
        : n_lanes_(n_lanes), depth_(depth), levels_(n_rows + 1), budget_(budget) {
        take(n_families * sizeof(Waiting*));
        by_number_.resize(n_families);
    }

    ~WaitingFamilies() {
        for (Waiting* const family : by_number_) {
            if (family != nullptr) {
                give_up(*family);
            }
        }
        budget_.give_back(taken_);
    }
    WaitingFamilies(const WaitingFamilies&) = delete;
    WaitingFamilies& operator=(const WaitingFamilies&) = delete;

    // No family has as many rows.
    std::size_t end_of_sizes() const { return levels_.size(); }

    // Those of a size, in an order that does not depend on how they were found. They are the caller's
    // to give up.
    std::vector<Waiting*> leave(std::size_t size) {
        std::vector<Waiting*> level = std::exchange(levels_[size], {});
        std::sort(level.begin(), level.end(),
                  [](const Waiting* x, const Waiting* y) { return x->box.key < y->box.key; });
        return level;
    }

    // Null where no lane has come.
    Waiting* find(const Triangle& values) const { return by_number_[values.number]; }
    void prefetch(const Triangle& values) const { __builtin_prefetch(&by_number_[values.number]); }

    // Its rows are still to be written.
    Waiting& make(const Triangle* values, Box box) {
        const std::size_t n = distinct_rows(box.sizes);
        const std::size_t bytes =
            sizeof(Waiting) + n_lanes_ * sizeof(double*) + n * sizeof(std::uint32_t);
        take(bytes);
        levels_[n].push_back(nullptr);
        auto* const family = new (::operator new(bytes)) Waiting{values, box, bytes};
        std::fill_n(family->lanes(), n_lanes_, nullptr);
        family->box.rows = {rows_of(*family), n};
        by_number_[values->number] = family;
        levels_[n].back() = family;
        return *family;
    }

    std::uint32_t* rows_of(Waiting& family) const {
        return reinterpret_cast<std::uint32_t*>(family.lanes() + n_lanes_);
    }

    Derivatives<kVector> derivatives(Waiting& family, std::size_t lane) const {
        return {family.lanes()[lane], family.values->k, depth_};
    }

    // Zeros where the lane has not come yet.
    Derivatives<kVector> make_derivatives(Waiting& family, std::size_t lane) {
        double*& own = family.lanes()[lane];
        if (own == nullptr) {
            const std::size_t n = family.values->n_cells() * depth_;
            take(n * sizeof(double));
            family.bytes += n * sizeof(double);
            own = new double[n]();
        }
        return derivatives(family, lane);
    }

    void give_up(Waiting& family) {
        budget_.give_back(family.bytes);
        taken_ -= family.bytes;
        for (std::size_t lane = 0; lane < n_lanes_; ++lane) {
            delete[] family.lanes()[lane];
        }
        by_number_[family.values->number] = nullptr;
        ::operator delete(&family);
    }

private:
    void take(std::size_t bytes) {
        budget_.take(bytes);
        taken_ += bytes;
    }

    std::size_t n_lanes_, depth_;
    std::vector<Waiting*> by_number_;
    std::vector<std::vector<Waiting*>> levels_;
    Budget& budget_;
    std::size_t taken_ = 0;
};

}  // namespace slp::exact
