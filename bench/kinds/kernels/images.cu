/* SPDX-License-Identifier: MIT */
/* Kernels over images and volumes. images.ptx beside it is what nvcc makes of them:
 * nvcc -ptx -arch=sm_75 -O3 -o images.ptx images.cu */

extern "C" __global__ void stencil7(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    int i = (z * n + y) * n + x;

    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1 || z < 1 || z >= n - 1)
        return;
    out[i] = 0.4f * in[i] +
             0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n]);
}

__constant__ float weights[49];

extern "C" __global__ void convolution3(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int column = min(max(x + dx, 0), width - 1), row = min(max(y + dy, 0), height - 1);
            sum += weights[(dy + 1) * 3 + dx + 1] * in[row * width + column];
        }
    out[y * width + x] = sum;
}

enum { TILE = 16, RADIUS = 3, EDGE = TILE + 2 * RADIUS };

extern "C" __global__ void convolution7(const float *in, float *out, int width, int height)
{
    __shared__ float tile[EDGE][EDGE];
    int left = blockIdx.x * TILE - RADIUS, top = blockIdx.y * TILE - RADIUS;
    float sum = 0;

    for (int i = threadIdx.y * TILE + threadIdx.x; i < EDGE * EDGE; i += TILE * TILE) {
        int column = min(max(left + i % EDGE, 0), width - 1),
            row = min(max(top + i / EDGE, 0), height - 1);
        tile[i / EDGE][i % EDGE] = in[row * width + column];
    }
    __syncthreads();
    for (int dy = 0; dy < 7; dy++)
        for (int dx = 0; dx < 7; dx++)
            sum += weights[dy * 7 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    out[(blockIdx.y * TILE + threadIdx.y) * width + blockIdx.x * TILE + threadIdx.x] = sum;
}

/* Rays along a direction that is no axis; a ray ends where it sees no further. */
extern "C" __global__ void raymarch(cudaTextureObject_t volume, float *out, int width, int steps)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float x = (column + 0.5f) / width, y = (row + 0.5f) / width, z = 0;
    float dx = 0.2f / steps, dy = -0.1f / steps, dz = 1.0f / steps;
    float light = 0, left = 1;

    for (int i = 0; i < steps; i++) {
        float density = tex3D<float>(volume, x, y, z), covered = density * density * 0.1f;
        light += left * covered * density;
        left *= 1 - covered;
        if (left < 0.02f)
            break;
        x += dx;
        y += dy;
        z += dz;
    }
    out[row * width + column] = light;
}
