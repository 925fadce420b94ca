/* SPDX-License-Identifier: MIT */
/* Submissions. Satisfied waits are removed; other waits use a ticket; signals become a value of the
 * queue's counter. The translation yields a plan, which is carried out if the driver accepts the
 * submission and undone if it does not. */
#include "layer.h"

#include <stdlib.h>
#include <string.h>

struct planned_wait {
    struct layer_semaphore *semaphore; /* holds a reference */
    struct cup_semaphore_file *file;   /* owns an opening */
    uint64_t value;
    struct layer_ticket *ticket; /* NULL: satisfied and removed */
};

struct planned_batch {
    uint64_t count; /* value of the queue's counter */
    unsigned first, end;
};

struct plan {
    struct layer_device *device;
    struct layer_queue *queue;
    struct planned_wait *waits;
    struct layer_signal *signals;
    struct planned_batch *batches;
    unsigned wait_count, signal_count, batch_count;
};

static bool plan_init(struct plan *plan, struct layer_device *device, VkQueue queue,
                      unsigned wait_count, unsigned signal_count, unsigned batch_count)
{
    memset(plan, 0, sizeof(*plan));
    plan->device = device;
    plan->queue = layer_queue_find(device, queue);
    plan->waits = calloc(wait_count + 1, sizeof(*plan->waits));
    plan->signals = calloc(signal_count + 1, sizeof(*plan->signals));
    plan->batches = calloc(batch_count + 1, sizeof(*plan->batches));
    return plan->queue && plan->waits && plan->signals && plan->batches;
}

static void plan_free(struct plan *plan)
{
    free(plan->waits);
    free(plan->signals);
    free(plan->batches);
}

static void wait_undo(struct plan *plan, struct planned_wait *wait)
{
    if (wait->ticket)
        layer_ticket_release(plan->device, wait->ticket);
    else if (wait->file->kind == CUP_SEMAPHORE_BINARY)
        cup_semaphore_file_signal(wait->file, 0);
    cup_semaphore_file_close(wait->file);
}

static void plan_undo(struct plan *plan)
{
    for (unsigned i = 0; i < plan->wait_count; i++) {
        wait_undo(plan, &plan->waits[i]);
        layer_semaphore_unref(plan->waits[i].semaphore);
    }
    for (unsigned i = 0; i < plan->signal_count; i++)
        cup_semaphore_file_close(plan->signals[i].file);
}

/* If memory for a delivery is out, the files are signalled too early rather than never. */
static void plan_carry_out(struct plan *plan)
{
    for (unsigned i = 0; i < plan->wait_count; i++) {
        struct planned_wait *wait = &plan->waits[i];
        if (wait->ticket)
            layer_inbound_begin(wait->semaphore, wait->file, wait->value, wait->ticket);
        else
            cup_semaphore_file_close(wait->file);
        layer_semaphore_unref(wait->semaphore);
    }
    for (unsigned i = 0; i < plan->batch_count; i++) {
        struct planned_batch *batch = &plan->batches[i];
        struct layer_signal *signals = plan->signals + batch->first;
        unsigned count = batch->end - batch->first;
        if (layer_outbound_begin(plan->queue, batch->count, signals, count))
            continue;
        for (unsigned s = 0; s < count; s++) {
            cup_semaphore_file_signal(signals[s].file, signals[s].value);
            cup_semaphore_file_close(signals[s].file);
        }
    }
}

enum disposition { KEEP, REMOVE, FAIL };

/* Sets *handle and *value to what the driver is to wait for. */
static enum disposition plan_wait(struct plan *plan, VkSemaphore *handle, uint64_t *value)
{
    struct layer_semaphore *semaphore = layer_semaphore_find(plan->device, *handle);
    struct cup_semaphore_file *file = semaphore ? layer_semaphore_payload(semaphore, true) : NULL;

    if (!file) {
        if (semaphore)
            layer_semaphore_unref(semaphore);
        return KEEP;
    }
    struct planned_wait *wait = &plan->waits[plan->wait_count++];
    *wait = (struct planned_wait){semaphore, file, *value, NULL};
    bool first = file->kind == CUP_SEMAPHORE_TIMELINE || !layer_inbound_is_waiting(semaphore);
    if (first && cup_semaphore_file_acquire(file, *value))
        return REMOVE;
    wait->ticket = layer_ticket_acquire(plan->device);
    if (!wait->ticket) {
        plan->wait_count--;
        cup_semaphore_file_close(file);
        layer_semaphore_unref(semaphore);
        return FAIL;
    }
    *handle = wait->ticket->semaphore;
    *value = wait->ticket->value;
    return KEEP;
}

