// Probability on its way from the root down over all families (families.hpp), the largest first.
//
// With V(b) the value of a box and A(b) the derivative of the root's value by it, over the root's
// value, A(b) V(b) is the probability that the tree has the box, and A(b) w V(l) V(r) that of a split
// of weight w into l and r. The chain rule gives A from the root down,
//
//   A(l) += A(b) w V(r),   A(r) += A(b) w V(l)                       for every split of every box,
//
// which runs along the rows of the same triangles as the sums did. A lane that follows one side of
// every split is a new row on its way into a leaf; there A(b) V(b) is the probability that it comes
// through the box. The lane that follows both sides is the tree itself.
//
// A new row may lie between two values. Which side of a split it takes then depends on which values
// occur in the member: of an outer split, member (i, j) sends it right from some j on, as the more
// rows there are, the lower is the threshold above a given code.
//
// What is left out: members that a lane comes to with a probability of at most `cut`. Each loses that
// once.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "exact/arena.hpp"
#include "exact/families.hpp"
#include "exact/family_ranks.hpp"
#include "exact/family_sums.hpp"
#include "exact/family_triangle.hpp"
#include "exact/geometry.hpp"
#include "exact/memo.hpp"

namespace slp::exact {

template <bool kVector>
class FamilyDescent {
public:
    using Cell = FamilyCell<kVector>;
    using Triangle = FamilyTriangle<Cell>;

    // found: where the families' triangles are, by key, after a run of totals; there are at most
    // n_families. go_on: asked now and then; false ends the descent.
    FamilyDescent(const FamilySetting& setting, const Memo& found, std::size_t n_families,
                  const Lanes& lanes, double cut, Budget& budget,
                  std::function<bool(std::uint64_t families)> go_on)
        : s_(setting),
          chain_(setting.chain),
          problem_(setting.problem),
          found_(found),
          lanes_(lanes),
          cut_(cut),
          go_on_(std::move(go_on)),
          splitter_(setting.geometry),
          ranks_(setting.problem, setting.geometry, setting.inner),
          shares_(setting.problem, setting.chain),
          n_places_(setting.chain.links.size()),
          n_statistics_(setting.problem.leaf.n_statistics()),
          is_plain_(chain_.measure == Measure::each &&
                    std::all_of(chain_.links.begin(), chain_.links.end(),
                                [](const Chain::Link& x) { return x.leaf == x.leaf_alone; })),
          levels_(setting.root.rows.size() + 1),
          budget_(budget),
          scratch_(budget) {
        const std::size_t most = ranks_.most(), members = most * most;
        n_splits_.resize(members);
        n_of_feature_.resize(members);
        available_.resize(members);
        alive_.resize(lanes.n * members);
        active_.resize(lanes.n * most);
        turn_.resize(most);
        mass_.resize(lanes.n);
        path_.resize(depth());
        statistics_.resize(most * n_statistics_);
        leaf_.resize(n_statistics_);
        budget_.take(n_families * sizeof(Waiting*));
        taken_ += n_families * sizeof(Waiting*);
        waiting_.resize(n_families);
        if (lanes.splits != nullptr) {
            lanes.splits->assign(problem_.table.features.size(), 0.0);
        }
    }

    ~FamilyDescent() {
        for (Waiting* const family : waiting_) {
            if (family != nullptr) {
                give_up(*family);
            }
        }
        budget_.give_back(taken_);
    }
    FamilyDescent(const FamilyDescent&) = delete;
    FamilyDescent& operator=(const FamilyDescent&) = delete;

    // False if it was ended before it was done. Throws OutOfBudget.
    bool run() {
        start();
        for (std::size_t size = levels_.size(); size-- > 0;) {
            std::vector<Waiting*> level = std::exchange(levels_[size], {});
            // An order that does not depend on how they were found.
            std::sort(level.begin(), level.end(),
                      [](const Waiting* x, const Waiting* y) { return x->box.key < y->box.key; });
            for (Waiting* const family : level) {
                if (++n_opened_ % 16 == 0 && !go_on_(16)) {
                    return false;
                }
                open(*family);
                give_up(*family);
            }
        }
        return true;
    }

private:
    // A family that waits. Behind it in memory: for each lane where its derivatives by the members
    // are, in cells as in the triangle of values, one number for each place, or null while the lane
    // has not come; then the rows.
    struct Waiting {
        const Triangle* values;
        Box box;
        std::size_t bytes;

