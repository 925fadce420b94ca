/* SPDX-License-Identifier: MIT */
/* Memory shared between processes by IPC handles: contents, lifetimes, and invalid handles. Events
 * are in test_ipc_event.c, forged handles in test_forged.c. */
#include "peer.h"

#include <dirent.h>
#include <sys/mman.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

enum { OPEN = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS };

static CUdeviceptr allocate(size_t bytes, unsigned char value)
{
    CUdeviceptr ptr = 0;

    check_success(cuMemAlloc(&ptr, bytes));
    check_success(cuMemsetD8(ptr, value, bytes));
    check_success(cuCtxSynchronize()); /* another process's streams wait for nothing of ours */
    return ptr;
}

static CUipcMemHandle handle_of(CUdeviceptr ptr)
{
    CUipcMemHandle handle;

    check_success(cuIpcGetMemHandle(&handle, ptr));
    return handle;
}

static void check_bytes(CUdeviceptr ptr, size_t bytes, unsigned char value)
{
    unsigned char *copy = malloc(bytes);

    check_success(cuMemcpyDtoH(copy, ptr, bytes));
    for (size_t i = 0; i < bytes; i++)
        check(copy[i] == value);
    free(copy);
}

static bool is_same(CUipcMemHandle a, CUipcMemHandle b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

/* The other side of most tests: opens what it is sent, looks, writes 2, says so, closes when told.
 */
static void open_look_write(int socket)
{
    CUipcMemHandle handle;
    CUdeviceptr ptr;
    size_t bytes;

    with_context();
    peer_receive(socket, &handle, sizeof(handle));
    peer_receive(socket, &bytes, sizeof(bytes));
    check_success(cuIpcOpenMemHandle(&ptr, handle, OPEN));
    check_bytes(ptr, bytes, 1);
    check_success(cuMemsetD8(ptr, 2, bytes));
    check_success(cuCtxSynchronize());
    peer_signal(socket);
    peer_await(socket);
    check_bytes(ptr, bytes, 2);
    check_success(cuIpcCloseMemHandle(ptr));
}

static CUdeviceptr share(const struct peer *peer, size_t bytes)
{
    CUdeviceptr ptr = allocate(bytes, 1);
    CUipcMemHandle handle = handle_of(ptr);

    peer_send(peer->socket, &handle, sizeof(handle));
    peer_send(peer->socket, &bytes, sizeof(bytes));
    peer_await(peer->socket);
    return ptr;
}

TEST(memory_is_the_same_in_both_processes)
{
    static const size_t sizes[] = {1000, 64 * KIB, MIB, 2 * MIB + 1, 9 * MIB};

    struct peer peers[sizeof(sizes) / sizeof(sizes[0])];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        peers[i] = peer_start(open_look_write);
    with_context();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        CUdeviceptr ptr = share(&peers[i], sizes[i]);
        check_bytes(ptr, sizes[i], 2);
        peer_signal(peers[i].socket);
        peer_finish(&peers[i]);
    }
}

TEST(peer_keeps_what_the_exporter_frees)
{
    struct peer peer = peer_start(open_look_write);

    with_context();
    CUdeviceptr ptr = share(&peer, 4 * MIB);
    check_success(cuMemFree(ptr));
    CUdeviceptr next = allocate(4 * MIB, 7); /* whoever comes next does not get into its memory */
    peer_signal(peer.socket);
    peer_finish(&peer);
    check_bytes(next, 4 * MIB, 7);
}

static void export_and_wait(int socket)
{
    CUipcMemHandle handle;

    with_context();
    handle = handle_of(allocate(3 * MIB, 1));
    peer_send(socket, &handle, sizeof(handle));
    pause();
}

TEST(memory_outlives_the_exporter)
{
    struct peer peer = peer_start(export_and_wait);
    CUipcMemHandle handle;
    CUdeviceptr ptr;

    peer_receive(peer.socket, &handle, sizeof(handle));
    with_context();
    check_success(cuIpcOpenMemHandle(&ptr, handle, OPEN));
    peer_kill(&peer);
    check_bytes(ptr, 3 * MIB, 1);
    check_success(cuMemsetD8(ptr, 5, 3 * MIB));
    check_bytes(ptr, 3 * MIB, 5);
    check_success(cuIpcCloseMemHandle(ptr));
}

