/* SPDX-License-Identifier: MIT */
/*
 * Kernels that print and allocate, and the limits of the context that govern them.
 */
#include "kernels.h"

static CUdeviceptr answers_place;

static CUresult print_from(CUfunction print, unsigned grid, unsigned block)
{
    void *parameters[] = {&answers_place};

    return launch(print, grid, block, parameters);
}

static CUresult sync_by_event(void)
{
    CUevent event = NULL;

    cuda.cuEventCreate(&event, 0);
    cuda.cuEventRecord(event, NULL);
    return cuda.cuEventSynchronize(event);
}

/* The text comes when the driver likes, but it is out when these return. */
GROUP(770, print, "print")
{
    use_kernels();
    CUmodule module = module_of(ptx_printing);
    CUfunction print = function_of(module, "print");
    answers_place = device_alloc(1 << 22);

    capture_begin();
    CUresult launched = print_from(print, 1, 2), synced = cuda.cuCtxSynchronize();
    const char *text = capture_end();
    RECORD("context-sync", "%s %s %s", result_name(launched), result_name(synced), text);
    RECORD("returns", "%d", (int)word_at(answers_place));

    capture_begin();
    launched = print_from(print, 1, 1);
    synced = cuda.cuStreamSynchronize(NULL);
    text = capture_end();
    RECORD("stream-sync", "%s %s %s", result_name(launched), result_name(synced), text);

    capture_begin();
    launched = print_from(print, 1, 1);
    synced = sync_by_event();
    text = capture_end();
    RECORD("event-sync", "%s %s %s", result_name(launched), result_name(synced), text);

    capture_begin();
    launched = print_from(print, 1, 1);
    print_from(print, 1, 2);
    synced = cuda.cuCtxSynchronize();
    text = capture_end();
    RECORD("two-kernels", "%s %s %s", result_name(launched), result_name(synced), text);

    capture_begin();
    launched = print_from(print, 1, 1);
    synced = driver.cuModuleUnload(module);
    text = capture_end();
    RECORD("unload", "%s %s %s", result_name(launched), result_name(synced), text);
}

GROUP(771, printfull, "printfull")
{
    size_t size = 0;

    use_kernels();
    answers_place = device_alloc(1 << 22);
    CHECK("limit-default", driver.cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE), "size=%zu",
          size);
    CHECK_THEN("limit-set-small", driver.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4096),
               driver.cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE), "now=%zu", size);
    CUmodule module = module_of(ptx_printing);
    CUfunction print = function_of(module, "print");
    CHECK_THEN("limit-set-after-load", driver.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 65536),
               driver.cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE), "now=%zu", size);
    capture_begin();
    print_from(print, 1, 1);
    cuda.cuCtxSynchronize();
    capture_end();
    CHECK_THEN("limit-set-after-launch", driver.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 131072),
               driver.cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE), "now=%zu", size);
    driver.cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE);
    capture_begin();
    CUresult launched = print_from(print, 300, 100);
    CUresult synced = cuda.cuCtxSynchronize();
    const char *text = capture_end();
    int *words = calloc(30000, 4), negative = 0, positive = 0;
    cuda.cuMemcpyDtoH(words, answers_place, 30000 * 4);
    for (int i = 0; i < 30000; i++) {
        negative += words[i] < 0;
        positive += words[i] > 0;
    }
    RECORD("overflow", "%s %s", result_name(launched), result_name(synced));
    RECORD("overflow-fewer", "%d", atol(text) < 30000L * 8);
    RECORD("overflow-returns", "negative=%d positive=%d", negative > 0, positive > 0);
}

GROUP(772, kheap, "kheap")
{
    size_t size = 0;
    unsigned long long wanted = 64;
    CUdeviceptr got[32];

    use_kernels();
    CUdeviceptr place = device_alloc(4096);
    void *parameters[] = {&place, &wanted};
    CHECK("limit-default", driver.cuCtxGetLimit(&size, CU_LIMIT_MALLOC_HEAP_SIZE), "size=%zu",
          size);
    CHECK_THEN("limit-set", driver.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 * MB),
               driver.cuCtxGetLimit(&size, CU_LIMIT_MALLOC_HEAP_SIZE), "now=%zu", size);
    CUmodule module = module_of(ptx_printing);
    CHECK_THEN("limit-set-after-load", driver.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 32 * MB),
               driver.cuCtxGetLimit(&size, CU_LIMIT_MALLOC_HEAP_SIZE), "now=%zu", size);
    CUfunction allocate = function_of(module, "allocate"), release = function_of(module, "release");
    CHECK("launch", launch(allocate, 1, 4, parameters));
    CHECK("sync", cuda.cuCtxSynchronize());
    cuda.cuMemcpyDtoH(got, place, sizeof got);
    RECORD("got", "%s aligned=%d", pointer_state(as_host(got[0])), (int)(got[0] % 16));
    char host[64];
    CHECK("copy-from-heap", cuda.cuMemcpyDtoH(host, got[0], 64));
    CHECK("copy-to-heap", cuda.cuMemcpyHtoD(got[0], host, 64));
    CHECK("free-by-host", cuda.cuMemFree(got[0]));
    CHECK("attribute-of-heap",
          cuda.cuPointerGetAttribute(host, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, got[0]));
    void *release_parameters[] = {&got[0]};
    CHECK("release", launch(release, 1, 1, release_parameters));
    CHECK("release-sync", cuda.cuCtxSynchronize());
    CHECK_THEN("limit-set-after-launch", driver.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 64 * MB),
               driver.cuCtxGetLimit(&size, CU_LIMIT_MALLOC_HEAP_SIZE), "now=%zu", size);
    static const unsigned long long sizes[] = {0, 1, 16, 1 << 20, 16 << 20, 1ull << 30, ~0ull};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        wanted = sizes[i];
        CHECK_THEN(format("size-%llu", wanted), launch(allocate, 1, 1, parameters),
                   const char *sync = sync_context();
                   cuda.cuMemcpyDtoH(got, place, 8), "sync=%s %s", sync,
                   pointer_state(as_host(got[0])));
    }
    keep_after_sticky = 1;
    wanted = 64;
    launch(allocate, 1, 1, parameters);
    cuda.cuMemcpyDtoH(got, place, 8);
    launch(release, 1, 1, release_parameters);
    cuda.cuCtxSynchronize();
    CHECK("double-free", launch(release, 1, 1, release_parameters), "sync=%s", sync_context());
}

GROUP(773, kstack, "kstack")
{
    static const size_t sizes[] = {0,    1,     15,          16,     1000,    1024,
                                   4096, 65536, 524288 - 16, 524288, 1 << 20, 1 << 30};
    size_t size = 0;
    int value;

    use_kernels();
    CHECK("limit-default", driver.cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE), "size=%zu", size);
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        CHECK_THEN(format("set-%zu", sizes[i]), driver.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, sizes[i]),
                   driver.cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE), "now=%zu", size);
    driver.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024);
    CUmodule module = module_of(ptx_basic);
    CUfunction local = function_of(module, "local_array");
    CUdeviceptr place = device_alloc(64);
    void *parameters[] = {&place};
    CHECK("local-launch", launch(local, 1, 32, parameters), "sync=%s", sync_context());
    CHECK("local-size",
          driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, local), "value=%d",
          value);
    CHECK("limit-after", driver.cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE), "size=%zu", size);
}
