#include "exact/binary_blocks/search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "exact/binary_blocks/cells.hpp"
#include "exact/binary_blocks/model.hpp"
#include "exact/binary_blocks/small_boxes.hpp"
#include "exact/binary_blocks/sums.hpp"
#include "exact/block_walk.hpp"
#include "pool.hpp"

namespace slp::exact {

namespace {

constexpr std::size_t kMarkedRows = 64;

template <typename Word, std::size_t kInner>
struct BinarySetting {
    BinaryModel<Word> model;
    InnerBits<Word, kInner> inner;
    // Values of the blocks of one row, by row.
    std::vector<double> singles;

    std::size_t words_of_single() const {
        return model.grammar.nodes.size() * InnerBits<Word, kInner>::kCells;
    }
    const double* single(std::uint32_t row) const {
        return singles.data() + row * words_of_single();
    }
};

// One thread's part. Members are kept as positions of their values.
template <typename Word, Sum kSum, bool kVector, std::size_t kInner>
class BinaryBlockWorker
    : public BlockWalk<BinaryBlockWorker<Word, kSum, kVector, kInner>, BinarySplit, double> {
public:
    using Walk = BlockWalk<BinaryBlockWorker, BinarySplit, double>;

    BinaryBlockWorker(WalkShared& shared, const BinarySetting<Word, kInner>& setting,
                      std::size_t thread, Pool& pool, const Poll* poll)
        : Walk(shared, thread, poll),
          setting_(setting),
          model_(setting.model),
          sums_(model_, setting.inner, pool) {}

private:
    friend Walk;

    // Splits on outer bits; none for a box of few rows, which is evaluated without them.
    std::span<BinarySplit> find_splits(const Box& box) {
        if (box.rows.size() <= kFewRows<kVector>) {
            return {};
        }
        const std::vector<typename BinaryTable<Word>::BinaryRow>& rows = model_.table.rows;
        const Word outer =
            model_.table.varying(box.rows) & ~(setting_.inner.mask() | model_.excluded);
        for (Word w = outer; w != 0; w &= w - 1) {
            right_[lowest_bit(w)] = {};
        }
        std::uint64_t mark = 1;
        for (const std::uint32_t number : box.rows) {
            const auto& row = rows[number];
            for (Word w = row.bits & outer; w != 0; w &= w - 1) {
                BinarySide& side = right_[lowest_bit(w)];
                side.key = side.key + row.key;
                side.sizes += row.sizes;
                side.rows |= mark;
            }
            mark = std::rotl(mark, 1);
        }
        auto* const begin = this->arena_.template allocate<BinarySplit>(count_bits(outer));
        BinarySplit* end = begin;
        for (Word w = outer; w != 0; w &= w - 1) {
            const auto bit = static_cast<std::uint32_t>(lowest_bit(w));
            const BinarySide& side = right_[bit];
            if (data_rows(side.sizes) >= model_.least &&
                data_rows(box.sizes - side.sizes) >= model_.least) {
                *end++ = {side.key, side.sizes, side.rows, model_.weight_of_bit[bit], bit};
            }
        }
        return {begin, end};
    }

    Box list_side(const Box& box, const BinarySplit& split, bool left) {
        Box side = split.side(box, left);
        auto* const rows = this->arena_.template allocate<std::uint32_t>(distinct_rows(side.sizes));
        side.rows = {rows, list_rows(box, split, left, rows)};
        return side;
    }

    std::size_t list_rows(const Box& box, const BinarySplit& split, bool left,
                          std::uint32_t* out) const {
        const std::size_t m = box.rows.size();
        std::size_t n = 0;
        if (m <= kMarkedRows) {
            const std::uint64_t all = ~std::uint64_t{0} >> (kMarkedRows - m);
            for (std::uint64_t w = left ? all & ~split.goes_right : split.goes_right; w != 0;
                 w &= w - 1) {
                out[n++] = box.rows[lowest_bit(w)];
            }
            return n;
        }
        for (const std::uint32_t row : box.rows) {
            if ((model_.table.rows[row].bits >> split.bit & 1) == (left ? 0 : 1)) {
                out[n++] = row;
            }
        }
        return n;
    }

    bool follows(const BinarySplit&) const { return true; }

    // A side of one row.
    const double* known(const Box& box, const BinarySplit& split, bool left) const {
        if (distinct_rows(split.side(box, left).sizes) > 1) {
            return nullptr;
        }
        std::uint32_t row = 0;
        list_rows(box, split, left, &row);
        return setting_.single(row);
    }

    const double* work_out(const typename Walk::BlockFrame& f) {
        const auto is_less = [](std::uint64_t a, std::uint64_t b) {
            return *std::bit_cast<const double*>(a) < *std::bit_cast<const double*>(b);
        };
        const auto keep = [&](std::size_t cell, const double* value) {
            if (this->shared_.kept != nullptr) {
                this->shared_.keep(key_of(f.box, cell), std::bit_cast<std::uint64_t>(value),
                                   is_less);
            }
        };
        return sums_.work_out(f.box, model_.table.varying(f.box.rows), f.splits, f.sides, keep);
    }

    // Key of a member.
    Key key_of(const Box& box, std::size_t cell) const {
        Key key;
        for (const std::uint32_t row : box.rows) {
            if (setting_.inner.holds(cell, row)) {
                key = key + model_.table.rows[row].key;
            }
        }
        return key;
    }

    void take_back() {
        if (this->shared_.kept == nullptr) {
            sums_.take_back();
        }
    }
    const BlockCounts& counts() const { return sums_.counts; }

    struct BinarySide {
        Key key;
        Sizes sizes = 0;
        std::uint64_t rows = 0;
    };

    const BinarySetting<Word, kInner>& setting_;
    const BinaryModel<Word>& model_;
    BinarySums<Word, kSum, kVector, kInner> sums_;
    std::array<BinarySide, kBits<Word>> right_;
};

// Values of boxes of few rows after a pass. Many boxes ask for the values of one, in several
// states, so those that were asked for last are kept. Several threads may ask.
template <typename Word, Sum kSum, bool kVector>
class ValuesOfFew {
public:
    // keeps: whether any are kept, which takes at most a 16th of the memory that is left.
    ValuesOfFew(const BinaryModel<Word>& model, Budget& budget, bool keeps)
        : length_(kVector ? model.grammar.nodes.size() : 1), charge_(budget) {
        const std::size_t slot = sizeof(Key) + length_ * sizeof(double);
        const std::size_t most = keeps ? std::min(kMostBytes, budget.left() / 16) : 0;
        const std::size_t n_slots = std::bit_floor(most / (kParts * slot));
        charge_.add(kParts * n_slots * slot);
        for (std::size_t part = 0; part < kParts; ++part) {
            parts_.push_back(std::make_unique<SmallBoxShard>(model, n_slots, length_));
        }
    }

