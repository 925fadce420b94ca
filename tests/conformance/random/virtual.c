/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory: reservations of PAGES pages and handles of one or two, mapped, unmapped and given
 * access at random; sharing handles as files, and importing those as external memory.
 */
#include "random.h"

enum { PAGE = 1 << 21, PAGES = 4, RESERVATIONS = 2, HANDLES = 3 };

static CUdeviceptr reservations[RESERVATIONS];
static CUmemGenericAllocationHandle handles[HANDLES];
static size_t handle_sizes[HANDLES];

static CUmemAllocationProp prop_pick(int odd)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

    prop.requestedHandleTypes = ONE_OF(0, 1, 1);
    if (odd) {
        prop.location = location_pick();
        prop.type = (CUmemAllocationType)ONE_OF(0, 1, 1, 1, 2, 3);
        prop.requestedHandleTypes = ONE_OF(0, 1, 2, 4, 8, 9, 16);
        prop.allocFlags.compressionType = (unsigned char)(chance(80) ? 0 : below(3));
        prop.allocFlags.gpuDirectRDMACapable = (unsigned char)(chance(80) ? 0 : below(3));
        prop.allocFlags.usage = (unsigned short)(chance(80) ? 0 : below(4));
    }
    return prop;
}

static const char *prop_text(const CUmemAllocationProp *prop)
{
    return format("type %d files %d at %d:%d flags %d %d %d", (int)prop->type,
                  (int)prop->requestedHandleTypes, (int)prop->location.type, prop->location.id,
                  prop->allocFlags.compressionType, prop->allocFlags.gpuDirectRDMACapable,
                  prop->allocFlags.usage);
}

void virtual_begin(void)
{
    for (unsigned i = 0; i < RESERVATIONS; i++)
        if (cuda.cuMemAddressReserve(&reservations[i], PAGES * (size_t)PAGE, 0, 0, 0))
            reservations[i] = 0;
    for (unsigned i = 0; i < HANDLES; i++) {
        random_setup("handle", i);
        CUmemAllocationProp prop = prop_pick(0);
        handle_sizes[i] = (size_t)between(1, 2) * PAGE;
        answer(cuda.cuMemCreate(&handles[i], handle_sizes[i], &prop, 0), "%s\n", prop_text(&prop));
    }
}

static void op_map(void)
{
    unsigned reservation = below(RESERVATIONS), handle = below(HANDLES), page = below(PAGES);
    size_t size = chance(90) ? handle_sizes[handle] : ONE_SIZE_OF(0, PAGE, 3 * PAGE, 4096);
    size_t offset = chance(85) ? 0 : ONE_SIZE_OF(PAGE, 4096),
           at = page * (size_t)PAGE + (chance(95) ? 0 : 4096);
    unsigned long long flags = chance(97) ? 0 : 1;

    /* What lies behind a reservation is an accident of the driver's layout. */
    while (at + size > PAGES * (size_t)PAGE && at >= PAGE)
        at -= PAGE;
    say("cuMemMap(r%u+%zu, %zu, %zu, h%u/%zu, %llu)", reservation, at, size, offset, handle,
        handle_sizes[handle], flags);
    if (!reservations[reservation] || !handles[handle])
        return skip();
    answer(cuda.cuMemMap(reservations[reservation] + at, size, offset, handles[handle], flags),
           "%s", "");
}

static void op_unmap(void)
{
    unsigned reservation = below(RESERVATIONS), page = below(PAGES);
    size_t at = page * (size_t)PAGE + (chance(95) ? 0 : 4096);
    size_t size =
        chance(95) ? (size_t)between(1, (int)(PAGES - page)) * PAGE : ONE_SIZE_OF(0, 4096);

    say("cuMemUnmap(r%u+%zu, %zu)", reservation, at, size);
    if (!reservations[reservation])
        return skip();
    answer(cuda.cuMemUnmap(reservations[reservation] + at, size), "%s", "");
}

static void op_set_access(void)
{
    unsigned reservation = below(RESERVATIONS), page = below(PAGES);
    size_t at = page * (size_t)PAGE, size = (size_t)between(1, (int)(PAGES - page)) * PAGE;
    CUmemAccessDesc access = {.location = location_pick(),
                              .flags =
                                  (CUmemAccess_flags)(chance(90) ? ONE_OF(0, 1, 3) : ONE_OF(2, 4))};
    size_t count = chance(95) ? 1 : 0;

    say("cuMemSetAccess(r%u+%zu, %zu, %d:%d %d, %zu)", reservation, at, size,
        (int)access.location.type, access.location.id, (int)access.flags, count);
    if (!reservations[reservation])
        return skip();
    answer(cuda.cuMemSetAccess(reservations[reservation] + at, size, &access, count), "%s", "");
}

