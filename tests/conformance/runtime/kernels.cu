/* SPDX-License-Identifier: MIT */
/* Kernels, symbols and <<<>>> launches of the main recorder; PTX for compute_75. */
#include <cassert>
#include <cstdio>
#include <cooperative_groups.h>
#include "recorder.hpp"

namespace cg = cooperative_groups;

__device__ int dev_i = 41;
__constant__ int const_i[64] = {1, 2, 3, 4, 5};
__device__ char dev_c[1000];
__managed__ int man_i[256] = {7, 8, 9};
__device__ double dev_d = 2.5;
__constant__ unsigned char const_big[60000];
__device__ int dev_big[262144];
__device__ volatile int dev_v = 5;
const char *const symbol_names[SYMBOL_COUNT] = {"dev_i", "const_i",   "dev_c",   "man_i",
                                                "dev_d", "const_big", "dev_big", "dev_v"};
const void *symbol(int i)
{
    switch (i) {
    case SYMBOL_INT:
        return &dev_i;
    case SYMBOL_CONST:
        return const_i;
    case SYMBOL_CHARS:
        return dev_c;
    case SYMBOL_MANAGED:
        return man_i;
    case SYMBOL_DOUBLE:
        return &dev_d;
    case SYMBOL_BIG_CONST:
        return const_big;
    case SYMBOL_BIG:
        return dev_big;
    case SYMBOL_VOLATILE:
        return (const void *)&dev_v;
    default:
        return 0;
    }
}

int *managed_symbol_host(void)
{
    return man_i;
}

extern "C" {
__global__ void k_empty(void)
{
}

__global__ void k_none_params(void)
{
    dev_v = 6;
}

__global__ void k_fill(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = v + i;
}

__global__ void k_add(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += v;
}

__global__ void k_sum(const unsigned char *p, size_t n, unsigned *out)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    *out = h;
}

__global__ void k_shape(unsigned long long *out)
{
    unsigned long long t = threadIdx.x + threadIdx.y * blockDim.x +
                           (unsigned long long)threadIdx.z * blockDim.x * blockDim.y;
    unsigned long long b = blockIdx.x + (unsigned long long)blockIdx.y * gridDim.x +
                           (unsigned long long)blockIdx.z * gridDim.x * gridDim.y;
    atomicAdd(out, 1ull);
    atomicAdd(out + 1, t * 3 + b * 7);
    atomicMax(out + 2, b * 4096 + t);
    if (!t && !b) {
        out[3] = gridDim.x | (unsigned long long)gridDim.y << 32;
        out[4] = gridDim.z | (unsigned long long)blockDim.x << 32;
        out[5] = blockDim.y | (unsigned long long)blockDim.z << 32;
    }
}

__global__ void k_dyn(int *out, int n)
{
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = i * 3;
    __syncthreads();
    if (!threadIdx.x) {
        int t = 0;
        for (int i = 0; i < n; i++)
            t += s[i];
        *out = t;
    }
}

__global__ void k_static(int *out)
{
    __shared__ int s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    if (!threadIdx.x) {
        int t = 0;
        for (int i = 0; i < 4096; i++)
            t += s[i];
        *out = t;
    }
}

__global__ void __launch_bounds__(128) k_bounds128(int *out)
{
    atomicAdd(out, 1);
}

__global__ void __launch_bounds__(64, 4) k_bounds64x4(int *out)
{
    atomicAdd(out, 1);
}

__global__ void k_fault_null(void)
{
    *(volatile int *)0 = 1;
}

__global__ void k_fault_far(int *p)
{
    *(volatile int *)(p + (1ull << 40)) = 1;
}

__global__ void k_misalign(char *p)
{
    *(volatile int *)(p + 1) = 1;
}

__global__ void k_trap(void)
{
    asm volatile("trap;");
}

__global__ void k_assert(int v)
{
    assert(v == 42);
}

__device__ __noinline__ int deep(int *p, int d)
{
    volatile int a[200];
    a[d % 200] = p[0];
    if (d <= 0)
        return a[(d + 200) % 200];
    int r = deep(p, d - 1);
    return r + a[d % 200];
}

__global__ void k_stack(int *p, int d)
{
    p[1] = deep(p, d);
}

__global__ void k_printf(int a)
{
    printf("hello %d from %d %s %c %f %x %5d|%-5d|%llu %%\n", a, threadIdx.x, "str", 'z', 1.5, 255,
           42, 42, 12345678901ull);
}