    // 0 if the value is not kept, and the box has no rows to compute it from.
    double value(const Box& box, std::size_t state) {
        SmallBoxShard& part = *parts_[box.key.b % kParts];
        const std::lock_guard lock(part.mutex);
        const std::size_t at = part.keys.empty() ? 0 : box.key.a & (part.keys.size() - 1);
        double* const kept = part.values.data() + at * length_;
        if (!part.keys.empty() && part.keys[at] == box.key) {
            return kept[state];
        }
        if (box.rows.empty()) {
            return 0.0;
        }
        part.small.work_out(box.rows, false);
        const auto values = part.small.values((std::size_t{1} << box.rows.size()) - 1);
        if (!part.keys.empty()) {
            part.keys[at] = box.key;
            std::fill(std::ranges::copy(values, kept).out, kept + length_, 0.0);
        }
        return values[state];
    }

private:
    static constexpr std::size_t kParts = 8, kMostBytes = std::size_t{1} << 25;

    struct SmallBoxShard {
        SmallBoxShard(const BinaryModel<Word>& model, std::size_t n_slots, std::size_t length)
            : small(model), keys(n_slots), values(n_slots * length) {}
        std::mutex mutex;
        SmallBoxes<Word, kSum, kVector> small;
        std::vector<Key> keys;
        std::vector<double> values;  // by slot and state
    };

    std::size_t length_;
    Charge charge_;
    std::vector<std::unique_ptr<SmallBoxShard>> parts_;
};

template <typename Word, Sum kSum, bool kVector, std::size_t kInner>
class BinaryBlockSearch final : public BlockSearch {
public:
    static constexpr std::size_t kCells = InnerBits<Word, kInner>::kCells;
    static constexpr std::size_t kWhole = kCells - 1;  // the cell that is free in every inner bit

    BinaryBlockSearch(const Problem& problem, const BinaryTable<Word>& table,
                      const BlockGrammar& grammar, const BlockTask& task)
        : BlockSearch(task, task.n_threads),
          grammar_(grammar),
          setting_{{problem, table, grammar_, task},
                   InnerBits<Word, kInner>(table, table.bit_of(task.excluded)),
                   {}} {}

    Status run(const Poll& poll) override {
        if (!find_singles() && task_.sum != Sum::count) {
            return Status::out_of_range;
        }
        const Status status = shared_.team.run(task_.n_threads, [&](std::size_t thread) {
            BinaryBlockWorker<Word, kSum, kVector, kInner>(shared_, setting_, thread,
                                                           *pools_[thread],
                                                           thread == 0 ? &poll : nullptr)
                .run(task_.root);
        });
        if (status == Status::done) {
            const auto* const values =
                std::bit_cast<const double*>(*shared_.found->find(task_.root.key));
            const Word varying = model().table.varying(task_.root.rows);
            const std::size_t n_values = kVector ? model().n_states_of(varying) : 1;
            for (std::size_t t = 0; t < n_values; ++t) {
                root_values_.push_back(values[t * kCells + kWhole]);
            }
        }
        shared_.found.reset();
        if (!task_.keep) {
            pools_.clear();
        }
        if (status == Status::done) {
            few_.emplace(model(), shared_.budget, task_.keep);
        }
        return status;
    }

    std::uint32_t few_rows() const override { return kFewRows<kVector>; }

private:
    double number(std::uint64_t kept, std::size_t state) const override {
        return std::bit_cast<const double*>(kept)[state * kCells];
    }

    double value_of_few(const Box& box, std::size_t state) const override {
        const bool is_small = distinct_rows(box.sizes) <= kFewRows<kVector>;
        return few_ && is_small ? few_->value(box, state) : 0.0;
    }

    const BinaryModel<Word>& model() const { return setting_.model; }

    // Values of the blocks of one row. Whether no leaf of several states underflows.
    bool find_singles() {
        bool inside = true;
        const std::size_t n_rows = model().table.rows.size();
        const std::size_t words = setting_.words_of_single();
        // And of each thread's small boxes.
        const std::size_t scratch = task_.n_threads * (words << kFewRows<kVector>);
        shared_.budget.take((n_rows * words + scratch) * sizeof(double));
        setting_.singles.assign(n_rows * words, 0.0);
        std::vector<double> statistics(model().problem.leaf.n_statistics());
        const std::vector<double> none(std::max(grammar_.kinds.size(), grammar_.nodes.size()));
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

    BlockGrammar grammar_;
    BinarySetting<Word, kInner> setting_;
    mutable std::optional<ValuesOfFew<Word, kSum, kVector>> few_;
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
            if (grammar.is_linear && grammar.nodes.size() == 1) {
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
