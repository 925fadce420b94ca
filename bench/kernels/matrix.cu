// SPDX-License-Identifier: MIT
// Products of matrices of .f16 by tensor cores: C = A B, A by rows, B by columns, C of .f32.
// Compiled with: nvcc -ptx -arch=compute_90a matrix.cu
#include <cuda.h>
#include <mma.h>

enum { N = 1024 };

// A warp computes 64 x 64; a block of four warps 128 x 128.
extern "C" __global__ void __launch_bounds__(128)
    matrix_mma(const unsigned *a, const unsigned *b, float *c)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * 128 + warp / 2 * 64, column = blockIdx.x * 128 + warp % 2 * 64;
    const unsigned *ap = a + (row + lane / 4) * (N / 2) + lane % 4,
                   *bp = b + (column + lane / 4) * (N / 2) + lane % 4;
    float d[4][8][4] = {};

    for (int k = 0; k < N / 2; k += 8) {
        unsigned x[4][4], y[8][2];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                x[i][j] = ap[(16 * i + 8 * (j & 1)) * (N / 2) + k + 4 * (j >> 1)];
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                y[i][j] = bp[8 * i * (N / 2) + k + 4 * j];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 8; j++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                             "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]),
                               "+f"(d[i][j][3])
                             : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j][0]),
                               "r"(y[j][1]));
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
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

// Copies 128 rows of 64 elements, swizzled.
static __device__ void tile_copy(uint4 *tile, const uint4 *from)
{
    for (int i = threadIdx.x; i < 128 * 8; i += 256) {
        int row = i / 8, unit = i % 8;
        tile[row * 8 + (unit ^ row % 8)] = from[row * (N / 8) + unit];
    }
}

// A warpgroup computes 64 x 128; a block of two 128 x 128.
extern "C" __global__ void __launch_bounds__(256)
    matrix_wgmma(const uint4 *a, const uint4 *b, float *c)
{
    __shared__ __align__(1024) uint4 at[128 * 8], bt[128 * 8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * 128, column = blockIdx.x * 128;
    float d[64] = {};

    for (int k = 0; k < N / 8; k += 8) {
        tile_copy(at, a + row * (N / 8) + k);
        tile_copy(bt, b + column * (N / 8) + k);
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < 4; step++)
            asm volatile(
                "{ .reg .pred p; setp.eq.u32 p, 0, 0;\n"
                "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16,"
                "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
                "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46,"
                "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61,"
                "%62, %63"
                "}, %64, %65, p, 1, 1, 0, 0; }"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                  "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                  "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                  "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                  "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
                  "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
                  "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                  "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                : "l"(descriptor(at + warp / 4 * 64 * 8) + 2 * step),
                  "l"(descriptor(bt) + 2 * step));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 64; i++)
        c[(row + 16 * warp + i % 4 / 2 * 8 + lane / 4) * N + column + i / 4 * 8 + lane % 4 * 2 +
          i % 2] = d[i];
}

static __device__ unsigned shared(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Copies the box of 64 columns from `column` on; the map says how many rows it has.
static __device__ void tile_load(const void *tile, const CUtensorMap *map, int column, int row,
                                 unsigned loaded)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(tile)),
                 "l"(map), "r"(column), "r"(row), "r"(loaded)
                 : "memory");
}

static __device__ void wait(unsigned barrier, int parity)
{
    asm volatile("{ .reg .pred complete;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 complete, [%0], %1;\n"
                 "@!complete bra again; }" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

// A warpgroup computes 64 x 256; a block of two 128 x 256. The matrices come by tensor maps, 64
// columns at a time, into one of two stages while the other is multiplied.
extern "C" __global__ void __launch_bounds__(256)
    matrix_wgmma_maps(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                      float *c)
{
    enum { STEP = 64, ROWS = 128, COLUMNS = 256, BYTES = STEP * (ROWS + COLUMNS) * 2 };
    extern __shared__ __align__(1024) unsigned char stages[];
    __shared__ unsigned long long barriers[2];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;
    float d[128] = {};

    auto load = [&](int k) {
        unsigned char *stage = stages + k / STEP % 2 * BYTES;
        unsigned loaded = shared(&barriers[k / STEP % 2]);

        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(loaded), "r"(BYTES)
                     : "memory");
        tile_load(stage, &a, k, row, loaded);
        tile_load(stage + STEP * ROWS * 2, &b, k, column, loaded);
    };

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&barriers[0])) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&barriers[1])) : "memory");
        load(0);
    }
    __syncthreads();
    for (int k = 0; k < N; k += STEP) {
        const unsigned char *stage = stages + k / STEP % 2 * BYTES;

        if (threadIdx.x == 0 && k + STEP < N)
            load(k + STEP);
        wait(shared(&barriers[k / STEP % 2]), k / STEP / 2 % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < 4; step++)
            asm volatile(
                "{ .reg .pred p; setp.eq.u32 p, 0, 0;\n"
                "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16,"
                "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
                "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46,"
                "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61,"
                "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76,"
                "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91,"
                "%92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105,"
                "%106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117,"
                "%118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
                "}, %128, %129, p, 1, 1, 0, 0; }"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                  "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                  "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                  "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                  "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
                  "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
                  "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                  "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]),
                  "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
                  "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),
                  "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
                  "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),
                  "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
                  "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]),
                  "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]),
                  "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
                  "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]),
                  "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]),
                  "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
                : "l"(descriptor(stage + warp / 4 * 64 * STEP * 2) + 2 * step),
                  "l"(descriptor(stage + STEP * ROWS * 2) + 2 * step));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 128; i++)
        c[(row + 16 * warp + i % 4 / 2 * 8 + lane / 4) * N + column + i / 4 * 8 + lane % 4 * 2 +
          i % 2] = d[i];
}

// A warp computes 64 x 64, as fragments of 16 x 16; a block of four warps 128 x 128.
extern "C" __global__ void __launch_bounds__(128)
    matrix_wmma(const half *a, const half *b, float *c)
{
    using namespace nvcuda::wmma;
    const int warp = threadIdx.x / 32;
    const int row = blockIdx.y * 128 + warp / 2 * 64, column = blockIdx.x * 128 + warp % 2 * 64;
    fragment<accumulator, 16, 16, 16, float> d[4][4];

    for (int i = 0; i < 16; i++)
        fill_fragment(d[i / 4][i % 4], 0.0f);
    for (int k = 0; k < N; k += 16) {
        fragment<matrix_a, 16, 16, 16, half, row_major> x[4];
        fragment<matrix_b, 16, 16, 16, half, col_major> y[4];

        for (int i = 0; i < 4; i++)
            load_matrix_sync(x[i], a + (row + 16 * i) * N + k, N);
        for (int i = 0; i < 4; i++)
            load_matrix_sync(y[i], b + (column + 16 * i) * N + k, N);
        for (int i = 0; i < 16; i++)
            mma_sync(d[i / 4][i % 4], x[i / 4], y[i % 4], d[i / 4][i % 4]);
    }
    for (int i = 0; i < 16; i++)
        store_matrix_sync(c + (row + i / 4 * 16) * N + column + i % 4 * 16, d[i / 4][i % 4], N,
                          mem_row_major);
}
