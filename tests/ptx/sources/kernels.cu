/* SPDX-License-Identifier: MIT */
/* Loops, shared memory, branches, tables, 64-bit and float arithmetic: no header is needed. */
#ifdef __clang__
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define WIDTH __nvvm_read_ptx_sreg_ntid_x()
#define BARRIER __syncthreads()
#else
#define THREAD threadIdx.x
#define BLOCK blockIdx.x
#define WIDTH blockDim.x
#define BARRIER __syncthreads()
#endif

struct pair {
    char c;
    double d;
    short s[3];
};

__constant__ float weights[5] = {1, 2, 3};
__device__ int counter = 7;
__device__ int *pointer = &counter;
__device__ pair pairs[3] = {{1, 2.5, {1, 2, 3}}, {4, 5.5, {6}}};
__device__ const char text[] = "hello";

extern "C" __global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = BLOCK * WIDTH + THREAD;

    if (i < n)
        c[i] = a[i] + b[i] * weights[i % 5];
}

extern "C" __global__ void reduce(const long long *in, long long *out)
{
    __shared__ long long part[256];

    part[THREAD] = in[BLOCK * WIDTH + THREAD];
    BARRIER;
    for (int step = 128; step > 0; step /= 2) {
        if (THREAD < step)
            part[THREAD] += part[THREAD + step];
        BARRIER;
    }
    if (THREAD == 0)
        out[BLOCK] = part[0] / (*pointer + pairs[BLOCK % 3].s[1] + text[BLOCK % 5]);
}

extern "C" __global__ void choose(int *out, int n, pair p)
{
    int local[16];

    for (int i = 0; i < 16; i++)
        local[i] = i * n;
    switch (n) {
    case 0: out[0] = p.c; break;
    case 1: out[1] = (int)p.d; break;
    case 2: out[2] = p.s[n & 1]; break;
    case 3: out[3] = local[n % 16]; break;
    case 4: out[4] = n % 7; break;
    case 5: out[5] = (unsigned)n / 3u; break;
    case 6: out[6] = (int)((long long)n * 12345678901ll >> 32); break;
    }
}

extern "C" __global__ void floats(double *d, float *f, unsigned short *h, unsigned char *b)
{
    d[0] = d[1] / d[2] + f[0] * (double)h[0] - (signed char)b[0];
    f[1] = (float)d[3] / f[2];
    h[1] = (unsigned short)f[3];
    b[1] = (unsigned char)d[4];
    f[4] = f[5] < f[6] ? f[5] : -f[6];
    d[5] = (double)(unsigned long long)d[6];
}
