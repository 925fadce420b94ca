/* SPDX-License-Identifier: MIT */
/* Vulkan and CUDA hand work to each other by semaphores, in one process. */
#include "hops.h"

static void hops_in_one_process(const struct setting *setting)
{
    struct vulkan vk = open_setting(setting);
    struct hops hops;

    with_context();
    hops_create_vulkan(&hops, &vk, setting->type);
    hops_import(&hops, setting->type, semaphore_fd(&vk, hops.to_cuda),
                semaphore_fd(&vk, hops.to_vulkan), vulkan_memory_fd(&vk, hops.buffer.memory),
                hops.buffer.allocated_bytes);
    for (unsigned round = 0; round < HOP_ROUNDS; round += HOP_CHUNK) {
        hops_enqueue_cuda(&hops, round);
        hops_submit_vulkan(&hops, &vk, round);
        hops_finish_vulkan(&hops, &vk, round);
    }
    hops_verify_cuda(&hops);
    hops_destroy_cuda(&hops);
    hops_destroy_vulkan(&hops, &vk);
    vulkan_close(&vk);
}
TEST_EACH_SETTING(hops_in_one_process)

/* What a test of single operations needs. */
struct pair {
    struct vulkan vk;
    VkSemaphore semaphore;
    CUexternalSemaphore imported;
    CUstream stream, other;
};

static struct pair open_pair(const struct setting *setting)
{
    struct pair pair = {.vk = open_setting(setting)};

    with_context();
    pair.semaphore = semaphore_create(&pair.vk, setting->type, true);
    pair.imported = semaphore_import(semaphore_fd(&pair.vk, pair.semaphore), setting->type);
    pair.stream = stream_create();
    pair.other = stream_create();
    return pair;
}

static void cuda_signals_a_queue(const struct setting *setting)
{
    struct pair pair = open_pair(setting);
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;

    vulkan_check(pair.vk.CreateFence(pair.vk.device, &info, NULL, &fence));
    for (uint64_t value = 1; value <= 3; value++) {
        check_success(cuda_signal(pair.imported, value, pair.stream));
        semaphore_submit(&pair.vk, (struct vulkan_use){pair.semaphore, value}, NULL, no_use, fence);
        vulkan_check(pair.vk.WaitForFences(pair.vk.device, 1, &fence, VK_TRUE, UINT64_MAX));
        vulkan_check(pair.vk.ResetFences(pair.vk.device, 1, &fence));
    }
}
TEST_EACH_SETTING(cuda_signals_a_queue)

static void a_wait_holds_its_stream_alone(const struct setting *setting)
{
    struct pair pair = open_pair(setting);
    CUdeviceptr memory;
    uint32_t value = 0;

    check_success(cuMemAlloc(&memory, 4));
    check_success(cuda_wait(pair.imported, 7, pair.stream));
    check_success(cuMemsetD32Async(memory, 1, 1, pair.stream));
    check_success(cuMemsetD32Async(memory, 2, 1, pair.other));
    check_success(cuStreamSynchronize(pair.other));
    check_result(cuStreamQuery(pair.stream), CUDA_ERROR_NOT_READY);
    check_success(cuMemcpyDtoHAsync(&value, memory, 4, pair.other));
    check_success(cuStreamSynchronize(pair.other));
    check(value == 2);
    semaphore_submit(&pair.vk, no_use, NULL, (struct vulkan_use){pair.semaphore, 7},
                     VK_NULL_HANDLE);
    check_success(cuStreamSynchronize(pair.stream));
    check_success(cuMemcpyDtoH(&value, memory, 4));
    check(value == 1);
}
TEST_EACH_SETTING(a_wait_holds_its_stream_alone)

