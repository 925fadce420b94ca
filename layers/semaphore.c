/* SPDX-License-Identifier: MIT */
/* Semaphores whose payload is a file, and their host operations. */
#include "layer.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/mutex.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    PEER_CHECK_NS = 20000000, /* interval of checks for dead peers */
    POLL_NS = 50000,          /* poll interval for waits on any of several semaphores */
};

static struct layer_semaphore *find_locked(struct layer_device *device, VkSemaphore handle)
{
    cup_mutex_assert_held(&device->lock);
    struct layer_semaphore *each = device->semaphores;

    while (each && each->handle != handle)
        each = each->next;
    return each;
}

struct layer_semaphore *layer_semaphore_find(struct layer_device *device, VkSemaphore handle)
{
    if (atomic_load(&device->semaphore_count) == 0)
        return NULL;
    pthread_mutex_lock(&device->lock);
    struct layer_semaphore *found = find_locked(device, handle);
    if (found && !found->file && !found->temporary)
        found = NULL;
    if (found)
        found->refs++;
    pthread_mutex_unlock(&device->lock);
    return found;
}

void layer_semaphore_unref(struct layer_semaphore *semaphore)
{
    struct layer_device *device = semaphore->device;

    pthread_mutex_lock(&device->lock);
    bool last = --semaphore->refs == 0;
    pthread_mutex_unlock(&device->lock);
    if (!last)
        return;
    if (semaphore->inbound)
        layer_inbound_end(semaphore->inbound);
    if (semaphore->file)
        cup_semaphore_file_close(semaphore->file);
    if (semaphore->temporary)
        cup_semaphore_file_close(semaphore->temporary);
    free(semaphore);
}

struct cup_semaphore_file *layer_semaphore_payload(struct layer_semaphore *semaphore, bool is_wait)
{
    struct cup_semaphore_file *file;

    pthread_mutex_lock(&semaphore->device->lock);
    file = semaphore->temporary ? semaphore->temporary : semaphore->file;
    if (file == semaphore->temporary && is_wait)
        semaphore->temporary = NULL; /* passes its opening to the caller */
    else if (file)
        cup_semaphore_file_ref(file);
    pthread_mutex_unlock(&semaphore->device->lock);
    return file;
}

static struct layer_semaphore *add(struct layer_device *device, VkSemaphore handle)
{
    struct layer_semaphore *semaphore = calloc(1, sizeof(*semaphore));

    if (!semaphore)
        return NULL;
    semaphore->device = device;
    semaphore->handle = handle;
    semaphore->refs = 1;
    pthread_mutex_lock(&device->lock);
    semaphore->next = device->semaphores;
    device->semaphores = semaphore;
    atomic_fetch_add(&device->semaphore_count, 1);
    pthread_mutex_unlock(&device->lock);
    return semaphore;
}

/* The request in the pNext chain of a create info. */
struct semaphore_request {
    enum cup_semaphore_kind kind;
    uint64_t value;
    bool exported;
};

static struct semaphore_request request_of(const VkSemaphoreCreateInfo *info)
{
    struct semaphore_request semaphore_request = {CUP_SEMAPHORE_BINARY, 0, false};

    for (const VkBaseInStructure *each = info->pNext; each; each = each->pNext) {
        const VkSemaphoreTypeCreateInfo *type = (const VkSemaphoreTypeCreateInfo *)each;
        const VkExportSemaphoreCreateInfo *export = (const VkExportSemaphoreCreateInfo *)each;
        if (each->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO &&
            type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE) {
            semaphore_request.kind = CUP_SEMAPHORE_TIMELINE;
            semaphore_request.value = type->initialValue;
        }
        if (each->sType == VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO)
            semaphore_request.exported =
                export->handleTypes & VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    }
    return semaphore_request;
}