__global__ void k_malloc(int *out, int n, size_t sz)
{
    int ok = 0;
    for (int i = 0; i < n; i++) {
        char *p = (char *)malloc(sz);
        if (p) {
            p[0] = (char)i;
            p[sz - 1] = (char)i;
            ok++;
            if (i & 1)
                free(p);
        }
    }
    *out = ok;
}

__global__ void k_sym(int *out)
{
    out[0] = dev_i;
    out[1] = const_i[1];
    out[2] = dev_c[5];
    out[3] = man_i[1];
    out[4] = (int)(dev_d * 2);
    out[5] = const_big[59999];
    out[6] = dev_big[1000];
    man_i[2] += 100;
    dev_i += 1;
}

__global__ void k_spin(volatile int *flag, long long max)
{
    for (long long i = 0; i < max && !*flag; i++) {
    }
}

__global__ void k_many(char a, short b, int c, long long d, float e, double f, void *g)
{
    if (g)
        *(double *)g = a + b + c + d + e + f;
}

__global__ void k_big(struct big_argument a, int *out)
{
    int t = 0;
    for (int i = 0; i < 64; i++)
        t += a.v[i];
    *out = t;
}

__global__ void k_coop(int *out)
{
    cg::grid_group g = cg::this_grid();
    atomicAdd(out, 1);
    g.sync();
    if (g.thread_rank() == 0)
        out[1] = out[0];
}

__global__ void k_local(int *out, int n)
{
    volatile int a[500];
    for (int i = 0; i < 500; i++)
        a[i] = i * n;
    *out = a[n % 500];
}

__global__ void k_oob(int *p, size_t i)
{
    *(volatile int *)(p + i) = 1;
}

__device__ int f0(int x)
{
    return x + 1;
}

__device__ int f1(int x)
{
    return x * 2;
}

__device__ int (*const fns[2])(int) = {f0, f1};
__global__ void k_fnptr(int *out, int which)
{
    *out = fns[which & 1](20);
}

__global__ void k_exit_early(int *p, int n)
{
    if ((int)threadIdx.x >= n)
        return;
    __syncthreads();
    atomicAdd(p, 1);
}

__global__ void k_illegal_shared(int *out, int off)
{
    extern __shared__ int s[];
    volatile int *q = s + off;
    *q = 3;
    *out = *q;
}

__global__ void k_atomics(int *p)
{
    atomicAdd(p, 1);
    atomicMax(p + 1, (int)threadIdx.x);
    atomicXor(p + 2, (int)threadIdx.x);
    atomicAdd((float *)(p + 3), 0.5f);
    atomicCAS(p + 4, 0, 9);
    atomicAdd((unsigned long long *)(p + 6), 5ull);
}

__global__ void k_mangled_arg(int *p)
{
    *p = 1;
}

__global__ void k_tex1d(cudaTextureObject_t t, float *o, int n, float lo, float st)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        o[i] = tex1D<float>(t, lo + st * i);
}

__global__ void k_tex2d(cudaTextureObject_t t, float *o, int n, float lo, float st)
{
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        o[i] = tex2D<float>(t, lo + st * (i % n), lo + st * (i / n));
}

__global__ void k_tex3d(cudaTextureObject_t t, float *o, int n, float lo, float st)
{
    for (int i = threadIdx.x; i < n * n * n; i += blockDim.x)
        o[i] = tex3D<float>(t, lo + st * (i % n), lo + st * (i / n % n), lo + st * (i / n / n));
}

__global__ void k_tex1dl(cudaTextureObject_t t, float *o, int n, float lo, float st, int l)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        o[i] = tex1DLayered<float>(t, lo + st * i, l);
}

__global__ void k_tex2dl(cudaTextureObject_t t, float *o, int n, float lo, float st, int l)
{
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        o[i] = tex2DLayered<float>(t, lo + st * (i % n), lo + st * (i / n), l);
}

__global__ void k_texcube(cudaTextureObject_t t, float *o, int n)
{
    for (int i = threadIdx.x; i < 6 * n * n; i += blockDim.x) {
        int f = i / (n * n), a = i % n, b = i / n % n;
        float u = (a + 0.5f) * 2 / n - 1, v = (b + 0.5f) * 2 / n - 1;
        float3 d = f == 0   ? make_float3(1, u, v)
                   : f == 1 ? make_float3(-1, u, v)
                   : f == 2 ? make_float3(u, 1, v)
                   : f == 3 ? make_float3(u, -1, v)
                   : f == 4 ? make_float3(u, v, 1)
                            : make_float3(u, v, -1);
        o[i] = texCubemap<float>(t, d.x, d.y, d.z);
    }
}

