#include "exact/cube_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "exact/arena.hpp"
#include "exact/memo.hpp"
#include "exact/numbers.hpp"
#include "exact/pool.hpp"
#include "exact/small_boxes.hpp"

namespace slp::exact {

namespace {

constexpr std::size_t kMarkedRows = 64;

template <Sum kSum, bool kVector>
class CubeSearch final : public UniformSearch {
public:
    CubeSearch(const Problem& problem, const CubeTable& table, const Chain& chain,
               const UniformTask& task, const Box& root, double log_scale)
        : chain_(chain),
          model_{problem, table, chain_, Shares(table, problem.grammar, chain.measure),
                 LeafValues(problem.leaf, task.likelihood, log_scale)},
          task_(task),
          root_(root),
          budget_(task.memory),
          memo_(std::make_unique<Memo>(1, task.n_threads, budget_)),
          counters_(task.n_threads) {
        for (std::size_t t = 0; t < task.n_threads; ++t) {
            pools_.push_back(std::make_unique<Pool>(budget_));
        }
    }

    Status run(const Poll& poll) override {
        try {
            find_singles();
        } catch (const OutOfBudget&) {
            return Status::out_of_budget;
        }
        const Status status = crew_.run(task_.n_threads, [&](std::size_t thread) {
            Worker(*this, thread, thread == 0 ? &poll : nullptr).run();
        });
        if (status == Status::done) {
            const std::uint64_t word = *memo_->find(root_.key);
            const Cell cell = cell_of(word);
            const double* const values = values_of(cell);
            root_values_.assign(values, values + (kVector ? n_root_places() : 1));
            if (!task_.keep) {
                memo_.reset();
                pools_.clear();
            }
        }
        return status;
    }

    Progress progress() const override {
        Progress out;
        for (const Counter& c : counters_) {
            out.items += c.items.load(std::memory_order_relaxed);
            out.edges += c.edges.load(std::memory_order_relaxed);
            out.repeated += c.repeated.load(std::memory_order_relaxed);
        }
        out.bytes = budget_.used();
        out.peak_bytes = budget_.peak();
        return out;
    }

    double log_value(const Box& box, std::size_t place) const override {
        const double scale = model_.leaf.log_scale() * data_rows(box.sizes);
        if (box.key == root_.key) {
            return place < root_values_.size() ? std::log(root_values_[place]) - scale : -INFINITY;
        }
        if (const std::uint64_t* found = memo_ == nullptr ? nullptr : memo_->find(box.key)) {
            const Cell cell = cell_of(*found);
            return std::log(values_of(cell)[place]) - scale;
        }
        if (box.rows.empty() || box.rows.size() > kFewRows) {
            return -INFINITY;
        }
        SmallBoxes<kSum, kVector> small(model_);
        return std::log(small.values(box.rows)[place]) - scale;
    }

    std::uint32_t few_rows() const override { return kFewRows; }

    double root_count(std::size_t place) const override {
        return place < root_values_.size() ? root_values_[place] : 0.0;
    }

private:
    // A box's value, or where its values lie.
    using Cell = std::conditional_t<kVector, const double*, double>;

    static Cell cell_of(std::uint64_t word) { return std::bit_cast<Cell>(word); }
    static std::uint64_t word_of(Cell cell) { return std::bit_cast<std::uint64_t>(cell); }
    static const double* values_of(const Cell& cell) {
        if constexpr (kVector) {
            return cell;
        } else {
            return &cell;
        }
    }

    struct Split {
        Key right;
        Sizes right_sizes;
        // Of at most kMarkedRows rows those that go right, by their place in the box.
        std::uint64_t goes_right;
        double weight;
        std::uint32_t bit;
    };

    struct Frame {
        Arena::Mark mark;
        Box box;
        std::uint64_t varying = 0;
        double leaf = 0.0;  // its value as a leaf
        std::span<Split> splits;
        Cell* sides = nullptr;  // left and right of each split
        std::uint32_t* missing = nullptr;  // places in `sides`
        std::uint32_t n_missing = 0, next = 0, first = 0;
        bool expanded = false;
    };

