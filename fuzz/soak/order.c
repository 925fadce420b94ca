/* SPDX-License-Identifier: MIT */
/* Work in several streams, in an order that is made of events, values in memory, batches of memory
 * operations, semaphores and waits of the host; host functions among it. Whatever touches a buffer
 * is put behind whatever touched it last: then what is in it is as if all went one after the
 * other. */
#include "soak.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STREAMS = 4, BUFFERS = 5, STEPS = 40, EVENTS = 8 };

struct buffer {
    CUdeviceptr at;
    unsigned char *host; /* pinned, so that host functions reach it */
    unsigned char *model;
    unsigned last; /* the stream that touched it last */
};

struct order {
    CUstream streams[STREAMS];
    CUevent events[EVENTS];
    unsigned next_event;
    struct buffer buffers[BUFFERS];
    size_t bytes;
    uint32_t *words; /* a value for each stream, which only grows */
    uint32_t values[STREAMS];
    CUexternalSemaphore semaphore;
    uint64_t semaphore_value;
};

/* What a host function does: adds to every byte. */
struct addition {
    unsigned char *bytes;
    size_t count;
    unsigned char by;
};

static void CUDA_CB add(void *argument)
{
    struct addition *addition = argument;

    for (size_t i = 0; i < addition->count; i++)
        addition->bytes[i] = (unsigned char)(addition->bytes[i] + addition->by);
    free(addition);
}

static void CUDA_CB add_in_callback(CUstream stream, CUresult status, void *argument)
{
    (void)stream;
    if (status == CUDA_SUCCESS)
        add(argument);
}

