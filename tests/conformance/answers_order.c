/* SPDX-License-Identifier: MIT */
/*
 * Order: what waits for a busy stream, when calls return, and which bytes they read.
 */
#include "recorder.h"

static CUevent event_new(void)
{
    CUevent event = NULL;

    cuda.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    return event;
}

enum { SIZE = MB };
static CUstream stream;
static CUdeviceptr dst, second, source;
static char *pinned, *pages;

/* Calls that may or may not wait for the busy stream, and the names of their cases. */
static const char *async_call_names[] = {"HtoDAsync-pinned", "HtoDAsync-pageable",
                                         "DtoHAsync-pinned", "DtoHAsync-pageable",
                                         "DtoDAsync",        "MemsetAsync"};

static CUresult order_async_call(int call, size_t size)
{
    switch (call) {
    case 0:
        return cuda.cuMemcpyHtoDAsync(dst, pinned, size, stream);
    case 1:
        return cuda.cuMemcpyHtoDAsync(dst, pages, size, stream);
    case 2:
        return cuda.cuMemcpyDtoHAsync(pinned, source, size, stream);
    case 3:
        return cuda.cuMemcpyDtoHAsync(pages, source, size, stream);
    case 4:
        return cuda.cuMemcpyDtoDAsync(dst, source, size, stream);
    default:
        return cuda.cuMemsetD8Async(dst, 1, size, stream);
    }
}

static const char *sync_call_names[] = {"HtoD-pageable", "HtoD-pinned",      "DtoH-pinned",
                                        "DtoD",          "MemsetD8",         "Memcpy-pinned",
                                        "MemAlloc",      "MemcpyAsync-null", "HtoD-pageable-big"};

static CUresult order_sync_call(int call)
{
    CUdeviceptr ptr = 0;
    switch (call) {
    case 0:
        return cuda.cuMemcpyHtoD(dst, pages, 4096);
    case 1:
        return cuda.cuMemcpyHtoD(dst, pinned, 4096);
    case 2:
        return cuda.cuMemcpyDtoH(pinned, dst, 4096);
    case 3:
        return cuda.cuMemcpyDtoD(second, dst, 4096);
    case 4:
        return cuda.cuMemsetD8(dst, 0, 4096);
    case 5:
        return cuda.cuMemcpy(dst, as_device(pinned), 4096);
    case 6:
        return cuda.cuMemAlloc(&ptr, 4096);
    case 7:
        return cuda.cuMemcpyAsync(second, dst, 4096, 0);
    default:
        return cuda.cuMemcpyHtoD(dst, pages, SIZE);
    }
}

static void order_async_calls(void)
{
    /* When does each call return, and which bytes does it read, while its stream is blocked? */
    static const size_t sizes[] = {4, 64, 4096, 65536, 65537, 262144, MB};

    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (int call = 0; call < (int)COUNT_OF(async_call_names); call++) {
            size_t size = sizes[i];
            struct blocker blocker = {.limit_ms = 250};
            cuda.cuMemsetD8(dst, 0, SIZE);
            cuda.cuCtxSynchronize();
            pattern_fill(pinned, size, 1);
            pattern_fill(pages, size, 1);
            stream_block(stream, &blocker);
            const char *name = format("blocked-%s-%zu", async_call_names[call], size);
            if (!case_begin(name)) {
                stream_unblock(&blocker);
                cuda.cuStreamSynchronize(stream);
                continue;
            }
            CUresult failed = order_async_call(call, size);
            int early = !blocker.done;
            if (call == 0)
                memset(pinned, 0xee, size);
            if (call == 1)
                memset(pages, 0xee, size);
            stream_unblock(&blocker);
            cuda.cuStreamSynchronize(stream);
            const char *saw = "-";
            if (call < 2)
                saw = !strcmp(device_check(dst, size, 1), "ok") ? "original" : "modified";
            else if (call < 4)
                saw = pattern_check(call == 2 ? pinned : pages, size, 2);
            case_end(failed, " returned_before_stream=%d saw=%s", early, saw);
        }
}

static void order_sync_calls(void)
{
    /* Synchronous calls against busy streams. */
    struct {
        const char *name;
        CUstream stream;
    } streams[] = {{"nonblocking", stream},
                   {"blocking", stream_new(0)},
                   {"perthread", CU_STREAM_PER_THREAD},
                   {"null", 0}};

    for (size_t i = 0; i < COUNT_OF(streams); i++)
        for (int call = 0; call < (int)COUNT_OF(sync_call_names); call++) {
            struct blocker blocker = {.limit_ms = 200};
            const char *name = format("busy-%s-%s", streams[i].name, sync_call_names[call]);
            if (!case_begin(name))
                continue;
            stream_block(streams[i].stream, &blocker);
            CUresult failed = order_sync_call(call);
            int waited = blocker.done;
            stream_unblock(&blocker);
            cuda.cuCtxSynchronize();
            case_end(failed, " waited=%d", waited);
        }
}

GROUP(404, order, "order")
{
    use_primary_context();
    stream = stream_new(CU_STREAM_NON_BLOCKING);
    CUstream waiter = stream_new(CU_STREAM_NON_BLOCKING);
    dst = device_alloc(SIZE);
    second = device_alloc(SIZE);
    source = device_alloc(SIZE);
    pinned = pinned_alloc(SIZE);
    char *out = pinned_alloc(SIZE);
    pages = page_alloc(SIZE);
    struct blocker blocker = {.limit_ms = 400};
    CUevent event = event_new();

    device_fill(source, SIZE, 2);
    device_fill(dst, SIZE, 1);
    stream_block(stream, &blocker);
    cuda.cuMemcpyDtoDAsync(second, dst, SIZE, stream);
    cuda.cuEventRecord(event, stream);
    CHECK("wait-event", cuda.cuStreamWaitEvent(waiter, event, 0));
    cuda.cuMemcpyDtoHAsync(out, second, SIZE, waiter);
    CHECK("b-pending", cuda.cuStreamQuery(waiter));
    stream_unblock(&blocker);
    CHECK("b-after", cuda.cuStreamSynchronize(waiter), "data=%s", pattern_check(out, SIZE, 1));

    order_async_calls();
    order_sync_calls();
}
