/* SPDX-License-Identifier: MIT */
/* Forged IPC handles. A handle of memory or of an event is 64 bytes that a program may change. A
 * million changed handles open nothing: handles with 2 to 64 wrong bits anywhere or in one word,
 * and handles combined from two valid ones. Valid handles still open. All of this is tested before
 * and after the object has been opened, because the two cases use different code. */
#include "peer.h"

#define FD_TYPE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

enum {
    OPEN = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS,
    LIVE = 8,
    MEMORY_FORGED = 400000,
    EVENTS_FORGED = 300000,
    POINTERS_FORGED = 300000,
    WORDS = 8,
};

union name {
    uint64_t words[WORDS];
    CUipcMemHandle memory;
    CUipcEventHandle event;
    CUmemPoolPtrExportData pointer;
};

_Static_assert(sizeof(union name) == 64, "all of them have 64 bytes");

static uint64_t random_state = 88172645463325252u;

static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void flip(union name *name, unsigned bit)
{
    name->words[bit / 64] ^= (uint64_t)1 << bit % 64;
}

/* Bits may be drawn twice, and fall back. */
static union name forge(const union name live[LIVE])
{
    union name forged = live[draw() % LIVE], other = live[draw() % LIVE];
    unsigned bits = 2 + (unsigned)(draw() % 63), word = (unsigned)(draw() % WORDS);

    switch (draw() % 4) {
    case 0:
        for (unsigned i = 0; i < bits; i++)
            flip(&forged, (unsigned)(draw() % 512));
        break;
    case 1:
        for (unsigned i = 0; i < bits; i++)
            flip(&forged, 64 * word + (unsigned)(draw() % 64));
        break;
    case 2:
        flip(&forged, 64 * word + (unsigned)(draw() % 64));
        flip(&forged, 64 * (unsigned)(draw() % WORDS) + (unsigned)(draw() % 64));
        break;
    default:
        for (unsigned i = 0, which = (unsigned)draw(); i < WORDS; i++)
            forged.words[i] = which >> i & 1 ? other.words[i] : forged.words[i];
    }
    return forged;
}

static bool is_right(const union name *name, const union name live[LIVE])
{
    for (int i = 0; i < LIVE; i++)
        if (memcmp(name, &live[i], sizeof(*name)) == 0)
            return true;
    return false;
}

/* Tries so many; half way through, the right ones. */
static void try_forged(int count, const union name live[LIVE], CUresult (*try)(union name name),
                       CUresult wrong)
{
    int forged = 0;

    while (forged < count) {
        union name name = forge(live);
        if (is_right(&name, live))
            continue;
        check_result(try(name), wrong);
        if (++forged == count / 2)
            for (int i = 0; i < LIVE; i++)
                check_success(try(live[i]));
    }
    for (int i = 0; i < LIVE; i++)
        check_success(try(live[i]));
}

static CUresult try_memory(union name name)
{
    CUdeviceptr ptr;
    CUresult result = cuIpcOpenMemHandle(&ptr, name.memory, OPEN);

    if (result == CUDA_SUCCESS)
        check_success(cuIpcCloseMemHandle(ptr));
    return result;
}

static CUresult try_event(union name name)
{
    CUevent event;
    CUresult result = cuIpcOpenEventHandle(&event, name.event);

    if (result == CUDA_SUCCESS)
        check_success(cuEventDestroy(event));
    return result;
}

static CUmemoryPool imported;

static CUresult try_pointer(union name name)
{
    CUdeviceptr ptr;
    CUresult result = cuMemPoolImportPointer(&ptr, imported, &name.pointer);

    if (result == CUDA_SUCCESS)
        check_success(cuMemFree(ptr));
    return result;
}

static void forge_memory(int socket)
{
    union name live[LIVE];

    with_context();
    peer_receive(socket, live, sizeof(live));
    try_forged(MEMORY_FORGED, live, try_memory, CUDA_ERROR_INVALID_VALUE);
}

/* Some in one block, some with blocks of their own. */
TEST(forged_memory_handles_open_nothing)
{
    union name live[LIVE];
    struct peer peer = peer_start(forge_memory);
    CUdeviceptr ptr;

    with_context();
    only_cupipe();
    for (int i = 0; i < LIVE; i++) {
        check_success(cuMemAlloc(&ptr, i % 2 ? 4096 : (size_t)3 << 20));
        check_success(cuIpcGetMemHandle(&live[i].memory, ptr));
    }
    peer_send(peer.socket, live, sizeof(live));
    peer_finish(&peer);
}

static void forge_events(int socket)
{
    union name live[LIVE];

    with_context();
    peer_receive(socket, live, sizeof(live));
    try_forged(EVENTS_FORGED, live, try_event, CUDA_ERROR_MAP_FAILED);
}

TEST(forged_event_handles_open_nothing)
{
    union name live[LIVE];
    struct peer peer = peer_start(forge_events);
    CUevent event;

    with_context();
    only_cupipe();
    for (int i = 0; i < LIVE; i++) {
        check_success(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
        check_success(cuIpcGetEventHandle(&live[i].event, event));
    }
    peer_send(peer.socket, live, sizeof(live));
    peer_finish(&peer);
}

TEST(forged_pointers_of_pools_open_nothing)
{
    union name live[LIVE];
    CUmemPoolProps properties;
    CUmemoryPool pool;
    CUdeviceptr ptr;
    int fd;

    with_context();
    only_cupipe();
    memset(&properties, 0, sizeof(properties));
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = FD_TYPE;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemPoolExportToShareableHandle(&fd, pool, FD_TYPE, 0));
    check_success(cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd, FD_TYPE, 0));
    for (int i = 0; i < LIVE; i++) {
        check_success(cuMemAllocFromPoolAsync(&ptr, i % 2 ? 4096 : (size_t)3 << 20, pool, NULL));
        check_success(cuMemPoolExportPointer(&live[i].pointer, ptr));
    }
    try_forged(POINTERS_FORGED, live, try_pointer, CUDA_ERROR_INVALID_VALUE);
}