    class Worker {
    public:
        Worker(CubeSearch& all, std::size_t thread, const Poll* poll)
            : s_(all),
              model_(all.model_),
              thread_(thread),
              watch_(all.crew_, poll),
              small_(all.model_),
              pool_(*all.pools_[thread]),
              statistics_(all.model_.problem.leaf.n_statistics()),
              sum_(kVector ? all.model_.n_places() : 1),
              path_(all.budget_) {}

        void run() {
            push(s_.root_, arena_.mark());
            while (!stack_.empty()) {
                if (++steps_ % 64 == 0 && !watch_.go_on([this] { return s_.progress(); })) {
                    return;
                }
                if (!stack_.back().expanded) {
                    expand(stack_.back());
                }
                if (!visit_missing(stack_.back())) {
                    finish(stack_.back());
                }
            }
            s_.crew_.end(Status::done);
        }

    private:
        void push(const Box& box, Arena::Mark mark) {
            Frame frame;
            frame.mark = mark;
            frame.box = box;
            stack_.push_back(frame);
        }

        void expand(Frame& f) {
            find_splits(f);
            f.sides = arena_.allocate<Cell>(2 * f.splits.size());
            f.missing = arena_.allocate<std::uint32_t>(2 * f.splits.size());
            f.expanded = true;
            look_up_sides(f);
            work_out_small(f);
            f.first = f.n_missing > 0 && thread_ > 0
                          ? static_cast<std::uint32_t>(split_mix(thread_ + f.box.key.a) %
                                                       f.n_missing)
                          : 0;
            path_.raise_to(arena_.bytes() + stack_.capacity() * sizeof(Frame));
        }

        void find_splits(Frame& f) {
            const std::vector<CubeTable::Row>& rows = model_.table.rows;
            std::uint64_t any = 0, every = ~std::uint64_t{0};
            for (const std::uint32_t row : f.box.rows) {
                any |= rows[row].bits;
                every &= rows[row].bits;
            }
            f.varying = any & ~every;
            for (std::uint64_t w = f.varying; w != 0; w &= w - 1) {
                right_[static_cast<std::size_t>(std::countr_zero(w))] = {};
            }
            std::uint64_t mark = 1;
            for (const std::uint32_t number : f.box.rows) {
                const CubeTable::Row& row = rows[number];
                for (std::uint64_t w = row.bits & f.varying; w != 0; w &= w - 1) {
                    Side& side = right_[static_cast<std::size_t>(std::countr_zero(w))];
                    side.key = side.key + row.key;
                    side.sizes += row.sizes;
                    side.rows |= mark;
                }
                mark = std::rotl(mark, 1);
            }
            const auto least = static_cast<std::uint64_t>(model_.problem.grammar.min_leaf);
            auto* const begin =
                arena_.allocate<Split>(static_cast<std::size_t>(std::popcount(f.varying)));
            Split* end = begin;
            for (std::uint64_t w = f.varying; w != 0; w &= w - 1) {
                const auto bit = static_cast<std::uint32_t>(std::countr_zero(w));
                const Side& side = right_[bit];
                if (data_rows(side.sizes) >= least &&
                    data_rows(f.box.sizes - side.sizes) >= least) {
                    *end++ = {side.key, side.sizes, side.rows, model_.shares.weight[bit], bit};
                }
            }
            f.splits = {begin, end};
        }

        static Key key_of(const Frame& f, std::uint32_t place) {
            const Key right = f.splits[place / 2].right;
            return place % 2 == 0 ? f.box.key - right : right;
        }

        static Sizes sizes_of(const Frame& f, std::uint32_t place) {
            const Sizes right = f.splits[place / 2].right_sizes;
            return place % 2 == 0 ? f.box.sizes - right : right;
        }

        // Lists the rows of a side.
        std::size_t find_rows(const Frame& f, std::uint32_t place, std::uint32_t* out) const {
            const Split& split = f.splits[place / 2];
            const bool right = place % 2 != 0;
            const std::size_t m = f.box.rows.size();
            std::size_t n = 0;
            if (m <= kMarkedRows) {
                const std::uint64_t all = ~std::uint64_t{0} >> (kMarkedRows - m);
                for (std::uint64_t w = right ? split.goes_right : all & ~split.goes_right; w != 0;
                     w &= w - 1) {
                    out[n++] = f.box.rows[static_cast<std::size_t>(std::countr_zero(w))];
                }
                return n;
            }
            for (const std::uint32_t row : f.box.rows) {
                if ((model_.table.rows[row].bits >> split.bit & 1) == (right ? 1 : 0)) {
                    out[n++] = row;
                }
            }
            return n;
        }