static void destroying_ends_waits(const struct setting *setting)
{
    struct pair pair = open_pair(setting);

    check_success(cuda_wait(pair.imported, 1, pair.stream));
    check_success(cuda_wait(pair.imported, 2, pair.other));
    check_success(cuDestroyExternalSemaphore(pair.imported));
    check_success(cuStreamSynchronize(pair.stream));
    check_success(cuStreamSynchronize(pair.other));
    check_result(cuDestroyExternalSemaphore(pair.imported), CUDA_ERROR_INVALID_VALUE);
    check_result(cuda_wait(pair.imported, 1, pair.stream), CUDA_ERROR_INVALID_VALUE);
    check_result(cuda_signal(pair.imported, 1, pair.stream), CUDA_ERROR_INVALID_VALUE);
}
TEST_EACH_SETTING(destroying_ends_waits)

static void a_context_ends_with_a_wait(const struct setting *setting)
{
    struct vulkan vk = open_setting(setting);
    VkSemaphore semaphore = semaphore_create(&vk, setting->type, true);
    CUcontext context;

    check_success(cuInit(0));
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    CUexternalSemaphore imported = semaphore_import(semaphore_fd(&vk, semaphore), setting->type);
    check_success(cuda_wait(imported, 1, stream_create()));
    check_success(cuCtxDestroy(context));
    with_context();
    check_result(cuDestroyExternalSemaphore(imported), CUDA_ERROR_INVALID_VALUE);
}
TEST_EACH_SETTING(a_context_ends_with_a_wait)

static void a_semaphore_outlives_vulkans(const struct setting *setting)
{
    struct pair pair = open_pair(setting);

    pair.vk.DestroySemaphore(pair.vk.device, pair.semaphore, NULL);
    check_success(cuda_wait(pair.imported, 3, pair.other));
    check_result(cuStreamQuery(pair.other), CUDA_ERROR_NOT_READY);
    check_success(cuda_signal(pair.imported, 3, pair.stream));
    check_success(cuStreamSynchronize(pair.other));
    check_success(cuDestroyExternalSemaphore(pair.imported));
}
TEST_EACH_SETTING(a_semaphore_outlives_vulkans)

TEST(a_binary_semaphore_holds_one_signal)
{
    struct pair pair = open_pair(&layer_binary);

    check_success(cuda_signal(pair.imported, 0, pair.stream));
    check_success(cuda_signal(pair.imported, 0, pair.stream));
    check_success(cuda_wait(pair.imported, 0, pair.stream));
    check_success(cuStreamSynchronize(pair.stream));
    check_success(cuda_wait(pair.imported, 0, pair.other));
    check_result(cuStreamQuery(pair.other), CUDA_ERROR_NOT_READY);
    check_success(cuda_signal(pair.imported, 0, pair.stream));
    check_success(cuStreamSynchronize(pair.other));
}

static void host_and_cuda_share_a_counter(const struct setting *setting)
{
    struct pair pair = open_pair(setting);

    check(semaphore_host_wait(&pair.vk, pair.semaphore, 5, 0) == VK_TIMEOUT);
    check(semaphore_host_wait(&pair.vk, pair.semaphore, 5, 1000000) == VK_TIMEOUT);
    check_success(cuda_signal(pair.imported, 5, pair.stream));
    vulkan_check(semaphore_host_wait(&pair.vk, pair.semaphore, 5, UINT64_MAX));
    check(semaphore_value(&pair.vk, pair.semaphore) == 5);
    check_success(cuda_wait(pair.imported, 9, pair.stream));
    semaphore_host_signal(&pair.vk, pair.semaphore, 9);
    check_success(cuStreamSynchronize(pair.stream));
    /* NVIDIA's driver lets the counter go back, and Vulkan sees it. */
    check_success(cuda_signal(pair.imported, 4, pair.stream));
    check_success(cuStreamSynchronize(pair.stream));
    check(semaphore_value(&pair.vk, pair.semaphore) == 4);
}

TEST(host_and_cuda_share_a_counter_lavapipe)
{
    host_and_cuda_share_a_counter(&layer_timeline);
}

TEST(host_and_cuda_share_a_counter_swiftshader)
{
    host_and_cuda_share_a_counter(&swiftshader_timeline);
}

