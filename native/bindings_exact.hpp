// Registers the exact engine with the extension module, and what its binding files share.

#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "bindings_arrays.hpp"
#include "exact/engine.hpp"

void bind_exact(nanobind::module_& m);
// New rows and expected uses (bindings_descents.cpp).
void bind_descents(nanobind::class_<slp::exact::Engine>& engine);

// Runs something without the interpreter lock, but takes it now and then to see whether the user
// wants to stop, and to report: progress(items, edges, bytes), unless it is None; a report that
// returns false stops it. What Python raised goes on.
slp::exact::Status run_unlocked(
    const std::function<slp::exact::Status(const slp::exact::Poll&)>& run,
    const nanobind::object& progress);
