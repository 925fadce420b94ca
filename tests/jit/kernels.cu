/* SPDX-License-Identifier: MIT */
/* Kernels that try what the compiler does with lanes: those that part, wait, leave, lock, call. The
 * PTX files beside it are made from it:
 *     nvcc -arch=sm_75 -ptx kernels.cu | strip comments > kernels_sm75.ptx, and sm_100 alike. */
extern "C" {

__global__ void collatz(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i], steps = 0;
    while (x > 1) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x >>= 1;
        steps++;
        if (steps > 1000)
            break;
    }
    out[i] = steps;
}

__global__ void nested(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int s = 0;
    for (int a = 0; a < (in[i] & 15); a++) {
        for (int b = 0; b < ((in[i] >> 4) & 7); b++) {
            if ((a ^ b) & 1) {
                if (b == 5)
                    break;
                s += a * b;
            } else {
                s -= b;
            }
        }
        if (s > 40)
            continue;
        s += 3;
    }
    out[i] = s;
}

/* Irreducible: three labels that jump into each other. */
__global__ void tangle(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i];
    int c = 0;
    if (x & 1)
        goto B;
A:
    c += 3;
    x = x * 5 + 1;
    if (c > 200)
        goto E;
    if (x & 4)
        goto C;
B:
    c += 1;
    x = x * 3 + 7;
    if (c > 200)
        goto E;
    if (x & 8)
        goto A;
C:
    c += 2;
    x ^= c;
    if (c < 100)
        goto B;
E:
    out[i] = x + c;
}

/* A prefix sum with barriers between divergent reads, and decoupled look-back between blocks. */
__global__ void look_back(const int *in, int *out, volatile unsigned long long *state,
                          unsigned *ticket, int n)
{
    __shared__ int block, before, s[256];
    int t = threadIdx.x;
    if (t == 0)
        block = atomicAdd(ticket, 1);
    __syncthreads();
    int b = block, i = b * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 1; k < 256; k <<= 1) {
        int a = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += a;
        __syncthreads();
    }
    if (t == 0) {
        int total = s[255], sum = 0;
        if (b > 0) {
            state[b] = (1ull << 32) | (unsigned)total;
            __threadfence();
            for (int p = b - 1;;) {
                unsigned long long x = state[p];
                if (x >> 32 == 0)
                    continue;
                sum += (int)(unsigned)x;
                if (x >> 32 == 2)
                    break;
                p--;
            }
        }
        before = sum;
        state[b] = (2ull << 32) | (unsigned)(sum + total);
    }
    __syncthreads();
    if (i < n)
        out[i] = s[t] + before;
}

/* Each lane waits for the one before it. */
__global__ void relay(volatile int *flags, int *out)
{
    int t = threadIdx.x;
    if (t > 0)
        while (flags[t - 1] == 0)
            ;
    out[t] = t ? flags[t - 1] * 2 % 1000003 : 1;
    flags[t] = out[t];
}

__global__ void lock(int *taken, int *count)
{
    while (atomicCAS(taken, 0, 1) != 0)
        ;
    volatile int *c = count;
    *c = *c + 1;
    __threadfence();
    atomicExch(taken, 0);
}

__global__ void two_barriers(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t & 1) {
        s[t] = t * 10;
        asm volatile("barrier.sync 0;");
        out[t] = s[(t + 1) % 64];
    } else {
        s[t] = t * 100;
        asm volatile("barrier.sync 0;");
        out[t] = s[(t + 1) % 64];
    }
}

__global__ void stencil(const float *a, float *b, int w, int h)
{
    __shared__ float s[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    int u = threadIdx.x + 1, v = threadIdx.y + 1;
    s[v][u] = a[y * w + x];
    if (threadIdx.x == 0)
        s[v][0] = x > 0 ? a[y * w + x - 1] : 0;
    if (threadIdx.x == 15)
        s[v][17] = x < w - 1 ? a[y * w + x + 1] : 0;
    if (threadIdx.y == 0)
        s[0][u] = y > 0 ? a[(y - 1) * w + x] : 0;
    if (threadIdx.y == 15)
        s[17][u] = y < h - 1 ? a[(y + 1) * w + x] : 0;
    __syncthreads();
    b[y * w + x] = s[v][u] * 4 - s[v][u - 1] - s[v][u + 1] - s[v - 1][u] - s[v + 1][u];
}

__global__ void product(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s;
}

/* The sum of a 32-bit index wraps in the middle of a vector, then is widened. */
__global__ void wrap(unsigned base, unsigned *out)
{
    unsigned i = base + threadIdx.x;
    unsigned long long j = i;
    out[threadIdx.x] = (unsigned)(j >> 4) + (i < 100);
}

__device__ __noinline__ int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__global__ void recurse(int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = fib(t % 15);
}
}
