/* SPDX-License-Identifier: MIT */
/* A second process that opens and imports what this one exports: memory and events by handle,
 * virtual memory and pools by descriptor. It compares what it sees, writes, and exports something
 * of its own. One time in four it is killed in the middle, one time in eight a kernel of it fails
 * an assertion; it may work without a cache of compiled kernels. */
#include "soak.h"
#include "descriptors.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum word {
    OPEN_MEMORY,
    OPEN_EVENT,
    IMPORT_MEMORY,
    IMPORT_POOL,
    EXPORT_MEMORY,
    RUN_KERNELS,
    FAIL_ASSERTION,
    LEAVE,
    DONE,
};

struct letter {
    uint32_t word, device;
    uint64_t seed, seen_seed, made_seed, bytes;
    CUipcMemHandle memory;
    CUipcEventHandle event;
    CUmemPoolPtrExportData pointer;
};

#define FD_TYPE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

enum { UNIT = 2 << 20 };

static bool send_letter(int socket, const struct letter *letter, int fd)
{
    return descriptors_send(socket, letter, sizeof(*letter), &fd, fd >= 0);
}

static bool receive_letter(int socket, struct letter *letter, int *fd)
{
    return descriptors_receive(socket, letter, sizeof(*letter), fd, 1);
}

static void put(CUdeviceptr at, size_t bytes, uint64_t seed)
{
    void *made = room(bytes);

    fill(made, bytes, seed);
    must(cuMemcpyHtoD(at, made, bytes));
    must(cuCtxSynchronize());
    free(made);
}

static void look(CUdeviceptr at, size_t bytes, uint64_t seed, const char *what)
{
    void *came = room(bytes), *wanted = room(bytes);

    fill(wanted, bytes, seed);
    must(cuMemcpyDtoH(came, at, bytes));
    same(came, wanted, bytes, what);
    free(came);
    free(wanted);
}

/* Where memory of one side is seen by the other: what was there, and something new. */
static void look_and_put(CUdeviceptr at, const struct letter *letter)
{
    look(at, letter->bytes, letter->seen_seed, "memory of another process");
    put(at, letter->bytes, letter->made_seed);
}

static CUdeviceptr map_memory(CUmemGenericAllocationHandle memory, CUdevice device)
{
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, device},
                              CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr space;

    must(cuMemAddressReserve(&space, UNIT, 0, 0, 0));
    must(cuMemMap(space, UNIT, 0, memory, 0));
    must(cuMemSetAccess(space, UNIT, &access, 1));
    return space;
}

static void unmap_memory(CUdeviceptr space, CUmemGenericAllocationHandle memory)
{
    must(cuMemUnmap(space, UNIT));
    must(cuMemAddressFree(space, UNIT));
    must(cuMemRelease(memory));
}

/* The other side. */

static void peer_open_memory(const struct letter *letter)
{
    CUdeviceptr at;

    must(cuIpcOpenMemHandle(&at, letter->memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    look_and_put(at, letter);
    must(cuIpcCloseMemHandle(at));
}

static void peer_open_event(const struct letter *letter)
{
    CUevent event;

    must(cuIpcOpenEventHandle(&event, letter->event));
    must(cuStreamWaitEvent(NULL, event, 0));
    must(cuStreamSynchronize(NULL));
    must(cuEventRecord(event, NULL));
    must(cuEventSynchronize(event));
    must(cuEventDestroy(event));
}

static void peer_import_memory(const struct letter *letter, int fd)
{
    CUmemGenericAllocationHandle memory;

    must(cuMemImportFromShareableHandle(&memory, (void *)(intptr_t)fd, FD_TYPE));
    CUdeviceptr space = map_memory(memory, (CUdevice)letter->device);
    look_and_put(space, letter);
    unmap_memory(space, memory);
}

static void peer_import_pool(struct letter *letter, int fd)
{
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, (int)letter->device},
                              CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemoryPool pool;
    CUdeviceptr at;

    must(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, FD_TYPE, 0));
    must(cuMemPoolSetAccess(pool, &access, 1));
    must(cuMemPoolImportPointer(&at, pool, &letter->pointer));
    look_and_put(at, letter);
    must(cuMemFree(at));
    must(cuMemPoolDestroy(pool));
}

