/* SPDX-License-Identifier: MIT */
/* Which copies and fills wait for a stream that is held, for every pair of memory kinds, as an H200
 * does it; and that their bytes are there when a call that waits has returned. */
#include "hold.h"

enum { BYTES = 8192, ROW = 256 };

enum kind { PAGEABLE, PINNED, REGISTERED, MAPPED, HOST_POOL, MANAGED, DEVICE, SYNC_MEMOPS, KINDS };

static const char *const kind_names[KINDS] = {"pageable",  "pinned",  "registered", "mapped",
                                              "host pool", "managed", "device",     "sync memops"};

static CUdeviceptr sources[KINDS], targets[KINDS];
static CUstream stream;

static bool is_host(enum kind kind)
{
    return kind <= HOST_POOL;
}

static CUdeviceptr mapped_memory(void)
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0}};
    CUmemAccessDesc access[2] = {
        {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
        {{CU_MEM_LOCATION_TYPE_HOST_NUMA, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;
    size_t bytes;

    check_success(cuMemGetAllocationGranularity(&bytes, &properties, 0));
    check_success(cuMemCreate(&handle, bytes, &properties, 0));
    check_success(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    check_success(cuMemMap(address, bytes, 0, handle, 0));
    check_success(cuMemSetAccess(address, bytes, access, 2));
    return address;
}

static CUdeviceptr pool_memory(void)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_HOST, 0}};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemoryPool pool;
    CUdeviceptr address;

    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemPoolSetAccess(pool, &access, 1));
    check_success(cuMemAllocFromPoolAsync(&address, BYTES, pool, stream));
    check_success(cuStreamSynchronize(stream));
    return address;
}

static CUdeviceptr memory_of(enum kind kind)
{
    CUdeviceptr address = 0;
    void *host = NULL;
    int on = 1;

    switch (kind) {
    case PAGEABLE:
    case REGISTERED:
        host = aligned_alloc(4096, BYTES);
        check(host != NULL);
        if (kind == REGISTERED)
            check_success(cuMemHostRegister(host, BYTES, 0));
        return address_of(host);
    case PINNED:
        check_success(cuMemHostAlloc(&host, BYTES, 0));
        return address_of(host);
    case MAPPED:
        return mapped_memory();
    case HOST_POOL:
        return pool_memory();
    case MANAGED:
        check_success(cuMemAllocManaged(&address, BYTES, CU_MEM_ATTACH_GLOBAL));
        return address;
    default:
        check_success(cuMemAlloc(&address, BYTES));
        if (kind == SYNC_MEMOPS)
            check_success(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address));
        return address;
    }
}

static void begin(void)
{
    with_context();
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int kind = 0; kind < KINDS; kind++) {
        sources[kind] = memory_of((enum kind)kind);
        targets[kind] = memory_of((enum kind)kind);
    }
}

static void *release(void *blocker)
{
    usleep(3000);
    flag_raise(&((struct blocker *)blocker)->released);
    return NULL;
}

/* True if the call returns only after the held stream goes on. If it is expected to wait, another
 * thread lets the stream go on after a while. */
static bool call_waits(CUresult (*call)(const void *), const void *argument, CUstream held,
                       bool expected)
{
    struct blocker blocker = {.started = {0}};
    pthread_t thread;

    block(held, &blocker);
    if (expected)
        check(pthread_create(&thread, NULL, release, &blocker) == 0);
    check_success(call(argument));
    bool waited = flag_is_raised(&blocker.released);
    flag_raise(&blocker.released);
    if (expected)
        check(pthread_join(thread, NULL) == 0);
    check_success(cuStreamSynchronize(held));
    return waited;
}

struct fill {
    CUdeviceptr at;
    unsigned form;
};

enum { FILL_FORMS = 6 };

static CUresult fill_now(const void *argument)
{
    const struct fill *fill = argument;

    switch (fill->form) {
    case 0:
        return cuMemsetD8(fill->at, 7, BYTES);
    case 1:
        return cuMemsetD16(fill->at, 7, BYTES / 2);
    case 2:
        return cuMemsetD32(fill->at, 7, BYTES / 4);
    case 3:
        return cuMemsetD2D8(fill->at, ROW, 7, ROW / 2, BYTES / ROW);
    case 4:
        return cuMemsetD2D16(fill->at, ROW, 7, ROW / 4, BYTES / ROW);
    default:
        return cuMemsetD2D32(fill->at, ROW, 7, ROW / 8, BYTES / ROW);
    }
}

static CUresult fill_later(const void *argument)
{
    const struct fill *fill = argument;

    switch (fill->form) {
    case 0:
        return cuMemsetD8Async(fill->at, 7, BYTES, stream);
    case 1:
        return cuMemsetD16Async(fill->at, 7, BYTES / 2, stream);
    case 2:
        return cuMemsetD32Async(fill->at, 7, BYTES / 4, stream);
    case 3:
        return cuMemsetD2D8Async(fill->at, ROW, 7, ROW / 2, BYTES / ROW, stream);
    case 4:
        return cuMemsetD2D16Async(fill->at, ROW, 7, ROW / 4, BYTES / ROW, stream);
    default:
        return cuMemsetD2D32Async(fill->at, ROW, 7, ROW / 8, BYTES / ROW, stream);
    }
}

TEST(fills_of_memory_that_the_host_reads_wait)
{
    begin();
    for (int kind = PINNED; kind < KINDS; kind++) {
        bool waits = kind != DEVICE;
        for (unsigned form = 0; form < FILL_FORMS; form++) {
            struct fill fill = {targets[kind], form};
            if (call_waits(fill_now, &fill, NULL, waits) != waits)
                test_fail(__FILE__, __LINE__, "%s, form %u", kind_names[kind], form);
            if (call_waits(fill_later, &fill, stream, false))
                test_fail(__FILE__, __LINE__, "asynchronous, %s, form %u", kind_names[kind], form);
        }
    }
}

