// A cut of a feature: what parts the rows of a box in two, in codes.

#pragma once

#include <cstdint>

namespace slp {

// The side that a cut says for missing values, or that a row takes: none, or one.
enum class Missing : std::uint8_t { untold, right, left };

// Two numbers. Which of them a kind of column makes and reads, its header says; passes that take
// only plain features (feature.hpp) read `last_left` and `first_right`.
class Cut {
public:
    constexpr Cut() = default;

    // Left go the codes up to one, right those from another on, its neighbour in the box.
    static constexpr Cut between(std::uint32_t last_left, std::uint32_t first_right) {
        return {last_left, first_right};
    }
    // Left goes one code.
    static constexpr Cut on(std::uint32_t code) { return {code, code}; }
    // Left go some of the codes in the box, right the others, each set as binary digits.
    static constexpr Cut of_sets(std::uint32_t left, std::uint32_t right) { return {left, right}; }
    // Left go the first codes in an order, so many, or all others: those with the least code.
    static constexpr Cut of_order(std::uint32_t before, std::uint32_t order) {
        return {before, order};
    }
    // As it is written down, by samplers and in Python.
    static constexpr Cut written(std::uint32_t number, std::uint32_t rest) {
        return {number, rest};
    }

    // The largest code on the left; of `on` the only one.
    constexpr std::uint32_t last_left() const { return number_; }
    // Of `between`: the least code on the right.
    constexpr std::uint32_t first_right() const { return rest_; }
    // Of `on`.
    constexpr std::uint32_t code() const { return number_; }
    // Of `of_sets`.
    constexpr std::uint32_t left_set() const { return number_; }
    constexpr std::uint32_t right_set() const { return rest_; }
    // What tells it from the other cuts of its feature in a box; and the rest of what is written.
    constexpr std::uint32_t number() const { return number_; }
    constexpr std::uint32_t rest() const { return rest_; }

    friend constexpr bool operator==(const Cut& a, const Cut& b) = default;

private:
    constexpr Cut(std::uint32_t number, std::uint32_t rest) : number_(number), rest_(rest) {}

    std::uint32_t number_ = 0, rest_ = 0;
};

}  // namespace slp
