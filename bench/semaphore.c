/* SPDX-License-Identifier: MIT */
/* Semaphores that Vulkan and CUDA share through the layer, on lavapipe. The reference is what there
 * must be at least: a futex round trip between two threads, and a vkSignalSemaphore of the driver's
 * own. Streams and queues are given what they wait for beforehand, a round at a time. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#if defined(BENCH_VULKAN) && defined(BENCH_LAYER_PATH)
#include "vulkan.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct hop {
    struct vulkan vk;
    VkSemaphore shared, plain;
    VkFence fence;
    CUexternalSemaphore imported;
    CUstream stream;
    uint64_t value, plain_value;
    pthread_t echo;
    _Atomic(uint32_t) there, back; /* futexes of the reference */
    atomic_bool stop;
};

static void futex_wait(_Atomic(uint32_t) *word, uint32_t expected)
{
    while (atomic_load(word) == expected)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_move(_Atomic(uint32_t) *word)
{
    atomic_fetch_add(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void *echo_main(void *argument)
{
    struct hop *hop = argument;

    for (uint32_t seen = 0; !atomic_load(&hop->stop); seen++) {
        futex_wait(&hop->there, seen);
        futex_move(&hop->back);
    }
    return NULL;
}

static void host_signal(struct hop *hop, VkSemaphore semaphore, uint64_t value)
{
    VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = value};

    vulkan_check(hop->vk.SignalSemaphore(hop->vk.device, &info));
}

static void host_wait(struct hop *hop, VkSemaphore semaphore, uint64_t value)
{
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &semaphore,
                                .pValues = &value};

    vulkan_check(hop->vk.WaitSemaphores(hop->vk.device, &info, UINT64_MAX));
}

static void reference_hops(void *argument, size_t count)
{
    struct hop *hop = argument;

    for (size_t i = 0; i < count; i++) {
        uint32_t seen = atomic_load(&hop->back);
        futex_move(&hop->there);
        futex_wait(&hop->back, seen);
        host_signal(hop, hop->plain, ++hop->plain_value);
    }
}

static void enqueue_cuda(struct hop *hop, size_t count)
{
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait;
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal;

    memset(&wait, 0, sizeof(wait));
    memset(&signal, 0, sizeof(signal));
    for (size_t i = 0; i < count; i++) {
        wait.params.fence.value = hop->value + 2 * i + 1;
        signal.params.fence.value = hop->value + 2 * i + 2;
        must(cuWaitExternalSemaphoresAsync(&hop->imported, &wait, 1, hop->stream));
        must(cuSignalExternalSemaphoresAsync(&hop->imported, &signal, 1, hop->stream));
    }
}

/* The host signals, the stream waits and signals, the host waits. */
static void host_hops(void *argument, size_t count)
{
    struct hop *hop = argument;

    enqueue_cuda(hop, count);
    for (size_t i = 0; i < count; i++) {
        host_signal(hop, hop->shared, ++hop->value);
        host_wait(hop, hop->shared, ++hop->value);
    }
    must(cuStreamSynchronize(hop->stream));
}

static void submit(struct hop *hop, VkSemaphore wait, uint64_t wait_value, VkSemaphore signal,
                   uint64_t signal_value, VkFence fence)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo values = {.sType =
                                                VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = 1,
                                            .pWaitSemaphoreValues = &wait_value,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &signal_value};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &values,
                         .waitSemaphoreCount = 1,
                         .pWaitSemaphores = &wait,
                         .pWaitDstStageMask = &stage,
                         .signalSemaphoreCount = 1,
                         .pSignalSemaphores = &signal};

    vulkan_check(hop->vk.QueueSubmit(hop->vk.queue, 1, &info, fence));
}

/* The stream signals, the queue waits and signals, and so on until the end; the first signal is the
 * host's and the last wait, too. */
static void queue_hops(void *argument, size_t count)
{
    struct hop *hop = argument;
    uint64_t end = hop->value + 2 * count;

    enqueue_cuda(hop, count);
    for (size_t i = 1; i < count; i++) {
        uint64_t value = hop->value + 2 * i;
        submit(hop, hop->shared, value, hop->shared, value + 1, VK_NULL_HANDLE);
    }
    host_signal(hop, hop->shared, hop->value + 1);
    host_wait(hop, hop->shared, end);
    hop->value = end;
    must(cuStreamSynchronize(hop->stream));
    vulkan_check(hop->vk.QueueWaitIdle(hop->vk.queue));
}