        bool look_up(Frame& f, std::uint32_t place) const {
            const std::uint64_t* const found = s_.memo_->find(key_of(f, place));
            if (found != nullptr) {
                f.sides[place] = cell_of(*found);
            }
            return found != nullptr;
        }

        void look_up_sides(Frame& f) {
            const auto n = static_cast<std::uint32_t>(2 * f.splits.size());
            const Memo::Reading reading(*s_.memo_, thread_);
            for (std::uint32_t place = 0; place < n; ++place) {
                if (distinct_rows(sizes_of(f, place)) > 1) {
                    s_.memo_->prefetch(key_of(f, place));
                }
            }
            // While the memory answers.
            model_.problem.leaf.sum(f.box.rows, statistics_.data());
            f.leaf = model_.leaf(statistics_.data(), data_rows(f.box.sizes));
            for (std::uint32_t place = 0; place < n; ++place) {
                if (distinct_rows(sizes_of(f, place)) == 1) {
                    std::uint32_t row = 0;
                    find_rows(f, place, &row);
                    f.sides[place] = s_.single(row);
                } else if (!look_up(f, place)) {
                    f.missing[f.n_missing++] = place;
                }
            }
        }

        // Works out what is small of what is missing, and leaves the rest.
        void work_out_small(Frame& f) {
            std::uint32_t n_left = 0, n_small = 0;
            for (std::uint32_t i = 0; i < f.n_missing; ++i) {
                const std::uint32_t place = f.missing[i];
                if (distinct_rows(sizes_of(f, place)) > kFewRows) {
                    f.missing[n_left++] = place;
                    continue;
                }
                const Key key = key_of(f, place);
                const auto same = std::find_if(
                    done_.begin(), done_.begin() + n_small,
                    [&](std::uint32_t other) { return key_of(f, other) == key; });
                if (same != done_.begin() + n_small) {  // by another feature
                    f.sides[place] = f.sides[*same];
                    continue;
                }
                std::array<std::uint32_t, kFewRows> rows;
                f.sides[place] = work_out(key, {rows.data(), find_rows(f, place, rows.data())});
                done_[n_small++] = place;
            }
            f.n_missing = n_left;
        }

        Cell work_out(Key key, std::span<const std::uint32_t> rows) {
            const std::span<const double> values = small_.values(rows);
            const Cell cell = kept(values);
            const auto n_splits = static_cast<std::uint64_t>(std::popcount(small_.varying()));
            insert(key, cell, n_splits);
            return cell;
        }

        // Values as a cell, in memory that stays.
        Cell kept(std::span<const double> values) {
            if constexpr (kVector) {
                auto* const out = reinterpret_cast<double*>(pool_.allocate(values.size()));
                std::copy(values.begin(), values.end(), out);
                return out;
            } else {
                return values[0];
            }
        }

        bool insert(Key key, Cell cell, std::uint64_t n_splits) {
            if constexpr (kSum != Sum::count) {
                const double value = values_of(cell)[0];
                if (!(value >= kTiny && value <= kHuge)) {
                    s_.crew_.end(Status::out_of_range);
                }
            }
            const std::uint64_t word = word_of(cell);
            Counter& counter = s_.counters_[thread_];
            if (!s_.memo_->insert(key, &word)) {
                Counter::add(counter.repeated, 1);
                return false;
            }
            Counter::add(counter.items, 1);
            Counter::add(counter.edges, n_splits + 1);
            return true;
        }

        // Goes on to a box that is still missing; false if there is none left.
        bool visit_missing(Frame& f) {
            for (; f.next < f.n_missing; ++f.next) {
                const std::uint32_t place = f.missing[(f.next + f.first) % f.n_missing];
                {
                    const Memo::Reading reading(*s_.memo_, thread_);
                    if (look_up(f, place)) {
                        continue;
                    }
                }
                const Arena::Mark mark = arena_.mark();
                const Sizes sizes = sizes_of(f, place);
                auto* const rows = arena_.allocate<std::uint32_t>(distinct_rows(sizes));
                const std::size_t n = find_rows(f, place, rows);
                push({{rows, n}, key_of(f, place), sizes}, mark);
                return true;
            }
            return false;
        }

