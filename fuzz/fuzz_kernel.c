/* SPDX-License-Identifier: MIT */
/* Fuzzes the compiler of kernels: random kernels that are right run on the library, and what they
 * leave in memory is what a plain interpreter leaves (kernel_model.c). A difference is a kernel
 * that is compiled wrongly.
 *
 *     fuzz_kernel [-n KERNELS | -t SECONDS] [-s SEED] [-z SIZE] [-l LEVEL] [-o FOLDER] [-v]
 *                 [FILE…]
 *
 * First the kernels of the files, each of which holds a seed, a size and what they make; then
 * seeds from SEED on. A size with "+" behind it is of the second generation of kernels, with
 * "++" of the third and so on; all seeds from SEED on are of the last. -l gives
 * CU_JIT_OPTIMIZATION_LEVEL, for drivers whose results depend on it (docs/PTXAS-BUGS.md). With -v
 * the text of each kernel is printed. As a target of libFuzzer the input is hashed to a seed. */
#include "kernel_program.h"
#include "runner.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_BYTES = 1 << 18, FAILURES_MAX = 50, SIZE = 4, SIZE_MOST = 16 };

/* What the process works on, for those who look after its end. */
static struct shared {
    _Atomic(uint64_t) done;
    uint64_t seed;
    char text[TEXT_BYTES];
} * shared;

static unsigned size = SIZE;
static unsigned generation = GENERATIONS; /* of kernels */
static int level = -1;                    /* CU_JIT_OPTIMIZATION_LEVEL; -1: the driver's own */

static void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    if (result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
        exit(RUNNER_SKIPPED_STATUS);
    fprintf(stderr, "seed %llu: %s answers %d\n", (unsigned long long)shared->seed, what, result);
    abort();
}

struct buffers {
    uint32_t *expected, *got;
    CUdeviceptr device;
    size_t words, results, memory;
};

/* Results, the threads' own memory, counters, input: one after the other. */
static void make_buffers(struct buffers *buffers, const struct kernel *kernel)
{
    buffers->results =
        ((size_t)kernel_threads(kernel) * kernel_result_words(kernel) + 15) / 16 * 16;
    buffers->memory = kernel_scratch_start(kernel) + kernel_scratch_words(kernel);
    buffers->words = buffers->results + buffers->memory + 64;
    buffers->expected = calloc(buffers->words, 4);
    buffers->got = calloc(buffers->words, 4);
    if (!buffers->expected || !buffers->got)
        abort();
    must(cuMemAlloc(&buffers->device, (buffers->words + INPUT_WORDS + FACTOR_WORDS) * 4),
         "cuMemAlloc");
    must(cuMemsetD32(buffers->device, 0, buffers->words), "cuMemsetD32");
    must(cuMemcpyHtoD(buffers->device + buffers->words * 4, kernel->input, sizeof(kernel->input)),
         "cuMemcpyHtoD");
    must(cuMemcpyHtoD(buffers->device + (buffers->words + INPUT_WORDS) * 4,
                      kernel->matrices.factors, sizeof(kernel->matrices.factors)),
         "cuMemcpyHtoD");
}

static void free_buffers(struct buffers *buffers)
{
    free(buffers->expected);
    free(buffers->got);
    must(cuMemFree(buffers->device), "cuMemFree");
}

static CUmodule load(void)
{
    CUjit_option option = CU_JIT_OPTIMIZATION_LEVEL;
    void *value = (void *)(uintptr_t)level;
    CUmodule module;

    must(cuModuleLoadDataEx(&module, shared->text, level >= 0, &option, &value),
         "cuModuleLoadDataEx");
    return module;
}

static void launch(const struct kernel *kernel, const struct buffers *buffers)
{
    CUdeviceptr results = buffers->device, memory = results + 4 * buffers->results,
                counters = memory + 4 * buffers->memory, input = results + 4 * buffers->words;
    uint32_t parameter = kernel->parameter;
    void *arguments[] = {&results, &memory, &counters, &input, &parameter};
    CUfunction function;
    CUmodule module = load();

    must(cuModuleGetFunction(&function, module, "kernel"), "cuModuleGetFunction");
    must(cuLaunchKernel(function, kernel->blocks, 1, 1, kernel->block[0], kernel->block[1],
                        kernel->block[2], 0, NULL, arguments, NULL),
         "cuLaunchKernel");
    must(cuCtxSynchronize(), "cuCtxSynchronize");
    must(cuMemcpyDtoH(buffers->got, buffers->device, buffers->words * 4), "cuMemcpyDtoH");
    must(cuModuleUnload(module), "cuModuleUnload");
}

/* Where they differ first, in the kernel's words. */
static void compare(const struct kernel *kernel, const struct buffers *buffers)
{
    unsigned threads = kernel_threads(kernel), shown = 0;

    for (size_t i = 0; i < buffers->words; i++) {
        if (buffers->expected[i] == buffers->got[i])
            continue;
        if (i < buffers->results)
            fprintf(stderr, "word %zu of thread %zu", i / threads, i % threads);
        else
            fprintf(stderr, "word %zu of memory", i - buffers->results);
        fprintf(stderr, " is 0x%x, not 0x%x\n", buffers->got[i], buffers->expected[i]);
        if (++shown == 12)
            break;
    }
    if (!shown)
        return;
    fprintf(stderr, "seed %llu: block %u,%u,%u, %u blocks: compiled wrongly\n",
            (unsigned long long)shared->seed, kernel->block[0], kernel->block[1], kernel->block[2],
            kernel->blocks);
    abort();
}