static void op_get_access(void)
{
    unsigned reservation = below(RESERVATIONS);
    size_t at = below(PAGES) * (size_t)PAGE + (chance(50) ? 0 : below(PAGE));
    CUmemLocation location = location_pick();
    unsigned long long flags = 99;

    say("cuMemGetAccess(r%u+%zu, %d:%d)", reservation, at, (int)location.type, location.id);
    if (!reservations[reservation])
        return skip();
    CUresult result = cuda.cuMemGetAccess(&flags, &location, reservations[reservation] + at);
    answer(result, "%llu", flags);
}

static void op_page_ask(void)
{
    unsigned reservation = below(RESERVATIONS), which = below(3);
    size_t at = below(PAGES) * (size_t)PAGE + (chance(50) ? 0 : below(PAGE)), size = UNTOUCHED;
    CUdeviceptr base = UNTOUCHED, ptr = reservations[reservation] + at;
    CUmemGenericAllocationHandle handle = UNTOUCHED;
    int attribute = between(1, 21);
    uint64_t value[4] = {UNTOUCHED};

    say("%s(r%u+%zu) %d",
        (const char *[]){"cuMemGetAddressRange", "cuMemRetainAllocationHandle",
                         "cuPointerGetAttribute"}[which],
        reservation, at, attribute);
    if (!reservations[reservation])
        return skip();
    if (which == 0) {
        CUresult result = cuda.cuMemGetAddressRange(&base, &size, ptr);
        return answer(result, "%lld %zu",
                      base == UNTOUCHED ? -1
                      : !base           ? -2
                                        : (long long)(base - reservations[reservation]),
                      size == UNTOUCHED ? 0 : size);
    }
    if (which == 1) {
        CUresult result = cuda.cuMemRetainAllocationHandle(&handle, as_host(ptr));
        unsigned index = 0;
        while (index < HANDLES && handles[index] != handle)
            index++;
        answer(result, "h%u", index);
        if (!result)
            cuda.cuMemRelease(handle);
        return;
    }
    CUresult result = cuda.cuPointerGetAttribute(value, (CUpointer_attribute)attribute, ptr);
    if (value[0] - reservations[reservation] < PAGES * (size_t)PAGE)
        answer(result, "r+%llx", (unsigned long long)value[0] - reservations[reservation]);
    else
        answer(result, "%s",
               attribute == 1 || attribute == 5 || attribute == 7 || attribute == 20
                   ? out_state(value[0])
                   : format("%llx", (unsigned long long)value[0]));
}

/* A handle is released and made anew; what is mapped stays. */
static void op_handle(void)
{
    unsigned index = below(HANDLES);
    int odd = chance(30);
    CUmemAllocationProp prop = prop_pick(odd);
    size_t size = (size_t)between(1, 2) * PAGE;
    unsigned long long flags = chance(97) ? 0 : 1;
    CUmemGenericAllocationHandle handle = UNTOUCHED;

    if (odd) {
        size = chance(85) ? size : ONE_SIZE_OF(0, 4096, 1000);
        say("odd cuMemCreate(%zu, %s, %llu)", size, prop_text(&prop), flags);
        CUresult result = cuda.cuMemCreate(&handle, size, &prop, flags);
        answer(result, "%s", out_state(handle));
        if (!result)
            cuda.cuMemRelease(handle);
        return;
    }
    say("cuMemRelease(h%u)", index);
    if (handles[index])
        say(" %s", result_name(cuda.cuMemRelease(handles[index])));
    handle_sizes[index] = size;
    say(", cuMemCreate(%zu, %s)", size, prop_text(&prop));
    CUresult result = cuda.cuMemCreate(&handles[index], size, &prop, 0);
    if (result)
        handles[index] = 0;
    answer(result, "%s", "");
}

static void op_handle_ask(void)
{
    unsigned index = below(HANDLES), which = below(2), option = below(3);
    CUmemAllocationProp prop = prop_pick(1), got;
    size_t size = UNTOUCHED;

    if (which) {
        say("cuMemGetAllocationGranularity(%s, %u)", prop_text(&prop), option);
        CUresult result = cuda.cuMemGetAllocationGranularity(
            &size, &prop, (CUmemAllocationGranularity_flags)option);
        return answer(result, "%lld", size == UNTOUCHED ? -1 : (long long)size);
    }
    memset(&got, 0, sizeof got);
    say("cuMemGetAllocationPropertiesFromHandle(h%u)", index);
    if (!handles[index])
        return skip();
    CUresult result = cuda.cuMemGetAllocationPropertiesFromHandle(&got, handles[index]);
    answer(result, "%s", prop_text(&got));
}

