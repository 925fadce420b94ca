/* SPDX-License-Identifier: MIT */
/*
 * Allocation: slots are made anew with other sizes and flags, freed, freed twice, and asked for in
 * ways that are refused.
 */
#include "random.h"

static size_t size_pick(void)
{
    return chance(70)
               ? WINDOW + (size_t)below(3) * 4096 + below(2) * 100
               : ONE_SIZE_OF(1, 3, 64, 511, 512, 513, 1000, 4096, 5000, 20000, 65535, 1 << 21);
}

static size_t host_size_pick(void)
{
    return WINDOW + (size_t)ONE_OF(0, 1, 100, 4096, 8000, 65536);
}

static CUresult device_make(struct slot *slot)
{
    if (chance(70)) {
        slot->size = size_pick();
        say("cuMemAlloc(%zu)", slot->size);
        return cuda.cuMemAlloc(&slot->ptr, slot->size);
    }
    size_t pitch = UNTOUCHED, width = (size_t)between(1, 2000), rows = (size_t)between(1, 60);
    unsigned element = ONE_OF_TYPE(unsigned, 4u, 8u, 16u);
    say("cuMemAllocPitch(%zu, %zu, %u)", width, rows, element);
    CUresult result = cuda.cuMemAllocPitch(&slot->ptr, &pitch, width, rows, element);
    say(" pitch %zu", pitch);
    slot->size = (width + 511) / 512 * 512 * rows;
    return result;
}

static CUresult pinned_make(struct slot *slot)
{
    void *host = NULL;
    CUresult result;

    slot->size = host_size_pick();
    if (chance(25)) {
        say("cuMemAllocHost(%zu)", slot->size);
        result = cuda.cuMemAllocHost(&host, slot->size);
    } else {
        unsigned flags = below(8);
        say("cuMemHostAlloc(%zu, %u)", slot->size, flags);
        result = cuda.cuMemHostAlloc(&host, slot->size, flags);
    }
    slot->host = host;
    slot->ptr = as_device(host);
    return result;
}

static CUresult registered_make(struct slot *slot)
{
    size_t offset = chance(60) ? 0 : below(8192);
    unsigned flags = chance(85) ? below(4) : 8 | below(4);

    slot->size = host_size_pick();
    slot->read_only = flags >> 3 & 1;
    say("cuMemHostRegister(pages+%zu, %zu, %u)", offset, slot->size, flags);
    CUresult result = cuda.cuMemHostRegister(slot->pages + offset, slot->size, flags);
    slot->host = slot->pages + offset;
    slot->ptr = result ? 0 : as_device(slot->host);
    return result;
}

static CUresult managed_make(struct slot *slot)
{
    unsigned flags = chance(70) ? 1 : 2;

    slot->size = host_size_pick();
    say("cuMemAllocManaged(%zu, %u)", slot->size, flags);
    CUresult result = cuda.cuMemAllocManaged(&slot->ptr, slot->size, flags);
    slot->host = slot->ptr ? as_host(slot->ptr) : NULL;
    return result;
}

static CUresult pooled_make(struct slot *slot)
{
    const char *stream_name, *pool_name;
    CUstream stream = stream_pick(&stream_name);
    CUmemoryPool pool = pool_pick(&pool_name);

    slot->size = size_pick();
    if (chance(50)) {
        say("cuMemAllocAsync(%zu, %s)", slot->size, stream_name);
        return cuda.cuMemAllocAsync(&slot->ptr, slot->size, stream);
    }
    say("cuMemAllocFromPoolAsync(%zu, %s, %s)", slot->size, pool_name, stream_name);
    return cuda.cuMemAllocFromPoolAsync(&slot->ptr, slot->size, pool, stream);
}

static CUresult virtual_make(struct slot *slot)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAccessDesc access = {.location = prop.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUresult result;

    prop.requestedHandleTypes = ONE_OF(0, 1);
    slot->size = (size_t)between(1, 2) << 21;
    say("map memory(%zu, handle types %d)", slot->size, prop.requestedHandleTypes);
    if ((result = cuda.cuMemCreate(&slot->handle, slot->size, &prop, 0)))
        return result;
    if ((result = cuda.cuMemAddressReserve(&slot->ptr, slot->size, 0, 0, 0)))
        return result;
    if ((result = cuda.cuMemMap(slot->ptr, slot->size, 0, slot->handle, 0)))
        return result;
    return cuda.cuMemSetAccess(slot->ptr, slot->size, &access, 1);
}

