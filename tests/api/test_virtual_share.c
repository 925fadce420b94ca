/* SPDX-License-Identifier: MIT */
/* Virtual memory shared between processes by file descriptor. The two sides are processes of their
 * own that were forked before either began with CUDA; descriptors and words go over a pair of
 * sockets. */
#include "test.h"
#include "descriptors.h"
#include "virtual.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

struct peer {
    pid_t pid; /* 0 in the child */
    int socket;
};

/* In the child it runs the function and ends; the parent gets the child's socket. */
static struct peer start_peer(void (*run)(int socket))
{
    int sockets[2];

    check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0);
    pid_t pid = fork();
    check(pid >= 0);
    if (pid == 0) {
        close(sockets[0]);
        alarm((unsigned)test_number("TEST_SECONDS", TEST_SECONDS));
        run(sockets[1]);
        _exit(0);
    }
    close(sockets[1]);
    return (struct peer){pid, sockets[0]};
}

static void end_peer(struct peer peer)
{
    int status;

    check(waitpid(peer.pid, &status, 0) == peer.pid);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void kill_peer(struct peer peer)
{
    int status;

    check(kill(peer.pid, SIGKILL) == 0);
    check(waitpid(peer.pid, &status, 0) == peer.pid);
}

static void send_word(int socket, char word)
{
    check(send(socket, &word, 1, MSG_NOSIGNAL) == 1);
}

static void expect_word(int socket, char word)
{
    char got = 0;

    check(recv(socket, &got, 1, 0) == 1);
    check(got == word);
}

static void send_fd(int socket, int fd)
{
    check(descriptors_send(socket, "f", 1, &fd, 1));
}

static int receive_fd(int socket)
{
    char word;
    int fd;

    check(descriptors_receive(socket, &word, 1, &fd, 1) && fd >= 0);
    return fd;
}

static int export_fd(CUmemGenericAllocationHandle handle)
{
    int fd = -1;

    check_success(cuMemExportToShareableHandle(&fd, handle, FD_TYPE, 0));
    check(fd >= 0);
    return fd;
}

static CUmemGenericAllocationHandle import_fd(int fd)
{
    CUmemGenericAllocationHandle handle = 0;

    check_success(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)fd, FD_TYPE));
    return handle;
}

/* The importing side: says 'r' when it has read the pattern, writes when told. */
static void import_and_answer(int socket)
{
    with_context();
    int fd = receive_fd(socket);
    CUmemGenericAllocationHandle handle = import_fd(fd);
    close(fd);
    CUdeviceptr at = map_at_new_address(4 * UNIT, handle);
    check_pattern(at, 4 * UNIT, 1);
    send_word(socket, 'r');
    expect_word(socket, 'w');
    fill_pattern(at, 4 * UNIT, 2);
    send_word(socket, 'd');
    expect_word(socket, 'e');
}

static CUdeviceptr export_pattern(int socket, CUmemGenericAllocationHandle *handle)
{
    with_context();
    CUdeviceptr at = map_new(4 * UNIT, FD_TYPE, handle);
    fill_pattern(at, 4 * UNIT, 1);
    int fd = export_fd(*handle);
    send_fd(socket, fd);
    close(fd);
    return at;
}

TEST(two_processes_see_the_same_memory)
{
    struct peer peer = start_peer(import_and_answer);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at = export_pattern(peer.socket, &handle);

    expect_word(peer.socket, 'r');
    send_word(peer.socket, 'w');
    expect_word(peer.socket, 'd');
    check_pattern(at, 4 * UNIT, 2);
    send_word(peer.socket, 'e');
    end_peer(peer);
    check_pattern(at, 4 * UNIT, 2);
}

TEST(a_killed_importer_leaves_the_memory_alone)
{
    struct peer peer = start_peer(import_and_answer);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at = export_pattern(peer.socket, &handle);
    size_t before, now, total;

    check_success(cuMemGetInfo(&before, &total));
    expect_word(peer.socket, 'r');
    kill_peer(peer);
    check_pattern(at, 4 * UNIT, 1);
    only_cupipe(); /* what the other process used of a real device comes back as well */
    unmap(at, 4 * UNIT, handle);
    check_success(cuMemGetInfo(&now, &total));
    check(now == before + 4 * UNIT);
}

static void export_and_wait(int socket)
{
    CUmemGenericAllocationHandle handle;

    export_pattern(socket, &handle);
    for (;;)
        pause();
}

