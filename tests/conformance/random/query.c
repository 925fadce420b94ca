/* SPDX-License-Identifier: MIT */
/*
 * Questions about addresses: ranges, attributes, flags, access, advice, and handles to share.
 */
#include "random.h"

CUmemLocation location_pick(void)
{
    CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

    if (chance(40)) {
        location.type = ONE_OF(0, 1, 2, 3, 4, 5);
        location.id = ONE_OF(0, 0, 1, -1, 7);
    }
    return location;
}

static const char *location_text(CUmemLocation location)
{
    return format("{%d, %d}", (int)location.type, location.id);
}

/* Mostly a live slot, at its start or inside; else an address that is nobody's. */
static struct slot *somewhere(size_t *offset, CUdeviceptr *ptr)
{
    struct slot *slot = slot_pick(ANY_KIND, NULL);

    *offset = chance(60) ? 0 : below((unsigned)slot->size);
    if (chance(5)) {
        *ptr = ONE_SIZE_OF(0, 8, GARBAGE_ADDRESS, SIZE_MAX);
        say("(%llx) ", *ptr);
    } else {
        *ptr = slot->ptr + *offset;
        say("(%s) ", slot_text(slot, *offset));
    }
    return slot;
}

static void op_range(void)
{
    size_t offset, size = UNTOUCHED;
    CUdeviceptr base = UNTOUCHED, ptr;
    unsigned outputs = chance(80) ? 3 : below(4);

    say("cuMemGetAddressRange %u", outputs);
    struct slot *slot = somewhere(&offset, &ptr);
    if (!slot->ptr)
        return skip();
    CUresult result =
        cuda.cuMemGetAddressRange(outputs & 1 ? &base : NULL, outputs & 2 ? &size : NULL, ptr);
    answer(result, "%s %s", address_text(base), size == UNTOUCHED ? "-" : format("%zu", size));
}

static const char *attribute_text(int attribute, const uint64_t *value)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return !*value                              ? "none"
               : *value == (uintptr_t)main_context  ? "main"
               : *value == (uintptr_t)other_context ? "other"
               : *value == UNTOUCHED                ? "-"
                                                    : "?";
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return address_text(*value);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return *value == UNTOUCHED ? "-" : pool_text((CUmemoryPool)(uintptr_t)*value);
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        return out_state(*value);
    default:
        return *value == UNTOUCHED ? "-" : format("%llx", (unsigned long long)*value);
    }
}

/* Outputs are as wide as the attribute asks; the upper part keeps what it held. */
static void op_attribute(void)
{
    size_t offset;
    CUdeviceptr ptr;
    uint64_t value[4] = {UNTOUCHED, UNTOUCHED, 0, 0};
    int attribute = chance(95) ? between(1, 21) : ONE_OF(0, 22, -1);

    say("cuPointerGetAttribute %d", attribute);
    struct slot *slot = somewhere(&offset, &ptr);
    if (!slot->ptr)
        return skip();
    CUresult result = cuda.cuPointerGetAttribute(value, (CUpointer_attribute)attribute, ptr);
    answer(result, "%s", attribute_text(attribute, value));
}

static void op_attributes(void)
{
    size_t offset;
    CUdeviceptr ptr;
    uint64_t value[4][4] = {{UNTOUCHED}, {UNTOUCHED}, {UNTOUCHED}, {UNTOUCHED}};
    CUpointer_attribute attributes[4];
    void *data[4];
    unsigned count = (unsigned)between(1, 4);

    say("cuPointerGetAttributes");
    for (unsigned i = 0; i < count; i++) {
        attributes[i] = (CUpointer_attribute)(chance(97) ? between(1, 21) : ONE_OF(0, 22, -1));
        data[i] = value[i];
        say(" %d", (int)attributes[i]);
    }
    struct slot *slot = somewhere(&offset, &ptr);
    if (!slot->ptr)
        return skip();
    CUresult result = cuda.cuPointerGetAttributes(count, attributes, data, ptr);
    answer(result, "%s", "");
    for (unsigned i = 0; i < count; i++)
        say(" %s", attribute_text((int)attributes[i], value[i]));
}

static void op_set_attribute(void)
{
    size_t offset;
    CUdeviceptr ptr;
    int value = (int)below(2);
    int attribute = chance(80) ? CU_POINTER_ATTRIBUTE_SYNC_MEMOPS : between(0, 22);

    say("cuPointerSetAttribute %d", attribute);
    struct slot *slot = somewhere(&offset, &ptr);
    if (!slot->ptr)
        return skip();
    answer(cuda.cuPointerSetAttribute(&value, (CUpointer_attribute)attribute, ptr), "%s", "");
}

