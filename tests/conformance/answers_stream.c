/* SPDX-License-Identifier: MIT */
/*
 * Streams, host functions, capture and events.
 */
#include "recorder.h"

static CUevent event_new(unsigned flags)
{
    CUevent event = NULL;

    cuda.cuEventCreate(&event, flags);
    return event;
}

static atomic_int sequence;
static int sequence_of[8];

static void CUDA_CB note_sequence(void *data)
{
    sequence_of[(intptr_t)data] = ++sequence;
}

static void CUDA_CB call_cuda(void *data)
{
    CUdeviceptr ptr = 0;

    *(CUresult *)data = cuda.cuMemAlloc(&ptr, 64);
}

static CUstream streams[] = {0, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, 0, 0};
static const char *stream_names[] = {"null", "legacy", "perthread", "blocking", "nonblocking"};
static CUdeviceptr device_ptr;

static void stream_create_flags(void)
{
    CUstream created;

    for (int bit = 0; bit < 32; bit++) {
        created = (CUstream)UNTOUCHED;
        if (!CHECK(format("create-flagbit%d", bit), cuda.cuStreamCreate(&created, 1u << bit),
                   "out=%s", out_state(created)))
            cuda.cuStreamDestroy(created);
    }
    CHECK("create-null", cuda.cuStreamCreate(NULL, 0));
    for (int i = -8; i <= 4; i += 2) {
        created = 0;
        if (!CHECK(format("create-priority%d", i), cuda.cuStreamCreateWithPriority(&created, 0, i)))
            cuda.cuStreamDestroy(created);
    }
}

static void stream_special(void)
{
    for (int i = 0; i < 5; i++) {
        unsigned flags = 99;
        CUcontext owner = 0;
        CHECK(format("query-%s", stream_names[i]), cuda.cuStreamQuery(streams[i]));
        CHECK(format("flags-%s", stream_names[i]), cuda.cuStreamGetFlags(streams[i], &flags),
              "fl=%u", flags);
        CHECK(format("ctx-%s", stream_names[i]), cuda.cuStreamGetCtx(streams[i], &owner), "cur=%d",
              owner == context);
        CHECK(format("sync-%s", stream_names[i]), cuda.cuStreamSynchronize(streams[i]));
    }
    for (int i = 0; i < 3; i++)
        CHECK(format("destroy-%s", stream_names[i]), cuda.cuStreamDestroy(streams[i]));
}

static void stream_waits(void)
{
    /* Who waits for whom: block on one stream, query another after submitting there. */
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            struct blocker blocker = {.limit_ms = 300};
            const char *name = format("busy-%s-submit-%s", stream_names[i], stream_names[j]);
            if (!case_begin(name))
                continue;
            stream_block(streams[i], &blocker);
            CUresult submitted = cuda.cuMemsetD8Async(device_ptr, 1, 64, streams[j]);
            double start = seconds_now();
            CUresult queried;
            while ((queried = cuda.cuStreamQuery(streams[j])) == CUDA_ERROR_NOT_READY &&
                   seconds_now() - start < 0.08)
                usleep(200);
            int held_back = queried == CUDA_ERROR_NOT_READY;
            stream_unblock(&blocker);
            cuda.cuCtxSynchronize();
            case_end(submitted, " target_held_back=%d", held_back);
        }
}

static void stream_destroy_pending(void)
{
    struct blocker blocker = {.limit_ms = 400};

    stream_block(streams[3], &blocker);
    CHECK("query-busy", cuda.cuStreamQuery(streams[3]));
    CHECK("destroy-pending", cuda.cuStreamDestroy(streams[3]), "returned_before=%d", !blocker.done);
    stream_unblock(&blocker);
    CHECK("ctx-sync-after-destroy", cuda.cuCtxSynchronize(), "done=%d", (int)blocker.done);
}

