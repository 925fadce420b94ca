/* SPDX-License-Identifier: MIT */
/* The runtime library against the driver's own calls: what cudaMalloc, cudaMemcpy and <<<>>> add,
 * and what a program with many kernels pays when it starts. The library is loaded when it is
 * measured, and called as the code that nvcc generates calls it. */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 1000, WRAPPER_MAGIC = 0x466243b1, TO_DEVICE = 1, STARTS = 15 };

struct dimensions {
    unsigned x, y, z;
};

struct wrapper {
    int magic, version;
    const void *image;
    void *unused;
};

static struct {
    int (*malloc)(void **, size_t);
    int (*free)(void *);
    int (*copy)(void *, const void *, size_t, int);
    int (*synchronize)(void);
    void **(*register_fatbin)(void *);
    void (*register_fatbin_end)(void **);
    void (*register_function)(void **, const void *, const char *, const char *, int, void *,
                              void *, void *, void *, void *);
    int (*get_kernel)(void **, const void *);
    unsigned (*push)(struct dimensions, struct dimensions, size_t, void *);
    int (*pop)(struct dimensions *, struct dimensions *, size_t *, void *);
    int (*launch)(void *, struct dimensions, struct dimensions, void **, size_t, void *);
} cuda;

const char bench_mode_registered[] = "--registered";

static bool load_runtime(void)
{
    const struct {
        const char *name;
        void *place;
    } names[] = {
        {"cudaMalloc", &cuda.malloc},
        {"cudaFree", &cuda.free},
        {"cudaMemcpy", &cuda.copy},
        {"cudaDeviceSynchronize", &cuda.synchronize},
        {"__cudaRegisterFatBinary", &cuda.register_fatbin},
        {"__cudaRegisterFatBinaryEnd", &cuda.register_fatbin_end},
        {"__cudaRegisterFunction", &cuda.register_function},
        {"__cudaGetKernel", &cuda.get_kernel},
        {"__cudaPushCallConfiguration", &cuda.push},
        {"__cudaPopCallConfiguration", &cuda.pop},
        {"__cudaLaunchKernel", &cuda.launch},
    };
    void *library = dlopen("libcudart.so.13", RTLD_NOW);

    for (size_t i = 0; library && i < sizeof names / sizeof *names; i++) {
        void *address = dlsym(library, names[i].name);

        memcpy(names[i].place, &address, sizeof address);
        if (!address)
            library = NULL;
    }
    return library;
}

static void must_run(int error, const char *call)
{
    if (__builtin_expect(error != 0, 0))
        bench_fail((CUresult)error, call);
}

/* Subject and reference of the rows */

static const char one_kernel[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                                 ".visible .entry nothing(.param .u64 p)\n{\n    ret;\n}\n";
static char host_function; /* its address is what the program knows the kernel by */
static void *handle;
static CUfunction function;
static CUdeviceptr buffer;
static uint32_t host_word;

static void runtime_alloc_free(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++) {
        void *memory;
        must_run(cuda.malloc(&memory, 4096), "cudaMalloc");
        must_run(cuda.free(memory), "cudaFree");
    }
}

static void driver_alloc_free(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++) {
        CUdeviceptr memory;
        must(cuMemAlloc(&memory, 4096));
        must(cuMemFree(memory));
    }
}

static void runtime_copy(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        must_run(cuda.copy((void *)(uintptr_t)buffer, &host_word, 4, TO_DEVICE), "cudaMemcpy");
}

static void driver_copy(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemcpyHtoD(buffer, &host_word, 4));
}

static void runtime_launch(void *argument, size_t count)
{
    struct dimensions one = {1, 1, 1}, grid, block;
    void *arguments[] = {&buffer}, *stream;
    size_t shared_bytes;

    (void)argument;
    for (size_t i = 0; i < count; i++) {
        must_run((int)cuda.push(one, one, 0, NULL), "__cudaPushCallConfiguration");
        must_run(cuda.pop(&grid, &block, &shared_bytes, &stream), "__cudaPopCallConfiguration");
        must_run(cuda.launch(handle, grid, block, arguments, shared_bytes, stream), "<<<>>>");
        must_run(cuda.synchronize(), "cudaDeviceSynchronize");
    }
}

