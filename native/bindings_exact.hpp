// Registers the exact engine with the extension module, and what its binding files share.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "exact/engine.hpp"

void bind_exact(nanobind::module_& m);
// New rows and expected uses (bindings_descents.cpp).
void bind_descents(nanobind::class_<slp::exact::Engine>& engine);

template <typename T>
using Array =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <typename T>
std::vector<T> vector_of(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// A vector as a NumPy array, without a copy.
template <typename T>
auto to_numpy(std::vector<T>&& vector) {
    auto holder = std::make_unique<std::vector<T>>(std::move(vector));
    T* data = holder->data();
    const std::size_t size = holder->size();
    nanobind::capsule owner(holder.release(), [](void* p) noexcept {
        delete static_cast<std::vector<T>*>(p);
    });
    return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(data, {size}, owner);
}

// Runs something without the interpreter lock, but takes it now and then to see whether the user
// wants to stop, and to report: progress(items, edges, bytes), unless it is None; a report that
// returns false stops it. What Python raised goes on.
slp::exact::Status run_unlocked(
    const std::function<slp::exact::Status(const slp::exact::Poll&)>& run,
    const nanobind::object& progress);
