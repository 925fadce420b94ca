/* SPDX-License-Identifier: MIT */
/* Submissions as applications write them, through the layer: with arrays left out or too short,
 * with structures in any order, with semaphores of the layer and of the driver side by side. */
#include "test.h"

#include "semaphores.h"

enum { PER_TYPE = 2, COUNT = 2 * PER_TYPE };

/* Semaphores that CUDA shares, and ones of the driver alone; first binary ones, then timelines. */
struct semaphores {
    struct vulkan vk;
    VkSemaphore shared[COUNT], own[COUNT];
    CUexternalSemaphore imported[COUNT];
    CUstream stream;
};

static struct semaphores open_semaphores(void)
{
    struct semaphores all = {.vk = open_setting(&layer_binary)};

    with_context();
    all.stream = stream_create();
    for (unsigned i = 0; i < COUNT; i++) {
        VkSemaphoreType type = i < PER_TYPE ? VK_SEMAPHORE_TYPE_BINARY : VK_SEMAPHORE_TYPE_TIMELINE;
        all.shared[i] = semaphore_create(&all.vk, type, true);
        all.own[i] = semaphore_create(&all.vk, type, false);
        all.imported[i] = semaphore_import(semaphore_fd(&all.vk, all.shared[i]), type);
    }
    return all;
}

static void submit(const struct semaphores *all, const VkSubmitInfo *info, unsigned count)
{
    vulkan_check(all->vk.QueueSubmit(all->vk.queue, count, info, VK_NULL_HANDLE));
}

static void finish(const struct semaphores *all)
{
    vulkan_check(all->vk.QueueWaitIdle(all->vk.queue));
    check_success(cuStreamSynchronize(all->stream));
}

static VkSubmitInfo signals(const VkSemaphore *semaphores, unsigned count)
{
    return (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .signalSemaphoreCount = count,
                          .pSignalSemaphores = semaphores};
}

/* Without stages. */
static VkSubmitInfo waits(const VkSemaphore *semaphores, unsigned count)
{
    return (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .waitSemaphoreCount = count,
                          .pWaitSemaphores = semaphores};
}

TEST(a_wait_without_stages_for_what_was_signalled)
{
    struct semaphores all = open_semaphores();
    VkSubmitInfo wait = waits(all.shared, PER_TYPE);

    for (unsigned i = 0; i < PER_TYPE; i++)
        check_success(cuda_signal(all.imported[i], 0, all.stream));
    check_success(cuStreamSynchronize(all.stream));
    submit(&all, &wait, 1);
    finish(&all);
}

TEST(a_wait_without_stages_for_what_is_signalled_later)
{
    struct semaphores all = open_semaphores();
    VkSubmitInfo wait = waits(all.shared, PER_TYPE);

    submit(&all, &wait, 1);
    for (unsigned i = 0; i < PER_TYPE; i++)
        check_success(cuda_signal(all.imported[i], 0, all.stream));
    finish(&all);
}

/* The driver's own semaphores pass through the layer in the same way. */
TEST(a_wait_without_stages_for_semaphores_of_both)
{
    struct semaphores all = open_semaphores();
    VkSemaphore both[] = {all.own[0], all.shared[0], all.own[1]};
    VkSubmitInfo steps[] = {signals(both, 3), waits(both, 3)};

    submit(&all, &steps[0], 1);
    submit(&all, &steps[1], 1);
    finish(&all);
    submit(&all, steps, 2);
    finish(&all);
}

/* No value is read where there is none: of binary semaphores, which have no use for one. */
TEST(fewer_values_than_semaphores)
{
    struct semaphores all = open_semaphores();
    VkSemaphore mixed[] = {all.shared[2], all.own[2], all.shared[0], all.own[0]};
    const uint64_t values[] = {5, 6};
    VkTimelineSemaphoreSubmitInfo given = {.sType =
                                               VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                           .waitSemaphoreValueCount = 2,
                                           .pWaitSemaphoreValues = values,
                                           .signalSemaphoreValueCount = 2,
                                           .pSignalSemaphoreValues = values};
    VkSubmitInfo steps[] = {signals(mixed, 4), waits(mixed, 4)};

    steps[0].pNext = steps[1].pNext = &given;
    submit(&all, steps, 2);
    finish(&all);
    check(semaphore_value(&all.vk, all.shared[2]) == 5);
    check(semaphore_value(&all.vk, all.own[2]) == 6);
    given.signalSemaphoreValueCount = given.waitSemaphoreValueCount = 0;
    given.pSignalSemaphoreValues = given.pWaitSemaphoreValues = NULL;
    VkSubmitInfo plain[] = {signals(mixed + 2, 2), waits(mixed + 2, 2)};
    plain[0].pNext = plain[1].pNext = &given;
    submit(&all, plain, 2);
    finish(&all);
}

