/* SPDX-License-Identifier: MIT */
/* From the driver to the file. Each queue has a timeline semaphore of the driver that counts the
 * submissions that signal files. Signals of a queue happen in submission order, so one thread waits
 * for the counts in order and signals the files of each. */
#include "layer.h"

#include "os/mutex.h"
#include "os/thread.h"

#include <stdlib.h>

enum { WAIT_NS = 1000000000 };

struct delivery {
    struct delivery *next;
    uint64_t count; /* reached when the submission has completed */
    unsigned signal_count;
    struct layer_signal signals[];
};

struct layer_outbound {
    struct layer_device *device;
    VkSemaphore counter;
    /* no lock: Vulkan requires the application to synchronise access to the queue */
    uint64_t prepared;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct delivery *first, **end; /* guarded by lock */
    bool stop, stopped;            /* guarded by lock */
};

static void deliver_locked(struct layer_outbound *outbound)
{
    cup_mutex_assert_held(&outbound->lock);
    uint64_t reached = 0;

    if (!outbound->first)
        return;
    outbound->device->GetSemaphoreCounterValue(outbound->device->handle, outbound->counter,
                                               &reached);
    while (outbound->first && outbound->first->count <= reached) {
        struct delivery *delivery = outbound->first;
        outbound->first = delivery->next;
        if (!outbound->first)
            outbound->end = &outbound->first;
        for (unsigned i = 0; i < delivery->signal_count; i++) {
            cup_semaphore_file_signal(delivery->signals[i].file, delivery->signals[i].value);
            cup_semaphore_file_close(delivery->signals[i].file);
        }
        free(delivery);
    }
}

static void *outbound_main(void *argument)
{
    struct layer_outbound *outbound = argument;
    struct layer_device *device = outbound->device;
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &outbound->counter};

    pthread_mutex_lock(&outbound->lock);
    while (!outbound->stop) {
        if (!outbound->first) {
            pthread_cond_wait(&outbound->changed, &outbound->lock);
            continue;
        }
        uint64_t count = outbound->first->count;
        info.pValues = &count;
        pthread_mutex_unlock(&outbound->lock);
        device->WaitSemaphores(device->handle, &info, WAIT_NS);
        pthread_mutex_lock(&outbound->lock);
        deliver_locked(outbound);
    }
    outbound->stopped = true;
    pthread_cond_broadcast(&outbound->changed);
    pthread_mutex_unlock(&outbound->lock);
    return NULL;
}

static struct layer_outbound *outbound_create(struct layer_device *device)
{
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    struct layer_outbound *outbound = calloc(1, sizeof(*outbound));

    if (!outbound)
        return NULL;
    outbound->device = device;
    outbound->end = &outbound->first;
    pthread_mutex_init(&outbound->lock, NULL);
    pthread_cond_init(&outbound->changed, NULL);
    if (device->CreateSemaphore(device->handle, &info, NULL, &outbound->counter) == VK_SUCCESS) {
        if (cup_os_thread_start(outbound_main, outbound, "cupipe outbound"))
            return outbound;
        device->DestroySemaphore(device->handle, outbound->counter, NULL);
    }
    pthread_cond_destroy(&outbound->changed);
    pthread_mutex_destroy(&outbound->lock);
    free(outbound);
    return NULL;
}

struct layer_queue *layer_queue_find(struct layer_device *device, VkQueue handle)
{
    struct layer_queue *queue;

    pthread_mutex_lock(&device->lock);
    for (queue = device->queues; queue && queue->handle != handle;)
        queue = queue->next;
    if (!queue && (queue = calloc(1, sizeof(*queue)))) {
        queue->device = device;
        queue->handle = handle;
        queue->next = device->queues;
        device->queues = queue;
    }
    pthread_mutex_unlock(&device->lock);
    return queue;
}

bool layer_outbound_prepare(struct layer_queue *queue, VkSemaphore *semaphore, uint64_t *value)
{
    if (!queue->outbound) {
        struct layer_outbound *made = outbound_create(queue->device);
        pthread_mutex_lock(&queue->device->lock);
        queue->outbound = made;
        pthread_mutex_unlock(&queue->device->lock);
    }
    if (!queue->outbound)
        return false;
    *semaphore = queue->outbound->counter;
    *value = ++queue->outbound->prepared;
    return true;
}

bool layer_outbound_begin(struct layer_queue *queue, uint64_t value, struct layer_signal *signals,
                          unsigned count)
{
    struct layer_outbound *outbound = queue->outbound;
    struct delivery *delivery = calloc(1, sizeof(*delivery) + count * sizeof(delivery->signals[0]));

    if (!delivery)
        return false;
    delivery->count = value;
    delivery->signal_count = count;
    for (unsigned i = 0; i < count; i++)
        delivery->signals[i] = signals[i];
    pthread_mutex_lock(&outbound->lock);
    *outbound->end = delivery;
    outbound->end = &delivery->next;
    pthread_cond_signal(&outbound->changed);
    pthread_mutex_unlock(&outbound->lock);
    return true;
}

void layer_outbound_flush(struct layer_device *device)
{
    pthread_mutex_lock(&device->lock);
    struct layer_queue *queue = device->queues;
    pthread_mutex_unlock(&device->lock);
    for (; queue; queue = queue->next) {
        pthread_mutex_lock(&device->lock);
        struct layer_outbound *outbound = queue->outbound;
        pthread_mutex_unlock(&device->lock);
        if (!outbound)
            continue;
        pthread_mutex_lock(&outbound->lock);
        deliver_locked(outbound);
        pthread_mutex_unlock(&outbound->lock);
    }
}

void layer_outbound_end(struct layer_outbound *outbound)
{
    struct layer_device *device = outbound->device;

    pthread_mutex_lock(&outbound->lock);
    outbound->stop = true;
    pthread_cond_broadcast(&outbound->changed);
    while (!outbound->stopped)
        pthread_cond_wait(&outbound->changed, &outbound->lock);
    while (outbound->first) {
        struct delivery *delivery = outbound->first;
        outbound->first = delivery->next;
        for (unsigned i = 0; i < delivery->signal_count; i++)
            cup_semaphore_file_close(delivery->signals[i].file);
        free(delivery);
    }
    pthread_mutex_unlock(&outbound->lock);
    device->DestroySemaphore(device->handle, outbound->counter, NULL);
    pthread_cond_destroy(&outbound->changed);
    pthread_mutex_destroy(&outbound->lock);
    free(outbound);
}

VkResult layer_QueueWaitIdle(VkQueue queue)
{
    struct layer_device *device = layer_device_of(queue);
    VkResult result = device->QueueWaitIdle(queue);

    layer_outbound_flush(device);
    return result;
}

VkResult layer_DeviceWaitIdle(VkDevice handle)
{
    struct layer_device *device = layer_device_of(handle);
    VkResult result = device->DeviceWaitIdle(handle);

    layer_outbound_flush(device);
    return result;
}
