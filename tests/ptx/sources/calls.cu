/* SPDX-License-Identifier: MIT */
/* Recursion, function pointers, virtual functions, inline assembly. */
struct base {
    __device__ virtual int f(int x) { return x + 1; }
};
struct derived : base {
    __device__ int f(int x) override { return x * 2; }
};
struct large {
    int v[9];
};

__device__ __attribute__((noinline)) int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

__device__ __attribute__((noinline)) large fill(large a, char c)
{
    a.v[c & 7] = c;
    return a;
}

__device__ int (*function)(int) = factorial;

extern "C" __global__ void calls(int *out, int n)
{
    base b;
    derived d;
    base *p = n & 1 ? &b : &d;
    large l = {{n}};

    out[0] = p->f(n) + function(n);
    out[1] = fill(l, (char)n).v[n & 7];
    asm volatile("{ .reg .pred p; .reg .b32 %%t<3>; setp.ne.u32 p, %1, 0; @p bra DONE; "
                 "mov.b32 %%t1, 5; add.s32 %0, %1, %%t1; DONE: }"
                 : "+r"(out[2])
                 : "r"(n));
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p bra DONE; DONE: }" ::"r"(n));
    asm volatile("bfind.u32 %0, %1; prmt.b32 %0, %0, %1, 0x3210;" : "=r"(out[3]) : "r"(n));
    asm volatile("vadd4.u32.u32.u32.sat %0, %1, %1, %1;" : "=r"(out[4]) : "r"(n));
}