static enum disposition plan_signal(struct plan *plan, VkSemaphore handle, uint64_t value)
{
    struct layer_semaphore *semaphore = layer_semaphore_find(plan->device, handle);

    if (!semaphore)
        return KEEP;
    struct cup_semaphore_file *file = layer_semaphore_payload(semaphore, false);
    layer_semaphore_unref(semaphore);
    if (!file)
        return KEEP;
    plan->signals[plan->signal_count++] = (struct layer_signal){file, value};
    return REMOVE;
}

/* Ends a batch whose signals start at `first`. REMOVE: it has none to deliver. */
static enum disposition plan_batch(struct plan *plan, unsigned first, VkSemaphore *counter,
                                   uint64_t *count)
{
    if (plan->signal_count == first)
        return REMOVE;
    if (!layer_outbound_prepare(plan->queue, counter, count))
        return FAIL;
    plan->batches[plan->batch_count++] = (struct planned_batch){*count, first, plan->signal_count};
    return KEEP;
}

/* One batch as the driver sees it, with space for what the plan adds. */
struct batch {
    VkTimelineSemaphoreSubmitInfo timeline;
    VkProtectedSubmitInfo protection;
    VkDeviceGroupSubmitInfo group;
    VkSemaphore *waits, *signals;
    VkPipelineStageFlags *stages;
    uint64_t *wait_values, *signal_values;
    uint32_t *wait_devices, *signal_devices; /* indices in a device group */
};

static void batch_free(struct batch *batch)
{
    free(batch->waits);
    free(batch->signals);
    free(batch->stages);
    free(batch->wait_values);
    free(batch->signal_values);
    free(batch->wait_devices);
    free(batch->signal_devices);
}

static bool batch_init(struct batch *batch, const VkSubmitInfo *submit)
{
    uint32_t waits = submit->waitSemaphoreCount + 1, signals = submit->signalSemaphoreCount + 1;

    batch->waits = calloc(waits, sizeof(*batch->waits));
    batch->stages = calloc(waits, sizeof(*batch->stages));
    batch->wait_values = calloc(waits, sizeof(*batch->wait_values));
    batch->wait_devices = calloc(waits, sizeof(*batch->wait_devices));
    batch->signals = calloc(signals, sizeof(*batch->signals));
    batch->signal_values = calloc(signals, sizeof(*batch->signal_values));
    batch->signal_devices = calloc(signals, sizeof(*batch->signal_devices));
    return batch->waits && batch->stages && batch->wait_values && batch->wait_devices &&
           batch->signals && batch->signal_values && batch->signal_devices;
}

static const void *in_chain(const VkSubmitInfo *submit, VkStructureType type)
{
    const VkBaseInStructure *each = submit->pNext;

    while (each && each->sType != type)
        each = each->pNext;
    return each;
}

/* Replaces the structures of the application's chain that have a value for each semaphore, as far
 * as only structures that can be copied come before them. A driver that finds two of one type uses
 * the first. */
static void batch_chain(struct batch *batch, const VkSubmitInfo *submit, VkSubmitInfo *below)
{
    const VkBaseInStructure *rest = submit->pNext;
    const void **link = &batch->timeline.pNext;

    for (; rest; rest = rest->pNext) {
        if (rest->sType == VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO) {
            batch->protection = *(const VkProtectedSubmitInfo *)rest;
            *link = &batch->protection;
            link = &batch->protection.pNext;
        } else if (rest->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO) {
            batch->group = *(const VkDeviceGroupSubmitInfo *)rest;
            *link = &batch->group;
            link = &batch->group.pNext;
        } else if (rest->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO) {
            break;
        }
    }
    *link = rest;
    below->pNext = &batch->timeline;
}

/* Applications leave such arrays out or make them too short where no element counts. */
static uint64_t value_at(const uint64_t *values, uint32_t count, uint32_t index)
{
    return values && index < count ? values[index] : 0;
}

static uint32_t device_at(const uint32_t *devices, uint32_t count, uint32_t index)
{
    return devices && index < count ? devices[index] : 0;
}

