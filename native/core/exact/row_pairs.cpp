// Two sweeps over the items that pairs of rows reach.

#include "exact/row_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

#include "arena.hpp"
#include "exact/pair_items.hpp"
#include "exact/pair_values.hpp"
#include "exact/row_walk.hpp"
#include "pool.hpp"
#include "problem/calls.hpp"
#include "problem/edges.hpp"
#include "thread_team.hpp"

namespace slp::exact {

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
        values_of_ = PairValues(moments);
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
        problem_.set_prior(sum_.data(), item.product / problem_.n_owed());
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
                values_of_.add_of_leaf(p, item);
            } else if (kind == RuleKind::call) {
                const PairItem& child =
                    *level_of(level.n_rows(), edge->left_state).find(edge->left);
                values_of_.add_of_child(p, item, item.wanted, child);
            } else {
                add_of_split(p, item, opened, *edge);
            }
        });
        arena_.release(mark);
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
        values_of_.add_of_split(p, item, sides, left, right);
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
    PairValues values_of_;
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