__global__ void k_texlod(cudaTextureObject_t t, float *o, int n, float lo, float st, float lod)
{
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        o[i] = tex2DLod<float>(t, lo + st * (i % n), lo + st * (i / n), lod);
}

__global__ void k_texfetch(cudaTextureObject_t t, int *o, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        o[i] = tex1Dfetch<int>(t, i - 2);
}

__global__ void k_tex2du(cudaTextureObject_t t, unsigned *o, int n)
{
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        o[i] = tex2D<unsigned>(t, (i % n) - 1.0f, (i / n) - 1.0f);
}

__global__ void k_tex2d4(cudaTextureObject_t t, float4 *o, int n, float lo, float st)
{
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        o[i] = tex2D<float4>(t, lo + st * (i % n), lo + st * (i / n));
}

__global__ void k_texgather(cudaTextureObject_t t, float4 *o, int n)
{
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        o[i] = tex2Dgather<float4>(t, (float)(i % n) + 0.5f, (float)(i / n) + 0.5f, 0);
}

__global__ void k_surf1d(cudaSurfaceObject_t s, int n, int mode)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (mode) {
            int v;
            surf1Dread(&v, s, i * 4);
            surf1Dwrite(v * 2 + 1, s, i * 4);
        } else
            surf1Dwrite(i * 11, s, i * 4);
    }
}

__global__ void k_surf2d(cudaSurfaceObject_t s, int w, int h, int mode, int bm)
{
    for (int i = threadIdx.x; i < w * h; i += blockDim.x) {
        int x = i % w, y = i / w;
        if (mode == 0)
            surf2Dwrite(i * 7, s, x * 4, y);
        else if (bm == 0) {
            int v;
            surf2Dread(&v, s, x * 4, y, cudaBoundaryModeZero);
            surf2Dwrite(v + 1, s, x * 4, y, cudaBoundaryModeZero);
        } else {
            int v;
            surf2Dread(&v, s, x * 4, y, cudaBoundaryModeClamp);
            surf2Dwrite(v + 1, s, x * 4, y, cudaBoundaryModeClamp);
        }
    }
}

__global__ void k_surf3d(cudaSurfaceObject_t s, int w, int h, int d)
{
    for (int i = threadIdx.x; i < w * h * d; i += blockDim.x)
        surf3Dwrite(i * 5, s, (i % w) * 4, i / w % h, i / w / h);
}

__global__ void k_surf2dl(cudaSurfaceObject_t s, int w, int h, int l)
{
    for (int i = threadIdx.x; i < w * h; i += blockDim.x)
        surf2DLayeredwrite(i * 13 + l, s, (i % w) * 4, i / w, l);
}
}
template <int N> __global__ void t_add(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += N;
}

template <typename U> __global__ void t_set(U *p, int n, U v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = v;
}

namespace ns
{
static __global__ void hidden(int *p)
{
    *p = 77;
}

} // namespace ns
template <typename Fn> __global__ void t_fn(int *p, int n, Fn f)
{
    int i = threadIdx.x;
    if (i < n)
        p[i] = f(i);
}

const void *template_kernel(int i)
{
    switch (i) {
    case 0:
        return (const void *)t_add<3>;
    case 1:
        return (const void *)t_add<1000>;
    case 2:
        return (const void *)t_set<int>;
    case 3:
        return (const void *)t_set<double>;
    default:
        return (const void *)ns::hidden;
    }
}

void launch_fill(dim3 g, dim3 b, size_t sh, cudaStream_t s, int *p, int n, int v)
{
    k_fill<<<g, b, sh, s>>>(p, n, v);
}

void launch_empty(dim3 g, dim3 b, size_t sh, cudaStream_t s)
{
    k_empty<<<g, b, sh, s>>>();
}

void launch_lambda(int *p, int n, int k)
{
    t_fn<<<1, 64>>>(p, n, [=] __device__(int i) { return i * k + n; });
}

void launch_template(int i, int *p, int n)
{
    switch (i) {
    case 0:
        t_add<3><<<(n + 63) / 64, 64>>>(p, n);
        break;
    case 1:
        t_add<1000><<<(n + 63) / 64, 64>>>(p, n);
        break;
    case 2:
        t_set<int><<<(n + 63) / 64, 64>>>(p, n, 5);
        break;
    case 3:
        t_set<double><<<(n / 2 + 63) / 64, 64>>>((double *)p, n / 2, 1.25);
        break;
    default:
        ns::hidden<<<1, 1>>>(p);
    }
}
