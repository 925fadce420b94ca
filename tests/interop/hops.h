/* SPDX-License-Identifier: MIT */
/* The two sides of a test that hands a word of memory to and fro: Vulkan writes a number and
 * signals, CUDA waits, keeps what it finds, writes the next number and signals, Vulkan waits and
 * keeps what it finds. Both sides submit a chunk of rounds without waiting for anything, so nothing
 * but the semaphores puts the rounds in order. */
#ifndef TEST_HOPS_H
#define TEST_HOPS_H

#include "semaphores.h"

enum {
    HOP_ROUNDS = 5000, /* two hops each */
    HOP_CHUNK = 100,
    WORD_BYTES = 4096, /* the word has a buffer of this size */
};

struct hops {
    VkSemaphoreType type;
    /* Vulkan's side. Of timeline semaphores one would do; two serve both kinds. */
    VkSemaphore to_cuda, to_vulkan;
    struct vulkan_buffer buffer, kept;
    VkCommandBuffer commands[2 * HOP_CHUNK];
    /* CUDA's side. */
    CUexternalSemaphore from_vulkan, back;
    CUdeviceptr word;
    uint32_t *found;
    CUstream stream;
};

static inline uint32_t vulkan_number(unsigned round)
{
    return 2 * round + 1;
}

static inline uint32_t cuda_number(unsigned round)
{
    return 2 * round + 2;
}

static inline void hops_create_vulkan(struct hops *hops, const struct vulkan *vk,
                                      VkSemaphoreType type)
{
    hops->type = type;
    hops->to_cuda = semaphore_create(vk, type, true);
    hops->to_vulkan = semaphore_create(vk, type, true);
    vulkan_buffer_create(vk, WORD_BYTES, &hops->buffer);
    vulkan_buffer_create(vk, HOP_CHUNK * sizeof(uint32_t), &hops->kept);
}

static inline void hops_import(struct hops *hops, VkSemaphoreType type, int to_cuda, int to_vulkan,
                               int memory, uint64_t allocated_bytes)
{
    hops->from_vulkan = semaphore_import(to_cuda, type);
    hops->back = semaphore_import(to_vulkan, type);
    hops->word = memory_import(memory, allocated_bytes, WORD_BYTES);
    hops->stream = stream_create();
    check_success(cuMemAllocHost((void **)&hops->found, HOP_ROUNDS * sizeof(uint32_t)));
}

static inline void hops_enqueue_cuda(struct hops *hops, unsigned first)
{
    for (unsigned round = first; round < first + HOP_CHUNK; round++) {
        check_success(cuda_wait(hops->from_vulkan, round + 1, hops->stream));
        check_success(
            cuMemcpyDtoHAsync(&hops->found[round], hops->word, sizeof(uint32_t), hops->stream));
        check_success(cuMemsetD32Async(hops->word, cuda_number(round), 1, hops->stream));
        check_success(cuda_signal(hops->back, round + 1, hops->stream));
    }
}

static inline void hops_submit_vulkan(struct hops *hops, const struct vulkan *vk, unsigned first)
{
    for (unsigned i = 0; i < HOP_CHUNK; i++) {
        VkBufferCopy keep = {0, i * sizeof(uint32_t), sizeof(uint32_t)};
        VkCommandBuffer *commands = &hops->commands[2 * i];
        commands[0] = vulkan_begin(vk);
        vk->CmdFillBuffer(commands[0], hops->buffer.buffer, 0, sizeof(uint32_t),
                          vulkan_number(first + i));
        vulkan_end(vk, commands[0]);
        commands[1] = vulkan_begin(vk);
        vk->CmdCopyBuffer(commands[1], hops->buffer.buffer, hops->kept.buffer, 1, &keep);
        vulkan_end(vk, commands[1]);
        semaphore_submit(vk, no_use, commands[0], (struct vulkan_use){hops->to_cuda, first + i + 1},
                         VK_NULL_HANDLE);
        semaphore_submit(vk, (struct vulkan_use){hops->to_vulkan, first + i + 1}, commands[1],
                         no_use, VK_NULL_HANDLE);
    }
}

static inline void hops_finish_vulkan(struct hops *hops, const struct vulkan *vk, unsigned first)
{
    uint32_t kept[HOP_CHUNK];

    vulkan_check(vk->QueueWaitIdle(vk->queue));
    for (unsigned i = 0; i < 2 * HOP_CHUNK; i++)
        vulkan_free(vk, hops->commands[i]);
    vulkan_buffer_read(vk, &hops->kept, 0, kept, sizeof(kept));
    for (unsigned i = 0; i < HOP_CHUNK; i++)
        check(kept[i] == cuda_number(first + i));
}

static inline void hops_verify_cuda(struct hops *hops)
{
    check_success(cuStreamSynchronize(hops->stream));
    for (unsigned round = 0; round < HOP_ROUNDS; round++)
        check(hops->found[round] == vulkan_number(round));
}

static inline void hops_destroy_cuda(struct hops *hops)
{
    check_success(cuDestroyExternalSemaphore(hops->from_vulkan));
    check_success(cuDestroyExternalSemaphore(hops->back));
}

static inline void hops_destroy_vulkan(struct hops *hops, const struct vulkan *vk)
{
    vk->DestroySemaphore(vk->device, hops->to_cuda, NULL);
    vk->DestroySemaphore(vk->device, hops->to_vulkan, NULL);
    vulkan_buffer_destroy(vk, &hops->buffer);
    vulkan_buffer_destroy(vk, &hops->kept);
}

#endif
