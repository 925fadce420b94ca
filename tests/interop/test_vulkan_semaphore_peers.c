/* SPDX-License-Identifier: MIT */
/* Vulkan and CUDA hand work to each other by semaphores, in two processes; and one of them dies. */
#include "hops.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const struct setting *chosen; /* a forked child has it, too */

/* The other process is Vulkan. Skipped there means skipped here. */
static void hops_of_vulkan(int socket)
{
    struct vulkan vk = open_setting(chosen);
    struct hops hops;

    hops_create_vulkan(&hops, &vk, chosen->type);
    peer_send_fd(socket, semaphore_fd(&vk, hops.to_cuda));
    peer_send_fd(socket, semaphore_fd(&vk, hops.to_vulkan));
    peer_send_fd(socket, vulkan_memory_fd(&vk, hops.buffer.memory));
    peer_send(socket, &hops.buffer.allocated_bytes, sizeof(hops.buffer.allocated_bytes));
    for (unsigned round = 0; round < HOP_ROUNDS; round += HOP_CHUNK) {
        peer_await(socket); /* what a queue waits for must be on its way already */
        hops_submit_vulkan(&hops, &vk, round);
        hops_finish_vulkan(&hops, &vk, round);
    }
    hops_destroy_vulkan(&hops, &vk);
    vulkan_close(&vk);
}

static void skip_unless_there(const struct setting *setting)
{
    if (!vulkan_choose(setting->driver))
        skip("the Vulkan driver is not installed");
#ifndef CUPIPE_LAYER_PATH
    if (setting->with_layer)
        skip("the layer was not built: vulkan/vk_layer.h was not there");
#endif
}

static void hops_in_two_processes(const struct setting *setting)
{
    struct hops hops;
    VkDeviceSize allocated_bytes;

    skip_unless_there(setting);
    chosen = setting;
    struct peer peer = peer_start(hops_of_vulkan);
    int to_cuda = peer_receive_fd(peer.socket), to_vulkan = peer_receive_fd(peer.socket);
    int memory = peer_receive_fd(peer.socket);
    peer_receive(peer.socket, &allocated_bytes, sizeof(allocated_bytes));
    with_context();
    hops_import(&hops, setting->type, to_cuda, to_vulkan, memory, allocated_bytes);
    for (unsigned round = 0; round < HOP_ROUNDS; round += HOP_CHUNK) {
        hops_enqueue_cuda(&hops, round);
        peer_signal(peer.socket);
    }
    hops_verify_cuda(&hops);
    hops_destroy_cuda(&hops);
    peer_finish(&peer);
}
TEST_EACH_SETTING(hops_in_two_processes)

static void export_and_sleep(int socket)
{
    struct vulkan vk = open_setting(chosen);

    peer_send_fd(socket, semaphore_fd(&vk, semaphore_create(&vk, chosen->type, true)));
    pause();
}

static void a_stream_waits_for_a_dead_process(const struct setting *setting)
{
    skip_unless_there(setting);
    chosen = setting;
    struct peer peer = peer_start(export_and_sleep);
    CUexternalSemaphore imported;
    int fd = peer_receive_fd(peer.socket);

    with_context();
    imported = semaphore_import(fd, setting->type);
    CUstream stream = stream_create(), other = stream_create();
    check_success(cuda_wait(imported, 1, stream));
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    peer_kill(&peer);
    check_success(cuStreamSynchronize(stream));
    check_success(cuda_signal(imported, 2, other));
    check_success(cuda_wait(imported, 2, other));
    check_success(cuStreamSynchronize(other));
    check_success(cuDestroyExternalSemaphore(imported));
}
TEST_EACH_SETTING(a_stream_waits_for_a_dead_process)

static void import_and_sleep(int socket)
{
    int fd = peer_receive_fd(socket);

    with_context();
    semaphore_import(fd, chosen->type);
    peer_signal(socket);
    pause();
}

static void a_queue_waits_for_a_dead_process(const struct setting *setting)
{
    skip_unless_there(setting);
    chosen = setting;
    struct peer peer = peer_start(import_and_sleep);
    struct vulkan vk = open_setting(setting);
    VkSemaphore semaphore = semaphore_create(&vk, setting->type, true);

    peer_send_fd(peer.socket, semaphore_fd(&vk, semaphore));
    peer_await(peer.socket);
    semaphore_submit(&vk, (struct vulkan_use){semaphore, 1}, NULL, no_use, VK_NULL_HANDLE);
    if (setting->type == VK_SEMAPHORE_TYPE_TIMELINE)
        check(semaphore_host_wait(&vk, semaphore, 1, 1000000) == VK_TIMEOUT);
    peer_kill(&peer);
    vulkan_check(vk.QueueWaitIdle(vk.queue));
    if (setting->type == VK_SEMAPHORE_TYPE_TIMELINE)
        check(semaphore_host_wait(&vk, semaphore, 1, UINT64_MAX) == VK_ERROR_DEVICE_LOST);
}