/* Drivers accept NULL, although Vulkan does not allow it. */
static VkPipelineStageFlags stages_at(const VkPipelineStageFlags *stages, uint32_t index)
{
    return stages ? stages[index] : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
}

static bool translate_waits(struct plan *plan, const VkSubmitInfo *submit, struct batch *batch,
                            VkSubmitInfo *below)
{
    const VkTimelineSemaphoreSubmitInfo *given =
        in_chain(submit, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const VkDeviceGroupSubmitInfo *group =
        in_chain(submit, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
    uint32_t count = 0;

    for (uint32_t i = 0; i < submit->waitSemaphoreCount; i++) {
        VkSemaphore handle = submit->pWaitSemaphores[i];
        uint64_t value =
            given ? value_at(given->pWaitSemaphoreValues, given->waitSemaphoreValueCount, i) : 0;
        enum disposition disposition = plan_wait(plan, &handle, &value);
        if (disposition == FAIL)
            return false;
        if (disposition == REMOVE)
            continue;
        batch->waits[count] = handle;
        batch->wait_values[count] = value;
        if (group)
            batch->wait_devices[count] =
                device_at(group->pWaitSemaphoreDeviceIndices, group->waitSemaphoreCount, i);
        batch->stages[count++] = stages_at(submit->pWaitDstStageMask, i);
    }
    below->waitSemaphoreCount = batch->timeline.waitSemaphoreValueCount = count;
    batch->group.waitSemaphoreCount = count;
    below->pWaitSemaphores = batch->waits;
    below->pWaitDstStageMask = batch->stages;
    batch->timeline.pWaitSemaphoreValues = batch->wait_values;
    batch->group.pWaitSemaphoreDeviceIndices = batch->wait_devices;
    return true;
}

static bool translate_signals(struct plan *plan, const VkSubmitInfo *submit, struct batch *batch,
                              VkSubmitInfo *below)
{
    const VkTimelineSemaphoreSubmitInfo *given =
        in_chain(submit, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const VkDeviceGroupSubmitInfo *group =
        in_chain(submit, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
    unsigned first = plan->signal_count;
    uint32_t count = 0;

    for (uint32_t i = 0; i < submit->signalSemaphoreCount; i++) {
        uint64_t value =
            given ? value_at(given->pSignalSemaphoreValues, given->signalSemaphoreValueCount, i)
                  : 0;
        if (plan_signal(plan, submit->pSignalSemaphores[i], value) == REMOVE)
            continue;
        batch->signals[count] = submit->pSignalSemaphores[i];
        if (group)
            batch->signal_devices[count] =
                device_at(group->pSignalSemaphoreDeviceIndices, group->signalSemaphoreCount, i);
        batch->signal_values[count++] = value;
    }
    enum disposition disposition =
        plan_batch(plan, first, &batch->signals[count], &batch->signal_values[count]);
    if (disposition == FAIL)
        return false;
    if (disposition == KEEP)
        count++;
    below->signalSemaphoreCount = batch->timeline.signalSemaphoreValueCount = count;
    batch->group.signalSemaphoreCount = count;
    below->pSignalSemaphores = batch->signals;
    batch->timeline.pSignalSemaphoreValues = batch->signal_values;
    batch->group.pSignalSemaphoreDeviceIndices = batch->signal_devices;
    return true;
}

static bool translate(struct plan *plan, const VkSubmitInfo *submit, struct batch *batch,
                      VkSubmitInfo *below)
{
    *below = *submit;
    batch->timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    if (!batch_init(batch, submit))
        return false;
    batch_chain(batch, submit, below);
    return translate_waits(plan, submit, batch, below) &&
           translate_signals(plan, submit, batch, below);
}

static VkResult submit_planned(struct plan *plan, VkQueue queue, uint32_t count,
                               const VkSubmitInfo *submits, VkFence fence)
{
    VkSubmitInfo *below = calloc(count, sizeof(*below));
    struct batch *batches = calloc(count, sizeof(*batches));
    bool planned = below && batches;
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;

    for (uint32_t i = 0; i < count && planned; i++)
        planned = translate(plan, &submits[i], &batches[i], &below[i]);
    if (planned)
        result = plan->device->QueueSubmit(queue, count, below, fence);
    if (result == VK_SUCCESS)
        plan_carry_out(plan);
    else
        plan_undo(plan);
    for (uint32_t i = 0; i < count && batches; i++)
        batch_free(&batches[i]);
    free(batches);
    free(below);
    return result;
}

VkResult layer_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                           VkFence fence)
{
    struct layer_device *device = layer_device_of(queue);
    unsigned waits = 0, signals = 0;
    struct plan plan;

    if (count == 0 || atomic_load(&device->semaphore_count) == 0)
        return device->QueueSubmit(queue, count, submits, fence);
    for (uint32_t i = 0; i < count; i++) {
        waits += submits[i].waitSemaphoreCount;
        signals += submits[i].signalSemaphoreCount;
    }
    if (waits + signals == 0)
        return device->QueueSubmit(queue, count, submits, fence);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (plan_init(&plan, device, queue, waits, signals, count))
        result = submit_planned(&plan, queue, count, submits, fence);
    plan_free(&plan);
    return result;
}

/* Translates one VkSubmitInfo2; waits and signals are in one allocation. */
static bool translate2(struct plan *plan, const VkSubmitInfo2 *submit, VkSubmitInfo2 *below,
                       VkSemaphoreSubmitInfo **memory)
{
    uint32_t waits = submit->waitSemaphoreInfoCount, signals = submit->signalSemaphoreInfoCount;
    VkSemaphoreSubmitInfo *wait = calloc(waits + signals + 1, sizeof(*wait));
    VkSemaphoreSubmitInfo *signal = wait ? wait + waits : NULL;
    unsigned first = plan->signal_count;

    *below = *submit;
    *memory = wait;
    if (!wait)
        return false;
    below->pWaitSemaphoreInfos = wait;
    below->pSignalSemaphoreInfos = signal;
    below->waitSemaphoreInfoCount = below->signalSemaphoreInfoCount = 0;
    for (uint32_t i = 0; i < waits; i++) {
        VkSemaphoreSubmitInfo each = submit->pWaitSemaphoreInfos[i];
        enum disposition disposition = plan_wait(plan, &each.semaphore, &each.value);
        if (disposition == FAIL)
            return false;
        if (disposition == KEEP)
            wait[below->waitSemaphoreInfoCount++] = each;
    }
    for (uint32_t i = 0; i < signals; i++) {
        const VkSemaphoreSubmitInfo *each = &submit->pSignalSemaphoreInfos[i];
        if (plan_signal(plan, each->semaphore, each->value) == KEEP)
            signal[below->signalSemaphoreInfoCount++] = *each;
    }
    VkSemaphoreSubmitInfo own = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                 .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    enum disposition disposition = plan_batch(plan, first, &own.semaphore, &own.value);
    if (disposition == KEEP)
        signal[below->signalSemaphoreInfoCount++] = own;
    return disposition != FAIL;
}

static VkResult submit2_planned(struct plan *plan, VkQueue queue, uint32_t count,
                                const VkSubmitInfo2 *submits, VkFence fence)
{
    VkSubmitInfo2 *below = calloc(count, sizeof(*below));
    VkSemaphoreSubmitInfo **memory = calloc(count, sizeof(*memory));
    bool planned = below && memory;
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;

    for (uint32_t i = 0; i < count && planned; i++)
        planned = translate2(plan, &submits[i], &below[i], &memory[i]);
    if (planned)
        result = plan->device->QueueSubmit2(queue, count, below, fence);
    if (result == VK_SUCCESS)
        plan_carry_out(plan);
    else
        plan_undo(plan);
    for (uint32_t i = 0; i < count && memory; i++)
        free(memory[i]);
    free(memory);
    free(below);
    return result;
}

VkResult layer_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits,
                            VkFence fence)
{
    struct layer_device *device = layer_device_of(queue);
    unsigned waits = 0, signals = 0;
    struct plan plan;

    if (count == 0 || atomic_load(&device->semaphore_count) == 0)
        return device->QueueSubmit2(queue, count, submits, fence);
    for (uint32_t i = 0; i < count; i++) {
        waits += submits[i].waitSemaphoreInfoCount;
        signals += submits[i].signalSemaphoreInfoCount;
    }
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (plan_init(&plan, device, queue, waits, signals, count))
        result = submit2_planned(&plan, queue, count, submits, fence);
    plan_free(&plan);
    return result;
}
