/* SPDX-License-Identifier: MIT */
/* Layers of neural networks. layers.ptx beside it is what nvcc makes of them:
 * nvcc -ptx -arch=sm_75 -O3 -o layers.ptx layers.cu */

/* The largest, or the sum, over a block of 256 threads. */
template <bool largest> static __device__ float over_block(float value, float *warps)
{
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, step);
        value = largest ? fmaxf(value, other) : value + other;
    }
    if ((threadIdx.x & 31) == 0)
        warps[threadIdx.x >> 5] = value;
    __syncthreads();
    value = warps[0];
    for (int i = 1; i < 8; i++)
        value = largest ? fmaxf(value, warps[i]) : value + warps[i];
    __syncthreads();
    return value;
}

/* A row a block. */
extern "C" __global__ void softmax(const float *in, float *out, int columns)
{
    __shared__ float warps[8];
    const float *row = in + (size_t)blockIdx.x * columns;
    float *to = out + (size_t)blockIdx.x * columns, most = -INFINITY, sum = 0;

    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, row[i]);
    most = over_block<true>(most, warps);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += expf(row[i] - most);
    sum = over_block<false>(sum, warps);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        to[i] = expf(row[i] - most) / sum;
}

extern "C" __global__ void layer_norm(const float *in, const float *scale, const float *shift,
                                      float *out, int columns)
{
    __shared__ float warps[8];
    const float *row = in + (size_t)blockIdx.x * columns;
    float *to = out + (size_t)blockIdx.x * columns, sum = 0, squares = 0;

    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += row[i];
    float mean = over_block<false>(sum, warps) / columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        squares += (row[i] - mean) * (row[i] - mean);
    float factor = rsqrtf(over_block<false>(squares, warps) / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        to[i] = (row[i] - mean) * factor * scale[i] + shift[i];
}

enum { WIDTH = 64, KEYS = 32 };

/* A query a thread; keys and values pass through shared memory, 32 at a time. */
extern "C" __global__ void attention(const float *queries, const float *keys, const float *values,
                                     float *out, int length)
{
    __shared__ float key[KEYS][WIDTH], value[KEYS][WIDTH];
    int query = blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = (size_t)blockIdx.y * length * WIDTH;
    float own[WIDTH], sums[WIDTH], most = -INFINITY, all = 0;

#pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        own[i] = queries[head + query * WIDTH + i] * 0.125f;
        sums[i] = 0;
    }
    for (int start = 0; start < length; start += KEYS) {
        for (int i = threadIdx.x; i < KEYS * WIDTH; i += blockDim.x) {
            (&key[0][0])[i] = keys[head + start * WIDTH + i];
            (&value[0][0])[i] = values[head + start * WIDTH + i];
        }
        __syncthreads();
        for (int j = 0; j < KEYS; j++) {
            float score = 0;
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
                score += own[i] * key[j][i];
            float larger = fmaxf(most, score), old = expf(most - larger),
                  weight = expf(score - larger);
            most = larger;
            all = all * old + weight;
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
                sums[i] = sums[i] * old + weight * value[j][i];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < WIDTH; i++)
        out[head + query * WIDTH + i] = sums[i] / all;
}
