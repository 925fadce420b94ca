/* SPDX-License-Identifier: MIT */
/* Kernels whose addresses come from data: sparse matrices, graphs, neighbours, counting, searching.
 * irregular.ptx beside it is what nvcc makes of them:
 * nvcc -ptx -arch=sm_75 -O3 -o irregular.ptx irregular.cu */

extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values,
                                const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (int i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

extern "C" __global__ void histogram(const unsigned *in, unsigned *bins, int words)
{
    __shared__ unsigned own[256];

    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        unsigned word = in[i];
        atomicAdd(&own[word & 255], 1);
        atomicAdd(&own[word >> 8 & 255], 1);
        atomicAdd(&own[word >> 16 & 255], 1);
        atomicAdd(&own[word >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

/* One level of a search: the nodes of `from` give the nodes of `to`, *count of them. */
extern "C" __global__ void bfs(const int *starts, const int *edges, int *distances, const int *from,
                               int from_count, int *to, int *count, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= from_count)
        return;
    int node = from[i];
    for (int edge = starts[node]; edge < starts[node + 1]; edge++) {
        int other = edges[edge];
        if (distances[other] == -1 && atomicCAS(&distances[other], -1, level) == -1)
            to[atomicAdd(count, 1)] = other;
    }
}

/* Forces of Lennard-Jones; neighbour j of all atoms lies together. */
extern "C" __global__ void molecules(const float4 *positions, const int *neighbours, float4 *forces,
                                     int atoms, int neighbour_count, float cut)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0, y = 0, z = 0;

    if (i >= atoms)
        return;
    float4 own = positions[i];
    for (int j = 0; j < neighbour_count; j++) {
        float4 other = positions[neighbours[j * atoms + i]];
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        float square = dx * dx + dy * dy + dz * dz;
        if (square < cut) {
            float inverse = 1.0f / square, sixth = inverse * inverse * inverse;
            float force = inverse * sixth * (1.5f * sixth - 2.0f);
            x += dx * force;
            y += dy * force;
            z += dz * force;
        }
    }
    forces[i] = make_float4(x, y, z, 0);
}

__constant__ char pattern[32];

/* How often the pattern begins anywhere. */
extern "C" __global__ void search(const char *text, int bytes, int pattern_bytes, unsigned *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, same = 0;

    if (i > bytes - pattern_bytes)
        return;
    while (same < pattern_bytes && text[i + same] == pattern[same])
        same++;
    if (same == pattern_bytes)
        atomicAdd(found, 1);
}
