#include "exact/families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "exact/family_ranks.hpp"
#include "exact/numbers.hpp"
#include "exact/pool.hpp"

namespace slp::exact {

namespace {

// A triangle of members. A cell is a member's value, or where its vector of values begins.
template <typename Cell>
struct Family {
    std::size_t k = 0;

    static std::size_t words(std::size_t k) { return 1 + k * (k + 1) / 2; }
    // Row i such that row(i)[j] is the member from rank i to rank j.
    const Cell* row(std::size_t i) const {
        return reinterpret_cast<const Cell*>(this + 1) + i * k - i * (i + 1) / 2;
    }
    Cell* row(std::size_t i) { return const_cast<Cell*>(std::as_const(*this).row(i)); }
};

template <Sum kSum, bool kVector>
class Families final : public UniformSearch {
public:
    using Cell = std::conditional_t<kVector, const double*, double>;
    using Triangle = Family<Cell>;

    Families(const Problem& problem, const Geometry& geometry, const Chain& chain,
             std::uint32_t inner, const UniformTask& task, const Box& root, double log_scale)
        : problem_(problem),
          geometry_(geometry),
          chain_(chain),
          inner_(inner),
          task_(task),
          root_(root),
          n_places_(chain.links.size()),
          log_scale_(log_scale),
          budget_(task.memory),
          found_(std::make_unique<Memo>(1, task.n_threads, budget_)),
          counters_(task.n_threads) {
        if (task.keep) {
            kept_ = std::make_unique<Memo>(1, task.n_threads, budget_);
        }
        for (std::size_t t = 0; t < 2 * task.n_threads; ++t) {
            pools_.push_back(std::make_unique<Pool>(budget_));
        }
    }

    Status run(const Poll& poll) override {
        const Status status = crew_.run(task_.n_threads, [&](std::size_t thread) {
            Worker(*this, thread, thread == 0 ? &poll : nullptr).run();
        });
        finish(status);
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
        if (box.key == root_.key) {
            return root_values_.empty() ? -INFINITY : std::log(root_values_[place]) - root_scale();
        }
        const std::uint64_t* found = kept_ == nullptr ? nullptr : kept_->find(box.key);
        if (found == nullptr) {
            return -INFINITY;
        }
        if constexpr (kVector) {
            const auto* values = std::bit_cast<const double*>(*found);
            return std::log(values[place]) - values[n_places_];
        } else {
            return std::bit_cast<double>(*found);
        }
    }

    double root_count(std::size_t place) const override {
        return root_values_.empty() ? 0.0 : root_values_[place];
    }

private:
    // A family that is waiting for those that its outer splits lead to.
    struct Frame {
        Arena::Mark mark;
        Box box;
        std::span<BoxSplit> splits;  // on outer features
        const Triangle** sides = nullptr;  // left and right of each split; null while not there
        std::uint32_t n_missing = 0, next = 0, first = 0;
        std::uint32_t* missing = nullptr;  // places in `sides`
        bool expanded = false;
    };

    class Worker {
    public:
        Worker(Families& all, std::size_t thread, const Poll* poll)
            : s_(all),
              thread_(thread),
              watch_(all.crew_, poll),
              splitter_(all.geometry_),
              ranks_(all.problem_, all.geometry_, all.inner_),
              triangles_(*all.pools_[2 * thread]),
              vectors_(*all.pools_[2 * thread + 1]),
              n_(all.n_places_),
              n_statistics_(all.problem_.leaf.n_statistics()),
              scratch_(all.budget_),
              path_(all.budget_) {
            const std::size_t most = ranks_.most();
            const std::size_t depth = kVector ? n_ : 1;
            statistics_.resize(most * n_statistics_);
            leaf_.resize(n_statistics_);
            sums_.resize(most * most * depth);
            of_feature_.resize(most * most * depth);
            n_splits_.resize(most * most);
            n_of_feature_.resize(most * most);
            available_.resize(most * most);
            columns_.resize(most * most);
            keys_.resize(most + 1);
            inner_sum_.resize(depth);
            scratch_.raise_to((sums_.size() * 2 + columns_.size() + available_.size()) * sizeof(double) +
                              (n_splits_.size() + n_of_feature_.size()) * sizeof(std::uint32_t));
        }