/* The same by the driver alone: the host signals, the queue waits and signals, the host waits. */
static void reference_queue_hops(void *argument, size_t count)
{
    struct hop *hop = argument;

    for (size_t i = 0; i < count; i++) {
        uint64_t value = hop->plain_value + 2 * i + 1;
        submit(hop, hop->plain, value, hop->plain, value + 1, VK_NULL_HANDLE);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t seen = atomic_load(&hop->back);
        futex_move(&hop->there);
        futex_wait(&hop->back, seen);
        host_signal(hop, hop->plain, ++hop->plain_value);
        host_wait(hop, hop->plain, ++hop->plain_value);
    }
    vulkan_check(hop->vk.QueueWaitIdle(hop->vk.queue));
}

static VkSemaphore create(struct hop *hop, bool exported)
{
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkExportSemaphoreCreateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                          .pNext = &type,
                                          .handleTypes =
                                              VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                  .pNext = exported ? (void *)&export : (void *)&type};
    VkSemaphore semaphore;

    vulkan_check(hop->vk.CreateSemaphore(hop->vk.device, &info, NULL, &semaphore));
    return semaphore;
}

static const char *open_hop(struct hop *hop)
{
    VkSemaphoreGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                   .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc;

    setenv("VK_LAYER_PATH", BENCH_LAYER_PATH, 1);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_CUPIPE_external_semaphore", 1);
    const char *reason = vulkan_open(&hop->vk, VULKAN_LAVAPIPE);
    unsetenv("VK_INSTANCE_LAYERS");
    if (reason)
        return reason;
    hop->shared = create(hop, true);
    hop->plain = create(hop, false);
    get.semaphore = hop->shared;
    memset(&desc, 0, sizeof(desc));
    desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    vulkan_check(hop->vk.GetSemaphoreFdKHR(hop->vk.device, &get, &desc.handle.fd));
    must(cuImportExternalSemaphore(&hop->imported, &desc));
    must(cuStreamCreate(&hop->stream, CU_STREAM_NON_BLOCKING));
    if (pthread_create(&hop->echo, NULL, echo_main, hop) != 0)
        return "no thread";
    return NULL;
}

static void close_hop(struct hop *hop)
{
    atomic_store(&hop->stop, true);
    futex_move(&hop->there);
    pthread_join(hop->echo, NULL);
    must(cuDestroyExternalSemaphore(hop->imported));
    must(cuStreamDestroy(hop->stream));
    hop->vk.DestroySemaphore(hop->vk.device, hop->shared, NULL);
    hop->vk.DestroySemaphore(hop->vk.device, hop->plain, NULL);
    vulkan_close(&hop->vk);
}

static struct bench_result measure(void (*subject)(void *argument, size_t count),
                                   void (*reference)(void *argument, size_t count))
{
    static struct hop hop;
    struct bench_result result = {0};

    memset(&hop, 0, sizeof(hop));
    const char *reason = open_hop(&hop);
    if (reason) {
        snprintf(result.note, sizeof(result.note), "%s", reason);
        return result;
    }
    result = bench_short((struct bench_side){subject, &hop}, (struct bench_side){reference, &hop});
    close_hop(&hop);
    return result;
}

static struct bench_result measure_host(const struct bench_row *row)
{
    (void)row;
    return measure(host_hops, reference_hops);
}

static struct bench_result measure_queue(const struct bench_row *row)
{
    (void)row;
    return measure(queue_hops, reference_queue_hops);
}
#else
static struct bench_result measure_host(const struct bench_row *row)
{
    struct bench_result result = {0};

    (void)row;
    snprintf(result.note, sizeof(result.note), "built without Vulkan's headers");
    return result;
}

static struct bench_result measure_queue(const struct bench_row *row)
{
    return measure_host(row);
}
#endif

const struct bench_row bench_semaphore_rows[] = {
    {.name = "semaphores, host to stream and back",
     .reference = "futex+signal",
     .unit = BENCH_NS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 3,
     .measure = measure_host},
    {.name = "semaphores, queue to stream and back",
     .reference = "futex+queue",
     .unit = BENCH_NS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 3,
     .measure = measure_queue},
    {0},
};
