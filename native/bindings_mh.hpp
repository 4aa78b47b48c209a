// Registers Metropolis-Hastings over proof trees with the extension module.

#pragma once

#include <nanobind/nanobind.h>

void bind_mh(nanobind::module_& m);
// Over edits of a given tree (bindings_edits.cpp).
void bind_edits(nanobind::module_& m);