        void run() {
            push(s_.root_, arena_.mark());
            while (!stack_.empty()) {
                if (++steps_ % 16 == 0 && !watch_.go_on([this] { return s_.progress(); })) {
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
            const std::span<BoxSplit> all = splitter_.splits(f.box, arena_);
            const auto end = std::remove_if(all.begin(), all.end(), [&](const BoxSplit& split) {
                return split.feature == s_.inner_;
            });
            f.splits = all.first(static_cast<std::size_t>(end - all.begin()));
            f.sides = arena_.allocate<const Triangle*>(2 * f.splits.size());
            f.missing = arena_.allocate<std::uint32_t>(2 * f.splits.size());
            f.expanded = true;
            {
                const Memo::Reading reading(*s_.found_, thread_);
                for (const BoxSplit& split : f.splits) {
                    s_.found_->prefetch(split.left);
                    s_.found_->prefetch(f.box.key - split.left);
                }
                for (std::uint32_t i = 0; i < 2 * f.splits.size(); ++i) {
                    if (!look_up(f, i)) {
                        f.missing[f.n_missing++] = i;
                    }
                }
            }
            f.first = f.n_missing > 0 && thread_ > 0
                          ? static_cast<std::uint32_t>(split_mix(thread_ + f.box.key.a) %
                                                       f.n_missing)
                          : 0;
            account();
        }

        bool look_up(Frame& f, std::uint32_t place) const {
            const BoxSplit& split = f.splits[place / 2];
            const Key key = place % 2 == 0 ? split.left : f.box.key - split.left;
            const std::uint64_t* found = s_.found_->find(key);
            f.sides[place] = found == nullptr ? nullptr : std::bit_cast<const Triangle*>(*found);
            return found != nullptr;
        }

        // Goes on to a family that is still missing; false if there is none left.
        bool visit_missing(Frame& f) {
            for (; f.next < f.n_missing; ++f.next) {
                const std::uint32_t place = f.missing[(f.next + f.first) % f.n_missing];
                {
                    const Memo::Reading reading(*s_.found_, thread_);
                    if (look_up(f, place)) {
                        continue;
                    }
                }
                const BoxSplit& split = f.splits[place / 2];
                const bool left = place % 2 == 0;
                const Sizes sizes = left ? split.left_sizes : f.box.sizes - split.left_sizes;
                const Arena::Mark mark = arena_.mark();
                auto* rows = arena_.allocate<std::uint32_t>(distinct_rows(sizes));
                const Box side = s_.geometry_.side(f.box, split, left, rows);
                push(side, mark);
                return true;
            }
            return false;
        }

        void finish(Frame& f) {
            ranks_.set_rows(f.box);
            const std::size_t k = ranks_.k;
            const std::size_t words = Triangle::words(k);
            auto* const own = reinterpret_cast<Triangle*>(triangles_.allocate(words));
            own->k = k;
            n_items_ = n_edges_ = 0;
            vector_words_ = 0;
            sum_outer(f);
            work_out(f, *own);
            const Key key = f.box.key;
            arena_.release(f.mark);
            stack_.pop_back();
            auto& counter = s_.counters_[thread_];
            const std::uint64_t word = std::bit_cast<std::uint64_t>(own);
            if (s_.found_->insert(key, &word)) {
                Counter::add(counter.items, n_items_);
                Counter::add(counter.edges, n_edges_);
            } else {
                Counter::add(counter.repeated, n_items_);
                triangles_.take_back(words);
                if (!s_.task_.keep) {
                    vectors_.take_back(vector_words_);
                }
            }
        }

        // Sums over the outer splits, of all members that are worked out here.
        void sum_outer(const Frame& f) {
            const std::size_t k = ranks_.k;
            std::fill_n(n_splits_.begin(), k * k, 0U);
            std::fill_n(available_.begin(), k * k, 0.0);
            std::fill_n(sums_.begin(), k * k * depth(), 0.0);
            for_each_feature(f, [&](const Feature& feature, std::span<const BoxSplit> splits,
                                    std::uint32_t first) {
                ranks_.find_sources(feature, splits, first);
            });
            for_each_feature(f, [&](const Feature& feature, std::span<const BoxSplit> splits,
                                    std::uint32_t first) {
                ranks_.order_by(feature);
                if (feature.kind == FeatureKind::levels) {
                    ranks_.find_pairs_of_levels();
                }
                std::fill_n(n_of_feature_.begin(), k * k, 0U);
                std::fill_n(of_feature_.begin(), k * k * depth(), 0.0);
                for (std::uint32_t e = 0; e < splits.size(); ++e) {
                    prefetch(f, first + e + 3);
                    ranks_.find_start(feature, splits[e]);
                    add_split(*f.sides[2 * (first + e)], *f.sides[2 * (first + e) + 1]);
                }
                fold_feature(splits.front().feature);
            });
        }

        // The triangles of a split to come: they lie anywhere, and are read row after row.
        static void prefetch(const Frame& f, std::size_t split) {
            constexpr std::size_t kLine = 64, kMostLines = 16;
            for (std::size_t place = 2 * split; place < 2 * std::min(split + 1, f.splits.size());
                 ++place) {
                const auto* const begin = reinterpret_cast<const char*>(f.sides[place]);
                const std::size_t lines = std::min(kMostLines, std::size_t{8});
                for (std::size_t line = 0; line < lines; ++line) {
                    __builtin_prefetch(begin + line * kLine);
                }
            }
        }

        template <typename Use>
        void for_each_feature(const Frame& f, Use use) const {
            for (std::uint32_t first = 0; first < f.splits.size();) {
                const std::uint32_t feature = f.splits[first].feature;
                std::uint32_t end = first;
                while (end < f.splits.size() && f.splits[end].feature == feature) {
                    ++end;
                }
                use(s_.problem_.table.features[feature],
                    std::span<const BoxSplit>(f.splits.subspan(first, end - first)), first);
                first = end;
            }
        }

        void add_split(const Triangle& left, const Triangle& right) {
            const std::size_t k = ranks_.k;
            const std::uint32_t* const last_l = ranks_.left_ranks.last.data();
            const std::uint32_t* const last_r = ranks_.right_ranks.last.data();
            for (std::size_t i = 0; i < k; ++i) {
                const std::size_t from = std::max(ranks_.start[i], ranks_.first_member[i]);
                if (from >= k) {
                    continue;
                }
                ++n_of_feature_[i * k + from];
                const Cell* const row_l = left.row(ranks_.left_ranks.below[i]);
                const Cell* const row_r = right.row(ranks_.right_ranks.below[i]);
                double* out = of_feature_.data() + (i * k + from) * depth();
                for (std::size_t j = from; j < k; ++j, out += depth()) {
                    add_product(row_l[last_l[j]], row_r[last_r[j]], out);
                }
            }
        }

        // The value of a split for every place: that of the two sides at the next place.
        void add_product(Cell l, Cell r, double* out) const {
            if constexpr (kVector) {
                for (std::size_t t = 0; t + 1 < n_; ++t) {
                    add(l[t + 1] * r[t + 1], out[t]);
                }
                if (s_.chain_.endless) {
                    add(l[n_ - 1] * r[n_ - 1], out[n_ - 1]);
                }
            } else {
                add(l * r, *out);
            }
        }

        static void add(double x, double& to) {
            if constexpr (kSum == Sum::best) {
                to = std::max(to, x);
            } else {
                to += x;
            }
        }

        // Adds a feature's sums to those of all features, by the measure. Makes running numbers of
        // splits of what were the members where splits begin.
        void fold_feature(std::uint32_t feature) {
            const std::size_t k = ranks_.k;
            for (std::size_t i = 0; i < k; ++i) {
                std::uint32_t n = 0;
                for (std::size_t j = ranks_.first_member[i]; j < k; ++j) {
                    const std::size_t at = i * k + j;
                    n += n_of_feature_[at];
                    if (n > 0) {
                        fold(feature, n, of_feature_.data() + at * depth(), at);
                    }
                }
            }
        }

        void fold(std::uint32_t feature, std::uint32_t n, const double* sum, std::size_t member) {
            n_splits_[member] += n;
            double share = 1.0;
            if (s_.chain_.measure == Measure::feature_then_cut) {
                const double weight = s_.problem_.grammar.feature_weights[feature];
                available_[member] += weight;
                share = weight / n;
            } else if (s_.chain_.measure == Measure::per_feature) {
                share = 1.0 / (n * static_cast<double>(s_.problem_.table.features.size()));
            }
            double* const to = sums_.data() + member * depth();
            for (std::size_t t = 0; t < depth(); ++t) {
                add(share * sum[t], to[t]);
            }
        }

        // Share that all splits of a member have in common, once they are all folded.
        double common_share(std::size_t member) const {
            if (s_.chain_.measure == Measure::all) {
                return 1.0 / n_splits_[member];
            }
            return s_.chain_.measure == Measure::feature_then_cut ? 1.0 / available_[member] : 1.0;
        }

        // Goes through the members from short to long, splits them on the inner feature too, and
        // writes their values.
        void work_out(const Frame& f, Triangle& own) {
            const std::size_t k = ranks_.k;
            const auto least = static_cast<std::uint64_t>(s_.problem_.grammar.min_leaf);
            sum_by_rank();
            if constexpr (kVector) {  // at once, so that they can be taken back at once
                std::size_t members = 0;
                for (std::size_t i = 0; i < k; ++i) {
                    members += k - ranks_.first_member[i];
                }
                vector_words_ = members * (n_ + 1);
                next_vector_ = reinterpret_cast<double*>(vectors_.allocate(vector_words_));
            }
            for (std::size_t i = k; i-- > 0;) {
                Cell* const row = own.row(i);
                const std::size_t first = ranks_.first_member[i];
                if (first > i) {
                    const auto& source = ranks_.source[i];
                    const Cell* const from =
                        f.sides[2 * source.split + (source.is_left ? 0 : 1)]->row(source.row) +
                        source.row;
                    std::copy_n(from, std::min(first, k) - i, row + i);
                    for (std::size_t j = i; j < std::min(first, k); ++j) {
                        columns_[j * k + i] = row[j];
                    }
                }
                Sizes sizes = 0;
                std::fill(leaf_.begin(), leaf_.end(), 0.0);
                for (std::size_t j = i; j < k; ++j) {
                    sizes += ranks_.sizes[j];
                    for (std::size_t c = 0; c < n_statistics_; ++c) {
                        leaf_[c] += statistics_[j * n_statistics_ + c];
                    }
                    // Nobody asks for a side with less than the rows that a leaf must have.
                    if (j < first || (data_rows(sizes) < least && !(f.box.key == s_.root_.key))) {
                        continue;
                    }
                    const std::size_t member = i * k + j;
                    split_inside(own, i, j);
                    row[j] = value_of(member, sizes);
                    columns_[j * k + i] = row[j];
                    n_items_ += 1;
                    n_edges_ += n_splits_[member] + 1;
                    if (s_.task_.keep) {
                        keep(keys_[j + 1] - keys_[i], row[j], sizes);
                    }
                }
            }
        }

        void sum_by_rank() {
            std::fill_n(statistics_.begin(), ranks_.k * n_statistics_, 0.0);
            std::fill_n(keys_.begin(), ranks_.k + 1, Key{});
            for (std::size_t r = 0; r < ranks_.rows.size(); ++r) {
                const std::size_t rank = ranks_.rank_of_row[r];
                s_.problem_.leaf.add(ranks_.rows[r], statistics_.data() + rank * n_statistics_);
                keys_[rank + 1] = keys_[rank + 1] + s_.geometry_.key_of(ranks_.rows[r]);
            }
            for (std::size_t i = 0; i < ranks_.k; ++i) {
                keys_[i + 1] = keys_[i + 1] + keys_[i];
            }
        }

        // Adds the splits on the inner feature to a member's sum.
        void split_inside(const Triangle& own, std::size_t i, std::size_t j) {
            std::size_t from = i, end = j;  // the left side ends with rank m, from <= m < end
            const auto least = static_cast<std::uint64_t>(s_.problem_.grammar.min_leaf);
            if (least > 1) {
                std::uint64_t left = 0, right = 0;
                for (; from < j && (left += data_rows(ranks_.sizes[from])) < least; ++from) {
                }
                for (; end > i && (right += data_rows(ranks_.sizes[end])) < least; --end) {
                }
            }
            if (from >= end) {
                return;
            }
            std::fill(inner_sum_.begin(), inner_sum_.end(), 0.0);
            const Cell* const row = own.row(i);
            const Cell* const column = columns_.data() + j * ranks_.k + 1;
            for (std::size_t m = from; m < end; ++m) {
                add_product(row[m], column[m], inner_sum_.data());
            }
            fold(s_.inner_, static_cast<std::uint32_t>(end - from), inner_sum_.data(),
                 i * ranks_.k + j);
        }

        Cell value_of(std::size_t member, Sizes sizes) {
            const bool splits = n_splits_[member] > 0;
            const double share = splits ? common_share(member) : 0.0;
            const double* const sum = sums_.data() + member * depth();
            const double scale = s_.log_scale_ * static_cast<double>(data_rows(sizes));
            const double likelihood =
                s_.task_.likelihood ? s_.problem_.leaf.log_marginal(leaf_.data()) : 0.0;
            const double leaf = std::exp(likelihood + scale);
            if constexpr (kVector) {
                double* const out = next_vector_;
                next_vector_ += n_ + 1;
                for (std::size_t t = 0; t < n_; ++t) {
                    out[t] = combine(s_.chain_.links[t], leaf, splits, share * sum[t]);
                }
                out[n_] = scale;
                return out;
            } else {
                return combine(s_.chain_.links[0], leaf, splits, share * *sum);
            }
        }

        double combine(const Chain::Link& link, double leaf, bool splits, double sum) {
            double value = splits ? link.leaf * leaf : link.leaf_alone * leaf;
            if (splits && link.split > 0.0) {
                add(link.split * sum, value);
            }
            if (kSum != Sum::count && !(value >= kTiny && value <= kHuge)) {
                s_.crew_.end(Status::out_of_range);
            }
            return value;
        }

        void keep(Key key, Cell value, Sizes sizes) {
            std::uint64_t word;
            if constexpr (kVector) {
                word = std::bit_cast<std::uint64_t>(value);
            } else {
                word = std::bit_cast<std::uint64_t>(
                    std::log(value) - s_.log_scale_ * static_cast<double>(data_rows(sizes)));
            }
            // The same box, where `min_leaf` makes it two families' own: not the one that came first
            // but the lesser, so that no run differs from another.
            s_.kept_->insert_least(key, word, [](std::uint64_t a, std::uint64_t b) {
                if constexpr (kVector) {
                    return *std::bit_cast<const double*>(a) < *std::bit_cast<const double*>(b);
                } else {
                    return std::bit_cast<double>(a) < std::bit_cast<double>(b);
                }
            });
        }

        // What the path holds counts as well.
        void account() {
            path_.raise_to(arena_.bytes() + stack_.capacity() * sizeof(Frame));
        }

        std::size_t depth() const {
            if constexpr (kVector) {
                return n_;
            } else {
                return 1;
            }
        }

        Families& s_;
        std::size_t thread_;
        Watch watch_;
        Splitter splitter_;
        FamilyRanks ranks_;
        Pool& triangles_;
        Pool& vectors_;
        std::size_t n_;
        std::size_t n_statistics_;
        Arena arena_;
        std::vector<Frame> stack_;
        // By rank; by member (i * k + j), times the places for sums.
        std::vector<double> statistics_, leaf_, sums_, of_feature_, available_, inner_sum_;
        std::vector<std::uint32_t> n_splits_, n_of_feature_;
        std::vector<Cell> columns_;  // (i, j) at j * k + i
        std::vector<Key> keys_;
        std::uint64_t n_items_ = 0, n_edges_ = 0;
        std::size_t vector_words_ = 0;
        double* next_vector_ = nullptr;
        Charge scratch_, path_;
        std::uint64_t steps_ = 0;
    };

    // Keeps the root's values, and gives up the triangles.
    void finish(Status status) {
        if (status == Status::done) {
            const auto& triangle = *std::bit_cast<const Triangle*>(*found_->find(root_.key));
            const Cell cell = triangle.row(0)[triangle.k - 1];
            for (std::size_t t = 0; t < n_places_; ++t) {
                if constexpr (kVector) {
                    root_values_.push_back(cell[t]);
                } else {
                    root_values_.push_back(cell);
                }
            }
        }
        found_.reset();
        for (std::size_t i = 0; i < pools_.size(); ++i) {
            if (i % 2 == 0 || !task_.keep) {
                pools_[i]->clear();
            }
        }
    }

    double root_scale() const { return log_scale_ * data_rows(root_.sizes); }

    const Problem& problem_;
    const Geometry& geometry_;
    Chain chain_;
    std::uint32_t inner_;
    UniformTask task_;
    Box root_;
    std::size_t n_places_;
    // Log by which a value is multiplied for each row of the data.
    double log_scale_;
    Budget budget_;
    std::vector<std::unique_ptr<Pool>> pools_;
    std::unique_ptr<Memo> found_, kept_;
    std::vector<Counter> counters_;
    std::vector<double> root_values_;
    Crew crew_;
};

// A sample of families: how many members they have that are worked out in them, with each feature
// as the inner one.
constexpr int kDescents = 60;
constexpr double kFewestMembers = 3.0;
constexpr std::int32_t kMostRanks = 256;

double members_per_family(const Problem& problem, const Geometry& geometry, std::uint32_t inner) {
    Splitter splitter(geometry);
    FamilyRanks ranks(problem, geometry, inner);
    std::size_t members = 0, families = 0;
    std::uint64_t random = 1;
    for (int descent = 0; descent < kDescents; ++descent) {
        Arena arena;
        Box box = geometry.root();
        for (;;) {
            std::span<BoxSplit> splits = splitter.splits(box, arena);
            const auto end = std::remove_if(splits.begin(), splits.end(), [&](const auto& split) {
                return split.feature == inner;
            });
            splits = splits.first(static_cast<std::size_t>(end - splits.begin()));
            ranks.set_rows(box);
            for (std::uint32_t first = 0; first < splits.size();) {
                std::uint32_t last = first;
                while (last < splits.size() && splits[last].feature == splits[first].feature) {
                    ++last;
                }
                ranks.find_sources(problem.table.features[splits[first].feature],
                                   splits.subspan(first, last - first), first);
                first = last;
            }
            families += 1;
            for (std::size_t i = 0; i < ranks.k; ++i) {
                members += ranks.k - ranks.first_member[i];
            }
            if (splits.empty()) {
                break;
            }
            random = split_mix(random);
            const BoxSplit& split = splits[random % splits.size()];
            const bool left = random >> 63 != 0;
            const Sizes sizes = left ? split.left_sizes : box.sizes - split.left_sizes;
            box = geometry.side(box, split, left,
                                arena.allocate<std::uint32_t>(distinct_rows(sizes)));
        }
    }
    return static_cast<double>(members) / static_cast<double>(families);
}

template <Sum kSum>
std::unique_ptr<UniformSearch> make(const Problem& problem, const Geometry& geometry,
                                   const Chain& chain, std::uint32_t inner, const UniformTask& task,
                                   const Box& root, double log_scale) {
    if (chain.links.size() == 1) {
        return std::make_unique<Families<kSum, false>>(problem, geometry, chain, inner, task, root,
                                                       log_scale);
    }
    return std::make_unique<Families<kSum, true>>(problem, geometry, chain, inner, task, root,
                                                  log_scale);
}

std::unique_ptr<UniformSearch> make(const Problem& problem, const Geometry& geometry,
                                   const Chain& chain, std::uint32_t inner, const UniformTask& task,
                                   const Box& root, double log_scale) {
    switch (task.sum) {
        case Sum::total:
            return make<Sum::total>(problem, geometry, chain, inner, task, root, log_scale);
        case Sum::best:
            return make<Sum::best>(problem, geometry, chain, inner, task, root, log_scale);
        case Sum::count: break;
    }
    return make<Sum::count>(problem, geometry, chain, inner, task, root, 0.0);
}

}  // namespace

std::optional<std::uint32_t> inner_feature(const Problem& problem) {
    const Geometry geometry(problem);
    std::optional<std::uint32_t> best;
    double most = kFewestMembers;
    for (std::uint32_t f = 0; f < problem.table.features.size(); ++f) {
        const Feature& feature = problem.table.features[f];
        if (feature.kind == FeatureKind::levels || feature.n_codes < 2 ||
            feature.n_codes > kMostRanks) {
            continue;
        }
        const double members = members_per_family(problem, geometry, f);
        if (members > most) {
            most = members;
            best = f;
        }
    }
    return best;
}

std::unique_ptr<UniformSearch> make_family_search(const Problem& problem, const Geometry& geometry,
                                                 const Chain& chain, std::uint32_t inner,
                                                 const UniformTask& task) {
    return make_scaled(geometry, task,
                       [&](const UniformTask& own, const Box& root, double log_scale) {
                           return make(problem, geometry, chain, inner, own, root, log_scale);
                       });
}

}  // namespace slp::exact