TEST(handle_of_a_dead_process_opens_nothing)
{
    struct peer peer = peer_start(export_and_wait);
    CUipcMemHandle handle;
    CUdeviceptr ptr = 7;

    peer_receive(peer.socket, &handle, sizeof(handle));
    peer_kill(&peer);
    with_context();
    check_result(cuIpcOpenMemHandle(&ptr, handle, OPEN), CUDA_ERROR_INVALID_HANDLE);
    check(ptr == 7);
}

TEST(importer_may_die_at_any_time)
{
    struct peer peer = peer_start(open_look_write);

    with_context();
    CUdeviceptr ptr = share(&peer, 2 * MIB + 5);
    peer_kill(&peer);
    check_bytes(ptr, 2 * MIB + 5, 2);
    check_success(cuMemFree(ptr));
}

TEST(handle_names_the_allocation_not_the_pointer)
{
    with_context();
    CUdeviceptr first = allocate(64 * KIB, 1), second = allocate(64 * KIB, 1);
    CUipcMemHandle handle = handle_of(first);
    check(is_same(handle, handle_of(first)));
    check(is_same(handle, handle_of(first + 4096)));
    check(!is_same(handle, handle_of(second)));
}

TEST(exporter_keeps_address_and_bytes)
{
    with_context();
    CUdeviceptr other = allocate(100 * KIB, 3), ptr = allocate(100 * KIB, 4);
    handle_of(ptr);
    check_bytes(other, 100 * KIB, 3);
    check_bytes(ptr, 100 * KIB, 4);
    check_success(cuMemsetD8(ptr, 5, 100 * KIB));
    check_bytes(other, 100 * KIB, 3);
}

TEST(memory_of_the_process_itself_is_not_opened)
{
    CUdeviceptr ptr = 7;

    with_context();
    CUipcMemHandle handle = handle_of(allocate(4096, 1));
    check_result(cuIpcOpenMemHandle(&ptr, handle, OPEN), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuIpcOpenMemHandle(&ptr, handle, 0), CUDA_ERROR_INVALID_VALUE);
    check(ptr == 7);
}