/* The driver creates a plain semaphore whose handle represents ours. */
VkResult layer_CreateSemaphore(VkDevice handle, const VkSemaphoreCreateInfo *info,
                               const VkAllocationCallbacks *allocator, VkSemaphore *semaphore)
{
    struct layer_device *device = layer_device_of(handle);
    struct semaphore_request semaphore_request = request_of(info);
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType =
                                          semaphore_request.kind == CUP_SEMAPHORE_TIMELINE
                                              ? VK_SEMAPHORE_TYPE_TIMELINE
                                              : VK_SEMAPHORE_TYPE_BINARY,
                                      .initialValue = semaphore_request.value};
    VkSemaphoreCreateInfo plain = {.sType = info->sType, .pNext = &type, .flags = info->flags};

    if (!semaphore_request.exported || !device->adds[semaphore_request.kind])
        return device->CreateSemaphore(handle, info, allocator, semaphore);
    VkResult result = device->CreateSemaphore(handle, &plain, allocator, semaphore);
    if (result != VK_SUCCESS)
        return result;
    struct cup_semaphore_file *file =
        cup_semaphore_file_create(semaphore_request.kind, semaphore_request.value);
    struct layer_semaphore *made = file ? add(device, *semaphore) : NULL;
    if (made) {
        made->file = file;
        return VK_SUCCESS;
    }
    if (file)
        cup_semaphore_file_close(file);
    device->DestroySemaphore(handle, *semaphore, allocator);
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

void layer_DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
                            const VkAllocationCallbacks *allocator)
{
    struct layer_device *device = layer_device_of(handle);
    struct layer_semaphore *found = NULL, **link = &device->semaphores;

    if (atomic_load(&device->semaphore_count) != 0) {
        layer_outbound_flush(device);
        pthread_mutex_lock(&device->lock);
        while (*link && (*link)->handle != semaphore)
            link = &(*link)->next;
        found = *link;
        if (found) {
            *link = found->next;
            atomic_fetch_sub(&device->semaphore_count, 1);
        }
        pthread_mutex_unlock(&device->lock);
    }
    if (found)
        layer_semaphore_unref(found); /* the handle's reference */
    device->DestroySemaphore(handle, semaphore, allocator);
}

VkResult layer_GetSemaphoreFdKHR(VkDevice handle, const VkSemaphoreGetFdInfoKHR *info, int *fd)
{
    struct layer_device *device = layer_device_of(handle);
    struct layer_semaphore *semaphore = layer_semaphore_find(device, info->semaphore);
    struct cup_semaphore_file *file = semaphore ? layer_semaphore_payload(semaphore, false) : NULL;
    VkResult result = VK_SUCCESS;

    if (semaphore)
        layer_semaphore_unref(semaphore);
    if (!file)
        return device->GetSemaphoreFdKHR ? device->GetSemaphoreFdKHR(handle, info, fd)
                                         : VK_ERROR_FEATURE_NOT_PRESENT;
    layer_outbound_flush(device);
    *fd = cup_semaphore_file_share(file);
    if (*fd < 0)
        result = VK_ERROR_TOO_MANY_OBJECTS;
    cup_semaphore_file_close(file);
    return result;
}

/* Attaches a file to a semaphore of the driver. */
static VkResult attach(struct layer_device *device, VkSemaphore handle,
                       struct cup_semaphore_file *file, bool temporary)
{
    pthread_mutex_lock(&device->lock);
    struct layer_semaphore *semaphore = find_locked(device, handle);
    pthread_mutex_unlock(&device->lock);
    if (!semaphore)
        semaphore = add(device, handle);
    if (!semaphore)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&device->lock);
    struct cup_semaphore_file **place = temporary ? &semaphore->temporary : &semaphore->file;
    struct cup_semaphore_file *before = *place;
    *place = file;
    pthread_mutex_unlock(&device->lock);
    if (before)
        cup_semaphore_file_close(before);
    return VK_SUCCESS;
}

VkResult layer_ImportSemaphoreFdKHR(VkDevice handle, const VkImportSemaphoreFdInfoKHR *info)
{
    struct layer_device *device = layer_device_of(handle);
    struct cup_semaphore_file *file =
        info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
            ? cup_semaphore_file_open(info->fd)
            : NULL;

    if (!file || !device->adds[file->kind]) {
        if (file)
            cup_semaphore_file_close(file);
        return device->ImportSemaphoreFdKHR ? device->ImportSemaphoreFdKHR(handle, info)
                                            : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    }
    VkResult result =
        attach(device, info->semaphore, file, info->flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT);
    if (result != VK_SUCCESS)
        cup_semaphore_file_close(file);
    else
        close(info->fd);
    return result;
}