static void run_seed(uint64_t seed, bool verbose)
{
    static struct kernel kernel;
    struct buffers buffers;

    shared->seed = seed;
    kernel_make(&kernel, seed, size, generation);
    if (!kernel_print(&kernel, shared->text, TEXT_BYTES))
        return;
    if (verbose)
        fprintf(stderr, "%s", shared->text);
    make_buffers(&buffers, &kernel);
    if (!kernel_model(&kernel, buffers.expected, buffers.expected + buffers.results,
                      buffers.expected + buffers.results + buffers.memory)) {
        fprintf(stderr, "seed %llu: the kernel is no good\n", (unsigned long long)seed);
        abort();
    }
    launch(&kernel, &buffers);
    compare(&kernel, &buffers);
    free_buffers(&buffers);
}

static void start_library(void)
{
    CUcontext context;

    setenv("CUPIPE_CACHE", "off", 0);
    setenv("CUPIPE_MEMORY", "256M", 0);
    setenv("CUPIPE_THREADS", "2", 0);
    must(cuInit(0), "cuInit");
    must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint64_t seed = 1;

    if (!shared) {
        shared = runner_share(sizeof(*shared));
        start_library();
    }
    for (size_t i = 0; i < bytes; i++)
        seed = (seed ^ data[i]) * UINT64_C(0x100000001b3);
    run_seed(seed, false);
    return 0;
}

#ifndef CUPIPE_LIBFUZZER

static void run_seeds(const struct runner *runner, uint64_t first, uint64_t count)
{
    uint64_t done;

    start_library();
    while (done = atomic_load(&shared->done),
           runner->seconds > 0 ? runner_has_time(runner) : done < count) {
        run_seed(first + done, runner->is_loud);
        atomic_fetch_add(&shared->done, 1);
    }
    exit(0);
}

static void keep(struct runner *runner, const char *program)
{
    char name[32], command[4400];

    snprintf(name, sizeof(name), "%llu", (unsigned long long)shared->seed);
    snprintf(command, sizeof(command), "%s -n 1 -z %u -s %s -v", program, size, name);
    runner_keep(runner, name, shared->text, strlen(shared->text), command);
    atomic_fetch_add(&shared->done, 1);
}

/* False when kernels cannot be compiled here. */
static bool run_all(struct runner *runner, const char *program, uint64_t first, uint64_t count)
{
    enum outcome outcome;

    atomic_store(&shared->done, 0);
    do {
        pid_t pid = runner_fork(runner);

        if (pid == 0)
            run_seeds(runner, first, count);
        outcome = runner_wait(runner, pid, &shared->done);
        if (outcome == OUTCOME_FAILED)
            keep(runner, program);
        runner->stopped += outcome == OUTCOME_STOPPED;
        if (runner->log >= 0)
            close(runner->log);
    } while (outcome == OUTCOME_FAILED && runner->failures < FAILURES_MAX);
    runner->inputs += atomic_load(&shared->done);
    return outcome != OUTCOME_SKIPPED;
}

/* The kernel of a file, whatever the time. False when there is none in it. */
static bool run_file(struct runner *runner, const char *program, const char *path)
{
    unsigned usual = size, wanted = 0;
    double seconds = runner->seconds;
    unsigned long long seed;
    FILE *file = fopen(path, "r");
    bool good =
        file && fscanf(file, "%llu %u", &seed, &wanted) == 2 && wanted >= 1 && wanted <= SIZE_MOST;

    generation = 1;
    while (good && generation < GENERATIONS && fgetc(file) == '+')
        generation++;
    if (file)
        fclose(file);
    if (!good) {
        fprintf(stderr, "%s: no seed and size\n", path);
        return false;
    }
    size = wanted;
    runner->seconds = 0;
    run_all(runner, program, seed, 1);
    runner->seconds = seconds;
    size = usual;
    generation = GENERATIONS;
    return true;
}

int main(int argc, char **argv)
{
    struct runner runner;
    int option;

    runner_init(&runner, "kernel");
    shared = runner_share(sizeof(*shared));
    runner.counted = &shared->done;
    runner.asked = 20;
    while ((option = getopt(argc, argv, RUNNER_OPTIONS "z:l:")) != -1) {
        if (option == 'z')
            size = 1 + (unsigned)(atoi(optarg) - 1) % SIZE_MOST;
        else if (option == 'l')
            level = atoi(optarg);
        else if (!runner_option(&runner, option))
            return 2;
    }
    for (int i = optind; i < argc; i++) {
        if (!run_file(&runner, argv[0], argv[i]))
            return 2;
    }
    if (!run_all(&runner, argv[0], runner.seed, runner.asked))
        return RUNNER_SKIPPED_STATUS;
    return runner_report(&runner);
}

#endif
