// A pass by levels (level_sums.hpp): one quantity of a run, which other passes share.

#pragma once

#include <memory>

#include "exact/engine.hpp"

namespace slp::exact {

// For an engine with `looks()`.
std::unique_ptr<Pass> make_level_pass(const Engine& engine, const PassTask& task);

}  // namespace slp::exact
