/* SPDX-License-Identifier: MIT */
/* Kernels in CUDA C++ that a compiler turns into PTX of its own style: check.c runs them. Compiled by
 * nvcc, or by clang without any of CUDA's headers: then the words of the language are defined here. */
#ifndef __NVCC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define THREAD_X __nvvm_read_ptx_sreg_tid_x()
#define BLOCK_X __nvvm_read_ptx_sreg_ctaid_x()
#define BLOCK_SIZE_X __nvvm_read_ptx_sreg_ntid_x()
#define ADD_WORD(place, value) __nvvm_atom_add_gen_i((int *)(place), (int)(value))
#else
#define THREAD_X threadIdx.x
#define BLOCK_X blockIdx.x
#define BLOCK_SIZE_X blockDim.x
#define ADD_WORD(place, value) atomicAdd(place, value)
#endif

enum { TILE = 128 };

struct pair {
    float weight;
    long long offset;
    unsigned char tag;
};

__constant__ float scale = 2.0f;
__device__ unsigned counter;
__device__ unsigned table[4] = {3, 1, 4, 1};

/* A parameter by value, a guard, floats. */
extern "C" __global__ void blend(const float *a, const float *b, float *out, unsigned count,
                                 struct pair pair)
{
    unsigned i = BLOCK_X * BLOCK_SIZE_X + THREAD_X;

    if (i < count)
        out[i] = scale * a[i] + pair.weight * b[i] + (float)pair.offset + (float)pair.tag;
}

/* Shared memory, barriers, a loop. */
extern "C" __global__ void total(const int *values, int *sums)
{
    __shared__ int tile[TILE];
    unsigned thread = THREAD_X;

    tile[thread] = values[BLOCK_X * TILE + thread];
    __syncthreads();
    for (unsigned step = TILE / 2; step > 0; step /= 2) {
        if (thread < step)
            tile[thread] += tile[thread + step];
        __syncthreads();
    }
    if (thread == 0)
        sums[BLOCK_X] = tile[0];
}

/* Calls that stay calls, one of them of itself. */
__device__ __noinline__ unsigned long long fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void climb(unsigned long long *out)
{
    out[THREAD_X] = fibonacci(THREAD_X % 16);
}

/* Threads that part and meet, an array of each thread's own, an atomic on a variable. */
extern "C" __global__ void scatter(unsigned *out)
{
    unsigned thread = THREAD_X, room[8];

    for (unsigned i = 0; i < 8; i++)
        room[i] = table[(thread + i) % 4] * i;
    switch (thread % 4) {
    case 0:
        out[thread] = room[thread % 8];
        break;
    case 1:
        out[thread] = room[7 - thread % 8] + 100;
        break;
    case 2:
        while (room[1] % 7)
            room[1] += 1 + thread % 3;
        out[thread] = room[1];
        break;
    default:
        out[thread] = ~thread;
    }
    ADD_WORD(&counter, thread);
}
