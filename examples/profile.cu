// SPDX-License-Identifier: MIT
// Kernels with different limits, for the pictures of docs/PROFILING.md (scripts/pictures):
// nvcc -lineinfo -cudart shared profile.cu -o profile
__device__ float square(float x)
{
    return x * x;
}

__device__ __noinline__ float slow(float x)
{
    for (int i = 0; i < 64; i++)
        x = x * 1.0001f + 0.5f;
    return x;
}

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void poly(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = x[i];
    for (int k = 0; k < 32; k++)
        s = square(s) * 0.5f + 0.25f;
    if (i % 4 == 0)
        s = slow(s);
    y[i] = s;
}

__global__ void transpose(const double *in, double *out, int n)
{
    __shared__ double tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = 2.0 * tile[threadIdx.x][threadIdx.y];
}

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

int main()
{
    int n = 1 << 18;
    void *a, *b, *c;
    cudaMalloc(&a, n * 8);
    cudaMalloc(&b, n * 8);
    cudaMalloc(&c, n * 8);
    cudaMemset(a, 0, n * 8);
    cudaMemset(b, 0, n * 8);
    for (int i = 0; i < 8; i++) {
        saxpy<<<n / 256, 256>>>(2, (float *)a, (float *)b, n);
        poly<<<n / 256, 256>>>((float *)a, (float *)b, n);
        transpose<<<dim3(16, 16), dim3(16, 16)>>>((double *)a, (double *)b, 256);
        matmul<<<dim3(12, 12), dim3(16, 16)>>>((float *)a, (float *)b, (float *)c, 192);
    }
    return cudaDeviceSynchronize();
}
