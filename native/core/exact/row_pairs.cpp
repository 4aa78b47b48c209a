// Two sweeps over the items that pairs of rows reach.

#include "exact/row_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <optional>

#include "arena.hpp"
#include "exact/row_walk.hpp"
#include "pool.hpp"
#include "problem/calls.hpp"
#include "problem/edges.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

// What is wanted of an item: the pairs that reach it together, and the rows 1 and 0 that reach it
// alone, by pair.
struct Wanted {
    std::uint64_t pairs = 0, ones = 0, zeros = 0;

    bool any() const { return (pairs | ones | zeros) != 0; }
    std::size_t count() const {
        return static_cast<std::size_t>(std::popcount(pairs) + std::popcount(ones) +
                                        std::popcount(zeros));
    }
    friend Wanted operator|(const Wanted& x, const Wanted& y) {
        return {x.pairs | y.pairs, x.ones | y.ones, x.zeros | y.zeros};
    }
};

constexpr std::uint32_t kNoLeaf = UINT32_MAX;

// Behind it in memory: the item's distinct rows.
struct PairItem {
    Key key;
    double mass = 0.0;  // at least the probability that a pair, or a row of it, reaches the item
    Wanted wanted;
    // Of each that is wanted, pairs first, then ones and zeros: `depth` means, and as many means of
    // squares.
    double* values = nullptr;
    std::int32_t product = 0;
    std::uint32_t leaf = kNoLeaf;

    std::uint32_t* rows() { return reinterpret_cast<std::uint32_t*>(this + 1); }

    static std::size_t rank(std::uint64_t bits, std::size_t pair) {
        return static_cast<std::size_t>(std::popcount(bits & ((std::uint64_t{1} << pair) - 1)));
    }
    double* of_pair(std::size_t pair, std::size_t depth) const {
        return values + 2 * depth * rank(wanted.pairs, pair);
    }
    double* of_row(bool is_one, std::size_t pair, std::size_t depth) const {
        const auto pairs = static_cast<std::size_t>(std::popcount(wanted.pairs)),
                   ones = static_cast<std::size_t>(std::popcount(wanted.ones));
        return values + 2 * depth *
                            (is_one ? pairs + rank(wanted.ones, pair)
                                    : pairs + ones + rank(wanted.zeros, pair));
    }
};

// The items of boxes of one number of distinct rows, in the order in which they were found.
class PairLevel {
public:
    PairLevel(std::size_t n_rows, Budget& budget)
        : n_rows_(n_rows), pool_(budget), of_slots_(budget), slots_(16, nullptr) {}

    std::size_t n_rows() const { return n_rows_; }
    const std::vector<PairItem*>& items() const { return items_; }
    PairItem* find(Key key) const { return slots_[slot_of(key)]; }
    // A new one; its rows are still to be written.
    PairItem& add(Key key, std::int32_t product) {
        if (2 * (items_.size() + 1) > slots_.size()) {
            grow();
        }
        const std::size_t bytes = sizeof(PairItem) + n_rows_ * sizeof(std::uint32_t);
        PairItem* const item = new (pool_.allocate((bytes + 7) / 8)) PairItem;
        item->key = key;
        item->product = product;
        items_.push_back(item);
        slots_[slot_of(key)] = item;
        return *item;
    }

private:
    std::size_t slot_of(Key key) const {
        std::size_t i = key.a & (slots_.size() - 1);
        while (slots_[i] != nullptr && !(slots_[i]->key == key)) {
            i = (i + 1) & (slots_.size() - 1);
        }
        return i;
    }
    void grow() {
        of_slots_.add(2 * slots_.size() * sizeof(PairItem*));  // of `slots_` and `items_`
        slots_.assign(2 * slots_.size(), nullptr);
        for (PairItem* const item : items_) {
            slots_[slot_of(item->key)] = item;
        }
    }

    std::size_t n_rows_;
    Pool pool_;
    Charge of_slots_;
    std::vector<PairItem*> items_;
    std::vector<PairItem*> slots_;  // a power of two
};

