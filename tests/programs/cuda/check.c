/* SPDX-License-Identifier: MIT */
/* Loads what a compiler made of kernels.cu and holds the results against the same in C.
 *
 *     check FILE...     PTX or fatbins */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, TILE = 128, TILES = 5, THREADS = 64 };

struct pair {
    float weight;
    long long offset;
    unsigned char tag;
};

static const char *current_file = "";

static void fail(const char *what, const char *why)
{
    printf("%s: %s: %s\n", current_file, what, why);
    exit(1);
}

static void must(CUresult result, const char *what)
{
    const char *name = "no known result";

    if (result != CUDA_SUCCESS) {
        cuGetErrorName(result, &name);
        fail(what, name);
    }
}

#define MUST(call) must(call, #call)

static CUdeviceptr upload(const void *data, size_t bytes)
{
    CUdeviceptr memory;

    MUST(cuMemAlloc(&memory, bytes));
    MUST(cuMemcpyHtoD(memory, data, bytes));
    return memory;
}

static void run(CUmodule module, const char *name, unsigned blocks, unsigned threads,
                void **arguments)
{
    CUfunction function;

    MUST(cuModuleGetFunction(&function, module, name));
    MUST(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL));
    MUST(cuCtxSynchronize());
}

static void check_blend(CUmodule module)
{
    float a[COUNT], b[COUNT], out[COUNT] = {0};
    struct pair pair = {0.5f, -3, 200};
    unsigned count = COUNT;

    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i;
        b[i] = (float)(COUNT - i);
    }
    CUdeviceptr in_a = upload(a, sizeof a), in_b = upload(b, sizeof b),
                memory = upload(out, sizeof out);
    void *arguments[] = {&in_a, &in_b, &memory, &count, &pair};
    run(module, "blend", (COUNT + 127) / 128, 128, arguments);
    MUST(cuMemcpyDtoH(out, memory, sizeof out));
    for (int i = 0; i < COUNT; i++)
        if (out[i] != 2.0f * a[i] + 0.5f * b[i] - 3.0f + 200.0f)
            fail("blend", "a wrong number");
}

static void check_total(CUmodule module)
{
    int values[TILE * TILES], sums[TILES] = {0};

    for (int i = 0; i < TILE * TILES; i++)
        values[i] = i * i % 1009 - 300;
    CUdeviceptr in = upload(values, sizeof values), out = upload(sums, sizeof sums);
    void *arguments[] = {&in, &out};
    run(module, "total", TILES, TILE, arguments);
    MUST(cuMemcpyDtoH(sums, out, sizeof sums));
    for (int i = 0; i < TILES; i++) {
        int sum = 0;
        for (int k = 0; k < TILE; k++)
            sum += values[i * TILE + k];
        if (sums[i] != sum)
            fail("total", "a wrong sum");
    }
}

static void check_climb(CUmodule module)
{
    unsigned long long numbers[THREADS] = {0};
    CUdeviceptr out = upload(numbers, sizeof numbers);
    void *arguments[] = {&out};

    run(module, "climb", 1, THREADS, arguments);
    MUST(cuMemcpyDtoH(numbers, out, sizeof numbers));
    for (int i = 0; i < THREADS; i++) {
        unsigned long long a = 0, b = 1;
        for (int k = 0; k < i % 16; k++) {
            unsigned long long next = a + b;
            a = b;
            b = next;
        }
        if (numbers[i] != a)
            fail("climb", "a wrong number");
    }
}

static unsigned scattered(unsigned thread)
{
    static const unsigned table[4] = {3, 1, 4, 1};
    unsigned room[8];

    for (unsigned i = 0; i < 8; i++)
        room[i] = table[(thread + i) % 4] * i;
    switch (thread % 4) {
    case 0:
        return room[thread % 8];
    case 1:
        return room[7 - thread % 8] + 100;
    case 2:
        while (room[1] % 7)
            room[1] += 1 + thread % 3;
        return room[1];
    default:
        return ~thread;
    }
}

static void check_scatter(CUmodule module)
{
    unsigned numbers[THREADS] = {0}, counter = 0, sum = 0;
    CUdeviceptr out = upload(numbers, sizeof numbers), variable;
    void *arguments[] = {&out};
    size_t bytes;

    run(module, "scatter", 1, THREADS, arguments);
    MUST(cuMemcpyDtoH(numbers, out, sizeof numbers));
    for (unsigned i = 0; i < THREADS; i++) {
        sum += i;
        if (numbers[i] != scattered(i))
            fail("scatter", "a wrong number");
    }
    MUST(cuModuleGetGlobal(&variable, &bytes, module, "counter"));
    MUST(cuMemcpyDtoH(&counter, variable, sizeof counter));
    if (bytes != sizeof counter || counter != sum)
        fail("scatter", "a wrong counter");
}

int main(int argc, char **argv)
{
    CUcontext context;

    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
    for (int i = 1; i < argc; i++) {
        CUmodule module;

        current_file = argv[i];
        MUST(cuModuleLoad(&module, argv[i]));
        check_blend(module);
        check_total(module);
        check_climb(module);
        check_scatter(module);
        MUST(cuModuleUnload(module));
    }
    printf("%d files, all right\n", argc - 1);
    return 0;
}
