/* SPDX-License-Identifier: MIT */
/*
 * Modules of some 50 kernels. Where one is refused, each of its kernels is loaded alone.
 */
#include "run.h"
#include <cuda.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MODULE_KERNELS = 50, VARIANT_SECONDS = 60, MAX_JOBS = 64, MAX_LANES = 1024 };

static struct shared {
    atomic_size_t next_module;
    /* Of each process: the module and the variant in hand, plus one; and whether the module's
     * kernels are loaded one by one, because a process did not survive all of them. */
    struct {
        size_t module, variant;
        bool alone;
    } at[MAX_JOBS];
} * shared;

static const struct variant *table;
static size_t table_count, module_count;
static const bool *wanted_variants;
static struct outcomes outcomes;
static CUdeviceptr device_out, device_scratch, device_in[MAX_OPERANDS];
static size_t out_bytes;

static void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return memory;
}

static void need(CUresult result, const char *what)
{
    if (result) {
        fprintf(stderr, "%s: error %d\n", what, (int)result);
        _exit(2);
    }
}

static void driver_open(void)
{
    CUcontext context;
    CUdevice device;

    need(cuInit(0), "cuInit");
    need(cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    need(cuMemAlloc(&device_out, out_bytes), "cuMemAlloc");
    need(cuMemAlloc(&device_scratch, MAX_LANES * 64), "cuMemAlloc");
    for (int i = 0; i < MAX_OPERANDS; i++)
        need(cuMemAlloc(&device_in[i], MAX_LANES * 8), "cuMemAlloc");
}

static void operands_upload(const struct variant *variant)
{
    unsigned char bytes[MAX_LANES * 8];

    for (int i = 0; i < variant->operand_count; i++) {
        int size = input_bytes(variant->operands[i]);
        for (unsigned lane = 0; lane < variant->lanes; lane++) {
            uint64_t value = input_value(variant, i, lane);
            memcpy(bytes + (size_t)lane * size, &value, size); /* little endian */
        }
        need(cuMemcpyHtoD(device_in[i], bytes, (size_t)variant->lanes * size), "cuMemcpyHtoD");
    }
}

static void variant_finish(size_t index, enum outcome outcome, CUresult result)
{
    outcomes.result[index] = result;
    outcomes.outcome[index] = outcome;
}

static void variant_run(size_t index, CUmodule module)
{
    const struct variant *variant = &table[index];
    unsigned blocks = variant->lanes / BLOCK_THREADS;
    bool box = variant->shape == BOX;
    void *parameters[] = {&device_out,   &device_scratch, &device_in[0],
                          &device_in[1], &device_in[2],   &device_in[3]};
    CUfunction function;
    char name[300];

    variant_kernel_name(variant, name, sizeof name);
    CUresult result = cuModuleGetFunction(&function, module, name);
    if (result) {
        variant_finish(index, OUTCOME_REFUSED, result);
        return;
    }
    operands_upload(variant);
    need(cuMemsetD8(device_out, 0xcd, variant_bytes(variant)), "cuMemsetD8");
    need(cuMemsetD8(device_scratch, 0, MAX_LANES * 64), "cuMemsetD8");
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {variant->cluster, 1, 1}};
    CUlaunchConfig config = {.gridDimX = box ? 2 : blocks,
                             .gridDimY = box ? blocks / 2 : 1,
                             .gridDimZ = 1,
                             .blockDimX = box ? 8 : BLOCK_THREADS,
                             .blockDimY = box ? 4 : 1,
                             .blockDimZ = box ? 4 : 1,
                             .sharedMemBytes = 256,
                             .attrs = &cluster,
                             .numAttrs = variant->cluster ? 1 : 0};
    result = cuLaunchKernelEx(&config, function, parameters, NULL);
    if (!result)
        result = cuCtxSynchronize();
    if (!result)
        result = cuMemcpyDtoH(outcomes.bytes[index], device_out, variant_bytes(variant));
    variant_finish(index, result ? OUTCOME_FAILED : OUTCOME_DONE, result);
}

/* The kernels of variants first to last that are wanted and not done, as one module. Those of two
 * targets do not fit into one. */