/* A timeline semaphore as a file, in the form that cupipe's Vulkan layer exports. */
static CUexternalSemaphore semaphore_new(void)
{
    struct {
        char magic[8];
        uint32_t kind, zero;
    } label = {{'c', 'u', 'p', ' ', 's', 'e', 'm', 1}, 1, 0};
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD};
    int fd = memfd_create("cupipe semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CUexternalSemaphore semaphore;

    must_be(fd >= 0 && ftruncate(fd, 8192) == 0);
    must_be(pwrite(fd, &label, sizeof(label), 4096) == sizeof(label));
    must_be(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
    desc.handle.fd = fd;
    must(cuImportExternalSemaphore(&semaphore, &desc));
    return semaphore;
}

static void by_event(struct order *order, CUstream after, CUstream before)
{
    CUevent event = order->events[order->next_event++ % EVENTS];

    must(cuEventRecord(event, before));
    if (one_in(6))
        must(cuEventSynchronize(event));
    else
        must(cuStreamWaitEvent(after, event, 0));
}

static void by_value(struct order *order, CUstream after, unsigned before)
{
    CUdeviceptr word = address_of(&order->words[before]);
    uint32_t value = ++order->values[before];
    CUstreamBatchMemOpParams operation[2] = {0};

    if (one_in(3)) {
        operation[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        operation[0].writeValue.address = word;
        operation[0].writeValue.value = value;
        operation[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
        operation[1].waitValue.address = word;
        operation[1].waitValue.value = value;
        operation[1].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
        must(cuStreamBatchMemOp(order->streams[before], 1, &operation[0], 0));
        must(cuStreamBatchMemOp(after, 1, &operation[1], 0));
        return;
    }
    must(cuStreamWriteValue32(order->streams[before], word, value, 0));
    must(cuStreamWaitValue32(after, word, value, CU_STREAM_WAIT_VALUE_GEQ));
}

static void by_semaphore(struct order *order, CUstream after, CUstream before)
{
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {0};
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {0};

    /* A timeline only grows: signals of two streams must not overtake each other. */
    if (order->semaphore_value)
        wait.params.fence.value = order->semaphore_value;
    signal.params.fence.value = ++order->semaphore_value;
    if (wait.params.fence.value)
        must(cuWaitExternalSemaphoresAsync(&order->semaphore, &wait, 1, before));
    must(cuSignalExternalSemaphoresAsync(&order->semaphore, &signal, 1, before));
    wait.params.fence.value = order->semaphore_value;
    must(cuWaitExternalSemaphoresAsync(&order->semaphore, &wait, 1, after));
}

static void put_behind(struct order *order, unsigned stream, struct buffer *buffer)
{
    unsigned last = buffer->last;
    CUstream after = order->streams[stream], before = order->streams[last];

    buffer->last = stream;
    if (last == stream)
        return;
    switch (draw(8)) {
    case 0:
        must(cuStreamSynchronize(before));
        break;
    case 1:
        while (cuStreamQuery(before) == CUDA_ERROR_NOT_READY)
            usleep(20);
        break;
    case 2:
        by_semaphore(order, after, before);
        break;
    case 3:
    case 4:
        by_value(order, after, last);
        break;
    default:
        by_event(order, after, before);
    }
}

static void step(struct order *order)
{
    unsigned stream = (unsigned)draw(STREAMS);
    struct buffer *to = &order->buffers[draw(BUFFERS)], *from = &order->buffers[draw(BUFFERS)];
    CUstream where = order->streams[stream];
    size_t count = 1 + draw(order->bytes), at = draw(order->bytes - count + 1);
    unsigned char value = (unsigned char)draw(256);
    struct addition *addition;

    put_behind(order, stream, to);
    switch (draw(4)) {
    case 0:
        must(cuMemsetD8Async(to->at + at, value, count, where));
        memset(to->model + at, value, count);
        break;
    case 1:
        if (!to->host)
            break;
        addition = room(sizeof(*addition));
        *addition = (struct addition){to->host + at, count, value};
        if (one_in(3))
            must(cuStreamAddCallback(where, add_in_callback, addition, 0));
        else
            must(cuLaunchHostFunc(where, add, addition));
        for (size_t i = 0; i < count; i++)
            to->model[at + i] = (unsigned char)(to->model[at + i] + value);
        break;
    default:
        if (from == to)
            break;
        put_behind(order, stream, from);
        must(cuMemcpyAsync(to->at + at, from->at + at, count, where));
        memcpy(to->model + at, from->model + at, count);
    }
}

static void prepare(struct order *order)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        if (one_in(2))
            must(cuStreamCreate(&order->streams[i], CU_STREAM_NON_BLOCKING));
        else
            must(cuStreamCreateWithPriority(&order->streams[i], CU_STREAM_DEFAULT, -(int)draw(4)));
    }
    for (unsigned i = 0; i < EVENTS; i++)
        must(cuEventCreate(&order->events[i],
                           one_in(2) ? CU_EVENT_DISABLE_TIMING : CU_EVENT_BLOCKING_SYNC));
    must(cuMemHostAlloc((void **)&order->words, STREAMS * sizeof(*order->words), 0));
    memset(order->words, 0, STREAMS * sizeof(*order->words));
    for (unsigned i = 0; i < BUFFERS; i++) {
        struct buffer *buffer = &order->buffers[i];

        buffer->model = room(order->bytes);
        fill(buffer->model, order->bytes, draw(1 << 30));
        if (i % 2) {
            must(cuMemHostAlloc((void **)&buffer->host, order->bytes, 0));
            buffer->at = address_of(buffer->host);
        } else {
            must(cuMemAlloc(&buffer->at, order->bytes));
        }
        must(cuMemcpy(buffer->at, address_of(buffer->model), order->bytes));
    }
    must(cuCtxSynchronize());
    order->semaphore = semaphore_new();
}

void soak_order(void)
{
    struct order order = {.bytes = draw_size(one_in(20) ? 4 << 20 : 60000)};
    unsigned char *came = room(order.bytes);

    prepare(&order);
    for (unsigned i = 0; i < STEPS; i++)
        step(&order);
    for (unsigned i = 0; i < STREAMS; i++)
        must(cuStreamSynchronize(order.streams[i]));
    for (unsigned i = 0; i < BUFFERS; i++) {
        struct buffer *buffer = &order.buffers[i];

        must(cuMemcpy(address_of(came), buffer->at, order.bytes));
        same(came, buffer->model, order.bytes, "a buffer that several streams used");
        if (buffer->host)
            must(cuMemFreeHost(buffer->host));
        else
            must(cuMemFree(buffer->at));
        free(buffer->model);
    }
    must(cuDestroyExternalSemaphore(order.semaphore));
    must(cuMemFreeHost(order.words));
    for (unsigned i = 0; i < EVENTS; i++)
        must(cuEventDestroy(order.events[i]));
    for (unsigned i = 0; i < STREAMS; i++)
        must(cuStreamDestroy(order.streams[i]));
    free(came);
}
