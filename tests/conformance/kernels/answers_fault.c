/* SPDX-License-Identifier: MIT */
/*
 * Kernels that fail: the error, where it is first seen, and what the context answers afterwards.
 * Each way to fail is a group of its own, named "kfault-…".
 */
#include "kernels.h"

/* What every call answers once the context is broken. */
static void aftermath_ask(CUmodule module, CUfunction fine, CUdeviceptr memory, CUstream stream,
                          CUevent event)
{
    CUdeviceptr ptr = 0;
    CUcontext other = NULL;
    CUmodule loaded;
    CUfunction function;
    size_t size, free_bytes;
    char host[64];
    int value;
    unsigned long long word = 0;
    void *parameters[] = {&word};

    CHECK("sync-again", cuda.cuCtxSynchronize());
    CHECK("stream-sync", cuda.cuStreamSynchronize(stream));
    CHECK("stream-query", cuda.cuStreamQuery(stream));
    CHECK("event-query", cuda.cuEventQuery(event));
    CHECK("event-record", cuda.cuEventRecord(event, stream));
    CHECK("launch", launch(fine, 1, 1, parameters));
    CHECK("launch-no-grid", launch(fine, 0, 1, parameters));
    CHECK("launch-null", launch(NULL, 1, 1, parameters));
    CHECK("alloc", cuda.cuMemAlloc(&ptr, 1024));
    CHECK("alloc-0", cuda.cuMemAlloc(&ptr, 0));
    CHECK("copy-down", cuda.cuMemcpyDtoH(host, memory, 64));
    CHECK("copy-up", cuda.cuMemcpyHtoD(memory, host, 64));
    CHECK("memset", cuda.cuMemsetD8(memory, 0, 64));
    CHECK("memset-async", cuda.cuMemsetD8Async(memory, 0, 64, stream));
    CHECK("mem-info", cuda.cuMemGetInfo(&free_bytes, &size));
    CHECK("address-range", cuda.cuMemGetAddressRange(&ptr, &size, memory));
    CHECK("host-alloc", cuda.cuMemHostAlloc((void **)&ptr, 4096, 0));
    CHECK("module-load", driver.cuModuleLoadData(&loaded, ptx_basic));
    CHECK("module-function", driver.cuModuleGetFunction(&function, module, "fine"));
    CHECK("function-attribute", driver.cuFuncGetAttribute(&value, 0, fine));
    CHECK("occupancy", driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, fine, 32, 0));
    CHECK("limit", driver.cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE));
    CHECK("set-limit", driver.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    CHECK("device-attribute", cuda.cuDeviceGetAttribute(&value, 1, device));
    CHECK("stream-create", cuda.cuStreamCreate(&stream, 0));
    CHECK("event-create", cuda.cuEventCreate(&event, 0));
    CHECK("event-destroy", cuda.cuEventDestroy(event));
    CHECK("module-unload", driver.cuModuleUnload(module));
    CHECK("free", cuda.cuMemFree(memory));
    CHECK("free-null", cuda.cuMemFree(0));
    CHECK("other-context", cuda.cuCtxCreate(&other, NULL, 0, device));
    CHECK("other-context-alloc", cuda.cuMemAlloc(&ptr, 1024));
    CHECK("other-context-sync", cuda.cuCtxSynchronize());
    cuda.cuCtxSetCurrent(context);
    CHECK("set-current", cuda.cuCtxSetCurrent(context));
    CHECK("reset", driver.cuDevicePrimaryCtxReset(device));
    CHECK("retain-after-reset", cuda.cuDevicePrimaryCtxRetain(&context, device));
    cuda.cuCtxSetCurrent(context);
    CHECK("alloc-after-reset", cuda.cuMemAlloc(&ptr, 1024));
    CHECK("sync-after-reset", cuda.cuCtxSynchronize());
}

static void fault_ask(const char *text, const char *kernel, unsigned long long word, int complete)
{
    CUevent event = NULL;

    use_kernels();
    keep_after_sticky = 1;
    CUmodule module = module_of(text);
    CUfunction fine = NULL, function = function_of(module, kernel);
    CUdeviceptr memory = device_alloc(4096);
    CUstream stream = stream_new(0);

    driver.cuModuleGetFunction(&fine, module, "fine");
    cuda.cuEventCreate(&event, 0);
    if (word == 1)
        word = memory + 1;
    else if (word == 2)
        word = memory;
    else if (word == 3)
        word = memory + 4094;
    void *parameters[] = {&word};
    CHECK("fault-launch", launch(function, 1, 1, parameters));
    CHECK("fault-sync", cuda.cuCtxSynchronize());
    if (complete)
        aftermath_ask(module, fine ? fine : function, memory, stream, event);
    else
        CHECK("fault-sync-again", cuda.cuCtxSynchronize());
}