static CUresult slot_free(struct slot *slot)
{
    const char *name = "null";
    CUstream stream;
    CUresult result;

    switch (slot->kind) {
    case DEVICE:
    case MANAGED:
        say("cuMemFree(%s)", slot_text(slot, 0));
        return cuda.cuMemFree(slot->ptr);
    case PINNED:
        say("cuMemFreeHost(%s)", slot_text(slot, 0));
        return cuda.cuMemFreeHost(slot->host);
    case REGISTERED:
        say("cuMemHostUnregister(%s)", slot_text(slot, 0));
        return cuda.cuMemHostUnregister(slot->host);
    case POOLED:
        stream = stream_pick(&name);
        if (chance(20)) {
            say("cuMemFree(%s)", slot_text(slot, 0));
            return cuda.cuMemFree(slot->ptr);
        }
        say("cuMemFreeAsync(%s, %s)", slot_text(slot, 0), name);
        return cuda.cuMemFreeAsync(slot->ptr, stream);
    case VIRTUAL:
        say("unmap(%s)", slot_text(slot, 0));
        if ((result = cuda.cuMemUnmap(slot->ptr, slot->size)) ||
            (result = cuda.cuMemAddressFree(slot->ptr, slot->size)))
            return result;
        return cuda.cuMemRelease(slot->handle);
    case PAGEABLE:
        break;
    }
    return CUDA_SUCCESS;
}

static CUresult slot_make(struct slot *slot)
{
    CUresult result = CUDA_SUCCESS;

    slot->ptr = 0;
    slot->live = 1;
    switch (slot->kind) {
    case DEVICE:
        result = device_make(slot);
        break;
    case PINNED:
        result = pinned_make(slot);
        break;
    case REGISTERED:
        result = registered_make(slot);
        break;
    case MANAGED:
        result = managed_make(slot);
        break;
    case POOLED:
        result = pooled_make(slot);
        break;
    case VIRTUAL:
        result = virtual_make(slot);
        break;
    case PAGEABLE:
        slot->host = slot->pages;
        slot->ptr = as_device(slot->pages);
        slot->size = WINDOW;
        break;
    }
    if (result)
        slot->ptr = 0;
    unsigned pattern = below(1000);
    main_settle();
    slot_fill(slot, pattern);
    return result;
}

void memory_begin(void)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        random_setup("memory", i);
        if (slots[i].kind == REGISTERED || slots[i].kind == PAGEABLE) {
            slots[i].pages = mmap(NULL, WINDOW + 4 * OVERRUN, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memset(slots[i].pages, 0x33, WINDOW + 4 * OVERRUN);
        }
        answer(slot_make(&slots[i]), "%s", slots[i].ptr ? "made" : "none");
        say("\n");
    }
}

static void op_make(void)
{
    struct slot *slot = &slots[below(SLOTS - 2)];

    if (slot->live && slot->ptr) {
        CUresult result = slot_free(slot);
        say(" %s, ", result_name(result));
        cuda.cuCtxSynchronize();
    }
    CUresult result = slot_make(slot);
    answer(result, "%s", slot->ptr ? "made" : "none");
}

static void op_free(void)
{
    struct slot *slot = &slots[below(SLOTS - 2)];
    int twice = chance(50);

    if (!slot->live || !slot->ptr)
        return skip();
    slot->live = 0;
    CUresult result = slot_free(slot);
    if (twice) {
        cuda.cuCtxSynchronize();
        say(" %s, again ", result_name(result));
        result = slot_free(slot);
    }
    slot->ptr = 0;
    answer(result, "%s", "");
}

