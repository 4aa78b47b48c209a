#include "exact/cube_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "exact/cube_worker.hpp"
#include "exact/pool.hpp"
#include "exact/small_boxes.hpp"

namespace slp::exact {

namespace {

template <Sum kSum, bool kVector, std::size_t kInner>
class CubeSearch final : public UniformSearch {
public:
    static constexpr std::size_t kCells = InnerBits<kInner>::kCells;
    static constexpr std::size_t kWhole = kCells - 1;  // the cell that is free in every inner bit

    CubeSearch(const Problem& problem, const CubeTable& table, const Chain& chain,
               const UniformTask& task, const Box& root, double log_scale)
        : chain_(chain),
          setting_{{problem, table, chain_, Shares(table, problem.grammar, chain.measure),
                    LeafValues(problem.leaf, task.likelihood, log_scale),
                    static_cast<std::uint32_t>(std::min<std::int64_t>(
                        problem.grammar.min_leaf, data_rows(root.sizes)))},
                   InnerBits<kInner>(table),
                   {}},
          task_(task),
          root_(root),
          shared_(task) {
        for (std::size_t t = 0; t < task.n_threads; ++t) {
            pools_.push_back(std::make_unique<Pool>(shared_.budget));
        }
    }

    Status run(const Poll& poll) override {
        find_singles();
        const Status status = shared_.crew.run(task_.n_threads, [&](std::size_t thread) {
            CubeWorker<kSum, kVector, kInner>(shared_, setting_, thread, *pools_[thread],
                                              thread == 0 ? &poll : nullptr)
                .run(root_);
        });
        if (status == Status::done) {
            const auto* const block = std::bit_cast<const double*>(*shared_.found->find(root_.key));
            for (std::size_t t = 0; t < n_root_places(); ++t) {
                root_values_.push_back(block[t * kCells + kWhole]);
            }
        }
        shared_.found.reset();
        if (!task_.keep) {
            pools_.clear();
        }
        return status;
    }

    Progress progress() const override { return shared_.progress(); }

    double log_value(const Box& box, std::size_t place) const override {
        const double scale = model().leaf.log_scale() * data_rows(box.sizes);
        if (box.key == root_.key) {
            return place < root_values_.size() ? std::log(root_values_[place]) - scale : -INFINITY;
        }
        const std::uint64_t* const found =
            shared_.kept == nullptr ? nullptr : shared_.kept->find(box.key);
        if (found != nullptr) {
            return std::log(std::bit_cast<const double*>(*found)[place * kCells]) - scale;
        }
        if (box.rows.empty() || box.rows.size() > kFewRows) {
            return -INFINITY;
        }
        SmallBoxes<kSum, kVector> small(model());
        small.work_out(box.rows);
        return std::log(small.values((std::size_t{1} << box.rows.size()) - 1)[place]) - scale;
    }

    std::uint32_t few_rows() const override { return kFewRows; }

    double root_count(std::size_t place) const override {
        return place < root_values_.size() ? root_values_[place] : 0.0;
    }

private:
    const CubeModel& model() const { return setting_.model; }

    // Blocks of the families of one row.
    void find_singles() {
        const std::size_t n_rows = model().table.rows.size();
        const std::size_t words = setting_.words_of_single();
        shared_.budget.take(n_rows * words * sizeof(double));
        setting_.singles.assign(n_rows * words, 0.0);
        std::vector<double> statistics(model().problem.leaf.n_statistics());
        for (std::uint32_t row = 0; row < n_rows; ++row) {
            model().problem.leaf.sum({&row, 1}, statistics.data());
            const double leaf =
                model().leaf(statistics.data(), data_rows(model().table.rows[row].sizes));
            double* const block = setting_.singles.data() + row * words;
            for (std::size_t at = 0; at < words; ++at) {
                if (setting_.inner.holds(at % kCells, row)) {
                    block[at] = chain_.links[at / kCells].leaf_alone * leaf;
                }
            }
        }
    }

    std::size_t n_root_places() const {
        return kVector ? model().n_places_of(model().table.varying(root_.rows)) : 1;
    }

    Chain chain_;
    CubeSetting<kInner> setting_;
    UniformTask task_;
    Box root_;
    WalkShared shared_;
    std::vector<std::unique_ptr<Pool>> pools_;
    std::vector<double> root_values_;
};

// How many bits are inner. With more there are fewer families and look-ups, and more members that are
// copies; those take memory, vectors by far the most.
constexpr std::size_t kInner = 2, kInnerOfVectors = 0;

template <Sum kSum>
std::unique_ptr<UniformSearch> make(const Problem& problem, const CubeTable& table,
                                    const Chain& chain, const UniformTask& task, const Box& root,
                                    double log_scale) {
    if (chain.links.size() == 1) {
        return std::make_unique<CubeSearch<kSum, false, kInner>>(problem, table, chain, task, root,
                                                                 log_scale);
    }
    return std::make_unique<CubeSearch<kSum, true, kInnerOfVectors>>(problem, table, chain, task,
                                                                     root, log_scale);
}

std::unique_ptr<UniformSearch> make(const Problem& problem, const CubeTable& table,
                                    const Chain& chain, const UniformTask& task, const Box& root,
                                    double log_scale) {
    switch (task.sum) {
        case Sum::total: return make<Sum::total>(problem, table, chain, task, root, log_scale);
        case Sum::best: return make<Sum::best>(problem, table, chain, task, root, log_scale);
        case Sum::count: break;
    }
    return make<Sum::count>(problem, table, chain, task, root, log_scale);
}

}  // namespace

std::unique_ptr<UniformSearch> make_cube_search(const Problem& problem, const Geometry& geometry,
                                                const CubeTable& table, const Chain& chain,
                                                const UniformTask& task) {
    return std::make_unique<ScaledSearch<UniformSearch>>(
        geometry, task,
        [&problem, &table, chain](const UniformTask& own, const Box& root, double log_scale) {
            return make(problem, table, chain, own, root, log_scale);
        });
}

}  // namespace slp::exact