TEST(the_host_sees_what_a_fill_wrote)
{
    begin();
    for (int kind = PINNED; kind <= MANAGED; kind++) {
        const unsigned char *bytes = (const unsigned char *)(uintptr_t)targets[kind];
        struct fill fill = {targets[kind], 0};
        memset((void *)(uintptr_t)targets[kind], 1, BYTES);
        check(call_waits(fill_now, &fill, NULL, true));
        check(bytes[0] == 7 && bytes[BYTES - 1] == 7);
    }
}

struct copy {
    CUdeviceptr to, from;
    CUmemcpySrcAccessOrder order;
};

static CUresult copy_linear(const void *argument)
{
    const struct copy *copy = argument;

    return cuMemcpyAsync(copy->to, copy->from, BYTES, stream);
}

static CUresult copy_2d(const void *argument)
{
    const struct copy *copy = argument;
    CUDA_MEMCPY2D box = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = copy->from,
                         .srcPitch = ROW,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = copy->to,
                         .dstPitch = ROW,
                         .WidthInBytes = ROW / 2,
                         .Height = BYTES / ROW};

    return cuMemcpy2DAsync(&box, stream);
}

static CUresult copy_3d(const void *argument)
{
    const struct copy *copy = argument;
    CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = copy->from,
                         .srcPitch = ROW,
                         .srcHeight = BYTES / ROW / 2,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = copy->to,
                         .dstPitch = ROW,
                         .dstHeight = BYTES / ROW / 2,
                         .WidthInBytes = ROW / 2,
                         .Height = 3,
                         .Depth = 2};

    return cuMemcpy3DAsync(&box, stream);
}

static bool copy_waits(enum kind to, enum kind from)
{
    return to == PAGEABLE || (is_host(to) && to != HOST_POOL && is_host(from) && from != HOST_POOL);
}

TEST(asynchronous_copies_between_host_memories_wait)
{
    static CUresult (*const calls[])(const void *) = {copy_linear, copy_2d, copy_3d};

    begin();
    for (int from = 0; from < KINDS; from++) {
        for (int to = 0; to < KINDS; to++) {
            bool waits = copy_waits((enum kind)to, (enum kind)from);
            struct copy copy = {.to = targets[to], .from = sources[from]};
            for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
                if (call_waits(calls[i], &copy, stream, waits) != waits)
                    test_fail(__FILE__, __LINE__, "%s to %s, call %zu", kind_names[from],
                              kind_names[to], i);
            }
        }
    }
}

TEST(the_host_sees_what_a_copy_wrote)
{
    begin();
    for (int from = PAGEABLE; from <= MAPPED; from++) {
        for (int to = PAGEABLE; to <= MAPPED; to++) {
            const unsigned char *bytes = (const unsigned char *)(uintptr_t)targets[to];
            struct copy copy = {.to = targets[to], .from = sources[from]};
            memset((void *)(uintptr_t)targets[to], 1, BYTES);
            memset((void *)(uintptr_t)sources[from], 2 + from, BYTES);
            check(call_waits(copy_linear, &copy, stream, true));
            check(bytes[0] == 2 + from && bytes[BYTES - 1] == 2 + from);
        }
    }
}

static CUresult copy_batch(const void *argument)
{
    const struct copy *copy = argument;
    CUmemcpyAttributes attributes = {.srcAccessOrder = copy->order};
    CUdeviceptr to = copy->to, from = copy->from;
    size_t bytes = BYTES, first = 0;

    return cuMemcpyBatchAsync(&to, &from, &bytes, 1, &attributes, &first, 1, stream);
}

static CUresult copy_box_batch(const void *argument)
{
    const struct copy *copy = argument;
    CUDA_MEMCPY3D_BATCH_OP box = {.src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER},
                                  .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER},
                                  .extent = {ROW, BYTES / ROW, 1},
                                  .srcAccessOrder = copy->order};

    box.src.op.ptr.ptr = copy->from;
    box.dst.op.ptr.ptr = copy->to;
    return cuMemcpy3DBatchAsync(1, &box, 0, stream);
}

/* A linear batch waits to read pageable memory in stream order, and for a source that must be read
 * during the call, unless the host can read it at once. */
static bool batch_waits(const struct copy *copy, enum kind to, enum kind from)
{
    if (copy->order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM)
        return from == PAGEABLE && !is_host(to);
    return copy->order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL && from != PAGEABLE &&
           (to != PAGEABLE || !is_host(from));
}

static bool box_batch_waits(const struct copy *copy, enum kind to, enum kind from)
{
    return copy->order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL || copy_waits(to, from);
}

static void check_batches(const struct copy *copy, enum kind to, enum kind from)
{
    bool waits = batch_waits(copy, to, from), box_waits = box_batch_waits(copy, to, from);

    if (call_waits(copy_batch, copy, stream, waits) != waits)
        test_fail(__FILE__, __LINE__, "linear, order %d, %s to %s", copy->order, kind_names[from],
                  kind_names[to]);
    if (call_waits(copy_box_batch, copy, stream, box_waits) != box_waits)
        test_fail(__FILE__, __LINE__, "boxes, order %d, %s to %s", copy->order, kind_names[from],
                  kind_names[to]);
}

TEST(batches_wait_for_what_is_read_during_the_call)
{
    begin();
    for (int order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM; order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
         order++) {
        for (int from = 0; from < KINDS; from++) {
            for (int to = 0; to < KINDS; to++) {
                struct copy copy = {targets[to], sources[from], (CUmemcpySrcAccessOrder)order};
                check_batches(&copy, (enum kind)to, (enum kind)from);
            }
        }
    }
}