static void driver_launch(void *argument, size_t count)
{
    void *arguments[] = {&buffer};

    (void)argument;
    for (size_t i = 0; i < count; i++) {
        must(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
        must(cuCtxSynchronize());
    }
}

static void register_one_kernel(void)
{
    static struct wrapper wrapper = {WRAPPER_MAGIC, 1, one_kernel, NULL};
    void **fatbin = cuda.register_fatbin(&wrapper);

    cuda.register_function(fatbin, &host_function, "nothing", "nothing", -1, NULL, NULL, NULL, NULL,
                           NULL);
    cuda.register_fatbin_end(fatbin);
    must_run(cuda.get_kernel(&handle, &host_function), "__cudaGetKernel");
}

static bool open_both(void)
{
    static enum { UNKNOWN, THERE, ABSENT } state;
    CUmodule module;

    if (state == UNKNOWN) {
        state = load_runtime() ? THERE : ABSENT;
        if (state == THERE) {
            must(cuModuleLoadData(&module, one_kernel));
            must(cuModuleGetFunction(&function, module, "nothing"));
            must(cuMemAlloc(&buffer, 4096));
            register_one_kernel();
        }
    }
    return state == THERE;
}

struct comparison {
    void (*runtime)(void *argument, size_t count);
    void (*driver)(void *argument, size_t count);
};

static const struct comparison comparisons[] = {
    {runtime_alloc_free, driver_alloc_free},
    {runtime_copy, driver_copy},
    {runtime_launch, driver_launch},
};

static struct bench_result compare(const struct bench_row *row)
{
    const struct comparison *both = &comparisons[row->bytes];
    struct bench_result result = {.note = "there is no libcudart.so.13"};

    if (!open_both())
        return result;
    return bench_short((struct bench_side){both->runtime, NULL},
                       (struct bench_side){both->driver, NULL});
}

/* A program with many kernels, which uses none: PTX of all of them, as a text */

static char *many_kernels_create(void)
{
    static const char head[] = ".version 8.0\n.target sm_75\n.address_size 64\n";
    static const char kernel[] = ".visible .entry kernel%03d(.param .u64 p)\n{\n    ret;\n}\n";
    char *text = malloc(sizeof head + KERNELS * sizeof kernel), *end = text;

    if (!text)
        exit(1);
    end += sprintf(end, "%s", head);
    for (int i = 0; i < KERNELS; i++)
        end += sprintf(end, kernel, i);
    return text;
}

int bench_registered_main(void)
{
    static char functions[KERNELS], names[KERNELS][16];
    struct wrapper wrapper = {WRAPPER_MAGIC, 1, many_kernels_create(), NULL};
    double start_ns;
    void **fatbin;

    for (int i = 0; i < KERNELS; i++)
        snprintf(names[i], sizeof names[i], "kernel%03d", i);
    start_ns = bench_now_ns();
    if (!load_runtime())
        return 1;
    fatbin = cuda.register_fatbin(&wrapper);
    for (int i = 0; i < KERNELS; i++)
        cuda.register_function(fatbin, &functions[i], names[i], names[i], -1, NULL, NULL, NULL,
                               NULL, NULL);
    cuda.register_fatbin_end(fatbin);
    must_run(cuda.free(NULL), "cudaFree");
    printf("%.9g\n", (bench_now_ns() - start_ns) / 1e6);
    fflush(stdout);
    _Exit(0); /* nothing unregisters what the library still points to */
}

static struct bench_result start_registered(const struct bench_row *row)
{
    struct bench_result best = {.note = "there is no libcudart.so.13"};

    (void)row;
    if (!open_both())
        return best;
    best = (struct bench_result){.subject = bench_child_ask(bench_mode_registered)};
    for (int i = 1; i < STARTS; i++) {
        double value = bench_child_ask(bench_mode_registered);

        if (value < best.subject)
            best.subject = value;
    }
    return best;
}

/* `bytes` is the index of the comparison. */
#define AGAINST_DRIVER(index)                                                                      \
    .reference = "driver", .unit = BENCH_NS, .measure = compare, .goal = BENCH_RATIO_AT_MOST,      \
    .limit = 1.15, .bytes = (index)

const struct bench_row bench_runtime_rows[] = {
    {"cudaMalloc+cudaFree 4 KiB", AGAINST_DRIVER(0)},
    {"cudaMemcpy HtoD 4 B", AGAINST_DRIVER(1)},
    {"<<<>>> + cudaDeviceSynchronize", AGAINST_DRIVER(2)},
    {"start with 1,000 registered kernels", .unit = BENCH_MS, .goal = BENCH_VALUE_AT_MOST,
     .limit = 5, .measure = start_registered},
    {.name = NULL},
};