static void op_host_flags(void)
{
    size_t offset;
    CUdeviceptr ptr, mapped = UNTOUCHED;
    unsigned flags = 99, wish = chance(90) ? 0 : below(3);
    int which = chance(50);

    say("%s %u", which ? "cuMemHostGetFlags" : "cuMemHostGetDevicePointer", wish);
    struct slot *slot = slot_pick(chance(80) ? HOST_KINDS : ANY_KIND, NULL);
    offset = chance(60) ? 0 : below((unsigned)slot->size);
    ptr = slot->ptr + offset;
    say("(%s)", slot_text(slot, offset));
    if (!slot->ptr)
        return skip();
    if (which)
        return answer(cuda.cuMemHostGetFlags(&flags, as_host(ptr)), "%u", flags);
    CUresult result = cuda.cuMemHostGetDevicePointer(&mapped, as_host(ptr), wish);
    answer(result, "%s", address_text(mapped));
}

static void op_access(void)
{
    size_t offset;
    CUdeviceptr ptr;
    CUmemLocation location = location_pick();
    unsigned long long flags = 99;

    say("cuMemGetAccess %s", location_text(location));
    struct slot *slot = somewhere(&offset, &ptr);
    if (!slot->ptr)
        return skip();
    CUresult result = cuda.cuMemGetAccess(&flags, &location, ptr);
    answer(result, "%llu", flags);
}

static void op_retain(void)
{
    size_t offset;
    CUdeviceptr ptr;
    CUmemGenericAllocationHandle handle = UNTOUCHED;

    say("cuMemRetainAllocationHandle");
    struct slot *slot = somewhere(&offset, &ptr);
    if (!slot->ptr)
        return skip();
    CUresult result = cuda.cuMemRetainAllocationHandle(&handle, as_host(ptr));
    answer(result, "%s", handle == slot->handle && handle ? "same" : out_state(handle));
    if (!result)
        cuda.cuMemRelease(handle);
}

static void op_ipc(void)
{
    size_t offset;
    CUdeviceptr ptr;
    CUipcMemHandle handle;

    memset(&handle, 0, sizeof handle);
    say("cuIpcGetMemHandle");
    struct slot *slot = somewhere(&offset, &ptr);
    if (!slot->ptr)
        return skip();
    CUresult result = cuda.cuIpcGetMemHandle(&handle, ptr);
    answer(result, "%s", "");
    if (!result) {
        CUdeviceptr opened = UNTOUCHED;
        say(" open %s", result_name(cuda.cuIpcOpenMemHandle(&opened, handle, below(2))));
        say(" %s", opened == UNTOUCHED ? "kept" : "set");
    }
}

static void op_range_handle(void)
{
    CUdeviceptr ptr;
    size_t offset, size = ONE_SIZE_OF(0, 4096, 65536, 1 << 21, 100);
    int file = -77, type = chance(90) ? 1 : (int)below(4);
    unsigned long long flags = chance(90) ? 0 : below(3);

    say("cuMemGetHandleForAddressRange %zu %d %llu", size, type, flags);
    struct slot *slot = somewhere(&offset, &ptr);
    if (!slot->ptr)
        return skip();
    CUresult result =
        cuda.cuMemGetHandleForAddressRange(&file, ptr, size, (CUmemRangeHandleType)type, flags);
    answer(result, "%s", file == -77 ? "kept" : file >= 0 ? "file" : "none");
    if (!result && file >= 0)
        close(file);
}

static struct slot *managed_somewhere(CUdeviceptr *ptr, size_t *size)
{
    struct slot *slot = slot_pick(chance(85) ? MASK(MANAGED) : ANY_KIND, NULL);

    if (!slot)
        slot = &slots[SLOTS - 1];
    size_t offset = ONE_SIZE_OF(0, 0, 4096, 100),
           most = slot->size > offset ? slot->size - offset : 1;
    *size = chance(40)   ? most
            : chance(10) ? 0
            : chance(10) ? most + 1000000
                         : 1 + below((unsigned)most);
    *ptr = slot->ptr + offset;
    say("(%s, %zu) ", slot_text(slot, offset), *size);
    return slot;
}

static void op_advise(void)
{
    CUdeviceptr ptr;
    size_t size;
    int advice = chance(95) ? between(1, 6) : ONE_OF(0, 7, 99);
    CUmemLocation location = location_pick();

    say("cuMemAdvise %d %s", advice, location_text(location));
    struct slot *slot = managed_somewhere(&ptr, &size);
    if (!slot->ptr)
        return skip();
    answer(cuda.cuMemAdvise(ptr, size, (CUmem_advise)advice, location), "%s", "");
}