TEST(only_memory_of_cuMemAlloc_has_a_handle)
{
    CUipcMemHandle handle;
    void *pinned;
    CUdeviceptr managed;

    with_context();
    check_success(cuMemHostAlloc(&pinned, 4096, 0));
    check_success(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    CUdeviceptr freed = allocate(4096, 1);
    check_success(cuMemFree(freed));
    check_result(cuIpcGetMemHandle(&handle, (CUdeviceptr)pinned), CUDA_ERROR_INVALID_VALUE);
    check_result(cuIpcGetMemHandle(&handle, managed), CUDA_ERROR_INVALID_VALUE);
    check_result(cuIpcGetMemHandle(&handle, freed), CUDA_ERROR_INVALID_VALUE);
    check_result(cuIpcGetMemHandle(&handle, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuIpcGetMemHandle(NULL, allocate(4096, 1)), CUDA_ERROR_INVALID_VALUE);
}

/* Tries what it is sent, over and over, and says what came. */
static void open_and_answer(int socket)
{
    CUipcMemHandle handle;

    with_context();
    while (recv(socket, &handle, sizeof(handle), MSG_WAITALL) == (ssize_t)sizeof(handle)) {
        CUdeviceptr ptr = 0;
        CUresult result = cuIpcOpenMemHandle(&ptr, handle, OPEN);
        if (result == CUDA_SUCCESS)
            check_success(cuIpcCloseMemHandle(ptr));
        peer_send(socket, &result, sizeof(result));
    }
}

static CUresult try_to_open(const struct peer *peer, CUipcMemHandle handle)
{
    CUresult result;

    peer_send(peer->socket, &handle, sizeof(handle));
    peer_receive(peer->socket, &result, sizeof(result));
    return result;
}

/* With one bit wrong it is no handle, whether the memory is mapped there already or not. */
TEST(damaged_handles_open_nothing)
{
    struct peer peer = peer_start(open_and_answer);

    with_context();
    only_cupipe();
    CUipcMemHandle handle = handle_of(allocate(4096, 1));
    for (int round = 0; round < 2; round++) {
        for (size_t bit = 0; bit < 8 * sizeof(handle); bit++) {
            CUipcMemHandle wrong = handle;
            wrong.reserved[bit / 8] = (char)(wrong.reserved[bit / 8] ^ 1 << bit % 8);
            check_result(try_to_open(&peer, wrong), CUDA_ERROR_INVALID_VALUE);
        }
        check_success(try_to_open(&peer, handle));
    }
}

TEST(invented_handles_open_nothing)
{
    unsigned seed = 1;

    with_context();
    for (int i = 0; i < 100000; i++) {
        CUipcMemHandle handle;
        CUipcEventHandle event_handle;
        CUevent event;
        CUdeviceptr ptr;
        for (size_t byte = 0; byte < sizeof(handle); byte++)
            handle.reserved[byte] = (char)rand_r(&seed);
        memcpy(&event_handle, &handle, sizeof(handle));
        check_result(cuIpcOpenMemHandle(&ptr, handle, OPEN), CUDA_ERROR_INVALID_VALUE);
        check_result(cuIpcOpenEventHandle(&event, event_handle), CUDA_ERROR_MAP_FAILED);
    }
}

TEST(handle_ends_with_the_allocation)
{
    static const size_t sizes[] = {1000, 5 * MIB};
    struct peer peer = peer_start(open_and_answer);

    with_context();
    only_cupipe();
    CUdeviceptr neighbour = allocate(1000, 1);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        CUdeviceptr ptr = allocate(sizes[i], 1);
        CUipcMemHandle handle = handle_of(ptr);
        check_success(try_to_open(&peer, handle));
        check_success(cuMemFree(ptr));
        check_result(try_to_open(&peer, handle), CUDA_ERROR_INVALID_VALUE);
    }
    check_success(try_to_open(&peer, handle_of(neighbour)));
}

/* A handle names a block of memory and a place in it. A block ends with its last allocation. */
TEST(handle_is_new_when_the_block_was_empty)
{
    with_context();
    CUdeviceptr ptr = allocate(1000, 1);
    CUipcMemHandle handle = handle_of(ptr);
    check_success(cuMemFree(ptr));
    CUdeviceptr again = allocate(1000, 1);
    check(again == ptr);
    check(!is_same(handle_of(again), handle));
    allocate(1000, 1);
    handle = handle_of(again);
    check_success(cuMemFree(again));
    check(allocate(1000, 1) == again);
    check(is_same(handle_of(again), handle));
}

static void open_twice(int socket)
{
    CUipcMemHandle handles[2];
    CUdeviceptr first, again, second, distance;

    with_context();
    peer_receive(socket, handles, sizeof(handles));
    peer_receive(socket, &distance, sizeof(distance));
    check_success(cuIpcOpenMemHandle(&first, handles[0], OPEN));
    check_success(cuIpcOpenMemHandle(&again, handles[0], OPEN));
    check_success(cuIpcOpenMemHandle(&second, handles[1], OPEN));
    check(first == again);
    check(second - first == distance);
    check_success(cuIpcCloseMemHandle(first));
    check_bytes(first, 64 * KIB, 1);
    check_result(cuIpcCloseMemHandle(first + 512), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(first), CUDA_ERROR_INVALID_VALUE);
    check_result(cuIpcGetMemHandle(&handles[0], first), CUDA_ERROR_INVALID_VALUE);
    check_success(cuIpcCloseMemHandle(first));
    check_result(cuIpcCloseMemHandle(first), CUDA_ERROR_INVALID_VALUE);
    check_bytes(second, 64 * KIB, 1);
    check_success(cuIpcCloseMemHandle(second));
}

TEST(opening_counts_and_neighbours_stay_neighbours)
{
    struct peer peer = peer_start(open_twice);

    with_context();
    CUdeviceptr first = allocate(64 * KIB, 1), second = allocate(64 * KIB, 1);
    CUdeviceptr distance = second - first;
    CUipcMemHandle handles[2] = {handle_of(first), handle_of(second)};
    peer_send(peer.socket, handles, sizeof(handles));
    peer_send(peer.socket, &distance, sizeof(distance));
    peer_finish(&peer);
}

/* The exporter's memory is given out anew in other pieces: those that were opened before and those
 * that are opened now overlap. */

enum { PIECE_BYTES = 1000, WHOLE_BYTES = 65536 };

static void check_range(CUdeviceptr ptr, size_t bytes)
{
    CUdeviceptr base;
    size_t size;

    check_success(cuMemGetAddressRange(&base, &size, ptr));
    check(base == ptr && size == bytes);
}

static void open_in_other_pieces(int socket)
{
    CUipcMemHandle handle;
    CUdeviceptr piece, whole, again;

    with_context();
    peer_receive(socket, &handle, sizeof(handle));
    check_success(cuIpcOpenMemHandle(&piece, handle, OPEN));
    check_bytes(piece, PIECE_BYTES, 1);
    peer_signal(socket);
    peer_receive(socket, &handle, sizeof(handle));
    check_success(cuIpcOpenMemHandle(&whole, handle, OPEN));
    check(whole < piece && piece < whole + WHOLE_BYTES);
    check_range(whole, WHOLE_BYTES);
    check_success(cuIpcCloseMemHandle(piece));
    check_result(cuIpcCloseMemHandle(piece), CUDA_ERROR_INVALID_VALUE);
    check_bytes(whole, WHOLE_BYTES, 2);
    peer_signal(socket);
    peer_receive(socket, &handle, sizeof(handle));
    check_success(cuIpcOpenMemHandle(&again, handle, OPEN));
    check(again == piece);
    check_range(again, PIECE_BYTES);
    check_bytes(again, PIECE_BYTES, 3);
    check_success(cuIpcCloseMemHandle(whole));
    check_success(cuIpcCloseMemHandle(again));
}

static void send_handle(const struct peer *peer, CUdeviceptr ptr)
{
    CUipcMemHandle handle = handle_of(ptr);

    peer_send(peer->socket, &handle, sizeof(handle));
}

TEST(opened_memory_is_closed_when_the_exporter_has_cut_it_otherwise)
{
    struct peer peer = peer_start(open_in_other_pieces);

    with_context();
    only_cupipe();            /* where memory lies is not the same elsewhere */
    allocate(PIECE_BYTES, 0); /* keeps the block that the others are in */
    CUdeviceptr first = allocate(PIECE_BYTES, 0), second = allocate(PIECE_BYTES, 1);
    send_handle(&peer, second);
    peer_await(peer.socket);
    check_success(cuMemFree(first));
    check_success(cuMemFree(second));
    CUdeviceptr whole = allocate(WHOLE_BYTES, 2);
    check(whole == first);
    send_handle(&peer, whole);
    peer_await(peer.socket);
    check_success(cuMemFree(whole));
    check(allocate(PIECE_BYTES, 0) == first && allocate(PIECE_BYTES, 3) == second);
    send_handle(&peer, second);
    peer_finish(&peer);
}

static void end_context(int socket)
{
    CUipcMemHandle handle;
    CUcontext context;
    CUdeviceptr ptr, base;

    with_context();
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    peer_receive(socket, &handle, sizeof(handle));
    check_success(cuIpcOpenMemHandle(&ptr, handle, OPEN));
    check_success(cuCtxDestroy(context));
    with_context();
    check_result(cuMemGetAddressRange(&base, NULL, ptr), CUDA_ERROR_NOT_FOUND);
    check_success(cuIpcOpenMemHandle(&ptr, handle, OPEN));
    check_bytes(ptr, 4096, 1);
}

TEST(opened_memory_ends_with_its_context)
{
    struct peer peer = peer_start(end_context);

    with_context();
    CUipcMemHandle handle = handle_of(allocate(4096, 1));
    peer_send(peer.socket, &handle, sizeof(handle));
    peer_finish(&peer);
}

static int count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    check(directory != NULL);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

TEST(sharing_leaves_no_descriptors_behind)
{
    with_context();
    only_cupipe();
    handle_of(allocate(1000, 1));
    int before = count_descriptors();
    for (int i = 0; i < 200; i++) {
        CUdeviceptr ptr = allocate(2 * MIB, 1);
        handle_of(ptr);
        check_success(cuMemFree(ptr));
    }
    check(count_descriptors() == before);
}

/* Memory moves when its handle is asked for: nothing written meanwhile is lost. */

static struct flag writing_ends;

static void *write_and_read(void *argument)
{
    CUdeviceptr ptr = *(CUdeviceptr *)argument;
    static unsigned char written[256 * 1024], read[sizeof(written)];

    with_context();
    for (unsigned round = 0; !flag_is_raised(&writing_ends); round++) {
        memset(written, (int)(round % 251), sizeof(written));
        check_success(cuMemcpyHtoD(ptr, written, sizeof(written)));
        check_success(cuMemcpyDtoH(read, ptr, sizeof(read)));
        check(memcmp(written, read, sizeof(read)) == 0);
    }
    return NULL;
}

TEST(nothing_is_lost_while_memory_moves)
{
    with_context();
    for (int i = 0; i < 30; i++) {
        CUdeviceptr ptr = allocate(4 * MIB, 1), inside = ptr + MIB;
        pthread_t thread;
        writing_ends.raised = 0;
        check(pthread_create(&thread, NULL, write_and_read, &inside) == 0);
        nap();
        handle_of(ptr);
        nap();
        flag_raise(&writing_ends);
        pthread_join(thread, NULL);
        check_success(cuMemFree(ptr));
    }
}

/* Handles of ranges, for the world outside CUDA. */

TEST(range_handle_is_the_memory)
{
    int fd = -77;

    with_context();
    only_cupipe();
    CUdeviceptr ptr = allocate(4 * MIB, 1);
    check_success(
        cuMemGetHandleForAddressRange(&fd, ptr + MIB, MIB, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    check(lseek(fd, 0, SEEK_END) == (off_t)MIB);
    unsigned char *mapped = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(mapped != MAP_FAILED);
    check(mapped[0] == 1 && mapped[MIB - 1] == 1);
    check_success(cuMemsetD8(ptr + MIB, 2, 1));
    check_success(cuCtxSynchronize());
    check(mapped[0] == 2);
    mapped[MIB - 1] = 3;
    check_bytes(ptr + 2 * MIB - 1, 1, 3);
    check_bytes(ptr, MIB, 1);
    check_bytes(ptr + 2 * MIB, 2 * MIB, 1);
    check_success(cuMemFree(ptr));
    check(mapped[0] == 2 && mapped[MIB - 1] == 3);
    close(fd);
}

/* A handle that nobody has opened yet is good after a range of the memory got a descriptor. */
TEST(range_handle_leaves_ipc_handles_good)
{
    struct peer peer = peer_start(open_look_write);
    size_t bytes = 4096;
    int fd = -1;

    with_context();
    CUdeviceptr ptr = allocate(bytes, 1);
    CUipcMemHandle handle = handle_of(ptr);
    CUresult result =
        cuMemGetHandleForAddressRange(&fd, ptr, bytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
    check(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_SUPPORTED);
    if (result == CUDA_SUCCESS)
        close(fd);
    handle_of(allocate(bytes, 0)); /* a neighbour, whose handle is made after that */
    peer_send(peer.socket, &handle, sizeof(handle));
    peer_send(peer.socket, &bytes, sizeof(bytes));
    peer_await(peer.socket);
    check_bytes(ptr, bytes, 2);
    peer_signal(peer.socket);
    peer_finish(&peer);
}

/* The descriptor of a whole block that has an IPC handle is the same memory. */
TEST(range_handle_of_a_block_with_an_ipc_handle)
{
    size_t bytes = 4 * MIB;
    int fd = -1;

    with_context();
    CUdeviceptr ptr = allocate(bytes, 1);
    handle_of(ptr);
    only_cupipe(); /* a dma-buf of a card cannot always be mapped */
    check_success(
        cuMemGetHandleForAddressRange(&fd, ptr, bytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    uint8_t *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(mapped != MAP_FAILED && mapped[0] == 1);
    mapped[bytes - 1] = 9;
    check_bytes(ptr + bytes - 1, 1, 9);
    close(fd);
}

TEST(range_handle_wants_whole_pages)
{
    int fd = -77;

    with_context();
    CUdeviceptr ptr = allocate(4 * MIB, 1);
    check_result(
        cuMemGetHandleForAddressRange(&fd, ptr, 4097, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
        CUDA_ERROR_INVALID_VALUE);
    check_result(
        cuMemGetHandleForAddressRange(&fd, ptr + 512, 4096, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
        CUDA_ERROR_INVALID_VALUE);
    check(fd == -77);
    check_result(
        cuMemGetHandleForAddressRange(&fd, ptr, 8 * MIB, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
        CUDA_ERROR_INVALID_VALUE);
    check(fd == -1);
}

/* Eight processes pass handles round; some are killed in the middle of it. */

enum { RING = 8, EXCHANGES = 125 };

static int ring_sockets[RING][2];

static void exchange(int index)
{
    int to = ring_sockets[index][1], from = ring_sockets[(index + RING - 1) % RING][0];
    unsigned seed = (unsigned)index;

    with_context();
    for (int i = 0; i < EXCHANGES; i++) {
        CUdeviceptr mine =
            allocate(1 + (size_t)rand_r(&seed) % (3 * MIB), (unsigned char)(index + 1));
        CUipcMemHandle handle = handle_of(mine), theirs;
        CUdeviceptr ptr;
        unsigned char byte = 0;
        check(send(to, &handle, sizeof(handle), MSG_NOSIGNAL) == (ssize_t)sizeof(handle));
        if (recv(from, &theirs, sizeof(theirs), MSG_WAITALL) != (ssize_t)sizeof(theirs))
            return; /* killed */
        if (cuIpcOpenMemHandle(&ptr, theirs, OPEN) == CUDA_SUCCESS) {
            check_success(cuMemcpyDtoH(&byte, ptr, 1));
            check(byte == (index + RING - 1) % RING + 1);
            check_success(cuIpcCloseMemHandle(ptr));
        }
        if (i % 3 == 0)
            check_success(cuMemFree(mine));
    }
}

static pid_t ring_start(int index)
{
    pid_t pid = fork();

    check(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm((unsigned)test_number("TEST_SECONDS", TEST_SECONDS));
        exchange(index);
        _exit(0);
    }
    return pid;
}

static void ring_of_processes(int kills)
{
    pid_t pids[RING];

    for (int i = 0; i < RING; i++)
        check(socketpair(AF_UNIX, SOCK_STREAM, 0, ring_sockets[i]) == 0);
    for (int i = 0; i < RING; i++)
        pids[i] = ring_start(i);
    for (int i = 0; i < kills; i++) {
        usleep(100000);
        kill(pids[3 * i % RING], SIGKILL);
        shutdown(ring_sockets[3 * i % RING][1], SHUT_RDWR); /* the sockets live on in the others */
    }
    for (int i = 0; i < RING; i++) {
        int status;
        check(waitpid(pids[i], &status, 0) == pids[i]);
        if (kills == 0)
            check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        shutdown(ring_sockets[i][1], SHUT_RDWR);
    }
}

TEST(eight_processes_exchange_a_thousand_handles)
{
    ring_of_processes(0);
}

TEST(eight_processes_with_kills)
{
    ring_of_processes(2);
}
