// Registers the exact engine with the extension module.

#pragma once

#include <nanobind/nanobind.h>

void bind_exact(nanobind::module_& m);
