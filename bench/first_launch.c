/* SPDX-License-Identifier: MIT */
/* What a program waits for that runs a kernel once: from cuModuleLoadData to the end of the first
 * launch, of one block, in a new process without the disk cache. The reference is ptxas -O3 of the
 * same text, as a process, for that is what runs before the first launch on a GPU. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 7, TEXT_BYTES = 4 << 20, PARAMETERS = 64, LONG_LINES = 20000 };

static char *read_file(const char *path)
{
    char *text = calloc(1, TEXT_BYTES);
    FILE *file = fopen(path, "r");

    if (text && file && fread(text, 1, TEXT_BYTES - 1, file) == 0)
        text[0] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Pointers are valid, all other arguments are zero, so most kernels do nothing. */
static void launch_once(CUfunction function, CUdeviceptr memory)
{
    static uint64_t values[PARAMETERS][512];
    void *arguments[PARAMETERS];
    size_t offset, size;

    for (unsigned i = 0; i < PARAMETERS; i++) {
        arguments[i] = values[i];
        if (cuFuncGetParamInfo(function, i, &offset, &size) == CUDA_SUCCESS && size == 8)
            values[i][0] = memory;
    }
    must(cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    must(cuCtxSynchronize());
}

/* The child process: prints the time in nanoseconds. */
int bench_first_launch_child(const char *path, const char *name)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    char *text = read_file(path);

    bench_open();
    must(cuMemAlloc(&memory, 16 << 20));
    must(cuMemsetD8(memory, 0, 16 << 20));
    double start = bench_now_ns();
    must(cuModuleLoadData(&module, text));
    must(cuModuleGetFunction(&function, module, name));
    launch_once(function, memory);
    printf("%.0f\n", bench_now_ns() - start);
    free(text);
    return 0;
}

static double first_launch_ns(const char *path, const char *name)
{
    char command[1024];
    double time = 0;

    snprintf(command, sizeof command,
             "CUPIPE_CACHE=off CUPIPE_JIT=both /proc/%d/exe --first-launch-of %s %s", (int)getpid(),
             path, name);
    FILE *answer = popen(command, "r");
    if (answer && fscanf(answer, "%lf", &time) != 1)
        time = 0;
    return answer && pclose(answer) == 0 ? time : 0;
}

static double ptxas_ns(const char *path)
{
    char command[1024];

    snprintf(command, sizeof command, "exec ptxas -O3 -arch=sm_90 %s -o /dev/null 2>/dev/null",
             path);
    double start = bench_now_ns();
    return system(command) == 0 ? bench_now_ns() - start : 0;
}

/* Copies the head of a file of several kernels, and one of them. */
static bool write_kernel(const char *from, const char *name, const char *to)
{
    char *text = read_file(from), entry[128];
    const char *head, *start, *end;
    FILE *file = fopen(to, "w");

    snprintf(entry, sizeof entry, ".visible .entry %s(", name);
    head = text ? strstr(text, ".address_size 64") : NULL;
    start = text ? strstr(text, entry) : NULL;
    end = start ? strstr(start, "\n}\n") : NULL;
    if (file && head && end)
        fprintf(file, "%.*s\n%.*s", (int)(head + 16 - text), text, (int)(end + 3 - start), start);
    free(text);
    return file && fclose(file) == 0 && head && end;
}

/* A kernel of many instructions that depend on each other, without loops. */
static bool write_long_kernel(const char *to)
{
    FILE *file = fopen(to, "w");

    if (!file)
        return false;
    fputs(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry straight(.param .u64 out)\n"
        "{\n.reg .b32 %r<64>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n",
        file);
    for (int i = 0; i < 64; i++)
        fprintf(file, "mov.u32 %%r%d, %%tid.x;\n", i);
    for (int i = 0; i < LONG_LINES; i++)
        fprintf(file, "%s %%r%d, %%r%d, %%r%d;\n",
                i % 3 == 0   ? "add.s32"
                : i % 3 == 1 ? "xor.b32"
                             : "mul.lo.s32",
                i * 7 % 64, i * 13 % 64, (i * 29 + 1) % 64);
    fputs("st.global.u32 [%rd1], %r0;\nret;\n}\n", file);
    return fclose(file) == 0;
}

static struct bench_result measure(const struct bench_row *row)
{
    static const struct {
        const char *file, *kernel;
    } sources[] = {
        {BENCH_KERNELS_FOLDER "/../../examples/julia.ptx", "julia"},
        {BENCH_KERNELS_FOLDER "/kernels.ptx", "vecadd"},
        {BENCH_KERNELS_FOLDER "/kernels.ptx", "matmul_tiled"},
        {BENCH_KERNELS_FOLDER "/kernels.ptx", "reduce"},
        {NULL, "straight"},
    };
    struct bench_result result = {0};
    char path[] = "/tmp/cupipe_bench_XXXXXX";
    const char *name = sources[row->bytes].kernel;
    int fd = mkstemp(path);

    if (fd < 0)
        return result;
    close(fd);
    if (!(sources[row->bytes].file ? write_kernel(sources[row->bytes].file, name, path)
                                   : write_long_kernel(path))) {
        snprintf(result.note, sizeof result.note, "the kernel's text is not there");
        unlink(path);
        return result;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double subject = first_launch_ns(path, name), reference = ptxas_ns(path);

        if (round == 0 || subject < result.subject)
            result.subject = subject;
        if (round == 0 || reference < result.reference)
            result.reference = reference;
    }
    unlink(path);
    if (result.reference == 0)
        snprintf(result.note, sizeof result.note, "no ptxas here");
    result.subject /= 1e6;
    result.reference /= 1e6;
    return result;
}

#define ROW(text, number)                                                                          \
    {                                                                                              \
        .name = "first launch in a process: " text, .reference = "ptxas", .unit = BENCH_MS,        \
        .goal = BENCH_RATIO_AT_MOST, .limit = 1, .measure = measure, .bytes = (number)             \
    }

const struct bench_row bench_first_launch_rows[] = {
    ROW("julia", 0),  ROW("vecadd", 1),       ROW("matmul_tiled", 2),
    ROW("reduce", 3), ROW("20,000 lines", 4), {.name = NULL},
};