static void op_prefetch(void)
{
    CUdeviceptr ptr;
    size_t size;
    const char *name;
    CUstream stream = stream_pick(&name);
    CUmemLocation location = location_pick();
    unsigned flags = chance(95) ? 0 : 1;

    say("cuMemPrefetchAsync %s %u %s", location_text(location), flags, name);
    struct slot *slot = managed_somewhere(&ptr, &size);
    if (!slot->ptr)
        return skip();
    answer(cuda.cuMemPrefetchAsync(ptr, size, location, flags, stream), "%s", "");
    if (succeeded())
        say(" %08x", slot_hash(slot));
}

/* What was discarded is undefined: the slot is filled anew. */
static void op_discard(void)
{
    CUdeviceptr ptr;
    size_t size;
    const char *name;
    CUstream stream = stream_pick(&name);
    int prefetch = chance(50);
    CUmemLocation location = location_pick();
    size_t index = chance(95) ? 0 : 1;

    say("%s %s %s %zu", prefetch ? "cuMemDiscardAndPrefetchBatchAsync" : "cuMemDiscardBatchAsync",
        location_text(location), name, index);
    struct slot *slot = managed_somewhere(&ptr, &size);
    if (!slot->ptr)
        return skip();
    answer(prefetch ? cuda.cuMemDiscardAndPrefetchBatchAsync(&ptr, &size, 1, &location, &index, 1,
                                                             0, stream)
                    : cuda.cuMemDiscardBatchAsync(&ptr, &size, 1, 0, stream),
           "%s", "");
    main_settle();
    slot_fill(slot, 7);
}

static void op_prefetch_batch(void)
{
    CUdeviceptr ptrs[3];
    size_t sizes[3], indices[3] = {0, 1, 2};
    CUmemLocation locations[3];
    const char *name;
    CUstream stream = stream_pick(&name);
    size_t count = (size_t)between(1, 3), location_count = 1 + below((unsigned)count);
    struct slot *slot = NULL;
    int missing = 0;

    if (chance(5))
        indices[0] = 1;
    say("cuMemPrefetchBatchAsync %zu %s first %zu", location_count, name, indices[0]);
    for (size_t i = 0; i < count; i++) {
        slot = managed_somewhere(&ptrs[i], &sizes[i]);
        missing |= !slot->ptr;
        locations[i] = location_pick();
        say("%s ", location_text(locations[i]));
    }
    if (missing)
        return skip();
    answer(cuda.cuMemPrefetchBatchAsync(ptrs, sizes, count, locations, indices, location_count, 0,
                                        stream),
           "%s", "");
    if (succeeded())
        say(" %08x", slot_hash(slot));
}

static void op_range_attribute(void)
{
    CUdeviceptr ptr;
    size_t size;
    int attribute = chance(95) ? between(1, 8) : ONE_OF(0, 9, 99);
    size_t bytes = chance(90) ? 4 : ONE_OF(0, 3, 8, 12);
    int value[4] = {-77, -77, -77, -77};

    say("cuMemRangeGetAttribute %d %zu", attribute, bytes);
    struct slot *slot = managed_somewhere(&ptr, &size);
    if (!slot->ptr)
        return skip();
    CUresult result =
        cuda.cuMemRangeGetAttribute(value, bytes, (CUmem_range_attribute)attribute, ptr, size);
    answer(result, "%d %d %d", value[0], value[1], value[2]);
}

static void op_attach(void)
{
    CUdeviceptr ptr;
    size_t size;
    const char *name;
    CUstream stream = stream_pick(&name);
    unsigned flags = chance(80) ? ONE_OF_TYPE(unsigned, 1u, 2u, 4u) : ONE_OF_TYPE(unsigned, 3u, 8u);

    say("cuStreamAttachMemAsync %s %u", name, flags);
    struct slot *slot = managed_somewhere(&ptr, &size);
    size = chance(70) ? 0 : size;
    say("length %zu", size);
    if (!slot->ptr)
        return skip();
    answer(cuda.cuStreamAttachMemAsync(stream, ptr, size, flags), "%s", "");
}

const struct operation query_operations[] = {{4, op_range, 0},           {8, op_attribute, 0},
                                             {3, op_attributes, 0},      {2, op_set_attribute, 0},
                                             {6, op_host_flags, 0},      {6, op_access, 0},
                                             {2, op_retain, 0},          {3, op_ipc, 0},
                                             {2, op_range_handle, 0},    {4, op_advise, 0},
                                             {4, op_prefetch, 0},        {2, op_prefetch_batch, 0},
                                             {4, op_range_attribute, 0}, {2, op_attach, 0},
                                             {2, op_discard, 0},         {0, NULL, 0}};
