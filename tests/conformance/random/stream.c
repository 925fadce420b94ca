/* SPDX-License-Identifier: MIT */
/*
 * Streams, events, values written by streams, and contexts.
 */
#include "random.h"

CUstream streams[STREAMS];
CUevent events[EVENTS];
CUcontext main_context, other_context;

static unsigned stream_flags(void)
{
    return below(2);
}

void stream_begin(void)
{
    for (unsigned i = 0; i < STREAMS; i++)
        cuda.cuStreamCreate(&streams[i], i & 1);
    for (unsigned i = 0; i < EVENTS; i++)
        cuda.cuEventCreate(&events[i], i == 3 ? CU_EVENT_DISABLE_TIMING : 0);
}

CUstream stream_pick(const char **name)
{
    unsigned index = below(STREAMS + 3);

    if (index < STREAMS) {
        *name = format("s%u", index);
        return streams[index];
    }
    *name = (const char *[]){"null", "legacy", "thread"}[index - STREAMS];
    return (CUstream)(uintptr_t)(index - STREAMS);
}

static void op_stream_ask(void)
{
    const char *name;
    CUstream stream = stream_pick(&name);
    unsigned which = below(5), flags = 99, index = below(EVENTS), wish = chance(90) ? 0 : below(4);
    CUcontext owner = (CUcontext)as_host(UNTOUCHED);
    CUresult result;

    say("%s(%s, e%u, %u)",
        (const char *[]){"cuStreamQuery", "cuStreamSynchronize", "cuStreamGetFlags",
                         "cuStreamGetCtx", "cuStreamWaitEvent"}[which],
        name, index, wish);
    switch (which) {
    case 0:
        return answer(cuda.cuStreamQuery(stream), "%s", "");
    case 1:
        return answer(cuda.cuStreamSynchronize(stream), "%s", "");
    case 2:
        result = cuda.cuStreamGetFlags(stream, &flags);
        return answer(result, "%u", flags);
    case 3:
        result = cuda.cuStreamGetCtx(stream, &owner);
        return answer(result, "%s",
                      owner == main_context    ? "main"
                      : owner == other_context ? "other"
                                               : out_state(owner));
    default:
        return answer(cuda.cuStreamWaitEvent(stream, events[index], wish), "%s", "");
    }
}

static void op_stream_make(void)
{
    unsigned index = below(STREAMS), flags = chance(90) ? stream_flags() : below(9);
    int priority = between(-7, 2);
    CUstream stream = (CUstream)as_host(UNTOUCHED);
    int plain = chance(50);

    say("cuStreamDestroy(s%u) %s, %s(%u, %d)", index,
        result_name(cuda.cuStreamDestroy(streams[index])),
        plain ? "cuStreamCreate" : "cuStreamCreateWithPriority", flags, priority);
    CUresult result = plain ? cuda.cuStreamCreate(&stream, flags)
                            : cuda.cuStreamCreateWithPriority(&stream, flags, priority);
    answer(result, "%s", out_state(stream));
    if (!result) {
        streams[index] = stream;
        return;
    }
    cuda.cuCtxSetCurrent(main_context);
    cuda.cuStreamCreate(&streams[index], flags & 1);
}