/* It stays until this process ends. */
static void peer_export_memory(struct letter *letter)
{
    CUdeviceptr at;

    must(cuMemAlloc(&at, letter->bytes));
    put(at, letter->bytes, letter->seen_seed);
    must(cuIpcGetMemHandle(&letter->memory, at));
}

static bool peer_answer(struct letter *letter, int fd)
{
    switch (letter->word) {
    case OPEN_MEMORY:
        peer_open_memory(letter);
        break;
    case OPEN_EVENT:
        peer_open_event(letter);
        break;
    case IMPORT_MEMORY:
        peer_import_memory(letter, fd);
        break;
    case IMPORT_POOL:
        peer_import_pool(letter, fd);
        break;
    case EXPORT_MEMORY:
        peer_export_memory(letter);
        break;
    case RUN_KERNELS:
        soak_kernels();
        break;
    case FAIL_ASSERTION:
        soak_assert();
        break;
    default:
        return false;
    }
    if (fd >= 0)
        close(fd);
    return true;
}

int soak_peer(int socket)
{
    struct soak own = {.part = "the other process"};
    struct letter letter;
    int fd;

    soak = &own;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(120);
    must(cuInit(0));
    while (receive_letter(socket, &letter, &fd)) {
        if (!own.context) {
            own.device = (CUdevice)letter.device;
            must(cuDevicePrimaryCtxRetain(&own.context, own.device));
            must(cuCtxSetCurrent(own.context));
        }
        own.seed = letter.seed;
        own.random = letter.seed | 1;
        own.bytes = 0;
        if (!peer_answer(&letter, fd))
            break;
        letter.word = DONE;
        letter.bytes = own.bytes;
        if (!send_letter(socket, &letter, -1))
            break;
    }
    return 0;
}

/* This side. */

struct peer {
    pid_t pid;
    int socket;
};

static struct peer peer_start(void)
{
    static char off[] = "CUPIPE_CACHE=off";
    char number[16], **environment = environ, *changed[1024];
    int sockets[2];
    struct peer peer;

    must_be(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0);
    if (one_in(3)) {
        unsigned count = 0;
        for (char **one = environ; *one && count < 1022; one++)
            if (strncmp(*one, "CUPIPE_CACHE=", 13) != 0)
                changed[count++] = *one;
        changed[count++] = off;
        changed[count] = NULL;
        environment = changed;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, sockets[1], 3);
    snprintf(number, sizeof(number), "3");
    char *arguments[] = {"soak", "peer", number, NULL};
    must_be(posix_spawn(&peer.pid, "/proc/self/exe", &actions, NULL, arguments, environment) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(sockets[1]);
    peer.socket = sockets[0];
    return peer;
}

static void peer_end(struct peer *peer, bool killed)
{
    int status;

    close(peer->socket);
    while (waitpid(peer->pid, &status, 0) < 0)
        must_be(errno == EINTR);
    if (killed)
        must_be(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    else
        must_be(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static struct letter letter_new(enum word word)
{
    struct letter letter = {.word = word, .device = (uint32_t)soak->device};

    letter.seed = draw(UINT32_MAX) + 1;
    letter.seen_seed = draw(1 << 30);
    letter.made_seed = draw(1 << 30);
    letter.bytes = draw_size(UNIT);
    return letter;
}

/* False: it was killed before it could answer, and perhaps in the middle of its work. */
static bool ask(const struct peer *peer, struct letter *letter, int fd, bool killed)
{
    int none;

    must_be(send_letter(peer->socket, letter, fd) || killed);
    if (killed) {
        usleep((useconds_t)draw(3000));
        must_be(kill(peer->pid, SIGKILL) == 0);
        return false;
    }
    must_be(receive_letter(peer->socket, letter, &none) && letter->word == DONE);
    soak->bytes += letter->bytes;
    return true;
}

static void share_memory(const struct peer *peer, bool killed)
{
    struct letter letter = letter_new(OPEN_MEMORY);
    size_t bytes = letter.bytes;
    CUdeviceptr at;

    must(cuMemAlloc(&at, bytes));
    put(at, bytes, letter.seen_seed);
    must(cuIpcGetMemHandle(&letter.memory, at));
    if (ask(peer, &letter, -1, killed))
        look(at, bytes, letter.made_seed, "what another process wrote");
    must(cuMemFree(at));
}

static void share_event(const struct peer *peer, bool killed)
{
    struct letter letter = letter_new(OPEN_EVENT);
    CUdeviceptr at;
    CUevent event;

    must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    must(cuIpcGetEventHandle(&letter.event, event));
    must(cuMemAlloc(&at, 1 << 20));
    must(cuMemsetD8Async(at, 1, 1 << 20, NULL));
    must(cuEventRecord(event, NULL));
    if (ask(peer, &letter, -1, killed))
        must(cuEventSynchronize(event));
    must(cuEventDestroy(event));
    must(cuMemFree(at));
}

static void export_memory(const struct peer *peer, bool killed)
{
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = FD_TYPE,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = soak->device},
    };
    struct letter letter = letter_new(IMPORT_MEMORY);
    size_t bytes = letter.bytes;
    CUmemGenericAllocationHandle memory;
    int fd;

    must(cuMemCreate(&memory, UNIT, &properties, 0));
    CUdeviceptr space = map_memory(memory, soak->device);
    put(space, bytes, letter.seen_seed);
    must(cuMemExportToShareableHandle(&fd, memory, FD_TYPE, 0));
    if (ask(peer, &letter, fd, killed))
        look(space, bytes, letter.made_seed, "what another process wrote to virtual memory");
    close(fd);
    unmap_memory(space, memory);
}

static void export_pool(const struct peer *peer, bool killed)
{
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .handleTypes = FD_TYPE,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = soak->device},
    };
    struct letter letter = letter_new(IMPORT_POOL);
    size_t bytes = letter.bytes;
    CUmemoryPool pool;
    CUdeviceptr at;
    int fd;