        double** lanes() { return reinterpret_cast<double**>(this + 1); }
    };

    // The members (i, j) of a row i that a lane comes to: j from `first` to `end` - 1.
    struct Active {
        std::uint32_t first, end;
    };

    static std::size_t cell(std::size_t k, std::size_t i, std::size_t j) {
        return i * k - i * (i + 1) / 2 + j;
    }

    // --- families that wait ---

    void start() {
        const auto* const values = triangle_of(s_.root.key);
        Waiting& root = make(values, s_.root);
        std::copy(s_.root.rows.begin(), s_.root.rows.end(), rows_of(root));
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            derivative_of(root, lane)[cell(values->k, 0, values->k - 1) * depth()] =
                1.0 / *numbers_of(values->row(0)[values->k - 1]);
        }
    }

    const Triangle* triangle_of(Key key) const {
        return std::bit_cast<const Triangle*>(*found_.find(key));
    }

    // Its rows are still to be written.
    Waiting& make(const Triangle* values, Box box) {
        const std::size_t n = distinct_rows(box.sizes);
        const std::size_t bytes =
            sizeof(Waiting) + lanes_.n * sizeof(double*) + n * sizeof(std::uint32_t);
        take(bytes);
        levels_[n].push_back(nullptr);
        auto* const family = new (::operator new(bytes)) Waiting{values, box, bytes};
        std::fill_n(family->lanes(), lanes_.n, nullptr);
        family->box.rows = {rows_of(*family), n};
        waiting_[values->number] = family;
        levels_[n].back() = family;
        return *family;
    }

    std::uint32_t* rows_of(Waiting& family) const {
        return reinterpret_cast<std::uint32_t*>(family.lanes() + lanes_.n);
    }

    double* derivative_of(Waiting& family, std::size_t lane) {
        double*& own = family.lanes()[lane];
        if (own == nullptr) {
            const std::size_t n = n_cells(*family.values) * depth();
            take(n * sizeof(double));
            family.bytes += n * sizeof(double);
            own = new double[n]();
        }
        return own;
    }

    static std::size_t n_cells(const Triangle& values) {
        return std::size_t{values.k} * (values.k + 1) / 2;
    }

    // The side of a split of the family at hand, number 2 * split or, right, one more.
    Waiting& side(std::uint32_t place) {
        Waiting*& family = waiting_sides_[place];
        if (family == nullptr) {
            const Triangle* const values = sides_[place];
            family = waiting_[values->number];
            if (family == nullptr) {  // not a side of another split either
                const BoxSplit& split = splits_[place / 2];
                const bool left = place % 2 == 0;
                family = &make(values, split.side(box_, left));
                s_.geometry.side(box_, split, left, rows_of(*family));
            }
        }
        return *family;
    }

    void take(std::size_t bytes) {
        budget_.take(bytes);
        taken_ += bytes;
    }