/* A queue's signal is to be seen as soon as its fence is. */
TEST(the_counter_follows_the_fence)
{
    struct pair pair = open_pair(&layer_timeline);

    for (uint64_t value = 1; value <= 200; value++) {
        semaphore_submit(&pair.vk, no_use, NULL, (struct vulkan_use){pair.semaphore, value},
                         VK_NULL_HANDLE);
        vulkan_check(pair.vk.QueueWaitIdle(pair.vk.queue));
        check(semaphore_value(&pair.vk, pair.semaphore) == value);
    }
}

/* Waits in a queue are over in the order of their signals, not of their submission. */
TEST(queue_waits_behind_a_later_value)
{
    struct pair pair = open_pair(&layer_timeline);

    semaphore_submit(&pair.vk, (struct vulkan_use){pair.semaphore, 10}, NULL,
                     (struct vulkan_use){pair.semaphore, 11}, VK_NULL_HANDLE);
    semaphore_submit(&pair.vk, (struct vulkan_use){pair.semaphore, 5}, NULL,
                     (struct vulkan_use){pair.semaphore, 12}, VK_NULL_HANDLE);
    check_success(cuda_signal(pair.imported, 6, pair.stream));
    check(semaphore_host_wait(&pair.vk, pair.semaphore, 11, 5000000) == VK_TIMEOUT);
    check_success(cuda_signal(pair.imported, 10, pair.stream));
    vulkan_check(semaphore_host_wait(&pair.vk, pair.semaphore, 12, UINT64_MAX));
}

/* More than the system sleeps on at once. */
TEST(many_semaphores_at_once)
{
    enum { COUNT = 200 };
    static VkSemaphore semaphores[COUNT];
    static CUexternalSemaphore imported[COUNT];
    static CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS waits[COUNT];
    static CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signals[COUNT];
    struct vulkan vk = open_setting(&layer_timeline);

    with_context();
    CUstream stream = stream_create();
    for (unsigned i = 0; i < COUNT; i++) {
        semaphores[i] = semaphore_create(&vk, VK_SEMAPHORE_TYPE_TIMELINE, true);
        imported[i] =
            semaphore_import(semaphore_fd(&vk, semaphores[i]), VK_SEMAPHORE_TYPE_TIMELINE);
        waits[i].params.fence.value = 1;
        signals[i].params.fence.value = 2;
    }
    check_success(cuWaitExternalSemaphoresAsync(imported, waits, COUNT, stream));
    check_success(cuSignalExternalSemaphoresAsync(imported, signals, COUNT, stream));
    for (unsigned i = COUNT; i-- > 0;) {
        check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
        semaphore_host_signal(&vk, semaphores[i], 1);
    }
    check_success(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < COUNT; i++)
        check(semaphore_value(&vk, semaphores[i]) == 2);
}

static void attach(const struct vulkan *vk, VkSemaphore semaphore, int fd, bool temporary)
{
    VkImportSemaphoreFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                       .semaphore = semaphore,
                                       .flags = temporary ? VK_SEMAPHORE_IMPORT_TEMPORARY_BIT : 0,
                                       .handleType =
                                           VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
                                       .fd = fd};

    vulkan_check(vk->ImportSemaphoreFdKHR(vk->device, &info));
}

TEST(vulkan_imports_what_it_exported)
{
    struct pair pair = open_pair(&layer_timeline);
    VkSemaphore second = semaphore_create(&pair.vk, VK_SEMAPHORE_TYPE_TIMELINE, false);

    attach(&pair.vk, second, semaphore_fd(&pair.vk, pair.semaphore), false);
    semaphore_submit(&pair.vk, (struct vulkan_use){second, 1}, NULL, (struct vulkan_use){second, 2},
                     VK_NULL_HANDLE);
    check_success(cuda_signal(pair.imported, 1, pair.stream));
    vulkan_check(semaphore_host_wait(&pair.vk, pair.semaphore, 2, UINT64_MAX));
    check_success(cuda_wait(pair.imported, 2, pair.stream));
    check_success(cuStreamSynchronize(pair.stream));
}