static void op_reserve(void)
{
    CUdeviceptr ptr = UNTOUCHED;
    size_t size =
        chance(70) ? (size_t)between(1, 8) * PAGE : ONE_SIZE_OF(0, 4096, 65536, 3 * 1000 * 1000);
    size_t alignment = chance(60) ? 0 : ONE_SIZE_OF(1, 3, 4096, PAGE, 8 * PAGE, 64 * PAGE);
    unsigned long long flags = chance(95) ? 0 : 1;
    size_t wrong = chance(70) ? size : ONE_SIZE_OF(0, PAGE, 4096);

    say("cuMemAddressReserve(%zu, %zx, %llu)", size, alignment, flags);
    CUresult result = cuda.cuMemAddressReserve(&ptr, size, alignment, 0, flags);
    answer(result, "%s",
           ptr == UNTOUCHED                       ? "kept"
           : ptr % (alignment ? alignment : PAGE) ? "odd"
                                                  : "set");
    if (result)
        return;
    say(" free %zu %s", wrong, result_name(result = cuda.cuMemAddressFree(ptr, wrong)));
    if (result)
        cuda.cuMemAddressFree(ptr, size);
}

static void op_export(void)
{
    unsigned index = below(HANDLES), flags = chance(95) ? 0 : 1;
    int type = chance(80) ? 1 : ONE_OF(0, 2, 8), file = -77;
    CUmemGenericAllocationHandle handle = UNTOUCHED;
    CUmemFabricHandle fabric;
    void *out = type == 8 ? (void *)&fabric : (void *)&file;

    say("cuMemExportToShareableHandle(h%u, %d, %u)", index, type, flags);
    if (!handles[index])
        return skip();
    CUresult result = cuda.cuMemExportToShareableHandle(out, handles[index],
                                                        (CUmemAllocationHandleType)type, flags);
    answer(result, "%s", file == -77 ? "kept" : "file");
    if (result || type != 1)
        return;
    result = cuda.cuMemImportFromShareableHandle(&handle, as_host((CUdeviceptr)file),
                                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    say(" import %s %s", result_name(result),
        handle == handles[index] ? "same" : out_state(handle));
    if (!result)
        cuda.cuMemRelease(handle);
    close(file);
}

/* External memory from a handle's file, or from what is no memory. */
static void op_external(void)
{
    unsigned index = below(HANDLES);
    int good = chance(70), file = -1;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC d;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer;
    CUexternalMemory memory = (CUexternalMemory)as_host(UNTOUCHED);
    CUdeviceptr ptr = UNTOUCHED;

    memset(&d, 0, sizeof d);
    memset(&buffer, 0, sizeof buffer);
    d.type = (CUexternalMemoryHandleType)(good ? 1 : ONE_OF(0, 1, 2, 3, 4, 5, 8, 9, 10));
    d.size = chance(80) ? handle_sizes[index] : ONE_SIZE_OF(0, 4096, PAGE, 8 * PAGE);
    d.flags = chance(85) ? 0 : ONE_OF_TYPE(unsigned, 1u, 2u, 4u);
    buffer.offset = chance(60) ? 0 : ONE_SIZE_OF(PAGE, 4096, 100, 65536);
    buffer.size = chance(60) ? d.size : ONE_SIZE_OF(0, 4096, PAGE, 100);
    buffer.flags = chance(95) ? 0 : 1;
    say("cuImportExternalMemory(%s h%u, type %d, %llu, %u; %llu, %llu, %u)",
        good ? "file of" : "no file of", index, (int)d.type, d.size, d.flags, buffer.offset,
        buffer.size, buffer.flags);
    if (!handles[index])
        return skip();
    if (good && cuda.cuMemExportToShareableHandle(&file, handles[index],
                                                  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
        file = -1;
    if (d.type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD ||
        d.type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF)
        d.handle.fd = file;
    CUresult result = cuda.cuImportExternalMemory(&memory, &d);
    answer(result, "%s", out_state(memory));
    if (result) {
        if (file >= 0)
            close(file);
        return;
    }
    result = cuda.cuExternalMemoryGetMappedBuffer(&ptr, memory, &buffer);
    say(" buffer %s %s", result_name(result), out_state(ptr));
    if (!result) {
        CUdeviceptr base = UNTOUCHED;
        size_t size = UNTOUCHED;
        say(" range %s", result_name(cuda.cuMemGetAddressRange(&base, &size, ptr)));
        say(" %lld %zu", (long long)(base - ptr), size);
        say(" free %s", result_name(cuda.cuMemFree(ptr)));
    }
    say(" destroy %s", result_name(cuda.cuDestroyExternalMemory(memory)));
}

const struct operation virtual_operations[] = {
    {6, op_map, 0},      {4, op_unmap, 0},    {5, op_set_access, 0}, {3, op_get_access, 0},
    {4, op_page_ask, 0}, {3, op_handle, 1},   {3, op_handle_ask, 0}, {2, op_reserve, 0},
    {2, op_export, 0},   {2, op_external, 0}, {0, NULL, 0}};