// The sides that the rows of a batch take at a split: those with a part on the left, and on the
// right, and, of those with a part on each, the share on the left.
struct SidesOfRows {
    std::uint64_t left = 0, right = 0;
    std::span<const double> shares;  // by pair; only where some row has both

    std::uint64_t both() const { return left & right; }
    double share(std::size_t pair, bool on_left) const {
        const std::uint64_t bit = std::uint64_t{1} << pair;
        if ((both() & bit) != 0) {
            return on_left ? shares[pair] : 1.0 - shares[pair];
        }
        return ((on_left ? left : right) & bit) != 0 ? 1.0 : 0.0;
    }
};
struct PairSides {
    SidesOfRows one, zero;
};

template <typename Use>
void for_each_bit(std::uint64_t bits, Use use) {
    for (; bits != 0; bits &= bits - 1) {
        use(static_cast<std::size_t>(std::countr_zero(bits)));
    }
}

}  // namespace

class PairSweeps {
public:
    PairSweeps(const Engine& engine, const Pass& pass, std::span<const double> ones,
               std::span<const double> zeros, std::size_t n, std::size_t memory)
        : engine_(engine),
          problem_(engine.problem()),
          pass_(pass),
          n_(n),
          budget_(memory),
          cut_(kMostLost / pass.most_edges()),
          values_(ones.begin(), ones.end()),
          splitter_(engine.geometry()),
          builder_(problem_, engine.geometry()),
          ranks_(call_ranks(problem_.grammar)),
          n_ranks_(*std::max_element(ranks_.begin(), ranks_.end()) + 1),
          of_leaves_(budget_),
          arena_(budget_),
          sum_(problem_.leaf.n_statistics()) {
        values_.insert(values_.end(), zeros.begin(), zeros.end());
        std::vector<std::size_t> rows;
        for (std::size_t query = 0; query < 2 * n; ++query) {
            rows.push_back(query);
        }
        routes_.emplace(engine, values_, rows);
        levels_.resize((problem_.table.n_rows + 1) * n_ranks_);
    }

    Status down(const Poll& poll) {
        return sweep(poll, [this](auto go_on) {
            start();
            for (std::size_t i = levels_.size(); i-- > 0;) {
                for (std::size_t at = 0; levels_[i] != nullptr && at < levels_[i]->items().size();
                     ++at) {
                    if (!go_on()) {
                        return false;
                    }
                    send(*levels_[i], *levels_[i]->items()[at]);
                }
            }
            return true;
        });
    }

    const std::vector<double>& statistics() const { return statistics_; }

    Status up(const LeafMoments& moments, const Poll& poll, std::vector<double>& mean,
              std::vector<double>& square) {
        depth_ = moments.depth();
        moments_ = &moments;
        mean.assign(n_ * depth_, 0.0);
        square.assign(n_ * depth_, 0.0);
        of_values_.emplace(budget_);
        return sweep(poll, [&](auto go_on) {
            for (const std::unique_ptr<PairLevel>& level : levels_) {
                if (level == nullptr) {
                    continue;
                }
                for (PairItem* const item : level->items()) {
                    if (!go_on()) {
                        return false;
                    }
                    gather(*level, *item);
                }
            }
            for (const auto& [root, probability] : roots_) {
                for (std::size_t pair = 0; pair < n_; ++pair) {
                    const double* const own = root->of_pair(pair, depth_);
                    for (std::size_t i = 0; i < depth_; ++i) {
                        mean[pair * depth_ + i] += probability * own[i];
                        square[pair * depth_ + i] += probability * own[depth_ + i];
                    }
                }
            }
            return true;
        });
    }

private:
    // An item as it is opened.
    struct OpenedPairs {
        Box box;
        std::span<const BoxSplit> splits;
        ItemEdges edges;
        std::span<const double> probabilities;
        std::span<const PairSides> sides;  // of each split
    };