        void finish(Frame& f) {
            const std::size_t n = kVector ? model_.n_places_of(f.varying) : 1;
            std::fill_n(sum_.begin(), n, 0.0);
            double weights = 0;
            for (std::size_t i = 0; i < f.splits.size(); ++i) {
                const double weight = f.splits[i].weight;
                weights += weight;
                add_split<kSum, kVector>(model_, weight, values_of(f.sides[2 * i]),
                                         values_of(f.sides[2 * i + 1]), n, sum_.data());
            }
            for (std::size_t t = 0; t < n; ++t) {
                sum_[t] = value_at<kSum>(model_, t, f.leaf, sum_[t], weights);
            }
            const Key key = f.box.key;
            const std::uint64_t n_splits = f.splits.size();
            arena_.release(f.mark);
            stack_.pop_back();
            if (!insert(key, kept({sum_.data(), n}), n_splits) && kVector) {
                pool_.take_back(n);
            }
        }

        struct Side {
            Key key;
            Sizes sizes = 0;
            std::uint64_t rows = 0;
        };

        CubeSearch& s_;
        const CubeModel& model_;
        std::size_t thread_;
        Watch watch_;
        SmallBoxes<kSum, kVector> small_;
        Pool& pool_;
        Arena arena_;
        std::vector<Frame> stack_;
        std::array<Side, kMostBits> right_;
        std::array<std::uint32_t, 2 * kMostBits> done_;
        std::vector<double> statistics_, sum_;
        Charge path_;
        std::uint64_t steps_ = 0;
    };

    // Values of the boxes of one row. They are entered for look-ups after the run.
    void find_singles() {
        const std::size_t n = kVector ? model_.n_places() : 1;
        const std::size_t n_rows = model_.table.rows.size();
        budget_.take(n_rows * n * sizeof(double));
        singles_.reserve(n_rows * n);
        std::vector<double> statistics(model_.problem.leaf.n_statistics());
        for (std::uint32_t row = 0; row < n_rows; ++row) {
            model_.problem.leaf.sum({&row, 1}, statistics.data());
            const double leaf =
                model_.leaf(statistics.data(), data_rows(model_.table.rows[row].sizes));
            for (std::size_t t = 0; t < n; ++t) {
                singles_.push_back(chain_.links[t].leaf_alone * leaf);
            }
            if (task_.keep && n_rows > 1) {
                const std::uint64_t word = word_of(single(row));
                memo_->insert(model_.table.rows[row].key, &word);
            }
        }
    }

    Cell single(std::uint32_t row) const {
        if constexpr (kVector) {
            return singles_.data() + row * model_.n_places();
        } else {
            return singles_[row];
        }
    }

    std::size_t n_root_places() const {
        std::uint64_t any = 0, every = ~std::uint64_t{0};
        for (const std::uint32_t row : root_.rows) {
            any |= model_.table.rows[row].bits;
            every &= model_.table.rows[row].bits;
        }
        return model_.n_places_of(any & ~every);
    }

    Chain chain_;
    CubeModel model_;
    UniformTask task_;
    Box root_;
    Budget budget_;
    std::vector<std::unique_ptr<Pool>> pools_;
    std::unique_ptr<Memo> memo_;
    std::vector<Counter> counters_;
    std::vector<double> singles_, root_values_;
    Crew crew_;
};

template <Sum kSum>
std::unique_ptr<UniformSearch> make(const Problem& problem, const CubeTable& table,
                                    const Chain& chain, const UniformTask& task, const Box& root,
                                    double log_scale) {
    if (chain.links.size() == 1) {
        return std::make_unique<CubeSearch<kSum, false>>(problem, table, chain, task, root,
                                                         log_scale);
    }
    return std::make_unique<CubeSearch<kSum, true>>(problem, table, chain, task, root,
                                                    log_scale);
}

std::unique_ptr<UniformSearch> make(const Problem& problem, const CubeTable& table,
                                    const Chain& chain, const UniformTask& task, const Box& root,
                                    double log_scale) {
    switch (task.sum) {
        case Sum::total:
            return make<Sum::total>(problem, table, chain, task, root, log_scale);
        case Sum::best:
            return make<Sum::best>(problem, table, chain, task, root, log_scale);
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