/* Arrays of no length may be anything. */
TEST(arrays_without_elements_are_not_read)
{
    struct semaphores all = open_semaphores();
    void *nowhere = (void *)(uintptr_t)16;
    VkTimelineSemaphoreSubmitInfo given = {.sType =
                                               VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                           .pWaitSemaphoreValues = nowhere,
                                           .pSignalSemaphoreValues = nowhere};
    VkSubmitInfo signal = signals(all.shared, 1), nothing = signals(nowhere, 0);

    signal.pNext = nothing.pNext = &given;
    signal.pWaitSemaphores = nothing.pWaitSemaphores = nowhere;
    signal.pWaitDstStageMask = nothing.pWaitDstStageMask = nowhere;
    signal.pCommandBuffers = nothing.pCommandBuffers = nowhere;
    VkSubmitInfo steps[] = {signal, nothing};
    submit(&all, &nothing, 1);
    submit(&all, steps, 2);
    check_success(cuda_wait(all.imported[0], 0, all.stream));
    finish(&all);
}

/* Values are found behind any other structure, and these arrive. */
static void signal_and_wait_with(const struct semaphores *all, bool values_first)
{
    VkSemaphore mixed[] = {all->own[3], all->shared[3], all->own[2], all->shared[2]};
    static uint64_t last;
    const uint64_t values[] = {last + 1, last + 2, last + 3, last + 4};
    const uint32_t devices[4] = {0};
    VkTimelineSemaphoreSubmitInfo timeline = {.sType =
                                                  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                              .waitSemaphoreValueCount = 4,
                                              .pWaitSemaphoreValues = values,
                                              .signalSemaphoreValueCount = 4,
                                              .pSignalSemaphoreValues = values};
    VkDeviceGroupSubmitInfo group = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
                                     .waitSemaphoreCount = 4,
                                     .pWaitSemaphoreDeviceIndices = devices,
                                     .signalSemaphoreCount = 4,
                                     .pSignalSemaphoreDeviceIndices = devices};
    VkProtectedSubmitInfo protected = {.sType = VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO};
    VkPerformanceQuerySubmitInfoKHR query = {
        .sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR};
    VkSubmitInfo steps[] = {signals(mixed, 4), waits(mixed, 4)};

    protected.pNext = &group;
    group.pNext = &query;
    query.pNext = values_first ? NULL : &timeline;
    timeline.pNext = values_first ? &protected : NULL;
    steps[0].pNext = steps[1].pNext = values_first ? (void *)&timeline : (void *)&protected;
    submit(all, steps, 2);
    finish(all);
    for (unsigned i = 0; i < 4; i++)
        check(semaphore_value(&all->vk, mixed[i]) == values[i]);
    last += 4;
}

TEST(structures_in_any_order)
{
    struct semaphores all = open_semaphores();

    signal_and_wait_with(&all, true);
    signal_and_wait_with(&all, false);
}

TEST(submissions_of_the_second_form)
{
    struct semaphores all = open_semaphores();
    VkSemaphoreSubmitInfo uses[COUNT];
    void *nowhere = (void *)(uintptr_t)16;

    if (!all.vk.QueueSubmit2KHR)
        skip("the driver has no vkQueueSubmit2KHR");
    for (unsigned i = 0; i < COUNT; i++)
        uses[i] = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                          .semaphore = i % 2 ? all.own[i] : all.shared[i],
                                          .value = i < PER_TYPE ? 0 : 9 + i};
    VkSubmitInfo2 steps[] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                              .pWaitSemaphoreInfos = nowhere,
                              .pCommandBufferInfos = nowhere,
                              .signalSemaphoreInfoCount = COUNT,
                              .pSignalSemaphoreInfos = uses},
                             {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                              .waitSemaphoreInfoCount = COUNT,
                              .pWaitSemaphoreInfos = uses,
                              .pCommandBufferInfos = nowhere,
                              .pSignalSemaphoreInfos = nowhere}};
    vulkan_check(all.vk.QueueSubmit2KHR(all.vk.queue, 2, steps, VK_NULL_HANDLE));
    finish(&all);
    check(semaphore_value(&all.vk, all.shared[2]) == 11);
    check(semaphore_value(&all.vk, all.own[3]) == 12);
}