static void op_event(void)
{
    const char *name;
    CUstream stream = stream_pick(&name);
    unsigned which = below(6), index = below(EVENTS), second = below(EVENTS);
    unsigned flags = chance(85) ? 0 : below(4);
    float milliseconds = -1;
    CUresult result;
    CUipcEventHandle handle;
    CUevent event = (CUevent)as_host(UNTOUCHED);

    say("%s(e%u, %s, %u, e%u)",
        (const char *[]){"cuEventRecord", "cuEventRecordWithFlags", "cuEventQuery",
                         "cuEventSynchronize", "cuEventElapsedTime", "cuIpcGetEventHandle"}[which],
        index, name, flags, second);
    switch (which) {
    case 0:
        return answer(cuda.cuEventRecord(events[index], stream), "%s", "");
    case 1:
        return answer(cuda.cuEventRecordWithFlags(events[index], stream, flags), "%s", "");
    case 2:
        return answer(cuda.cuEventQuery(events[index]), "%s", "");
    case 3:
        return answer(cuda.cuEventSynchronize(events[index]), "%s", "");
    case 4:
        return answer(cuda.cuEventElapsedTime(&milliseconds, events[index], events[second]), "%s",
                      "");
    default:
        flags = below(16);
        say(" new %u", flags);
        result = cuda.cuEventCreate(&event, flags);
        answer(result, "%s", out_state(event));
        if (result)
            return;
        say(" %s", result_name(cuda.cuIpcGetEventHandle(&handle, event)));
        cuda.cuEventDestroy(event);
    }
}

static void op_value(void)
{
    struct slot *slot = slot_pick(ANY_KIND & ~MASK(PAGEABLE), NULL);
    size_t offset = slot->size < 4096 ? 0 : below(1000) * 4 + (chance(95) ? 0 : 2);
    const char *name;
    CUstream stream = stream_pick(&name);
    unsigned value = (unsigned)random_bits(), flags = chance(90) ? 0 : below(4);

    say("cuStreamWriteValue32(%s, %s, %x, %u)", name, slot_text(slot, offset), value, flags);
    /* The device faults when it writes to read-only memory. */
    if (!slot->ptr || slot->size < 4 || slot->read_only)
        return skip();
    answer(cuda.cuStreamWriteValue32(stream, slot->ptr + offset, value, flags), "%s", "");
    if (succeeded())
        say(" %08x", slot_hash(slot));
}

static void count_up(void *count)
{
    ++*(int *)count;
}

static void op_host_function(void)
{
    static int count;
    const char *name;
    CUstream stream = stream_pick(&name);

    count = 0;
    say("cuLaunchHostFunc(%s)", name);
    answer(cuda.cuLaunchHostFunc(stream, chance(95) ? count_up : NULL, &count), "%s", settle());
    main_settle();
    say(" %d", count);
}

static const char *context_text(CUcontext current)
{
    return current == main_context               ? "main"
           : current && current == other_context ? "other"
                                                 : out_state(current);
}

static void op_context(void)
{
    CUcontext current = (CUcontext)as_host(UNTOUCHED);
    unsigned which = below(6), flags = 99, version = 0;
    CUdevice ordinal = -77;
    int active = -77;
    CUresult result;

    say("%s",
        (const char *[]){"cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxGetFlags", "cuCtxGetApiVersion",
                         "cuCtxPopCurrent, cuCtxPushCurrent", "cuDevicePrimaryCtxGetState"}[which]);
    switch (which) {
    case 0:
        result = cuda.cuCtxGetCurrent(&current);
        return answer(result, "%s", context_text(current));
    case 1:
        result = cuda.cuCtxGetDevice(&ordinal);
        return answer(result, "%d", ordinal);
    case 2:
        result = cuda.cuCtxGetFlags(&flags);
        return answer(result, "%u", flags);
    case 3:
        result = cuda.cuCtxGetApiVersion(main_context, &version);
        return answer(result, "%u", version);
    case 4:
        result = cuda.cuCtxPopCurrent(&current);
        say(" %s", context_text(current));
        cuda.cuCtxPushCurrent(main_context);
        return answer(result, "%s", "");
    default:
        result = cuda.cuDevicePrimaryCtxGetState(0, &flags, &active);
        return answer(result, "%u %d", flags, active);
    }
}

const struct operation stream_operations[] = {
    {4, op_stream_ask, 0},    {2, op_stream_make, 1}, {5, op_event, 0}, {4, op_value, 0},
    {1, op_host_function, 0}, {2, op_context, 0},     {0, NULL, 0}};