/* A free that does not fit: an address inside, memory of another kind, nothing. */
static void op_free_wrong(void)
{
    struct slot *slot = slot_pick(ANY_KIND, NULL);
    size_t offset = ONE_SIZE_OF(0, 1, 512, 4096);
    unsigned how = below(5);
    CUdeviceptr ptr = slot->ptr + offset;
    unsigned right = (unsigned[]){9, 2, 4, 9, 9, 0, 0}[slot->kind];

    if (!slot->ptr)
        return skip();
    if (!offset && right >> how & 1)
        ptr += 16;
    if (slot->kind == POOLED && how == 0)
        how = 1;
    say("wrong %s of %s",
        (const char *[]){"cuMemFree", "cuMemFreeHost", "cuMemHostUnregister", "cuMemFreeAsync",
                         "cuMemFree(0)"}[how],
        slot_text(slot, ptr - slot->ptr));
    CUresult result = how == 0   ? cuda.cuMemFree(ptr)
                      : how == 1 ? cuda.cuMemFreeHost(as_host(ptr))
                      : how == 2 ? cuda.cuMemHostUnregister(as_host(ptr))
                      : how == 3 ? cuda.cuMemFreeAsync(ptr, streams[0])
                                 : cuda.cuMemFree(0);
    answer(result, "%s", "");
    if (!result && how < 4) {
        slot->ptr = 0;
        slot->live = 0;
    }
}

/* Allocations that are refused, or are given back at once. */
static void op_alloc_odd(void)
{
    CUdeviceptr ptr = UNTOUCHED;
    void *host = as_host(UNTOUCHED);
    size_t size = ONE_SIZE_OF(0, 1, 4096, (size_t)1 << 50, SIZE_MAX);
    unsigned flags = ONE_OF_TYPE(unsigned, 0u, 1u, 2u, 3u, 4u, 8u, 16u, 0x20u, 0x40u, ~0u);
    size_t pitch = UNTOUCHED, width = ONE_SIZE_OF(0, 1, 100, 1 << 20);
    CUresult result;

    switch (below(6)) {
    case 0:
        say("cuMemAlloc(%zx)", size);
        answer(result = cuda.cuMemAlloc(&ptr, size), "%s", out_state(ptr));
        if (!result)
            cuda.cuMemFree(ptr);
        break;
    case 1:
        say("cuMemHostAlloc(%zx, %x)", size, flags);
        answer(result = cuda.cuMemHostAlloc(&host, size, flags), "%s", out_state(host));
        if (!result)
            cuda.cuMemFreeHost(host);
        break;
    case 2:
        say("cuMemAllocManaged(%zx, %x)", size, flags);
        if (size > 4096 && flags && flags < 3)
            size = 0;
        answer(result = cuda.cuMemAllocManaged(&ptr, size, flags), "%s", out_state(ptr));
        if (!result)
            cuda.cuMemFree(ptr);
        break;
    case 3:
        if (flags == ~0u)
            flags = 4;
        say("cuMemAllocPitch(%zu, %u, %u)", width, flags / 2, flags);
        answer(result = cuda.cuMemAllocPitch(&ptr, &pitch, width, flags / 2, flags), "%s pitch %s",
               out_state(ptr), pitch == UNTOUCHED ? "-" : format("%zu", pitch));
        if (!result)
            cuda.cuMemFree(ptr);
        break;
    case 4:
        say("cuMemAllocHost(%zx)", size);
        answer(result = cuda.cuMemAllocHost(&host, size), "%s", out_state(host));
        if (!result)
            cuda.cuMemFreeHost(host);
        break;
    default: {
        struct slot *slot = &slots[6 + below(2)];
        size_t offset = below(3) * 4096;
        if (!slot->live || !slot->ptr)
            return skip();
        size = ONE_SIZE_OF(0, 1, 4096, 100000);
        say("cuMemHostRegister(pages %d+%zu, %zu, %x)", (int)(slot - slots), offset, size, flags);
        result = cuda.cuMemHostRegister(slot->pages + offset, size, flags);
        answer(result, "%s", "");
        if (!result)
            cuda.cuMemHostUnregister(slot->pages + offset);
    }
    }
}

const struct operation memory_operations[] = {
    {8, op_make, 1}, {2, op_free, 1}, {3, op_free_wrong, 0}, {3, op_alloc_odd, 0}, {0, NULL, 0}};
