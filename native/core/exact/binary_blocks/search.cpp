#include "exact/binary_blocks/search.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "exact/binary_blocks/small_boxes.hpp"
#include "exact/binary_blocks/worker.hpp"
#include "pool.hpp"

namespace slp::exact {

namespace {

template <typename Word, Sum kSum, bool kVector, std::size_t kInner>
class BinaryBlockSearch final : public BlockSearch {
public:
    static constexpr std::size_t kCells = InnerBits<Word, kInner>::kCells;
    static constexpr std::size_t kWhole = kCells - 1;  // the cell that is free in every inner bit

    BinaryBlockSearch(const Problem& problem, const BinaryTable<Word>& table,
                      const BlockGrammar& grammar, const BlockTask& task)
        : BlockSearch(task, task.n_threads),
          grammar_(grammar),
          setting_{{problem, table, grammar_, {},
                    BinarySplitProbabilities(table, problem.grammar, grammar.measure),
                    LeafValues(problem, task.likelihood, task.log_scale),
                    static_cast<std::uint32_t>(std::min<std::int64_t>(
                        problem.grammar.min_leaf, data_rows(task.root.sizes))),
                    table.bit_of(task.excluded), task.root.key},
                   InnerBits<Word, kInner>(table, table.bit_of(task.excluded)),
                   {}} {
        for (const std::int32_t cell : table.cells) {
            const std::uint32_t own = grammar_.class_of_cell[static_cast<std::size_t>(cell)];
            setting_.model.kind_of_bit.push_back(grammar_.kind_of_class[own]);
        }
    }

    Status run(const Poll& poll) override {
        if (!find_singles() && task_.sum != Sum::count) {
            return Status::out_of_range;
        }
        const Status status = shared_.team.run(task_.n_threads, [&](std::size_t thread) {
            BinaryWorker<Word, kSum, kVector, kInner>(shared_, setting_, thread, *pools_[thread],
                                                thread == 0 ? &poll : nullptr)
                .run(task_.root);
        });
        if (status == Status::done) {
            const auto* const values =
                std::bit_cast<const double*>(*shared_.found->find(task_.root.key));
            for (std::size_t t = 0; t < n_root_values(); ++t) {
                root_values_.push_back(values[t * kCells + kWhole]);
            }
        }
        shared_.found.reset();
        if (!task_.keep) {
            pools_.clear();
        }
        return status;
    }

    std::uint32_t few_rows() const override { return kFewRows; }

private:
    double number(std::uint64_t kept, std::size_t state) const override {
        return std::bit_cast<const double*>(kept)[state * kCells];
    }

    double value_of_few(const Box& box, std::size_t state) const override {
        if (!is_few(box)) {
            return 0.0;
        }
        SmallBoxes<Word, kSum, kVector> small(model());
        small.work_out(box.rows, false);
        return small.values((std::size_t{1} << box.rows.size()) - 1)[state];
    }

    const BinaryModel<Word>& model() const { return setting_.model; }

    // Values of the blocks of one row. Whether no leaf of several states underflows.
    bool find_singles() {
        bool inside = true;
        const std::size_t n_rows = model().table.rows.size();
        const std::size_t words = setting_.words_of_single();
        // And of each thread's small boxes.
        const std::size_t scratch = task_.n_threads * (words << kFewRows);
        shared_.budget.take((n_rows * words + scratch) * sizeof(double));
        setting_.singles.assign(n_rows * words, 0.0);
        std::vector<double> statistics(model().problem.leaf.n_statistics());
        const std::vector<double> none(
            std::max(grammar_.kinds.size(), grammar_.nodes.size()));
        std::vector<double> values(grammar_.nodes.size());
        for (std::uint32_t row = 0; row < n_rows; ++row) {
            model().problem.leaf.sum({&row, 1}, statistics.data());
            const bool own = model().template write<kSum>(
                false, statistics.data(), data_rows(model().table.rows[row].sizes), none.data(),
                none.data(), values.size(), values.data());
            inside = inside && (own || !kVector);
            for (std::size_t at = 0; at < words; ++at) {
                if (setting_.inner.holds(at % kCells, row)) {
                    setting_.singles[row * words + at] = values[at / kCells];
                }
            }
        }
        return inside;
    }

    std::size_t n_root_values() const {
        return kVector ? model().n_states_of(model().table.varying(task_.root.rows)) : 1;
    }

    BlockGrammar grammar_;
    BinarySetting<Word, kInner> setting_;
};

// How many bits are inner. With more there are fewer blocks and look-ups, and more members that are
// copies; those take memory, vectors by far the most.
constexpr std::size_t kInner = 2, kInnerOfVectors = 0;

}  // namespace

std::unique_ptr<BlockSearch> make_binary_block_search(const Problem& problem,
                                                      const AnyBinaryTable& any,
                                                      const BlockGrammar& grammar,
                                                      const BlockTask& task) {
    const auto make = [&]<typename Word>(const BinaryTable<Word>& table) {
        return for_sum(task.sum, [&]<Sum kSum>() -> std::unique_ptr<BlockSearch> {
            if (grammar.chain && grammar.nodes.size() == 1) {
                return std::make_unique<BinaryBlockSearch<Word, kSum, false, kInner>>(
                    problem, table, grammar, task);
            }
            return std::make_unique<BinaryBlockSearch<Word, kSum, true, kInnerOfVectors>>(
                problem, table, grammar, task);
        });
    };
    return std::visit(make, any);
}

}  // namespace slp::exact
