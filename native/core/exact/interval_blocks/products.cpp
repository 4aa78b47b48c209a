#include "exact/interval_blocks/products.hpp"

namespace slp::exact {

namespace {

template <Sum kSum>
[[gnu::always_inline]] inline void add_product(const double* __restrict left,
                                               const double* __restrict right, std::size_t n,
                                               double* __restrict sum) {
    for (std::size_t t = 0; t < n; ++t) {
        add_term<kSum>(left[t + 1] * right[t + 1], sum[t]);
    }
}

template <Sum kSum>
[[gnu::always_inline]] inline void rows(SideRow left, SideRow right, std::size_t from,
                                        std::size_t k, std::size_t n, std::size_t stride,
                                        double* sums) {
    for (std::size_t j = from; j < k; ++j, sums += stride) {
        add_product<kSum>(left.vectors[left.last[j]], right.vectors[right.last[j]], n, sums);
    }
}

template <Sum kSum>
[[gnu::always_inline]] inline void pairs(const double* const* left, const double* const* right,
                                         std::size_t from, std::size_t end, std::size_t n,
                                         double* sum) {
    for (std::size_t m = from; m < end; ++m) {
        add_product<kSum>(left[m], right[m], n, sum);
    }
}

template <Sum kSum>
void add_rows(SideRow left, SideRow right, std::size_t from, std::size_t k, std::size_t n,
              std::size_t stride, double* sums) {
    rows<kSum>(left, right, from, k, n, stride, sums);
}

template <Sum kSum>
void add_pairs(const double* const* left, const double* const* right, std::size_t from,
               std::size_t end, std::size_t n, double* sum) {
    pairs<kSum>(left, right, from, end, n, sum);
}

#ifdef __x86_64__
template <Sum kSum>
[[gnu::target("avx2")]] void add_rows_avx2(SideRow left, SideRow right, std::size_t from,
                                           std::size_t k, std::size_t n, std::size_t stride,
                                           double* sums) {
    rows<kSum>(left, right, from, k, n, stride, sums);
}

template <Sum kSum>
[[gnu::target("avx2")]] void add_pairs_avx2(const double* const* left, const double* const* right,
                                            std::size_t from, std::size_t end, std::size_t n,
                                            double* sum) {
    pairs<kSum>(left, right, from, end, n, sum);
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
    return {add_rows<kSum>, add_pairs<kSum>};
}

template Products products<Sum::total>();
template Products products<Sum::best>();
template Products products<Sum::count>();

}  // namespace slp::exact
