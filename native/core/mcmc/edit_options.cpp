#include <algorithm>
#include <cmath>
#include <numeric>

#include "mcmc/edit_tree.hpp"

namespace slp::mcmc {

EditOptions::EditOptions(const Problem& problem, const Geometry& geometry, const EditRules& rules)
    : problem_(problem),
      geometry_(geometry),
      max_depth_(rules.max_depth),
      measure_(problem.grammar, rules.measure),
      least_(static_cast<std::uint64_t>(problem.grammar.min_leaf)),
      cuts_(problem),
      listed_(problem.table.features.size()),
      masses_(problem.table.features.size()) {}

void EditOptions::enter(const EditTree& tree, std::uint32_t node) {
    tree_ = &tree;
    node_ = node;
    cuts_.enter(tree.proof.rows_of(tree.proof.nodes[node]));
    limited_ = tree.proof.nodes[node].all.n_leaves > 2;
    routed_ = weighed_ = false;
    std::fill(listed_.begin(), listed_.end(), Listed{});
    options_.clear();
}

bool EditOptions::any() {
    const auto& node = tree_->proof.nodes[node_];
    if (node.n_parts() == 0 && tree_->marks[node_].depth >= max_depth_) {
        return false;
    }
    for (std::size_t f = 0; f < listed_.size(); ++f) {
        if (can_split(f)) {
            return true;
        }
    }
    return false;
}

// Whether there is an option on a feature. Where possible the options are not listed for this.
bool EditOptions::can_split(std::size_t f) {
    const bool own = tree_->proof.nodes[node_].taken.feature == static_cast<std::int32_t>(f);
    return limited_ || own ? !cuts(f).empty() : cuts_.can_split(f);
}

std::span<const Cut> EditOptions::cuts(std::size_t f) {
    Listed& listed = listed_[f];
    if (!listed.known) {
        listed.begin = options_.size();
        list(f);
        listed.end = options_.size();
        listed.known = true;
    }
    return {options_.data() + listed.begin, listed.end - listed.begin};
}

void EditOptions::list(std::size_t f) {
    if (limited_ && !routed_) {
        route(node_ + 1, left_rows_, left_ends_);
        route(right_of(tree_->proof.nodes, node_ + 1), right_rows_, right_ends_);
        routed_ = true;
    }
    const std::size_t begin = options_.size();
    if (!limited_) {
        const auto all = cuts_.cuts(f);
        options_.insert(options_.end(), all.begin(), all.end());
    } else if (problem_.table.features[f].single()) {
        list_single(f);
    } else {
        list_cuts_between(f);
    }
    const Taken& own = tree_->proof.nodes[node_].taken;
    if (own.feature == static_cast<std::int32_t>(f)) {
        const auto first = options_.begin() + static_cast<std::ptrdiff_t>(begin);
        options_.erase(std::remove_if(first, options_.end(),
                                      [&](const Cut& cut) {
                                          return cut.number() == own.cut.number();
                                      }),
                       options_.end());
    }
}

// For each leaf of a side's subtree: the rows of the node that pass all tests between the side and
// the leaf.
void EditOptions::route(std::uint32_t subtree, std::vector<std::uint32_t>& rows,
                        std::vector<std::uint32_t>& ends) {
    const auto& nodes = tree_->proof.nodes;
    rows.clear();
    ends.clear();
    if (nodes[subtree].n_parts() == 0) {
        return;
    }
    const Rows all = tree_->proof.rows_of(nodes[node_]);
    rows.assign(all.begin(), all.end());
    jobs_.assign(1, {subtree, static_cast<std::uint32_t>(rows.size())});
    std::uint32_t begin = 0;  // rows before it are at their leaf
    while (!jobs_.empty()) {
        const auto [at, end] = jobs_.back();
        jobs_.pop_back();
        if (nodes[at].n_parts() == 0) {
            ends.push_back(end);
            begin = end;
            continue;
        }
        const RowTest test = test_anywhere(problem_.table, nodes[at].taken);
        const auto middle =
            std::partition(rows.begin() + begin, rows.begin() + end,
                           [&](std::uint32_t row) { return test.goes_left(row); });
        jobs_.emplace_back(right_of(nodes, at + 1), end);
        jobs_.emplace_back(at + 1, static_cast<std::uint32_t>(middle - rows.begin()));
    }
}

void EditOptions::list_cuts_between(std::size_t f) {
    const Feature& feature = problem_.table.features[f];
    std::uint32_t low = 0, high = std::numeric_limits<std::uint32_t>::max(), begin = 0;
    for (const std::uint32_t end : left_ends_) {
        const Rows rows{left_rows_.data() + begin, end - begin};
        low = std::max(low, extreme(feature, rows, true));
        begin = end;
    }
    begin = 0;
    for (const std::uint32_t end : right_ends_) {
        const Rows rows{right_rows_.data() + begin, end - begin};
        high = std::min(high, extreme(feature, rows, false));
        begin = end;
    }
    for (const Cut& cut : cuts_.cuts(f)) {
        if (cut.last_left() >= low && cut.first_right() <= high) {
            options_.push_back(cut);
        }
    }
}

// The smallest code such that min_leaf rows of the data have this code or a smaller one; or the
// largest such that min_leaf rows have it or a larger one. There are at least min_leaf rows.
std::uint32_t EditOptions::extreme(const Feature& feature, Rows rows, bool smallest) {
    const std::uint32_t* code = feature.codes.data();
    if (least_ <= 1) {
        std::uint32_t out = code[rows[0]];
        for (const std::uint32_t row : rows) {
            out = smallest ? std::min(out, code[row]) : std::max(out, code[row]);
        }
        return out;
    }
    counted_.clear();
    for (const std::uint32_t row : rows) {
        counted_.emplace_back(code[row], problem_.table.counts[row]);
    }
    std::sort(counted_.begin(), counted_.end());
    if (!smallest) {
        std::reverse(counted_.begin(), counted_.end());
    }
    std::uint64_t n = 0;
    std::size_t i = 0;
    while ((n += counted_[i].second) < least_) {
        ++i;
    }
    return counted_[i].first;
}

void EditOptions::list_single(std::size_t f) {
    const Feature& feature = problem_.table.features[f];
    for (const Cut& cut : cuts_.cuts(f)) {
        if (keeps_enough(feature, cut.code(), true, left_rows_, left_ends_) &&
            keeps_enough(feature, cut.code(), false, right_rows_, right_ends_)) {
            options_.push_back(cut);
        }
    }
}

// Whether each leaf has min_leaf rows of a level, or of the others.
bool EditOptions::keeps_enough(const Feature& feature, std::uint32_t level, bool equal,
                               std::span<const std::uint32_t> rows,
                               std::span<const std::uint32_t> ends) {
    std::uint32_t i = 0;
    for (const std::uint32_t end : ends) {
        std::uint64_t n = 0;
        for (; i < end; ++i) {
            n += (feature.codes[rows[i]] == level) == equal ? problem_.table.counts[rows[i]] : 0;
        }
        if (n < least_) {
            return false;
        }
    }
    return true;
}

// --- the choice among them --------------------------------------------------------------------

// Masses of the features under the measure, over the options. The options are listed only where a
// mass depends on their number.
void EditOptions::weigh() {
    if (weighed_) {
        return;
    }
    measure_.find_groups([this](std::size_t f) { return can_split(f); });
    for (std::size_t f = 0; f < masses_.size(); ++f) {
        if (measure_.sums_weights()) {
            masses_[f] = measure_.mass(f, static_cast<double>(cuts(f).size()));
        } else {
            masses_[f] = can_split(f) ? measure_.mass(f, 1.0) : 0.0;
        }
    }
    total_ = measure_.total(std::accumulate(masses_.begin(), masses_.end(), 0.0), 0.0);
    weighed_ = true;
}

double EditOptions::weight_within(std::size_t f, const Cut& cut) const {
    return measure_.weight(geometry_, f, cut, false);  // edits take no such features
}

EditOptions::DrawnSplit EditOptions::draw(Randomness& random) {
    weigh();
    const std::size_t f = random.among(masses_);
    const auto own = cuts(f);
    if (!measure_.weighs(problem_.table.features[f])) {
        return chosen(f, random.index(own.size()));
    }
    within_.clear();
    for (const Cut& cut : own) {
        within_.push_back(weight_within(f, cut));
    }
    return chosen(f, random.among(within_));
}

EditOptions::DrawnSplit EditOptions::chosen(std::size_t f, std::size_t i) {
    weigh();
    const auto own = cuts(f);
    double sum = 0.0;
    for (const Cut& cut : own) {
        sum += weight_within(f, cut);
    }
    DrawnSplit out;
    out.taken = {0, static_cast<std::int32_t>(f), own[i]};
    out.log_probability =
        std::log(masses_[f] / total_) + std::log(weight_within(f, own[i]) / sum);
    out.alternatives = own.size() > 1 || std::count_if(masses_.begin(), masses_.end(),
                                                       [](double mass) { return mass > 0; }) > 1;
    return out;
}

bool EditOptions::at(std::uint32_t position, DrawnSplit& out) {
    for (std::size_t f = 0; f < masses_.size(); ++f) {
        const auto n = static_cast<std::uint32_t>(cuts(f).size());
        if (position < n) {
            out = chosen(f, position);
            return true;
        }
        position -= n;
    }
    return false;
}

std::uint32_t EditOptions::position(const Taken& taken) {
    std::size_t before = 0;
    for (std::size_t f = 0; f < static_cast<std::size_t>(taken.feature); ++f) {
        before += cuts(f).size();
    }
    const auto own = cuts(static_cast<std::size_t>(taken.feature));
    const auto found = std::ranges::find(own, taken.cut.number(), &Cut::number);
    return static_cast<std::uint32_t>(before) + static_cast<std::uint32_t>(found - own.begin());
}

}  // namespace slp::mcmc