VkResult layer_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore, uint64_t *value)
{
    struct layer_device *device = layer_device_of(handle);
    struct layer_semaphore *found = layer_semaphore_find(device, semaphore);

    if (!found)
        return device->GetSemaphoreCounterValue(handle, semaphore, value);
    layer_outbound_flush(device);
    struct cup_semaphore_file *file = layer_semaphore_payload(found, false);
    *value = cup_semaphore_file_value(file);
    cup_semaphore_file_close(file);
    layer_semaphore_unref(found);
    return VK_SUCCESS;
}

VkResult layer_SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo *info)
{
    struct layer_device *device = layer_device_of(handle);
    struct layer_semaphore *found = layer_semaphore_find(device, info->semaphore);

    if (!found)
        return device->SignalSemaphore(handle, info);
    struct cup_semaphore_file *file = layer_semaphore_payload(found, false);
    cup_semaphore_file_signal(file, info->value);
    cup_semaphore_file_close(file);
    layer_semaphore_unref(found);
    return VK_SUCCESS;
}

static int64_t until(uint64_t end_ns)
{
    uint64_t now_ns = cup_clock_ns();

    return end_ns > now_ns ? (int64_t)(end_ns - now_ns) : 0;
}

/* If a process died with the semaphore, it will not be signalled: returns VK_ERROR_DEVICE_LOST. */
static VkResult wait_for_file(struct layer_device *device, struct cup_semaphore_file *file,
                              uint64_t value, uint64_t end_ns)
{
    VkResult result = VK_SUCCESS;

    layer_outbound_flush(device);
    if (cup_semaphore_file_acquire(file, value))
        return VK_SUCCESS;
    cup_semaphore_file_enter(file);
    while (result == VK_SUCCESS) {
        uint32_t futex_word = atomic_load(&file->page->futex_word);
        if (cup_semaphore_file_acquire(file, value))
            break;
        int64_t left_ns = until(end_ns);
        if (left_ns == 0)
            result = VK_TIMEOUT;
        else
            cup_futex_wait_shared(&file->page->futex_word, futex_word,
                                  left_ns < PEER_CHECK_NS ? left_ns : PEER_CHECK_NS);
        if (left_ns > PEER_CHECK_NS && futex_word == atomic_load(&file->page->futex_word) &&
            cup_semaphore_file_is_abandoned(file))
            result = VK_ERROR_DEVICE_LOST;
    }
    cup_semaphore_file_leave(file);
    return result;
}

static VkResult wait_for_one(struct layer_device *device, VkSemaphore handle, uint64_t value,
                             uint64_t end_ns)
{
    struct layer_semaphore *found = layer_semaphore_find(device, handle);
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &handle,
                                .pValues = &value};

    if (!found)
        return device->WaitSemaphores(device->handle, &info, (uint64_t)until(end_ns));
    struct cup_semaphore_file *file = layer_semaphore_payload(found, false);
    VkResult result = wait_for_file(device, file, value, end_ns);
    cup_semaphore_file_close(file);
    layer_semaphore_unref(found);
    return result;
}

static VkResult wait_for_any(struct layer_device *device, const VkSemaphoreWaitInfo *info,
                             uint64_t end_ns)
{
    for (;;) {
        for (uint32_t i = 0; i < info->semaphoreCount; i++) {
            VkResult result = wait_for_one(device, info->pSemaphores[i], info->pValues[i], 0);
            if (result != VK_TIMEOUT)
                return result;
        }
        if (until(end_ns) == 0)
            return VK_TIMEOUT;
        cup_clock_sleep_ns(POLL_NS);
    }
}

VkResult layer_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info, uint64_t timeout_ns)
{
    struct layer_device *device = layer_device_of(handle);
    uint64_t now_ns = cup_clock_ns();
    uint64_t end_ns = timeout_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + timeout_ns;
    VkResult result = VK_SUCCESS;

    if (atomic_load(&device->semaphore_count) == 0)
        return device->WaitSemaphores(handle, info, timeout_ns);
    if ((info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) && info->semaphoreCount > 1)
        return wait_for_any(device, info, end_ns);
    for (uint32_t i = 0; i < info->semaphoreCount && result == VK_SUCCESS; i++)
        result = wait_for_one(device, info->pSemaphores[i], info->pValues[i], end_ns);
    return result;
}