#define FAULT(id, name, text, kernel, word, complete)                                              \
    GROUP(760, id, "kfault-" name)                                                                 \
    {                                                                                              \
        fault_ask(text, kernel, word, complete);                                                   \
    }

FAULT(store_wild, "store-wild", ptx_faults, "store_global", 0xdead00000000ull, 1)
FAULT(store_null, "store-null", ptx_faults, "store_global", 0, 0)
FAULT(store_generic_null, "store-generic-null", ptx_faults, "store_generic", 0, 0)
FAULT(store_generic_wild, "store-generic-wild", ptx_faults, "store_generic", 0xdead00000000ull, 0)
FAULT(store_huge, "store-huge", ptx_faults, "store_global", 0xffffffffffff0000ull, 0)
FAULT(store_noncanonical, "store-noncanonical", ptx_faults, "store_global", 0x8000000000000000ull,
      0)
FAULT(load_wild, "load-wild", ptx_faults, "load_global", 0xdead00000000ull, 0)
FAULT(load_null, "load-null", ptx_faults, "load_global", 0, 0)
FAULT(atom_wild, "atom-wild", ptx_faults, "atom_global", 0xdead00000000ull, 0)
FAULT(store_misaligned, "store-misaligned", ptx_faults, "store_global", 1, 1)
FAULT(load_misaligned, "load-misaligned", ptx_faults, "load_global", 1, 0)
FAULT(atom_misaligned, "atom-misaligned", ptx_faults, "atom_global", 1, 0)
FAULT(shared_wild, "shared-wild", ptx_faults, "store_shared", 0x10000000, 0)
FAULT(shared_past, "shared-past-end", ptx_faults, "store_shared", 4096, 0)
FAULT(shared_misaligned, "shared-misaligned", ptx_faults, "store_shared", 5, 0)
FAULT(local_wild, "local-wild", ptx_faults, "store_local", 0x10000000, 0)
FAULT(trap, "trap", ptx_faults, "do_trap", 0, 1)
FAULT(brkpt, "brkpt", ptx_faults, "do_brkpt", 0, 0)
FAULT(stack, "stack-overflow", ptx_faults, "recurse", 2, 1)
FAULT(recurse, "recurse-a-little", ptx_faults, "recurse_a_little", 2, 0)
FAULT(jump_null, "jump-null", ptx_faults, "jump_away", 0, 0)
FAULT(jump_wild, "jump-wild", ptx_faults, "jump_away", 0xdead0000, 0)
FAULT(assertion, "assert", ptx_printing, "claim_fails", 0, 1)
FAULT(free_garbage, "free-garbage", ptx_printing, "release", 0xdead0000, 0)
FAULT(free_null, "free-null", ptx_printing, "release", 0, 0)
FAULT(free_device, "free-cumemalloc", ptx_printing, "release", 2, 0)

/* Where an error is first seen: the call after the launch. */
GROUP(761, fault_seen, "kfault-seen-by-query")
{
    use_kernels();
    keep_after_sticky = 1;
    CUmodule module = module_of(ptx_faults);
    CUfunction function = function_of(module, "do_trap");
    CUstream stream = stream_new(CU_STREAM_NON_BLOCKING),
             other = stream_new(CU_STREAM_NON_BLOCKING);
    unsigned long long word = 0;
    void *parameters[] = {&word};

    CHECK("launch", driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    usleep(300000);
    CHECK("other-query", cuda.cuStreamQuery(other));
    CHECK("query", cuda.cuStreamQuery(stream));
    CHECK("other-sync", cuda.cuStreamSynchronize(other));
    CHECK("destroy", cuda.cuStreamDestroy(stream));
}

static int compare_lines(const void *one, const void *other)
{
    return strcmp(one, other);
}

/* Blocks run at once: in which order they complain is nobody's to say, so the lines are sorted. */
GROUP(762, fault_text, "kfault-assert-text")
{
    use_kernels();
    keep_after_sticky = 1;
    CUmodule module = module_of(ptx_printing);
    CUfunction function = function_of(module, "claim_fails");
    unsigned long long word = 0;
    void *parameters[] = {&word};
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    char lines[4][600];

    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    CUresult launched =
        driver.cuLaunchKernel(function, 2, 1, 1, 2, 1, 1, 0, NULL, parameters, NULL);
    CUresult synced = cuda.cuCtxSynchronize();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    rewind(file);
    for (int i = 0; i < 4; i++)
        if (!fgets(lines[i], sizeof lines[i], file))
            snprintf(lines[i], sizeof lines[i], "(none)");
    qsort(lines, 4, sizeof lines[0], compare_lines);
    for (int i = 0; i < 4; i++)
        RECORD(format("line-%d", i), "%s", lines[i]);
    RECORD("codes", "%s %s", result_name(launched), result_name(synced));
}