    template <typename Work>
    Status sweep(const Poll& poll, Work work) {
        ThreadTeam team;
        return team.run(1, [&](std::size_t) {
            Watch watch(team, &poll);
            std::uint64_t items = 0;
            const auto go_on = [&] {
                return ++items % 64 != 0 || watch.go_on([&] {
                    return Progress{items, 0, 0, budget_.used(), budget_.peak()};
                });
            };
            if (work(go_on)) {
                team.end(Status::done);
            }
        });
    }

    void start() {
        const Box root = engine_.geometry().root();
        const double total = engine_.log_root(pass_);
        const std::uint64_t all =
            n_ == kMostPairs ? ~std::uint64_t{0} : (std::uint64_t{1} << n_) - 1;
        for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
            const std::int32_t product = problem_.root_product(i);
            const double probability = std::exp(pass_.log_value(root, product) - total);
            if (probability > 0) {
                PairItem& item = find_or_add(level_of(root.rows.size(), product),
                                         root.key + builder_.state_key(product), product,
                                         [&](std::uint32_t* rows) {
                                             std::ranges::copy(root.rows, rows);
                                         });
                item.mass += probability;
                item.wanted.pairs = all;
                roots_.push_back({&item, probability});
            }
        }
    }

    PairLevel& level_of(std::size_t n_rows, std::int32_t product) {
        const auto state = static_cast<std::size_t>(product / problem_.n_owed());
        std::unique_ptr<PairLevel>& level = levels_[n_rows * n_ranks_ + ranks_[state]];
        if (level == nullptr) {
            level = std::make_unique<PairLevel>(n_rows, budget_);
        }
        return *level;
    }

    template <typename Write>
    PairItem& find_or_add(PairLevel& level, Key key, std::int32_t product, Write write) {
        PairItem* item = level.find(key);
        if (item == nullptr) {
            item = &level.add(key, product);
            write(item->rows());
        }
        return *item;
    }

    OpenedPairs open(const PairLevel& level, PairItem& item) {
        OpenedPairs out;
        out.box = engine_.geometry().box_of({item.rows(), level.n_rows()});
        if (!builder_.only_stops(item.product)) {
            out.splits = splitter_.splits(out.box, arena_);
        }
        out.edges = builder_.edges(out.box, out.splits, item.product, arena_);
        const std::span probabilities(arena_.allocate<double>(out.edges.n_edges),
                                      out.edges.n_edges);
        pass_.edge_probabilities(engine_, out.box, out.splits, item.product, out.edges,
                                 probabilities.data());
        out.probabilities = probabilities;
        out.sides = sides(out.box, out.splits, item.wanted);
        return out;
    }

    // The sides of the wanted rows at each split.
    std::span<const PairSides> sides(const Box& box, std::span<const BoxSplit> splits,
                                     const Wanted& wanted) {
        const std::span out(arena_.allocate<PairSides>(splits.size()), splits.size());
        const std::span queries(arena_.allocate<std::uint32_t>(2 * n_), 2 * n_);
        std::size_t n_queries = 0;
        const auto first_zero = static_cast<std::uint32_t>(n_);
        for_each_bit(wanted.pairs | wanted.ones, [&](std::size_t pair) {
            queries[n_queries++] = static_cast<std::uint32_t>(pair);
        });
        for_each_bit(wanted.pairs | wanted.zeros, [&](std::size_t pair) {
            queries[n_queries++] = first_zero + static_cast<std::uint32_t>(pair);
        });
        routes_->route(box, splits, queries.first(n_queries), arena_);
        for (std::uint32_t split = 0; split < splits.size(); ++split) {
            PairSides& own = *new (&out[split]) PairSides;
            const auto put = [&](std::uint32_t query, bool is_left) {
                SidesOfRows& row = query < first_zero ? own.one : own.zero;
                (is_left ? row.left : row.right) |= std::uint64_t{1} << (query % first_zero);
            };
            for (const std::uint32_t query : routes_->left(split).queries) {
                put(query, true);
            }
            for (const std::uint32_t query : routes_->right(split).queries) {
                put(query, false);
            }
        }
        return out;
    }

    // Adds the rows that have a part on each side of a split, which throws where that is an error.
    PairSides with_parted(const OpenedPairs& opened, std::uint32_t split) {
        PairSides out = opened.sides[split];
        const std::span<const PartedQuery> parted = routes_->parted(split);
        if (parted.empty()) {
            return out;
        }
        const std::span shares(arena_.allocate<double>(2 * n_), 2 * n_);
        for (const PartedQuery& row : parted) {
            const std::size_t query = row.alone.queries.front();
            SidesOfRows& own = query < n_ ? out.one : out.zero;
            const std::uint64_t bit = std::uint64_t{1} << (query % n_);
            own.left |= row.share_left > 0 ? bit : 0;
            own.right |= row.share_left < 1 ? bit : 0;
            shares[query] = row.share_left;
        }
        out.one.shares = shares.first(n_);
        out.zero.shares = shares.last(n_);
        return out;
    }

    // What is wanted of one side of a split.
    static Wanted of_side(const Wanted& wanted, const PairSides& sides, bool is_left) {
        const std::uint64_t one = is_left ? sides.one.left : sides.one.right,
                            zero = is_left ? sides.zero.left : sides.zero.right,
                            parted = sides.one.both() | sides.zero.both();
        return {wanted.pairs & one & zero,
                one & (wanted.ones | (wanted.pairs & (~zero | parted))),
                zero & (wanted.zeros | (wanted.pairs & (~one | parted)))};
    }

    // Calls use(probability, rule, edge or null for a leaf) for the choices that are followed.
    template <typename Use>
    void for_each_choice(const OpenedPairs& opened, double mass, Use use) const {
        const double* probability = opened.probabilities.data();
        for (const RuleEdges& rule : opened.edges.rules) {
            if (rule.kind == RuleKind::leaf) {
                if (*probability > 0) {
                    use(*probability, rule.kind, nullptr);
                }
                ++probability;
            }
            for (const Edge& edge : rule.edges) {
                if (*probability * mass > cut_) {
                    use(*probability, rule.kind, &edge);
                }
                ++probability;
            }
        }
    }

    void send(PairLevel& level, PairItem& item) {
        const Arena::Mark mark = arena_.mark();
        const OpenedPairs opened = open(level, item);
        for_each_choice(opened, item.mass, [&](double p, RuleKind kind, const Edge* edge) {
            const double mass = p * item.mass;
            if (kind == RuleKind::leaf) {
                if (item.leaf == kNoLeaf) {
                    add_leaf(opened.box, item);
                }
            } else if (kind == RuleKind::call) {
                PairItem& child = find_or_add(
                    level_of(level.n_rows(), edge->left_state), edge->left, edge->left_state,
                    [&](std::uint32_t* rows) { std::ranges::copy(opened.box.rows, rows); });
                child.mass += mass;
                child.wanted = child.wanted | item.wanted;
            } else {
                const PairSides sides = with_parted(opened, edge->split);
                for (const bool is_left : {true, false}) {
                    send_side(opened, *edge, is_left, mass, of_side(item.wanted, sides, is_left));
                }
            }
        });
        arena_.release(mark);
    }

    void send_side(const OpenedPairs& opened, const Edge& edge, bool is_left, double mass,
                   const Wanted& wanted) {
        if (!wanted.any()) {
            return;
        }
        const BoxSplit& split = opened.splits[edge.split];
        const Sizes sizes = split.side(opened.box, is_left).sizes;
        const std::int32_t product = is_left ? edge.left_state : edge.right_state;
        PairItem& child = find_or_add(
            level_of(distinct_rows(sizes), product), is_left ? edge.left : edge.right, product,
            [&](std::uint32_t* rows) {
                engine_.geometry().side(opened.box, split, is_left, rows);
            });
        child.mass += mass;
        child.wanted = child.wanted | wanted;
    }

    void add_leaf(const Box& box, PairItem& item) {
        const std::size_t k = sum_.size();
        item.leaf = static_cast<std::uint32_t>(statistics_.size() / std::max<std::size_t>(k, 1));
        problem_.leaf.sum(box.rows, sum_.data());
        if (statistics_.size() + k > statistics_.capacity()) {
            const std::size_t more = std::max<std::size_t>(2 * statistics_.capacity(), 64 * k);
            of_leaves_.add((more - statistics_.capacity()) * sizeof(double));
            statistics_.reserve(more);
        }
        statistics_.insert(statistics_.end(), sum_.begin(), sum_.end());
    }

    // --- from the leaves up

    void gather(const PairLevel& level, PairItem& item) {
        const Arena::Mark mark = arena_.mark();
        const OpenedPairs opened = open(level, item);
        const std::size_t n = 2 * depth_ * item.wanted.count();
        item.values = reinterpret_cast<double*>(of_values_->allocate(n));
        std::fill_n(item.values, n, 0.0);
        for_each_choice(opened, item.mass, [&](double p, RuleKind kind, const Edge* edge) {
            if (kind == RuleKind::leaf) {
                add_of_leaf(p, item);
            } else if (kind == RuleKind::call) {
                const PairItem& child = *level_of(level.n_rows(), edge->left_state).find(edge->left);
                add_of_child(p, item, item.wanted, child);
            } else {
                add_of_split(p, item, opened, *edge);
            }
        });
        arena_.release(mark);
    }

    void add(double p, double* to, const double* from) const {
        for (std::size_t i = 0; i < 2 * depth_; ++i) {
            to[i] += p * from[i];
        }
    }

    // All of a call, or what goes whole to one side.
    void add_of_child(double p, PairItem& item, const Wanted& wanted, const PairItem& child) {
        for_each_bit(wanted.pairs, [&](std::size_t pair) {
            add(p, item.of_pair(pair, depth_), child.of_pair(pair, depth_));
        });
        for_each_bit(wanted.ones, [&](std::size_t pair) {
            add(p, item.of_row(true, pair, depth_), child.of_row(true, pair, depth_));
        });
        for_each_bit(wanted.zeros, [&](std::size_t pair) {
            add(p, item.of_row(false, pair, depth_), child.of_row(false, pair, depth_));
        });
    }

    void add_of_leaf(double p, PairItem& item) {
        const std::size_t J = moments_->width;
        const double* const first = moments_->first.data() + item.leaf * J;
        if (moments_->ones.empty()) {
            const double* const second = moments_->second.data() + item.leaf * J;
            const auto own = [&](double* to) {
                for (std::size_t i = 0; i < J; ++i) {
                    to[i] += p * first[i];
                    to[J + i] += p * second[i];
                }
            };  // the difference of a pair is 0
            for_each_bit(item.wanted.ones,
                         [&](std::size_t pair) { own(item.of_row(true, pair, depth_)); });
            for_each_bit(item.wanted.zeros,
                         [&](std::size_t pair) { own(item.of_row(false, pair, depth_)); });
            return;
        }
        const double* const second = moments_->second.data() + item.leaf * J * J;
        const auto own = [&](double* to, auto weight) {
            for (std::size_t i = 0; i < J; ++i) {
                if (weight(i) == 0.0) {
                    continue;  // of moments that may be infinite
                }
                to[0] += p * weight(i) * first[i];
                for (std::size_t j = 0; j < J; ++j) {
                    to[1] += weight(j) == 0.0 ? 0.0 : p * weight(i) * weight(j) * second[i * J + j];
                }
            }
        };
        const auto at = [J](std::span<const double> design, std::size_t pair) {
            return [row = design.data() + pair * J](std::size_t i) { return row[i]; };
        };
        for_each_bit(item.wanted.pairs, [&](std::size_t pair) {
            const double *const one = moments_->ones.data() + pair * J,
                         *const zero = moments_->zeros.data() + pair * J;
            own(item.of_pair(pair, depth_), [=](std::size_t i) { return one[i] - zero[i]; });
        });
        for_each_bit(item.wanted.ones, [&](std::size_t pair) {
            own(item.of_row(true, pair, depth_), at(moments_->ones, pair));
        });
        for_each_bit(item.wanted.zeros, [&](std::size_t pair) {
            own(item.of_row(false, pair, depth_), at(moments_->zeros, pair));
        });
    }

    const PairItem* side_of(const OpenedPairs& opened, const Edge& edge, bool is_left) {
        const Sizes sizes = opened.splits[edge.split].side(opened.box, is_left).sizes;
        return level_of(distinct_rows(sizes), is_left ? edge.left_state : edge.right_state)
            .find(is_left ? edge.left : edge.right);
    }

    void add_of_split(double p, PairItem& item, const OpenedPairs& opened, const Edge& edge) {
        const PairSides sides = with_parted(opened, edge.split);
        const PairItem *const left = side_of(opened, edge, true),
                   *const right = side_of(opened, edge, false);
        const std::uint64_t parted = sides.one.both() | sides.zero.both();
        for (const bool is_left : {true, false}) {
            const std::uint64_t one = (is_left ? sides.one.left : sides.one.right),
                                zero = (is_left ? sides.zero.left : sides.zero.right);
            const Wanted whole{item.wanted.pairs & one & zero & ~parted,
                               item.wanted.ones & one & ~sides.one.both(),
                               item.wanted.zeros & zero & ~sides.zero.both()};
            if (whole.any()) {
                add_of_child(p, item, whole, is_left ? *left : *right);
            }
        }
        const std::uint64_t apart =
            (sides.one.left & sides.zero.right) | (sides.one.right & sides.zero.left);
        for_each_bit(item.wanted.pairs & apart & ~parted, [&](std::size_t pair) {
            const bool one_left = (sides.one.left >> pair & 1) != 0;
            const double *const one = (one_left ? left : right)->of_row(true, pair, depth_),
                         *const zero = (one_left ? right : left)->of_row(false, pair, depth_);
            double* const to = item.of_pair(pair, depth_);
            for (std::size_t i = 0; i < depth_; ++i) {
                to[i] += p * (one[i] - zero[i]);
                to[depth_ + i] +=
                    p * (one[depth_ + i] + zero[depth_ + i] - 2 * one[i] * zero[i]);
            }
        });
        if (parted != 0) {
            add_of_parted(p, item, sides, left, right);
        }
    }

    // Rows with a part on each side, and their pairs.
    void add_of_parted(double p, PairItem& item, const PairSides& sides, const PairItem* left,
                       const PairItem* right) {
        for (const bool is_one : {true, false}) {
            const SidesOfRows& own = is_one ? sides.one : sides.zero;
            for_each_bit((is_one ? item.wanted.ones : item.wanted.zeros) & own.both(),
                         [&](std::size_t pair) {
                const double s = own.share(pair, true), r = 1.0 - s;
                const double *const a = left->of_row(is_one, pair, depth_),
                             *const b = right->of_row(is_one, pair, depth_);
                double* const to = item.of_row(is_one, pair, depth_);
                for (std::size_t i = 0; i < depth_; ++i) {
                    to[i] += p * (s * a[i] + r * b[i]);
                    to[depth_ + i] += p * (s * s * a[depth_ + i] + r * r * b[depth_ + i] +
                                           2 * s * r * a[i] * b[i]);
                }
            });
        }
        for_each_bit(item.wanted.pairs & (sides.one.both() | sides.zero.both()),
                     [&](std::size_t pair) {
            double* const to = item.of_pair(pair, depth_);
            for (std::size_t i = 0; i < depth_; ++i) {
                double product = 2.0;
                for (const bool is_left : {true, false}) {
                    const double x = sides.one.share(pair, is_left),
                                 y = sides.zero.share(pair, is_left);
                    const auto [mean, square] =
                        parted_side(is_left ? *left : *right, pair, i, x, y);
                    to[i] += p * mean;
                    to[depth_ + i] += p * square;
                    product *= mean;
                }
                to[depth_ + i] += p * product;
            }
        });
    }

    // The mean of x f1 - y f0 on a side, and that of its square.
    std::pair<double, double> parted_side(const PairItem& side, std::size_t pair, std::size_t i,
                                          double x, double y) const {
        const auto of = [&](bool is_one) { return side.of_row(is_one, pair, depth_) + i; };
        const double* const one = x > 0 ? of(true) : nullptr;
        const double* const zero = y > 0 ? of(false) : nullptr;
        const double mean = (x > 0 ? x * one[0] : 0.0) - (y > 0 ? y * zero[0] : 0.0);
        if (x > 0 && y > 0) {
            const double e = side.of_pair(pair, depth_)[depth_ + i];
            return {mean, x == y ? x * x * e
                                 : x * x * one[depth_] + y * y * zero[depth_] -
                                       x * y * (one[depth_] + zero[depth_] - e)};
        }
        return {mean, (x > 0 ? x * x * one[depth_] : 0.0) + (y > 0 ? y * y * zero[depth_] : 0.0)};
    }

    const Engine& engine_;
    const Problem& problem_;
    const Pass& pass_;
    std::size_t n_;
    Budget budget_;
    double cut_;
    std::vector<double> values_;  // of the rows: ones, then zeros
    std::optional<Routes> routes_;
    Splitter splitter_;
    EdgeBuilder builder_;
    std::vector<std::size_t> ranks_;
    std::size_t n_ranks_;
    Charge of_leaves_;
    std::optional<Pool> of_values_;
    Arena arena_;
    std::vector<double> sum_;
    std::vector<double> statistics_;
    // By distinct rows, then by rank.
    std::vector<std::unique_ptr<PairLevel>> levels_;
    std::vector<std::pair<PairItem*, double>> roots_;  // with their probabilities
    const LeafMoments* moments_ = nullptr;
    std::size_t depth_ = 0;
};

