#include "exact/uniform_search.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace slp::exact {

namespace {

double find_log_scale(const Geometry& geometry, const UniformTask& task, const MakeSearch& make) {
    constexpr std::size_t kFew = 24;
    const std::span<const std::uint32_t> all = geometry.root().rows;
    const std::size_t n_few = std::min(all.size(), kFew);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < n_few; ++i) {
        rows.push_back(all[i * all.size() / n_few]);
    }
    UniformTask few = task;
    few.keep = false;
    few.n_threads = 1;
    const Box box = geometry.box_of(rows);
    const auto search = make(few, box, 0.0);
    if (search->run([](const Progress&) { return true; }) != Status::done) {
        return 0.0;
    }
    return -search->log_value(box, 0) / data_rows(box.sizes);
}

}  // namespace

std::unique_ptr<UniformSearch> make_scaled(const Geometry& geometry, const UniformTask& task,
                                           const MakeSearch& make) {
    const double log_scale = task.sum == Sum::count ? 0.0 : find_log_scale(geometry, task, make);
    return make(task, geometry.root(), log_scale);
}

}  // namespace slp::exact