static void stream_host_functions(void)
{
    CUstream stream = stream_new(0);

    for (int i = 0; i < 4; i++)
        cuda.cuLaunchHostFunc(stream, note_sequence, (void *)(intptr_t)i);

    CHECK("hostfunc-order", cuda.cuStreamSynchronize(stream), "order=%d,%d,%d,%d", sequence_of[0],
          sequence_of[1], sequence_of[2], sequence_of[3]);
    CHECK("hostfunc-null", cuda.cuLaunchHostFunc(stream, NULL, NULL));
    CUresult inside = (CUresult)-5;
    cuda.cuLaunchHostFunc(stream, call_cuda, &inside);
    CHECK("hostfunc-calls-cuda", cuda.cuStreamSynchronize(stream), "inside=%s",
          result_name(inside));
    CHECK("hostfunc-null-stream", cuda.cuLaunchHostFunc(0, note_sequence, (void *)5));
    cuda.cuCtxSynchronize();
    CHECK("addcallback-flags1", cuda.cuStreamAddCallback(stream, NULL, NULL, 1));
    CHECK("addcallback-null", cuda.cuStreamAddCallback(stream, NULL, NULL, 0));
}

static void stream_capture(void)
{
    CUstream captured = streams[4];

    /* Capture interactions of memory calls. */
    CHECK("begin-capture", cuda.cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CUdeviceptr ptr = 0;
    CHECK("capture-MemAlloc", cuda.cuMemAlloc(&ptr, 64));
    CHECK("capture-MemsetAsync", cuda.cuMemsetD8Async(device_ptr, 1, 64, captured));
    CHECK("capture-query", cuda.cuStreamQuery(captured));
    CHECK("capture-sync-memset", cuda.cuMemsetD8(device_ptr, 1, 64));
    CUgraph graph = 0;
    CHECK("end-capture", cuda.cuStreamEndCapture(captured, &graph), "graph=%d", graph != 0);
    if (graph)
        cuda.cuGraphDestroy(graph);
}

GROUP(1400, stream, "stream")
{
    use_primary_context();
    streams[3] = stream_new(0);
    streams[4] = stream_new(1);
    device_ptr = device_alloc(4096);

    stream_create_flags();
    stream_special();
    stream_waits();
    stream_destroy_pending();
    stream_host_functions();
    stream_capture();
}

static CUstream event_stream;
static CUevent first_event, second_event, no_timing;

static void event_create(void)
{
    CUevent created;

    for (int blocker = 0; blocker < 32; blocker++) {
        created = (CUevent)UNTOUCHED;
        if (!CHECK(format("create-flagbit%d", blocker), cuda.cuEventCreate(&created, 1u << blocker),
                   "out=%s", out_state(created)))
            cuda.cuEventDestroy(created);
    }
    CHECK("create-null", cuda.cuEventCreate(NULL, 0));
}

static void event_elapsed(void)
{
    float elapsed = -7;

    CHECK("query-unrecorded", cuda.cuEventQuery(first_event));
    CHECK("sync-unrecorded", cuda.cuEventSynchronize(first_event));
    CHECK("elapsed-unrecorded", cuda.cuEventElapsedTime(&elapsed, first_event, second_event));
    CHECK("wait-unrecorded", cuda.cuStreamWaitEvent(event_stream, first_event, 0));
    cuda.cuEventRecord(first_event, event_stream);
    CHECK("elapsed-one-recorded", cuda.cuEventElapsedTime(&elapsed, first_event, second_event));
    cuda.cuStreamSynchronize(event_stream);
    CHECK("elapsed-end-unrecorded", cuda.cuEventElapsedTime(&elapsed, first_event, second_event));
    cuda.cuEventRecord(second_event, event_stream);
    cuda.cuEventRecord(no_timing, event_stream);
    cuda.cuStreamSynchronize(event_stream);
    CHECK("elapsed", cuda.cuEventElapsedTime(&elapsed, first_event, second_event), "ge0=%d",
          elapsed >= 0);
    CHECK("elapsed-reversed", cuda.cuEventElapsedTime(&elapsed, second_event, first_event),
          "le0=%d", elapsed <= 0);
    CHECK("elapsed-same", cuda.cuEventElapsedTime(&elapsed, first_event, first_event), "zero=%d",
          elapsed == 0);
    CHECK("elapsed-notiming", cuda.cuEventElapsedTime(&elapsed, no_timing, first_event));
    CHECK("elapsed-notiming-end", cuda.cuEventElapsedTime(&elapsed, first_event, no_timing));
    CHECK("elapsed-null-out", cuda.cuEventElapsedTime(NULL, first_event, second_event));
    CHECK("elapsed-null-ev", cuda.cuEventElapsedTime(&elapsed, NULL, second_event));
}

static void event_pending(void)
{
    float elapsed = -7;

    struct blocker blocker = {.limit_ms = 400};
    stream_block(event_stream, &blocker);
    cuda.cuEventRecord(second_event, event_stream);
    CHECK("query-pending", cuda.cuEventQuery(second_event));
    CHECK("elapsed-pending", cuda.cuEventElapsedTime(&elapsed, first_event, second_event));
    CHECK("destroy-pending", cuda.cuEventDestroy(second_event), "returned_before=%d",
          !blocker.done);
    stream_unblock(&blocker);
    cuda.cuStreamSynchronize(event_stream);
}

static void event_arguments(void)
{
    CHECK("query-null", cuda.cuEventQuery(NULL));
    CHECK("record-null", cuda.cuEventRecord(NULL, event_stream));
    CHECK("sync-null", cuda.cuEventSynchronize(NULL));
    CHECK("destroy-null", cuda.cuEventDestroy(NULL));
    CHECK("wait-null", cuda.cuStreamWaitEvent(event_stream, NULL, 0));
    for (unsigned flags = 1; flags < 5; flags++) {
        CHECK(format("wait-flags%u", flags),
              cuda.cuStreamWaitEvent(event_stream, first_event, flags));
        CHECK(format("record-flags%u", flags),
              cuda.cuEventRecordWithFlags(first_event, event_stream, flags));
    }
    CHECK("record-null-stream", cuda.cuEventRecord(first_event, 0));
    CHECK("record-legacy", cuda.cuEventRecord(first_event, CU_STREAM_LEGACY));
    CHECK("record-perthread", cuda.cuEventRecord(first_event, CU_STREAM_PER_THREAD));
}

static void event_other_context(void)
{
    context_new();
    CUevent foreign = event_new(0);
    CUstream foreign_stream = stream_new(0);
    cuda.cuCtxSetCurrent(context);
    CHECK("record-other-ctx-event", cuda.cuEventRecord(foreign, event_stream));
    CHECK("record-other-ctx-both", cuda.cuEventRecord(foreign, foreign_stream));
    CHECK("wait-other-ctx-event", cuda.cuStreamWaitEvent(event_stream, foreign, 0));
    CHECK("query-other-ctx-event", cuda.cuEventQuery(foreign));
    cuda.cuCtxSynchronize();
}

GROUP(1401, event, "event")
{
    use_primary_context();
    event_stream = stream_new(0);
    first_event = event_new(0);
    second_event = event_new(0);
    no_timing = event_new(CU_EVENT_DISABLE_TIMING);

    event_create();
    event_elapsed();
    event_pending();
    event_arguments();
    event_other_context();
}

RISKY_HANDLE(9940, stream_query_garbage, cuda.cuStreamQuery((CUstream)bad_handle))

RISKY_HANDLE(9940, event_query_garbage, cuda.cuEventQuery((CUevent)bad_handle))

RISKY(9940, stream_query_destroyed,
      (cuda.cuStreamDestroy(risky_stream), cuda.cuStreamQuery(risky_stream)))

RISKY(9940, event_query_destroyed, ({
          CUevent e = event_new(0);
          cuda.cuEventDestroy(e);
          cuda.cuEventQuery(e);
      }))

RISKY(9940, ctx_destroy_twice, ({
          CUcontext c = context_new();
          cuda.cuCtxDestroy(c);
          cuda.cuCtxDestroy(c);
      }))

RISKY_HANDLE(9940, ctx_setcurrent_garbage, cuda.cuCtxSetCurrent((CUcontext)bad_handle))