    must(cuMemPoolCreate(&pool, &properties));
    must(cuMemAllocFromPoolAsync(&at, bytes, pool, NULL));
    must(cuStreamSynchronize(NULL));
    put(at, bytes, letter.seen_seed);
    must(cuMemPoolExportToShareableHandle(&fd, pool, FD_TYPE, 0));
    must(cuMemPoolExportPointer(&letter.pointer, at));
    if (ask(peer, &letter, fd, killed))
        look(at, bytes, letter.made_seed, "what another process wrote to a pool");
    close(fd);
    must(cuMemFree(at));
    must(cuMemPoolDestroy(pool));
}

/* Memory of the other process, which may die while it is open here. */
static void open_memory(struct peer *peer, bool *killed)
{
    struct letter letter = letter_new(EXPORT_MEMORY);
    size_t bytes = letter.bytes;
    CUdeviceptr at;

    if (!ask(peer, &letter, -1, *killed))
        return;
    must(cuIpcOpenMemHandle(&at, letter.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    if (one_in(3)) {
        must_be(kill(peer->pid, SIGKILL) == 0);
        *killed = true;
    }
    look(at, bytes, letter.seen_seed, "memory of another process, seen from here");
    put(at, bytes, letter.made_seed);
    look(at, bytes, letter.made_seed, "memory of another process, written from here");
    must(cuIpcCloseMemHandle(at));
}

void soak_processes(void)
{
    struct peer peer = peer_start();
    bool killed = false;

    for (unsigned left = 1 + (unsigned)draw(8); left && !killed; left--) {
        killed = left == 1 && one_in(4);
        switch (draw(6)) {
        case 0:
            share_memory(&peer, killed);
            break;
        case 1:
            share_event(&peer, killed);
            break;
        case 2:
            export_memory(&peer, killed);
            break;
        case 3:
            export_pool(&peer, killed);
            break;
        case 4:
            open_memory(&peer, &killed);
            break;
        default: {
            struct letter letter = letter_new(RUN_KERNELS);
            ask(&peer, &letter, -1, killed);
        }
        }
    }
    if (!killed && one_in(6)) {
        struct letter letter = letter_new(FAIL_ASSERTION);
        ask(&peer, &letter, -1, false);
    }
    peer_end(&peer, killed);
}
