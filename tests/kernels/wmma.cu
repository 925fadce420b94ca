// SPDX-License-Identifier: MIT
// Products of fragments, of small whole numbers: sums are the same in any order.
// Compiled with: nvcc -ptx -arch=compute_80 wmma.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

enum { SHARED_BYTES = 8192 };

struct matrices {
    const void *a, *b, *c;
    void *d;
    int steps;         // of k
    int lda, ldb, ldc; // elements from line to line
    int c_columns;     // C and D lie by columns
    int shared;        // A and B are copied to shared memory first
    int odd;           // lanes that count steps: 0 even ones, 1 odd ones
    unsigned *counts;
};

template <typename T> static __device__ const T *copied(unsigned char *to, const void *from)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < SHARED_BYTES; i += 32)
        to[i] = ((const unsigned char *)from)[i];
    __syncwarp();
    return (const T *)to;
}

// One warp. In memory A has M rows, B N columns, and both `steps` times K of the other.
template <int M, int N, int K, typename T, typename S, typename C, typename LA, typename LB>
static __device__ void product(const matrices &m)
{
    __shared__ __align__(32) unsigned char as[SHARED_BYTES], bs[SHARED_BYTES];
    const S *a = (const S *)m.a, *b = (const S *)m.b;
    constexpr bool a_rows = __is_same(LA, wmma::row_major), b_rows = __is_same(LB, wmma::row_major);
    auto layout = m.c_columns ? wmma::mem_col_major : wmma::mem_row_major;
    wmma::fragment<wmma::accumulator, M, N, K, C> sum;
    unsigned count = 0;

    if (m.shared) {
        a = copied<S>(as, a);
        b = copied<S>(bs, b);
    }
    wmma::load_matrix_sync(sum, (const C *)m.c, m.ldc, layout);
#pragma unroll M == 16 && sizeof(S) == 2 ? 2 : 1
    for (int s = 0; s < m.steps; s++) {
        wmma::fragment<wmma::matrix_a, M, N, K, T, LA> x;
        wmma::fragment<wmma::matrix_b, M, N, K, T, LB> y;

        wmma::load_matrix_sync(x, a + s * K * (a_rows ? 1 : m.lda), m.lda);
        wmma::load_matrix_sync(y, b + s * K * (b_rows ? m.ldb : 1), m.ldb);
        if (threadIdx.x % 2 == m.odd)
            count += ((volatile const int *)m.counts)[32] + 1;
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync((C *)m.d, sum, m.ldc, layout);
    m.counts[threadIdx.x] = count;
}

#define PRODUCT(name, M, N, K, T, S, C, LA, LB)                                                    \
    extern "C" __global__ void name(matrices m)                                                    \
    {                                                                                              \
        product<M, N, K, T, S, C, wmma::LA, wmma::LB>(m);                                          \
    }
#define LAYOUTS(name, M, N, K, T, S, C)                                                            \
    PRODUCT(name##_rr, M, N, K, T, S, C, row_major, row_major)                                     \
    PRODUCT(name##_rc, M, N, K, T, S, C, row_major, col_major)                                     \
    PRODUCT(name##_cr, M, N, K, T, S, C, col_major, row_major)                                     \
    PRODUCT(name##_cc, M, N, K, T, S, C, col_major, col_major)

LAYOUTS(f16_16x16, 16, 16, 16, half, half, float)
LAYOUTS(f16_32x8, 32, 8, 16, half, half, float)
LAYOUTS(f16_8x32, 8, 32, 16, half, half, float)
LAYOUTS(half_16x16, 16, 16, 16, half, half, half)
LAYOUTS(half_8x32, 8, 32, 16, half, half, half)
LAYOUTS(bf16_16x16, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float)
LAYOUTS(tf32_16x16, 16, 16, 8, wmma::precision::tf32, float, float)
LAYOUTS(s8_16x16, 16, 16, 16, signed char, signed char, int)
LAYOUTS(s8_32x8, 32, 8, 16, signed char, signed char, int)
LAYOUTS(u8_8x32, 8, 32, 16, unsigned char, unsigned char, int)
PRODUCT(f64_8x8_rc, 8, 8, 4, double, double, double, row_major, col_major)

// D is the sum of three sums that are alive at the same time, and of C: two of them change places
// after each step, and C is read by each first product.
extern "C" __global__ void several(matrices m)
{
    typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> accumulator;
    const half *a = (const half *)m.a, *b = (const half *)m.b;
    accumulator c, first, second, third;

    wmma::load_matrix_sync(c, (const float *)m.c, m.ldc, wmma::mem_row_major);
    first = second = c;
    wmma::fill_fragment(third, 0.0f);
    for (int s = 0; s < m.steps; s++) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
        accumulator fresh, kept = first;

        wmma::load_matrix_sync(x, a + s * 16, m.lda);
        wmma::load_matrix_sync(y, b + s * 16, m.ldb);
        wmma::mma_sync(fresh, x, y, c);
        wmma::mma_sync(first, x, y, second);
        if (threadIdx.x % 2 == m.odd)
            for (int i = 0; i < third.num_elements; i++)
                third.x[i] += fresh.x[i] - c.x[i];
        else
            for (int i = 0; i < third.num_elements; i++)
                third.x[i] = third.x[i] + fresh.x[i] - c.x[i];
        second = kept;
    }
    for (int i = 0; i < c.num_elements; i++)
        c.x[i] += first.x[i] + second.x[i] + third.x[i];
    wmma::store_matrix_sync((float *)m.d, c, m.ldc, wmma::mem_row_major);
    m.counts[threadIdx.x] = 0;
}
