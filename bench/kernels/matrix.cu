// SPDX-License-Identifier: MIT
// Products of matrices of .f16 by tensor cores: C = A B, A by rows, B by columns, C of .f32.
// Compiled with: nvcc -ptx -arch=compute_90a matrix.cu
#include <cuda_fp16.h>

enum { N = 1024 };

// A warp computes 32 x 64; a block of four warps 64 x 128.
extern "C" __global__ void __launch_bounds__(128) matrix_mma(const unsigned *a, const unsigned *b,
                                                             float *c)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * 64 + warp / 2 * 32, column = blockIdx.x * 128 + warp % 2 * 64;
    const unsigned *ap = a + (row + lane / 4) * (N / 2) + lane % 4,
                   *bp = b + (column + lane / 4) * (N / 2) + lane % 4;
    float d[2][8][4] = {};

    for (int k = 0; k < N / 2; k += 8) {
        unsigned x[2][4], y[8][2];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                x[i][j] = ap[(16 * i + 8 * (j & 1)) * (N / 2) + k + 4 * (j >> 1)];
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                y[i][j] = bp[8 * i * (N / 2) + k + 4 * j];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 8; j++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]),
                               "+f"(d[i][j][3])
                             : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]),
                               "r"(y[j][0]), "r"(y[j][1]));
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int r = 0; r < 4; r++)
                c[(row + 16 * i + 8 * (r / 2) + lane / 4) * N + column + 8 * j + lane % 4 * 2 +
                  r % 2] = d[i][j][r];
}

static __device__ unsigned long long descriptor(const void *tile)
{
    // 128-byte swizzle; eight rows are 1024 bytes.
    return (unsigned long long)(__cvta_generic_to_shared(tile) >> 4 & 0x3fff) |
           (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

// Copies `rows` rows of 64 elements, swizzled.
static __device__ void tile_load(uint4 *tile, const uint4 *from, int rows)
{
    for (int i = threadIdx.x; i < rows * 8; i += 128) {
        int row = i / 8, unit = i % 8;
        tile[row * 8 + (unit ^ row % 8)] = from[row * (N / 8) + unit];
    }
}

// A warpgroup computes 64 x 64.
extern "C" __global__ void __launch_bounds__(128) matrix_wgmma(const uint4 *a, const uint4 *b,
                                                               float *c)
{
    __shared__ __align__(1024) uint4 at[64 * 8], bt[64 * 8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float d[32] = {};

    for (int k = 0; k < N / 8; k += 8) {
        tile_load(at, a + row * (N / 8) + k, 64);
        tile_load(bt, b + column * (N / 8) + k, 64);
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < 4; step++)
            asm volatile(
                "{ .reg .pred p; setp.eq.u32 p, 0, 0;\n"
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,"
                "%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0; }"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                  "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                  "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                  "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31])
                : "l"(descriptor(at) + 2 * step), "l"(descriptor(bt) + 2 * step));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 32; i++)
        c[(row + 16 * warp + i % 4 / 2 * 8 + lane / 4) * N + column + i / 4 * 8 + lane % 4 * 2 +
          i % 2] = d[i];
}