    void give_up(Waiting& family) {
        budget_.give_back(family.bytes);
        taken_ -= family.bytes;
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            delete[] family.lanes()[lane];
        }
        waiting_[family.values->number] = nullptr;
        ::operator delete(&family);
    }

    // --- one family ---

    void open(Waiting& family) {
        if (!is_worth_opening(family)) {
            return;
        }
        const Arena::Mark mark = arena_.mark();
        box_ = family.box;
        const std::span<BoxSplit> all = splitter_.splits(box_, arena_);
        const auto end = std::remove_if(all.begin(), all.end(), [&](const BoxSplit& split) {
            return split.feature == s_.inner;
        });
        splits_ = all.first(static_cast<std::size_t>(end - all.begin()));
        find_sides();
        ranks_.set_rows(box_);
        for_each_feature(splits_, [&](std::span<const BoxSplit> splits, std::uint32_t first) {
            ranks_.find_sources(feature_of(splits), splits, first);
        });
        count_splits();
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            sweep_inside(family, lane);
        }
        if (lanes_.leaves != nullptr) {
            tell_leaves(family);
        }
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            if (family.lanes()[lane] != nullptr) {
                weigh_splits(family, lane);
                send_copies(family, lane);
            }
        }
        send(family);
        scratch_.raise_to(arena_.bytes() + n_splits_.size() * (16 + lanes_.n) +
                          share_.capacity() * sizeof(double));
        arena_.release(mark);
    }

    bool is_worth_opening(Waiting& family) const {
        const Cell* const values = family.values->row(0);
        const std::size_t n = n_cells(*family.values);
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            const double* const own = family.lanes()[lane];
            double mass = 0;
            for (std::size_t at = 0; own != nullptr && at < n; ++at) {
                mass += mass_of(own + at * depth(), values[at]);
            }
            if (mass > cut_) {
                return true;
            }
        }
        return false;
    }

    // The probability that a lane comes to a member. Members that nobody asks for have no value.
    double mass_of(const double* derivative, const Cell& value) const {
        double out = 0;
        for (std::size_t t = 0; t < depth(); ++t) {
            out += derivative[t] != 0.0 ? derivative[t] * numbers_of(value)[t] : 0.0;
        }
        return out;
    }

    void find_sides() {
        sides_.resize(2 * splits_.size());
        for (const BoxSplit& split : splits_) {
            found_.prefetch(split.left);
            found_.prefetch(box_.key - split.left);
        }
        // Each step asks for what the next one needs, which lies anywhere in memory.
        for (std::size_t e = 0; e < splits_.size(); ++e) {
            sides_[2 * e] = triangle_of(splits_[e].left);
            sides_[2 * e + 1] = triangle_of(box_.key - splits_[e].left);
            __builtin_prefetch(sides_[2 * e]);
            __builtin_prefetch(sides_[2 * e + 1]);
        }
        for (const Triangle* const values : sides_) {
            __builtin_prefetch(&waiting_[values->number]);
        }
        waiting_sides_.clear();
        for (const Triangle* const values : sides_) {
            waiting_sides_.push_back(waiting_[values->number]);
            __builtin_prefetch(waiting_sides_.back());
        }
    }

    const Feature& feature_of(std::span<const BoxSplit> splits) const {
        return problem_.table.features[splits.front().feature];
    }

    void order_by(const Feature& feature) {
        ranks_.order_by(feature);
        if (feature.kind == FeatureKind::levels) {
            ranks_.find_pairs_of_levels();
        }
    }

    // --- shares ---

    // Finds the share of a split of each feature in each member (share_: outer features in order, the
    // inner one last), but for what all splits of a member have in common. Where every split weighs 1
    // and a leaf the same in every member, nothing is counted.
    void count_splits() {
        const std::size_t k = ranks_.k;
        if (is_plain_) {
            share_.assign(k * k, 1.0);
            return;
        }
        std::fill_n(n_splits_.begin(), k * k, 0U);
        std::fill_n(available_.begin(), k * k, 0.0);
        share_.clear();
        for_each_feature(splits_, [&](std::span<const BoxSplit> splits, std::uint32_t) {
            const Feature& feature = feature_of(splits);
            order_by(feature);
            std::fill_n(n_of_feature_.begin(), k * k, 0U);
            for (const BoxSplit& split : splits) {
                ranks_.find_start(feature, split);
                for (std::size_t i = 0; i < k; ++i) {
                    const std::size_t from = std::max<std::size_t>(ranks_.start[i], i);
                    n_of_feature_[i * k + std::min(from, k - 1)] += from < k ? 1 : 0;
                }
            }
            for (std::size_t i = 0; i < k; ++i) {
                for (std::size_t j = i + 1; j < k; ++j) {
                    n_of_feature_[i * k + j] += n_of_feature_[i * k + j - 1];
                }
            }
            share_of(splits.front().feature);
        });
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = i; j < k; ++j) {
                const auto [from, end] = ranks_.inner_splits(i, j);
                n_of_feature_[i * k + j] = static_cast<std::uint32_t>(end - std::min(from, end));
            }
        }
        share_of(s_.inner);
    }

    void share_of(std::uint32_t feature) {
        const std::size_t k = ranks_.k, first = share_.size();
        share_.resize(first + k * k);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t at = i * k + i; at < (i + 1) * k; ++at) {
                if (const std::uint32_t n = n_of_feature_[at]; n > 0) {
                    n_splits_[at] += n;
                    available_[at] += shares_.available(feature);
                    share_[first + at] = shares_.of_feature(feature, n);
                }
            }
        }
    }

    double common_share(std::size_t member) const {
        if (is_plain_) {
            return 1.0;
        }
        const std::uint32_t n = n_splits_[member];
        return n > 0 ? shares_.common(n, available_[member]) : 0.0;
    }

    // --- splits on the inner feature, and what is left for others ---

    // From long members to short ones. Gives up the members that the lane hardly comes to, and notes
    // the others.
    void sweep_inside(Waiting& family, std::size_t lane) {
        const std::size_t k = ranks_.k;
        Active* const active = active_.data() + lane * ranks_.most();
        std::uint8_t* const alive = alive_.data() + lane * k * k;
        std::fill_n(active, k, Active{static_cast<std::uint32_t>(k), 0});
        std::fill_n(alive, k * k, std::uint8_t{0});
        double* const own = family.lanes()[lane];
        if (own == nullptr) {
            return;
        }
        const std::size_t turn = lanes_.both() ? 0 : inner_turn(lane);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = k; j-- > std::max<std::size_t>(i, ranks_.first_member[i]);) {
                double* const at = own + cell(k, i, j) * depth();
                if (!(mass_of(at, family.values->row(i)[j]) > cut_)) {
                    std::fill_n(at, depth(), 0.0);
                    continue;
                }
                alive[i * k + j] = 1;
                active[i].first = static_cast<std::uint32_t>(j);
                active[i].end = std::max(active[i].end, static_cast<std::uint32_t>(j + 1));
                split_inside(*family.values, own, i, j, turn);
            }
        }
    }

    // The first cut between ranks at which the lane's row goes left.
    std::size_t inner_turn(std::size_t lane) const {
        const Feature& inner = problem_.table.features[s_.inner];
        const double value = lanes_.rows[lane][s_.inner];
        std::size_t m = 0;
        while (m + 1 < ranks_.k && value >= s_.geometry.threshold(inner, ranks_.code_of_rank[m],
                                                                  ranks_.code_of_rank[m + 1])) {
            ++m;
        }
        return m;
    }

    void split_inside(const Triangle& values, double* own, std::size_t i, std::size_t j,
                      std::size_t turn) {
        const std::size_t k = ranks_.k, member = i * k + j;
        const auto [from, end] = ranks_.inner_splits(i, j);
        if (from >= end) {
            return;
        }
        const double* const at = own + cell(k, i, j) * depth();
        const double share = common_share(member) * share_[share_.size() - k * k + member];
        for (std::size_t t = 0; t < depth(); ++t) {
            path_[t] = at[t] * chain_.links[t].split;
        }
        double sum = 0;
        for (std::size_t m = from; m < end; ++m) {
            const Cell left = values.row(i)[m], right = values.row(m + 1)[j];
            double* const to_left = own + cell(k, i, m) * depth();
            double* const to_right = own + cell(k, m + 1, j) * depth();
            if (lanes_.both()) {
                add_both(path_.data(), share, left, right, to_left, to_right, sum);
            } else if (m < turn) {
                add_one(path_.data(), share, left, to_right);
            } else {
                add_one(path_.data(), share, right, to_left);
            }
        }
        add_splits(s_.inner, sum);
    }

    void add_splits(std::uint32_t feature, double probability) {
        if (lanes_.splits != nullptr) {
            (*lanes_.splits)[feature] += probability;
        }
    }

    // Sends the derivative by a split on to one side: times the other's values, at the next place.
    void add_one(const double* __restrict from, double share, const Cell& other,
                 double* __restrict to) const {
        const double* const __restrict values = numbers_of(other);
        if constexpr (kVector) {
            for (std::size_t t = 0; t + 1 < n_places_; ++t) {
                to[t + 1] += share * from[t] * values[t + 1];
            }
            if (chain_.endless) {
                to[n_places_ - 1] += share * from[n_places_ - 1] * values[n_places_ - 1];
            }
        } else {
            *to += share * *from * *values;
        }
    }

    // The same to both sides; adds the probability of the split.
    void add_both(const double* __restrict from, double share, const Cell& left, const Cell& right,
                  double* __restrict to_left, double* __restrict to_right, double& sum) const {
        const double* const l = numbers_of(left);
        const double* const r = numbers_of(right);
        const auto add = [&](std::size_t place, std::size_t next) {
            const double weight = share * from[place];
            to_left[next] += weight * r[next];
            to_right[next] += weight * l[next];
            sum += weight * l[next] * r[next];
        };
        if constexpr (kVector) {
            for (std::size_t t = 0; t + 1 < n_places_; ++t) {
                add(t, t + 1);
            }
            if (chain_.endless) {
                add(n_places_ - 1, n_places_ - 1);
            }
        } else {
            add(0, 0);
        }
    }

    // --- leaves ---

    void tell_leaves(Waiting& family) {
        const std::size_t k = ranks_.k;
        std::fill_n(statistics_.begin(), k * n_statistics_, 0.0);
        for (std::size_t r = 0; r < ranks_.rows.size(); ++r) {
            problem_.leaf.add(ranks_.rows[r],
                              statistics_.data() + ranks_.rank_of_row[r] * n_statistics_);
        }
        for (std::size_t i = 0; i < k; ++i) {
            Sizes sizes = 0;
            std::fill(leaf_.begin(), leaf_.end(), 0.0);
            for (std::size_t j = i; j < k; ++j) {
                sizes += ranks_.sizes[j];
                for (std::size_t c = 0; c < n_statistics_; ++c) {
                    leaf_[c] += statistics_[j * n_statistics_ + c];
                }
                tell_leaf(family, i, j, sizes);
            }
        }
    }

    void tell_leaf(Waiting& family, std::size_t i, std::size_t j, Sizes sizes) {
        const std::size_t k = ranks_.k, member = i * k + j;
        std::uint64_t reached = 0;
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            if (alive_[lane * k * k + member] != 0) {
                const double* const own = family.lanes()[lane] + cell(k, i, j) * depth();
                mass_[lane] = 0;
                for (std::size_t t = 0; t < depth(); ++t) {
                    const Chain::Link& link = chain_.links[t];
                    const bool alone = !is_plain_ && n_splits_[member] == 0;
                    mass_[lane] += own[t] * (alone ? link.leaf_alone : link.leaf);
                }
                reached |= std::uint64_t{1} << lane;
            }
        }
        if (reached != 0) {
            const double likelihood =
                s_.likelihood ? problem_.leaf.log_marginal(leaf_.data()) : 0.0;
            const double leaf = std::exp(likelihood + s_.log_scale * data_rows(sizes));
            lanes_.leaves->leaf(leaf_.data(), reached, mass_.data(), leaf);
        }
    }

    // --- splits on outer features ---

    // Turns the derivatives by members into those by their splits, shares of features left out.
    void weigh_splits(Waiting& family, std::size_t lane) {
        const std::size_t k = ranks_.k;
        const Active* const active = active_.data() + lane * ranks_.most();
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = active[i].first; j < active[i].end; ++j) {
                double* const own = family.lanes()[lane] + cell(k, i, j) * depth();
                const double common = common_share(i * k + j);
                for (std::size_t t = 0; t < depth(); ++t) {
                    own[t] *= common * chain_.links[t].split;
                }
            }
        }
    }

    // Members that are another family's go there.
    void send_copies(Waiting& family, std::size_t lane) {
        const std::size_t k = ranks_.k;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t end = std::min<std::size_t>(ranks_.first_member[i], k);
            for (std::size_t j = i; j < end; ++j) {
                const double* const own = family.lanes()[lane] + cell(k, i, j) * depth();
                if (std::all_of(own, own + depth(), [](double x) { return x == 0.0; })) {
                    continue;
                }
                const auto& source = ranks_.source[i];
                Waiting& to = side(2 * source.split + (source.is_left ? 0 : 1));
                const std::size_t at = cell(to.values->k, source.row, source.row + (j - i));
                double* const out = derivative_of(to, lane) + at * depth();
                for (std::size_t t = 0; t < depth(); ++t) {
                    out[t] += own[t];
                }
            }
        }
    }

    void send(Waiting& family) {
        std::size_t number = 0;
        for_each_feature(splits_, [&](std::span<const BoxSplit> splits, std::uint32_t first) {
            const Feature& feature = feature_of(splits);
            const double* const share =
                share_.data() + (is_plain_ ? 0 : number++) * ranks_.k * ranks_.k;
            order_by(feature);
            for (std::uint32_t e = 0; e < splits.size(); ++e) {
                prefetch(first + e + 3);
                ranks_.find_start(feature, splits[e]);
                for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
                    if (family.lanes()[lane] == nullptr || !is_split(lane)) {
                        continue;
                    }
                    if (lanes_.both()) {
                        add_splits(splits[e].feature, send_both(family, share, first + e));
                    } else {
                        find_turns(feature, splits[e], lane);
                        send_left(family, lane, share, first + e);
                        send_right(family, lane, share, first + e);
                    }
                }
            }
        });
    }

    // What a split to come needs of lane 0, as far as it is there: read and written row after row.
    void prefetch(std::size_t split) const {
        constexpr std::size_t kLine = 64, kLines = 8;
        for (std::size_t at = 2 * split; at < std::min(2 * split + 2, sides_.size()); ++at) {
            const double* const numbers =
                waiting_sides_[at] == nullptr ? nullptr : waiting_sides_[at]->lanes()[0];
            const std::size_t bytes = n_cells(*sides_[at]) * sizeof(double);
            for (std::size_t from = 0; from < std::min(bytes, kLines * kLine); from += kLine) {
                __builtin_prefetch(reinterpret_cast<const char*>(sides_[at]->row(0)) + from);
                if (numbers != nullptr) {
                    __builtin_prefetch(reinterpret_cast<const char*>(numbers) + from);
                }
            }
        }
    }

    std::size_t first_of(std::size_t lane, std::size_t i) const {
        return std::max(ranks_.start[i], active_[lane * ranks_.most() + i].first);
    }
    std::size_t end_of(std::size_t lane, std::size_t i) const {
        return active_[lane * ranks_.most() + i].end;
    }

    // Whether the split at hand is one of a member that the lane comes to.
    bool is_split(std::size_t lane) const {
        for (std::size_t i = 0; i < ranks_.k; ++i) {
            if (first_of(lane, i) < end_of(lane, i)) {
                return true;
            }
        }
        return false;
    }

    // Makes `turn_`: of members (i, j) those from j = turn_[i] on send the lane's row right.
    void find_turns(const Feature& feature, const BoxSplit& split, std::size_t lane) {
        const double value = lanes_.rows[lane][split.feature];
        const auto none = static_cast<std::uint32_t>(ranks_.k);
        if (feature.kind == FeatureKind::levels) {
            std::fill_n(turn_.begin(), ranks_.k, value == static_cast<double>(split.low) ? none : 0);
            return;
        }
        // The largest code above the split's that leaves the threshold between them at the row or
        // below: thresholds do not fall as it grows.
        std::uint32_t low = split.low, high = static_cast<std::uint32_t>(feature.n_codes) - 1;
        while (low < high) {
            const std::uint32_t middle = low + (high - low + 1) / 2;
            if (s_.geometry.threshold(feature, split.low, middle) <= value) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (low == split.low) {
            std::fill_n(turn_.begin(), ranks_.k, none);
        } else {
            ranks_.find_right(low, turn_);
        }
    }

    // The probability of the split at hand, lane 0 following both sides.
    double send_both(Waiting& family, const double* share, std::uint32_t split) {
        const std::size_t k = ranks_.k;
        Waiting &left = side(2 * split), &right = side(2 * split + 1);
        const Targets to_left(*this, left, 0), to_right(*this, right, 0);
        const std::uint32_t* const last_l = ranks_.left_ranks.last.data();
        const std::uint32_t* const last_r = ranks_.right_ranks.last.data();
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t row_l = ranks_.left_ranks.below[i], row_r = ranks_.right_ranks.below[i];
            const double* const own = family.lanes()[0] + cell(k, i, 0) * depth();
            for (std::size_t j = first_of(0, i); j < end_of(0, i); ++j) {
                if (!kVector || alive_[i * k + j] != 0) {
                    add_both(own + j * depth(), share[i * k + j],
                             left.values->row(row_l)[last_l[j]], right.values->row(row_r)[last_r[j]],
                             to_left.at(row_l, last_l[j]), to_right.at(row_r, last_r[j]), sum);
                }
            }
        }
        return sum;
    }

    void send_left(Waiting& family, std::size_t lane, const double* share, std::uint32_t split) {
        send_one(family, lane, share, split, true, [this](std::size_t i, std::size_t from,
                                                          std::size_t end) {
            return std::pair{from, std::min<std::size_t>(end, turn_[i])};
        });
    }

    void send_right(Waiting& family, std::size_t lane, const double* share, std::uint32_t split) {
        send_one(family, lane, share, split, false, [this](std::size_t i, std::size_t from,
                                                           std::size_t end) {
            return std::pair{std::max<std::size_t>(from, turn_[i]), end};
        });
    }

    // range: of a row of members those that send the lane's row to this side.
    template <typename Range>
    void send_one(Waiting& family, std::size_t lane, const double* share, std::uint32_t split,
                  bool is_left, Range range) {
        const std::size_t k = ranks_.k;
        const SideRanks& there = is_left ? ranks_.left_ranks : ranks_.right_ranks;
        const SideRanks& beside = is_left ? ranks_.right_ranks : ranks_.left_ranks;
        const Triangle& other = *sides_[2 * split + (is_left ? 1 : 0)];
        const std::uint8_t* const alive = alive_.data() + lane * k * k;
        Targets to;
        for (std::size_t i = 0; i < k; ++i) {
            const auto [from, end] = range(i, first_of(lane, i), end_of(lane, i));
            if (from >= end) {
                continue;
            }
            if (!to) {
                to = Targets(*this, side(2 * split + (is_left ? 0 : 1)), lane);
            }
            const double* const own = family.lanes()[lane] + cell(k, i, 0) * depth();
            const Cell* const values = other.row(beside.below[i]);
            for (std::size_t j = from; j < end; ++j) {
                if (!kVector || alive[i * k + j] != 0) {
                    add_one(own + j * depth(), share[i * k + j], values[beside.last[j]],
                            to.at(there.below[i], there.last[j]));
                }
            }
        }
    }

    // Where a lane's derivatives by a family's members are added up.
    class Targets {
    public:
        Targets() = default;
        Targets(FamilyDescent& all, Waiting& family, std::size_t lane)
            : numbers_(all.derivative_of(family, lane)),
              k_(family.values->k),
              depth_(all.depth()) {}

        explicit operator bool() const { return numbers_ != nullptr; }
        double* at(std::size_t i, std::size_t j) const {
            return numbers_ + cell(k_, i, j) * depth_;
        }

    private:
        double* numbers_ = nullptr;
        std::size_t k_ = 0, depth_ = 1;
    };

    static const double* numbers_of(const Cell& value) {
        if constexpr (kVector) {
            return value;
        } else {
            return &value;
        }
    }

    std::size_t depth() const {
        if constexpr (kVector) {
            return n_places_;
        } else {
            return 1;
        }
    }

    const FamilySetting& s_;
    const Chain& chain_;
    const Problem& problem_;
    const Memo& found_;
    const Lanes& lanes_;
    double cut_;
    std::function<bool(std::uint64_t)> go_on_;
    Splitter splitter_;
    FamilyRanks ranks_;
    MemberShares shares_;
    std::size_t n_places_, n_statistics_;
    bool is_plain_;
    // By the family's number, and by distinct rows.
    std::vector<Waiting*> waiting_;
    std::vector<std::vector<Waiting*>> levels_;
    Budget& budget_;
    std::size_t taken_ = 0;
    Charge scratch_;
    Arena arena_;
    std::uint64_t n_opened_ = 0;
    // Of the family at hand; by member: (i, j) at i * k + j.
    Box box_;
    std::span<BoxSplit> splits_;  // on outer features
    std::vector<const Triangle*> sides_;
    std::vector<Waiting*> waiting_sides_;  // null for those that no lane has come to
    std::vector<std::uint32_t> n_splits_, n_of_feature_, turn_;
    std::vector<double> available_, share_;
    std::vector<std::uint8_t> alive_;  // lane by lane
    std::vector<Active> active_;       // lane by lane
    std::vector<double> path_, mass_, statistics_, leaf_;
};

}  // namespace slp::exact