TEST(a_killed_exporter_leaves_the_memory_to_the_importer)
{
    struct peer peer = start_peer(export_and_wait);

    with_context();
    int fd = receive_fd(peer.socket);
    CUmemGenericAllocationHandle handle = import_fd(fd);
    close(fd);
    CUdeviceptr at = map_at_new_address(4 * UNIT, handle);
    check_pattern(at, 4 * UNIT, 1);
    kill_peer(peer);
    check_pattern(at, 4 * UNIT, 1);
    fill_pattern(at, 4 * UNIT, 3);
    check_pattern(at, 4 * UNIT, 3);
    unmap(at, 4 * UNIT, handle);
}

static void export_release_and_end(int socket)
{
    CUmemGenericAllocationHandle handle, other;
    CUdeviceptr at = export_pattern(socket, &handle);

    unmap(at, 4 * UNIT, handle);
    /* What comes into being in its place is other memory. */
    at = map_new(4 * UNIT, FD_TYPE, &other);
    fill_pattern(at, 4 * UNIT, 9);
    send_word(socket, 'g');
    expect_word(socket, 'e');
}

TEST(memory_outlives_its_release_while_the_descriptor_is_under_way)
{
    struct peer peer = start_peer(export_release_and_end);

    with_context();
    int fd = receive_fd(peer.socket);
    expect_word(peer.socket, 'g');
    CUdeviceptr at = map_at_new_address(4 * UNIT, import_fd(fd));
    check_pattern(at, 4 * UNIT, 1);
    send_word(peer.socket, 'e');
    end_peer(peer);
    check_pattern(at, 4 * UNIT, 1);
    close(fd);
    check_pattern(at, 4 * UNIT, 1);
}