static CUresult module_load(CUmodule *module, size_t first, size_t last)
{
    if (table[first].accelerated != table[last - 1].accelerated)
        return CUDA_ERROR_INVALID_PTX;

    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    fputs(variant_head(&table[first]), file);
    for (size_t i = first; i < last; i++) {
        if (!wanted_variants[i] || outcomes.outcome[i] != OUTCOME_NONE)
            continue;
        char *kernel = variant_kernel(&table[i]);
        fputs(kernel, file);
        free(kernel);
    }
    fclose(file);
    CUresult result = cuModuleLoadData(module, text);
    free(text);
    return result;
}

static bool is_open(size_t index)
{
    return wanted_variants[index] && outcomes.outcome[index] == OUTCOME_NONE;
}

static void variants_run(size_t first, size_t last, int job)
{
    CUmodule module = NULL;
    bool alone = shared->at[job].alone || module_load(&module, first, last) != CUDA_SUCCESS;

    for (size_t i = first; i < last; i++) {
        if (!is_open(i))
            continue;
        shared->at[job].variant = i + 1;
        alarm(VARIANT_SECONDS);
        CUresult result = alone ? module_load(&module, i, i + 1) : CUDA_SUCCESS;
        if (result) {
            variant_finish(i, OUTCOME_REFUSED, result);
            continue;
        }
        variant_run(i, module);
        if (alone)
            cuModuleUnload(module);
        /* After an error that sticks, a fresh process goes on. */
        if (outcomes.outcome[i] == OUTCOME_FAILED && cuCtxSynchronize())
            _exit(3);
    }
    shared->at[job].variant = 0;
    if (!alone)
        cuModuleUnload(module);
}

static _Noreturn void process_run(int job)
{
    driver_open();
    for (;;) {
        if (!shared->at[job].module) {
            size_t module = atomic_fetch_add(&shared->next_module, 1);
            if (module >= module_count)
                break;
            shared->at[job].module = module + 1;
        }
        size_t first = (shared->at[job].module - 1) * MODULE_KERNELS;
        size_t last = first + MODULE_KERNELS < table_count ? first + MODULE_KERNELS : table_count;
        bool any = false;
        for (size_t i = first; i < last; i++)
            any |= is_open(i);
        alarm(VARIANT_SECONDS);
        if (any)
            variants_run(first, last, job);
        shared->at[job].alone = false;
        shared->at[job].module = 0;
    }
    _exit(0);
}

static pid_t process_start(int job)
{
    pid_t pid = fork();

    if (pid == 0)
        process_run(job);
    if (pid < 0) {
        perror("fork");
        exit(2);
    }
    return pid;
}

/* The process ended before its time: the variant it was at is at fault, if it was at one. */
static bool process_is_replaced(int job, int status)
{
    size_t at = shared->at[job].variant;

    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2))
        return false;
    if (at && outcomes.outcome[at - 1] == OUTCOME_NONE)
        variant_finish(at - 1, OUTCOME_DIED,
                       (CUresult)(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
    else if (!at && !shared->at[job].alone)
        shared->at[job].alone = true;
    else if (!at)
        shared->at[job].module = 0; /* it died without any kernel: given up, and reported so */
    shared->at[job].variant = 0;
    return true;
}

struct outcomes run_variants(const bool *wanted, int jobs)
{
    pid_t pids[MAX_JOBS];
    size_t total = 0;

    table = variants_table(&table_count);
    module_count = (table_count + MODULE_KERNELS - 1) / MODULE_KERNELS;
    wanted_variants = wanted;
    for (size_t i = 0; i < table_count; i++) {
        total += variant_bytes(&table[i]);
        if (variant_bytes(&table[i]) > out_bytes)
            out_bytes = variant_bytes(&table[i]);
    }
    shared = shared_memory(sizeof *shared);
    outcomes.outcome = shared_memory(table_count);
    outcomes.result = shared_memory(table_count * sizeof *outcomes.result);
    outcomes.bytes = calloc(table_count, sizeof *outcomes.bytes);
    unsigned char *bytes = shared_memory(total);
    for (size_t i = 0; i < table_count; i++) {
        outcomes.bytes[i] = bytes;
        bytes += variant_bytes(&table[i]);
    }
    if (jobs > MAX_JOBS)
        jobs = MAX_JOBS;
    for (int job = 0; job < jobs; job++)
        pids[job] = process_start(job);
    for (int alive = jobs; alive > 0;) {
        int status;
        pid_t pid = wait(&status);
        for (int job = 0; job < jobs; job++) {
            if (pids[job] != pid)
                continue;
            if (process_is_replaced(job, status))
                pids[job] = process_start(job);
            else
                alive--;
        }
    }
    return outcomes;
}
