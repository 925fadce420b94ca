/* SPDX-License-Identifier: MIT */
/* Sorting and prefix sums. sorting.ptx beside it is what nvcc makes of them:
 * nvcc -ptx -arch=sm_75 -O3 -o sorting.ptx sorting.cu */

enum { BLOCK = 256, EACH = 8, TILE = BLOCK * EACH, DIGITS = 16 };

/* The sum of `value` over the threads of the block before this one; the block's sum in *all. */
template <typename T> static __device__ T sum_before(T value, T *warps, T *all)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, count = blockDim.x >> 5;
    T sum = value;

    for (int step = 1; step < 32; step *= 2) {
        T other = __shfl_up_sync(0xffffffff, sum, step);
        if (lane >= step)
            sum += other;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    T before = 0, total = 0;
    for (int i = 0; i < count; i++) {
        if (i < warp)
            before += warps[i];
        total += warps[i];
    }
    __syncthreads();
    *all = total;
    return before + sum - value;
}

extern "C" __global__ void radix_count(const unsigned *keys, unsigned *counts, int shift)
{
    __shared__ unsigned own[DIGITS];

    if (threadIdx.x < DIGITS)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < EACH; i++)
        atomicAdd(&own[keys[blockIdx.x * TILE + i * BLOCK + threadIdx.x] >> shift & (DIGITS - 1)],
                  1);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

/* One block: the sum before each of `count` numbers, in their place. */
extern "C" __global__ void scan_counts(unsigned *counts, int count)
{
    __shared__ unsigned warps[32];
    unsigned before = 0, all;

    for (int start = 0; start < count; start += blockDim.x) {
        int i = start + threadIdx.x;
        unsigned value = i < count ? counts[i] : 0, sum = sum_before(value, warps, &all);
        if (i < count)
            counts[i] = before + sum;
        before += all;
    }
}

/* Each thread places the eight keys that lie together; equal digits keep their order. */
extern "C" __global__ void radix_scatter(const unsigned *keys, unsigned *sorted,
                                         const unsigned *counts, int shift)
{
    __shared__ unsigned short places[DIGITS][BLOCK];
    __shared__ unsigned firsts[DIGITS], warps[32];
    unsigned own[EACH], all;

    for (int i = 0; i < DIGITS; i++)
        places[i][threadIdx.x] = 0;
    for (int i = 0; i < EACH; i++) {
        own[i] = keys[blockIdx.x * TILE + threadIdx.x * EACH + i];
        places[own[i] >> shift & (DIGITS - 1)][threadIdx.x]++;
    }
    __syncthreads();
    unsigned sum = 0;
    unsigned short *mine = &places[0][0] + threadIdx.x * DIGITS;
    for (int i = 0; i < DIGITS; i++)
        sum += mine[i];
    sum = sum_before(sum, warps, &all);
    for (int i = 0; i < DIGITS; i++) {
        unsigned count = mine[i];
        mine[i] = (unsigned short)sum;
        sum += count;
    }
    __syncthreads();
    if (threadIdx.x < DIGITS)
        firsts[threadIdx.x] = counts[threadIdx.x * gridDim.x + blockIdx.x] - places[threadIdx.x][0];
    __syncthreads();
    for (int i = 0; i < EACH; i++) {
        unsigned digit = own[i] >> shift & (DIGITS - 1);
        sorted[firsts[digit] + places[digit][threadIdx.x]++] = own[i];
    }
}

extern "C" __global__ void scan_sums(const int4 *in, unsigned *sums)
{
    __shared__ unsigned warps[32];
    int4 own = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned all;

    sum_before((unsigned)(own.x + own.y + own.z + own.w), warps, &all);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}

extern "C" __global__ void scan_write(const int4 *in, const unsigned *sums, int4 *out)
{
    __shared__ unsigned warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 own = in[i];
    unsigned all;

    own.y += own.x;
    own.z += own.y;
    own.w += own.z;
    int before = (int)(sums[blockIdx.x] + sum_before((unsigned)own.w, warps, &all));
    out[i] = make_int4(own.x + before, own.y + before, own.z + before, own.w + before);
}

enum { PIECE = 1024 };

/* Sorts pieces of 1,024 keys, with half as many threads. */
extern "C" __global__ void bitonic(const unsigned *keys, unsigned *sorted)
{
    __shared__ unsigned own[PIECE];
    int start = blockIdx.x * PIECE;

    own[threadIdx.x] = keys[start + threadIdx.x];
    own[threadIdx.x + PIECE / 2] = keys[start + threadIdx.x + PIECE / 2];
    for (int size = 2; size <= PIECE; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (i & size) == 0;
            unsigned a = own[i], b = own[i + stride];
            if ((a > b) == up) {
                own[i] = b;
                own[i + stride] = a;
            }
        }
    __syncthreads();
    sorted[start + threadIdx.x] = own[threadIdx.x];
    sorted[start + threadIdx.x + PIECE / 2] = own[threadIdx.x + PIECE / 2];
}