TEST(an_import_in_the_same_process_is_the_same_memory)
{
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp properties;

    with_context();
    CUdeviceptr at = map_new(UNIT, FD_TYPE, &handle);
    int fd = export_fd(handle);
    CUmemGenericAllocationHandle imported = import_fd(fd);
    check(imported != handle);
    check(fcntl(fd, F_GETFD) >= 0);
    CUdeviceptr other = map_at_new_address(UNIT, imported);
    fill_pattern(at, UNIT, 6);
    check_pattern(other, UNIT, 6);
    unmap(at, UNIT, handle);
    check_pattern(other, UNIT, 6);
    check_success(cuMemGetAllocationPropertiesFromHandle(&properties, imported));
    check(properties.requestedHandleTypes == 0);
    check(properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE && properties.location.id == 0);
    check_result(cuMemExportToShareableHandle(&fd, imported, FD_TYPE, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(only_what_was_made_for_it_can_be_exported)
{
    int fd = -7;

    with_context();
    check_result(cuMemExportToShareableHandle(&fd, create(UNIT, 0), FD_TYPE, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check(fd == -7);
}

static void check_no_import(int fd)
{
    CUmemGenericAllocationHandle handle = 7;

    check_result(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)fd, FD_TYPE),
                 CUDA_ERROR_UNKNOWN);
    check(handle == 7);
}

TEST(other_descriptors_are_refused)
{
    int pipes[2], sockets[2];

    with_context();
    check(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    int closed = dup(pipes[0]);
    close(closed);
    check_no_import(-1);
    check_result(cuMemImportFromShareableHandle(&(CUmemGenericAllocationHandle){0}, NULL, FD_TYPE),
                 CUDA_ERROR_INVALID_VALUE);
    check_no_import(1 << 20);
    check_no_import(closed);
    check_no_import(pipes[0]);
    check_no_import(sockets[0]);
    check_no_import(open("/dev/null", O_RDWR));
    check_no_import(open("/dev/zero", O_RDWR));
    check_no_import(open("/", O_RDONLY));
    check_no_import(fileno(tmpfile()));
}

/* A memory file of these bytes, with these seals. */
static int memory_file(const void *bytes, size_t count, size_t file_bytes, int seals)
{
    int fd = memfd_create("test", MFD_ALLOW_SEALING);

    check(fd >= 0 && ftruncate(fd, (off_t)file_bytes) == 0);
    if (count)
        check(pwrite(fd, bytes, count, (off_t)(file_bytes - 4096)) == (ssize_t)count);
    check(fcntl(fd, F_ADD_SEALS, seals) == 0);
    return fd;
}

TEST(other_memory_files_are_refused)
{
    static char noise[4096];
    int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

    with_context();
    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (char)(i * 31);
    check_no_import(memory_file(NULL, 0, 0, 0));
    check_no_import(memory_file(NULL, 0, 4096, all));
    check_no_import(memory_file(NULL, 0, 4097, all));
    check_no_import(memory_file(NULL, 0, UNIT, all));
    check_no_import(memory_file(NULL, 0, UNIT + 4096, all));
    check_no_import(memory_file(noise, sizeof(noise), UNIT + 4096, 0));
    check_no_import(memory_file(noise, sizeof(noise), UNIT + 4096, all));
    check_no_import(memory_file(noise, sizeof(noise), UNIT + 4096, all | F_SEAL_WRITE));
}

/* The label of a real one, in files that are not what it says. */
TEST(forged_memory_files_are_refused)
{
    int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    char label[4096];

    setenv("CUPIPE_EXPORT", "plain", 1); /* the label is behind the memory */
    with_context();
    only_cupipe();
    int fd = export_fd(create(2 * UNIT, FD_TYPE));
    check(pread(fd, label, sizeof(label), (off_t)(2 * UNIT)) == sizeof(label));
    check_no_import(memory_file(label, sizeof(label), UNIT + 4096, all));
    check_no_import(memory_file(label, sizeof(label), 3 * UNIT + 4096, all));
    check_no_import(memory_file(label, sizeof(label), 2 * UNIT + 4096, 0));
    check_no_import(memory_file(label, sizeof(label), 2 * UNIT + 4096, all | F_SEAL_WRITE));
    check_success(cuMemRelease(import_fd(memory_file(label, sizeof(label), 2 * UNIT + 4096, all))));
    check_success(cuMemRelease(import_fd(fd)));
}

/* A file that begins as a real one does. */
static int file_that_begins_with(const void *bytes, size_t count, size_t file_bytes, int seals)
{
    int fd = memfd_create("test", MFD_ALLOW_SEALING);

    check(fd >= 0 && ftruncate(fd, (off_t)file_bytes) == 0);
    check(pwrite(fd, bytes, count, 0) == (ssize_t)count);
    check(fcntl(fd, F_ADD_SEALS, seals) == 0);
    return fd;
}

/* The header and the label of a real one, in files that are not what they say, and damaged ones. */
TEST(forged_headers_are_refused)
{
    enum { HEAD = 65536, TAIL = 40 };
    static unsigned char head[HEAD], wrong[HEAD];
    int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

    setenv("CUPIPE_EXPORT", "llvmpipe", 1);
    with_context();
    only_cupipe();
    int fd = export_fd(create(2 * UNIT, FD_TYPE));
    check(pread(fd, head, HEAD, 0) == HEAD);
    check_no_import(file_that_begins_with(head, HEAD, HEAD + UNIT + TAIL, all));
    check_no_import(file_that_begins_with(head, HEAD, HEAD + 3 * UNIT + TAIL, all));
    check_no_import(file_that_begins_with(head, HEAD, HEAD + 2 * UNIT + TAIL, 0));
    for (size_t bit = 0; bit < 8 * 16; bit++) { /* of its size and the offset */
        memcpy(wrong, head, HEAD);
        wrong[bit / 8] = (unsigned char)(wrong[bit / 8] ^ 1 << bit % 8);
        check_no_import(file_that_begins_with(wrong, HEAD, HEAD + 2 * UNIT + TAIL, all));
    }
    for (size_t bit = 0; bit < 8 * 16; bit++) { /* of the label's name and size */
        memcpy(wrong, head, HEAD);
        wrong[64 + bit / 8] = (unsigned char)(wrong[64 + bit / 8] ^ 1 << bit % 8);
        check_no_import(file_that_begins_with(wrong, HEAD, HEAD + 2 * UNIT + TAIL, all));
    }
    check_success(
        cuMemRelease(import_fd(file_that_begins_with(head, HEAD, HEAD + 2 * UNIT + TAIL, all))));
}

/* Range handles. Memory that was not made for export moves to a file when one is asked for. */

static int range_handle(CUdeviceptr at, size_t bytes)
{
    int fd = -1;

    check_success(
        cuMemGetHandleForAddressRange(&fd, at, bytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    check(fd >= 0);
    return fd;
}

TEST(range_handle_of_virtual_memory_is_the_memory)
{
    CUmemGenericAllocationHandle handle;
    size_t free_before, free_after, total;

    with_context();
    only_cupipe();
    CUdeviceptr at = map_new(2 * UNIT, 0, &handle);
    fill_pattern(at, 2 * UNIT, 1);
    check_success(cuMemGetInfo(&free_before, &total));
    int fd = range_handle(at, 2 * UNIT), again = range_handle(at, UNIT);
    check(lseek(fd, 0, SEEK_END) >= (off_t)(2 * UNIT));
    unsigned char *bytes = mmap(NULL, UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(bytes != MAP_FAILED && bytes[0] == 1);
    check_pattern(at, 2 * UNIT, 1);
    bytes[5] = 99;
    unsigned char byte;
    check_success(cuMemcpyDtoH(&byte, at + 5, 1));
    check(byte == 99);
    check_success(cuMemsetD8(at + 5, 98, 1));
    check_success(cuCtxSynchronize());
    check(bytes[5] == 98);
    unsigned char *same = mmap(NULL, UNIT, PROT_READ, MAP_SHARED, again, 0);
    check(same != MAP_FAILED && same[5] == 98);
    check_success(cuMemGetInfo(&free_after, &total));
    check(free_after == free_before);
    unmap(at, 2 * UNIT, handle);
    check(bytes[5] == 98);
    check_success(cuMemGetInfo(&free_after, &total));
    check(free_after == free_before + 2 * UNIT);
}

TEST(a_range_handle_changes_no_rights)
{
    CUmemGenericAllocationHandle handle;
    unsigned char byte = 7;

    with_context();
    only_cupipe();
    CUdeviceptr at = map_new(UNIT, 0, &handle);
    fill_pattern(at, UNIT, 1);
    allow(at, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READ);
    close(range_handle(at, UNIT));
    check_pattern(at, UNIT, 1);
    check(cuMemcpyHtoD(at, &byte, 1) != CUDA_SUCCESS);
    allow(at, UNIT, READWRITE);
    check_success(cuMemcpyHtoD(at, &byte, 1));
}

static struct flag writing_ends;

static void *write_and_read(void *argument)
{
    CUdeviceptr at = *(CUdeviceptr *)argument;
    static unsigned char written[256 * 1024], read[sizeof(written)];

    with_context();
    for (unsigned round = 0; !flag_is_raised(&writing_ends); round++) {
        memset(written, (int)(round % 251), sizeof(written));
        check_success(cuMemcpyHtoD(at, written, sizeof(written)));
        check_success(cuMemcpyDtoH(read, at, sizeof(read)));
        check(memcmp(written, read, sizeof(read)) == 0);
    }
    return NULL;
}

TEST(nothing_is_lost_while_virtual_memory_moves)
{
    with_context();
    only_cupipe();
    for (int i = 0; i < 30; i++) {
        CUmemGenericAllocationHandle handle;
        CUdeviceptr at = map_new(2 * UNIT, 0, &handle), inside = at + UNIT;
        pthread_t thread;
        writing_ends.raised = 0;
        check(pthread_create(&thread, NULL, write_and_read, &inside) == 0);
        nap();
        close(range_handle(at, 2 * UNIT));
        nap();
        flag_raise(&writing_ends);
        pthread_join(thread, NULL);
        unmap(at, 2 * UNIT, handle);
    }
}

TEST(exported_memory_cannot_be_taken_away)
{
    CUmemGenericAllocationHandle handle;

    with_context();
    only_cupipe();
    CUdeviceptr at = map_new(UNIT, FD_TYPE, &handle);
    fill_pattern(at, UNIT, 1);
    int fd = export_fd(handle);
    check(ftruncate(fd, 0) != 0 && errno == EPERM);
    check(ftruncate(fd, (off_t)(8 * UNIT)) != 0);
    check(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) != 0);
    check_pattern(at, UNIT, 1);
}

static int open_descriptors(void)
{
    int count = 0;

    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(sharing_leaks_no_descriptors)
{
    with_context();
    check_success(cuMemRelease(create(UNIT, FD_TYPE)));
    int before = open_descriptors();
    for (int i = 0; i < 50; i++) {
        CUmemGenericAllocationHandle handle;
        CUdeviceptr at = map_new(UNIT, FD_TYPE, &handle);
        int fd = export_fd(handle);
        CUmemGenericAllocationHandle imported = import_fd(fd);
        CUdeviceptr other = map_at_new_address(UNIT, imported);
        check(close(fd) == 0);
        check_no_import(fd);
        unmap(at, UNIT, handle);
        unmap(other, UNIT, imported);
    }
    check(open_descriptors() == before);
}