/* After one wait the semaphore is its own again. */
TEST(a_temporary_import_lasts_for_a_wait)
{
    struct pair pair = open_pair(&layer_binary);
    VkSemaphore second = semaphore_create(&pair.vk, VK_SEMAPHORE_TYPE_BINARY, false);

    attach(&pair.vk, second, semaphore_fd(&pair.vk, pair.semaphore), true);
    check_success(cuda_signal(pair.imported, 0, pair.stream));
    semaphore_submit(&pair.vk, (struct vulkan_use){second, 0}, NULL, no_use, VK_NULL_HANDLE);
    vulkan_check(pair.vk.QueueWaitIdle(pair.vk.queue));
    semaphore_submit(&pair.vk, no_use, NULL, (struct vulkan_use){second, 0}, VK_NULL_HANDLE);
    semaphore_submit(&pair.vk, (struct vulkan_use){second, 0}, NULL, no_use, VK_NULL_HANDLE);
    vulkan_check(pair.vk.QueueWaitIdle(pair.vk.queue));
    check_success(cuda_wait(pair.imported, 0, pair.stream));
    check_result(cuStreamQuery(pair.stream), CUDA_ERROR_NOT_READY);
    check_success(cuDestroyExternalSemaphore(pair.imported));
}

static CUgraphExec end_capture(CUstream stream)
{
    CUgraphExec executable;
    CUgraph graph;

    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&executable, graph, 0));
    check_success(cuGraphDestroy(graph));
    return executable;
}

/* Capturing signals and waits for nothing. Each launch waits for the queue and signals it: values
 * of a timeline stay those of the capture, so that a second launch finds the wait fulfilled. */
TEST(a_captured_timeline_semaphore_meets_a_queue)
{
    struct pair pair = open_pair(&layer_timeline);

    check_success(cuStreamBeginCapture(pair.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_success(cuda_wait(pair.imported, 1, pair.stream));
    check_success(cuda_signal(pair.imported, 2, pair.stream));
    CUgraphExec executable = end_capture(pair.stream);
    check(semaphore_value(&pair.vk, pair.semaphore) == 0);
    check_success(cuGraphLaunch(executable, pair.stream));
    check_result(cuStreamQuery(pair.stream), CUDA_ERROR_NOT_READY);
    semaphore_submit(&pair.vk, (struct vulkan_use){pair.semaphore, 2}, NULL,
                     (struct vulkan_use){pair.semaphore, 3}, VK_NULL_HANDLE);
    semaphore_host_signal(&pair.vk, pair.semaphore, 1);
    vulkan_check(semaphore_host_wait(&pair.vk, pair.semaphore, 3, UINT64_MAX));
    check_success(cuStreamSynchronize(pair.stream));
    check_success(cuGraphExecDestroy(executable));
}

/* A binary semaphore is used up by each wait: every launch needs a signal of its own. */
TEST(a_captured_binary_semaphore_is_waited_for_by_each_launch)
{
    struct pair pair = open_pair(&layer_binary);

    check_success(cuStreamBeginCapture(pair.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_success(cuda_wait(pair.imported, 0, pair.stream));
    CUgraphExec executable = end_capture(pair.stream);
    for (int i = 0; i < 3; i++) {
        check_success(cuGraphLaunch(executable, pair.stream));
        check_result(cuStreamQuery(pair.stream), CUDA_ERROR_NOT_READY);
        semaphore_submit(&pair.vk, no_use, NULL, (struct vulkan_use){pair.semaphore, 0},
                         VK_NULL_HANDLE);
        check_success(cuStreamSynchronize(pair.stream));
        vulkan_check(pair.vk.QueueWaitIdle(pair.vk.queue));
    }
    check_success(cuGraphExecDestroy(executable));
}

/* Vulkan takes the device away from under a queue that waits: the driver is let go. */
TEST(a_device_ends_with_a_queue_that_waits)
{
    struct pair pair = open_pair(&layer_timeline);

    semaphore_submit(&pair.vk, (struct vulkan_use){pair.semaphore, 1}, NULL, no_use,
                     VK_NULL_HANDLE);
    pair.vk.DestroySemaphore(pair.vk.device, pair.semaphore, NULL);
    vulkan_close(&pair.vk);
    check_success(cuda_signal(pair.imported, 1, pair.stream));
    check_success(cuStreamSynchronize(pair.stream));
}
