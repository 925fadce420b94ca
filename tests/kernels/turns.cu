/* SPDX-License-Identifier: MIT */
/* Kernels whose warps wait for each other at barriers of the whole block: see test_turns.c, which has the
 * same in plain C. turns.ptx beside it is what nvcc makes of them:
 *   nvcc -ptx -arch=sm_75 -O2 -o turns.ptx turns.cu  */
#include <stdio.h>

typedef unsigned int word;

static __device__ word thread(void)
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __device__ word threads(void)
{
    return blockDim.x * blockDim.y * blockDim.z;
}

/* Barriers in two loops, one in the other. */
extern "C" __global__ void nested(word *out, const word *in, word rounds)
{
    __shared__ word shown[1024];
    word t = thread(), n = threads(), x = in[blockIdx.x * n + t];

    #pragma unroll 1
    for (word i = 0; i < rounds; i++)
        #pragma unroll 1
        for (word j = 0; j < i + 2; j++) {
            shown[t] = x;
            __syncthreads();
            x = x * 31 + shown[(t + i + j + 1) % n];
            __syncthreads();
        }
    out[blockIdx.x * n + t] = x;
}

/* In each round some threads leave, alone and in whole warps; those that stay see only each other. */
extern "C" __global__ void leaving(word *out, const word *in, word rounds)
{
    __shared__ word shown[1024];
    word t = thread(), n = threads(), at = blockIdx.x * n + t, x = in[at];

    #pragma unroll 1
    for (word r = 0; r < rounds; r++) {
        if ((x >> 7) % 11 == r || (t / 32) % 5 == r) {
            out[at] = x + r;
            return;
        }
        shown[t] = 0;
        __syncthreads();
        atomicAdd(&shown[x % n], x);
        __syncthreads();
        x = x * 5 + shown[t];
        __syncthreads();
    }
    out[at] = x ^ 1;
}

/* A barrier that threads of a warp may come to one by one: __syncthreads() hangs there on a card. */
static __device__ void meet()
{
    asm volatile("barrier.sync 0;" ::: "memory");
}

/* Halves of warps come to different barriers of a loop, a different number of times each way round. */
extern "C" __global__ void mixed(word *out, const word *in, word rounds)
{
    __shared__ word shown[1024];
    word t = thread(), n = threads(), at = blockIdx.x * n + t, x = in[at];

    #pragma unroll 1
    for (word r = 0; r < rounds; r++) {
        if ((t ^ r) & 1) {
            shown[t] = x * 3;
            meet();
            x += shown[n - 1 - t];
        } else {
            #pragma unroll 1
            for (word k = 0; k < (t & 7); k++)
                x = x * 7 + k;
            shown[t] = x;
            meet();
            x ^= shown[(t + 1) % n];
        }
        meet();
        shown[t] = x;
        meet();
        x += shown[(t + r) % n] >> 3;
        meet();
    }
    out[at] = x;
}

/* How many, whether all, whether any: with threads that have left. */
extern "C" __global__ void voting(word *out, const word *in, word rounds)
{
    word t = thread(), n = threads(), at = blockIdx.x * n + t, x = in[at];

    #pragma unroll 1
    for (word r = 0; r < rounds; r++) {
        if (x % 17 == 3 && t % 32 > 20)
            break;
        word count = __syncthreads_count(x & 4);
        x = x * 3 + count;
        word all = __syncthreads_and(x > 1000 + r);
        word any = __syncthreads_or(x % 64 == r);
        x += all * 2 + any;
    }
    out[at] = x;
}

/* An array of each thread, indexed by numbers nobody knows beforehand. */
extern "C" __global__ void locals(word *out, const word *in, word rounds)
{
    __shared__ word shown[1024];
    word t = thread(), n = threads(), at = blockIdx.x * n + t, x = in[at], mine[16];

    #pragma unroll 1
    for (word i = 0; i < 16; i++)
        mine[i] = x + i * i;
    #pragma unroll 1
    for (word r = 0; r < rounds; r++) {
        shown[t] = mine[(x + r) % 16];
        __syncthreads();
        mine[x % 16] += shown[(t + 3 * r) % n];
        x = x * 9 + mine[(x >> 4) % 16];
        __syncthreads();
    }
    #pragma unroll 1
    for (word i = 0; i < 16; i++)
        x = x * 3 + mine[i];
    out[at] = x;
}

/* All lines of a block's first part come before those of its second. */
extern "C" __global__ void printing(word *out, const word *in, word rounds)
{
    word t = thread();

    if (t % 3 == 0)
        printf("first %u %u\n", blockIdx.x, t);
    __syncthreads();
    if (t % 5 == 0)
        printf("second %u %u\n", blockIdx.x, t);
    __syncthreads();
    out[blockIdx.x * threads() + t] = t;
}

extern "C" __global__ void trapping(word *out, const word *in, word rounds)
{
    __syncthreads();
    if (thread() == 70)
        __trap();
    __syncthreads();
    out[thread()] = 1;
}

/* in[0] is where it writes. */
extern "C" __global__ void straying(word *out, const word *in, word rounds)
{
    __syncthreads();
    if (thread() == 70)
        **(word *volatile *)in = 1;
    __syncthreads();
    out[thread()] = 1;
}

/* A block's sum of what it comes to in the steps of the grid. rounds: how many numbers. */
extern "C" __global__ void striding(float *out, const float *in, word count)
{
    __shared__ float partial[1024];
    word t = thread(), n = threads();
    float sum = 0;

    #pragma unroll 1
    for (word i = blockIdx.x * n + t; i < count; i += gridDim.x * n)
        sum += in[i];
    partial[t] = sum;
    __syncthreads();
    #pragma unroll 1
    for (word half = 512; half > 0; half /= 2) {
        if (t < half && t + half < n)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}

/* Each warp goes another way: some not at all, some wait already while others still go. */
extern "C" __global__ void stairs(word *out, const word *in, word count)
{
    __shared__ word shown[1024];
    word t = thread(), n = threads(), sum = 0;

    #pragma unroll 1
    for (int k = 0; k < 3; k++) {
        int end = (int)(count / 8 * ((t / 32 + k) % 9));
        #pragma unroll 1
        for (int i = t; i < end; i += n)
            sum += in[i];
        shown[t] = sum;
        __syncthreads();
        sum = sum * 3 + shown[(t + 33) % n];
        __syncthreads();
    }
    out[blockIdx.x * n + t] = sum;
}