TEST(a_queue_waits_for_a_dead_process_timeline)
{
    a_queue_waits_for_a_dead_process(&layer_timeline);
}

TEST(a_queue_waits_for_a_dead_process_binary)
{
    a_queue_waits_for_a_dead_process(&layer_binary);
}

/* What follows does to SwiftShader's semaphores what a broken or dead process may do. */
static int swiftshader_fd(struct vulkan *vk)
{
    *vk = open_setting(&swiftshader_binary);
    return semaphore_fd(vk, semaphore_create(vk, VK_SEMAPHORE_TYPE_BINARY, true));
}

TEST(a_mutex_whose_owner_died)
{
    struct vulkan vk;
    int fd = swiftshader_fd(&vk);
    uint32_t *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    check(word != MAP_FAILED);
    with_context();
    only_cupipe();
    CUexternalSemaphore imported = semaphore_import(fd, VK_SEMAPHORE_TYPE_BINARY);
    CUstream stream = stream_create();
    __atomic_store_n(word, 1, __ATOMIC_SEQ_CST); /* locked, by nobody */
    check_success(cuda_signal(imported, 0, stream));
    check_success(cuda_wait(imported, 0, stream));
    check_success(cuStreamSynchronize(stream));
    __atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
    check_success(cuDestroyExternalSemaphore(imported));
}

/* SwiftShader itself does not survive that, so nothing of it is called afterwards. */
TEST(a_semaphore_file_that_shrinks)
{
    struct vulkan vk;
    int fd = swiftshader_fd(&vk), again = dup(fd);

    with_context();
    only_cupipe();
    CUexternalSemaphore imported = semaphore_import(fd, VK_SEMAPHORE_TYPE_BINARY);
    CUstream waits = stream_create(), signals = stream_create();
    check_success(cuda_wait(imported, 0, waits));
    check(ftruncate(again, 0) == 0);
    check_success(cuStreamSynchronize(waits));
    check_success(cuda_signal(imported, 0, signals));
    check_success(cuStreamSynchronize(signals));
    check_success(cuDestroyExternalSemaphore(imported));
    _exit(0);
}

static CUresult import_result(int fd)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
                                                .handle.fd = fd};
    CUexternalSemaphore imported;

    return cuImportExternalSemaphore(&imported, &desc);
}

TEST(files_that_are_no_semaphores)
{
    static const off_t sizes[] = {0, 1, 4096, 8192, 65536};

    with_context();
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        int plain = memfd_create("SwiftShader.Semaphore.1", MFD_ALLOW_SEALING);
        int sealed = memfd_create("cupipe semaphore", MFD_ALLOW_SEALING);
        check(ftruncate(plain, sizes[i]) == 0 && ftruncate(sealed, sizes[i]) == 0);
        check(fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
        check_result(import_result(plain), CUDA_ERROR_UNKNOWN);
        check_result(import_result(sealed), CUDA_ERROR_UNKNOWN);
        check(fcntl(plain, F_GETFD) >= 0 && fcntl(sealed, F_GETFD) >= 0);
        close(plain);
        close(sealed);
    }
}

/* Every byte of the label counts, and a file may be read-only or larger than it should. */
TEST(a_label_that_is_damaged)
{
    struct vulkan vk = open_setting(&layer_timeline);
    int fd = semaphore_fd(&vk, semaphore_create(&vk, VK_SEMAPHORE_TYPE_TIMELINE, true));
    unsigned char label[16];
    struct stat status;

    with_context();
    only_cupipe();
    check(fstat(fd, &status) == 0 && pread(fd, label, sizeof(label), 4096) == sizeof(label));
    for (unsigned i = 0; i < sizeof(label); i++) {
        unsigned char damaged = label[i] ^ 0x80;
        check(pwrite(fd, &damaged, 1, 4096 + i) == 1);
        check_result(import_result(fd), CUDA_ERROR_UNKNOWN);
        check(pwrite(fd, &label[i], 1, 4096 + i) == 1);
    }
    check(ftruncate(fd, 0) != 0 && ftruncate(fd, 2 * status.st_size) != 0);
    check_success(import_result(fd));
}