RowPairs::RowPairs(const Engine& engine, const Pass& pass, std::span<const double> ones,
                   std::span<const double> zeros, std::size_t n, std::size_t memory)
    : sweeps_(std::make_unique<PairSweeps>(engine, pass, ones, zeros, n, memory)) {}
RowPairs::~RowPairs() = default;

Status RowPairs::down(const Poll& poll) { return sweeps_->down(poll); }
const std::vector<double>& RowPairs::statistics() const { return sweeps_->statistics(); }
Status RowPairs::up(const LeafMoments& moments, const Poll& poll, std::vector<double>& mean,
                    std::vector<double>& square) {
    return sweeps_->up(moments, poll, mean, square);
}

double seconds_of_pairs(const Engine& engine, const Pass& pass, std::size_t n) {
    // An item and a split of it, each opened twice, and a pair at a split.
    constexpr double kOfItem = 2.7e-6, kOfItemSplit = 2e-7, kOfPair = 7e-9;
    // Pairs reach a box in part of the states that a pass by blocks keeps for it: from a fiftieth
    // to half of them, measured.
    constexpr double kPartOfStates = 0.25;
    const Progress all = pass.progress();
    const auto n_items = static_cast<double>(all.items), n_edges = static_cast<double>(all.edges);
    const bool counts_boxes = pass.by_interval_blocks() || pass.few_rows() > 0;
    const double n_states =
        1.0 + (counts_boxes ? kPartOfStates * static_cast<double>(engine.values_per_box()) : 0.0);
    const auto pairs = static_cast<double>(n);
    const double n_batches = std::ceil(pairs / static_cast<double>(kMostPairs));
    return n_states * (n_batches * (n_items * kOfItem + n_edges * kOfItemSplit) +
                       pairs * n_edges * kOfPair);
}

}  // namespace slp::exact
