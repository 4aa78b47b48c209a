#include "exact/interval_blocks/products.hpp"

namespace slp::exact {

namespace {

template <Sum kSum, bool kWeighs>
[[gnu::always_inline]] inline void add_product(const double* left, const double* right,
                                               RunSet all, SplitWeights of_split, double* sum) {
    for (const BlockGrammar::Run& run : all.runs) {
        const double w = kWeighs ? of_split.data[run.measure_class * of_split.apart] : 1.0;
        if (kWeighs && w == 0.0) {
            continue;
        }
        if (!run.crossed) {
            add_run<kSum, kWeighs>(left + run.left, right + run.right, run.n, w, sum + run.to);
        } else {
            add_crossed<kSum>(kWeighs ? w * left[run.left] : left[run.left], right + run.right,
                              run.n, run.weights < 0 ? nullptr : all.weights + run.weights,
                              sum + run.to);
        }
    }
}

template <Sum kSum>
[[gnu::always_inline]] inline void rows(SideRow left, SideRow right, std::size_t from,
                                        std::size_t end, RunSet all, SplitWeights of_split,
                                        std::size_t stride, double* sums) {
    if (of_split.data != nullptr) {
        for (std::size_t j = from; j < end; ++j, sums += stride) {
            add_product<kSum, true>(left.vectors[left.last[j]], right.vectors[right.last[j]], all,
                                    of_split + j, sums);
        }
    } else if (all.runs.size() == 1 && !all.runs.front().crossed) {
        const BlockGrammar::Run run = all.runs.front();
        sums += run.to;
        for (std::size_t j = from; j < end; ++j, sums += stride) {
            add_run<kSum, false>(left.vectors[left.last[j]] + run.left,
                                 right.vectors[right.last[j]] + run.right, run.n, 1.0, sums);
        }
    } else {
        for (std::size_t j = from; j < end; ++j, sums += stride) {
            add_product<kSum, false>(left.vectors[left.last[j]], right.vectors[right.last[j]], all,
                                     {}, sums);
        }
    }
}

template <Sum kSum>
[[gnu::always_inline]] inline void pairs(const double* const* left, const double* const* right,
                                         std::size_t from, std::size_t end, RunSet all,
                                         SplitWeights of_split, double* sum) {
    if (of_split.data != nullptr) {
        for (std::size_t m = from; m < end; ++m) {
            add_product<kSum, true>(left[m], right[m], all, of_split + m, sum);
        }
        return;
    }
    for (std::size_t m = from; m < end; ++m) {
        add_product<kSum, false>(left[m], right[m], all, {}, sum);
    }
}

#ifdef __x86_64__
template <Sum kSum>
[[gnu::target("avx2")]] void add_rows_avx2(SideRow left, SideRow right, std::size_t from,
                                           std::size_t end, RunSet all, SplitWeights of_split,
                                           std::size_t stride, double* sums) {
    rows<kSum>(left, right, from, end, all, of_split, stride, sums);
}

template <Sum kSum>
[[gnu::target("avx2")]] void add_pairs_avx2(const double* const* left, const double* const* right,
                                            std::size_t from, std::size_t end, RunSet all,
                                            SplitWeights of_split, double* sum) {
    pairs<kSum>(left, right, from, end, all, of_split, sum);
}
#endif

}  // namespace

template <Sum kSum>
Products products() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        return {add_rows_avx2<kSum>, add_pairs_avx2<kSum>};
    }
#endif
    return {rows<kSum>, pairs<kSum>};
}

template Products products<Sum::total>();
template Products products<Sum::best>();
template Products products<Sum::count>();

}  // namespace slp::exact
