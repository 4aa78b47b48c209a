// Common parts of the binding files: arrays of NumPy in and out.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "interpreter_lock.hpp"

template <typename T>
using Array =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <typename T>
using Matrix =
    nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

// All numbers of an array, row by row.
template <typename... Of>
auto span_of(const nanobind::ndarray<Of...>& array) {
    return std::span(array.data(), array.size());
}

template <typename T>
std::vector<T> vector_of(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// Raises a Python ValueError unless a condition holds that the core relies on.
inline void require(bool holds, const char* what) {
    if (!holds) {
        throw nanobind::value_error(what);
    }
}

inline void require_rows(const Array<std::uint32_t>& rows, std::size_t n) {
    const std::span<const std::uint32_t> own = span_of(rows);
    require(std::all_of(own.begin(), own.end(), [n](std::uint32_t row) { return row < n; }),
            "rows are numbers of distinct rows");
}

// Values as a tuple of Python. Its type says theirs, so that the stub does (CMakeLists.txt makes
// it).
template <typename... Of>
auto tuple_of(Of&&... values) {
    return nanobind::typed<nanobind::tuple, std::decay_t<Of>...>(
        nanobind::make_tuple(std::forward<Of>(values)...));
}

// A vector as a NumPy array, without a copy.
template <typename T>
auto to_numpy(std::vector<T>&& vector, std::initializer_list<std::size_t> shape) {
    auto holder = std::make_unique<std::vector<T>>(std::move(vector));
    T* const data = holder->data();
    nanobind::capsule owner(holder.get(),
                            [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    holder.release();
    return nanobind::ndarray<nanobind::numpy, T>(data, shape, owner);
}

template <typename T>
auto to_numpy(std::vector<T>&& vector) {
    const std::size_t length = vector.size();
    return to_numpy(std::move(vector), {length});
}
