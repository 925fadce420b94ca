/* SPDX-License-Identifier: MIT */
/* VK_LAYER_CUPIPE_external_semaphore: adds export and import of semaphores as file descriptors,
 * binary and timeline, to Vulkan drivers that lack them. The format is that of
 * interop/semaphore_file.h.
 *
 * The payload of an exported semaphore is in its file; the driver below does not know it. Host
 * operations access the file directly. A submission that waits for such a semaphore waits for a
 * timeline semaphore of the driver instead, which a thread signals when the file is signalled
 * (inbound.c). A submission that signals some signals a timeline semaphore of the queue instead,
 * and a thread signals the files when that value is reached (outbound.c). Semaphores that the
 * driver can export pass through unchanged. */
#ifndef CUP_LAYER_H
#define CUP_LAYER_H

#define VK_NO_PROTOTYPES
#include "interop/semaphore_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define LAYER_NAME "VK_LAYER_CUPIPE_external_semaphore"

struct layer_device;

/* A semaphore whose payload is a file. */
struct layer_semaphore {
    struct layer_semaphore *next; /* guarded by the device's lock */
    struct layer_device *device;
    VkSemaphore handle; /* the driver's semaphore, which is never used */
    unsigned refs;      /* guarded by the device's lock */
    /* NULL: the payload is the driver's, unless there is a temporary import */
    struct cup_semaphore_file *file;
    struct cup_semaphore_file *temporary; /* until the next wait; guarded by the device's lock */
    struct layer_inbound *inbound;        /* created on first use; guarded by the device's lock */
};

/* A queue that has signalled such semaphores. */
struct layer_queue {
    struct layer_queue *next; /* queues are never removed from the list */
    struct layer_device *device;
    VkQueue handle;
    struct layer_outbound *outbound;
};

/* A timeline semaphore of the driver, used by one wait at a time. */
struct layer_ticket {
    struct layer_ticket *next;
    VkSemaphore semaphore;
    uint64_t value; /* the value to wait for; larger than any signalled so far */
};

#define LAYER_INSTANCE_FUNCTIONS(X)                                                                \
    X(DestroyInstance)                                                                             \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceFeatures2KHR)                                                               \
    X(GetPhysicalDeviceProperties)                                                                 \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceProperties2KHR)                                                             \
    X(GetPhysicalDeviceExternalSemaphoreProperties)                                                \
    X(GetPhysicalDeviceExternalSemaphorePropertiesKHR)

#define LAYER_DEVICE_FUNCTIONS(X)                                                                  \
    X(CreateSemaphore)                                                                             \
    X(DestroyDevice)                                                                               \
    X(DestroySemaphore)                                                                            \
    X(DeviceWaitIdle)                                                                              \
    X(GetSemaphoreFdKHR)                                                                           \
    X(ImportSemaphoreFdKHR)                                                                        \
    X(QueueSubmit)                                                                                 \
    X(QueueSubmit2)                                                                                \
    X(QueueSubmit2KHR)                                                                             \
    X(QueueWaitIdle)                                                                               \
    X(GetSemaphoreCounterValue)                                                                    \
    X(GetSemaphoreCounterValueKHR)                                                                 \
    X(SignalSemaphore)                                                                             \
    X(SignalSemaphoreKHR)                                                                          \
    X(WaitSemaphores)                                                                              \
    X(WaitSemaphoresKHR)

#define LAYER_DECLARE(name) PFN_vk##name name;

struct layer_instance {
    struct layer_instance *next;
    void *key;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr get;
    LAYER_INSTANCE_FUNCTIONS(LAYER_DECLARE)
};

struct layer_device {
    struct layer_device *next;
    void *key;
    VkDevice handle;
    PFN_vkGetDeviceProcAddr get;
    bool adds[2]; /* by cup_semaphore_kind: exported by this layer, because the driver cannot */
    LAYER_DEVICE_FUNCTIONS(LAYER_DECLARE)

    _Atomic(unsigned) semaphore_count; /* 0: everything passes through */
    pthread_mutex_t lock;
    struct layer_semaphore *semaphores; /* guarded by lock */
    struct layer_queue *queues;         /* guarded by lock */
    struct layer_ticket *tickets;       /* free list; guarded by lock */
};

/* Look up by a dispatchable handle: a physical device or an instance; a device or a queue. */
struct layer_instance *layer_instance_of(const void *handle);
struct layer_device *layer_device_of(const void *handle);

/* Determines what the driver of a physical device lacks. */
void layer_find_missing(struct layer_instance *instance, VkPhysicalDevice physical, bool adds[2]);
bool layer_has_extension(struct layer_instance *instance, VkPhysicalDevice physical,
                         const char *name);

/* vendor.c */
void layer_GetPhysicalDeviceProperties(VkPhysicalDevice physical,
                                       VkPhysicalDeviceProperties *properties);
void layer_GetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                        VkPhysicalDeviceProperties2 *properties);

VkResult layer_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                            const VkAllocationCallbacks *allocator, VkDevice *device);
PFN_vkVoidFunction layer_GetDeviceProcAddr(VkDevice device, const char *name);
PFN_vkVoidFunction layer_device_function(const char *name);

/* Takes a reference. Returns NULL for a semaphore of the driver. */
struct layer_semaphore *layer_semaphore_find(struct layer_device *device, VkSemaphore handle);
void layer_semaphore_unref(struct layer_semaphore *semaphore);

/* Returns the file for a wait or a signal; the caller closes it. A wait ends a temporary import. */
struct cup_semaphore_file *layer_semaphore_payload(struct layer_semaphore *semaphore, bool is_wait);

VkResult layer_CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
                               const VkAllocationCallbacks *allocator, VkSemaphore *semaphore);
void layer_DestroySemaphore(VkDevice device, VkSemaphore semaphore,
                            const VkAllocationCallbacks *allocator);
VkResult layer_GetSemaphoreFdKHR(VkDevice device, const VkSemaphoreGetFdInfoKHR *info, int *fd);
VkResult layer_ImportSemaphoreFdKHR(VkDevice device, const VkImportSemaphoreFdInfoKHR *info);
VkResult layer_GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t *value);
VkResult layer_SignalSemaphore(VkDevice device, const VkSemaphoreSignalInfo *info);
VkResult layer_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info,
                              uint64_t timeout_ns);
VkResult layer_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                           VkFence fence);
VkResult layer_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits,
                            VkFence fence);
VkResult layer_QueueWaitIdle(VkQueue queue);
VkResult layer_DeviceWaitIdle(VkDevice device);

/* inbound.c. Allocates a ticket for a wait; NULL if memory is out. After the submission that waits
 * for it, `begin` takes over the ticket and the file, watches the file and signals the ticket. */
struct layer_ticket *layer_ticket_acquire(struct layer_device *device);
void layer_ticket_release(struct layer_device *device, struct layer_ticket *ticket);
void layer_inbound_begin(struct layer_semaphore *semaphore, struct cup_semaphore_file *file,
                         uint64_t value, struct layer_ticket *ticket);
bool layer_inbound_is_waiting(struct layer_semaphore *semaphore);
/* Wakes all waits and ends the thread. */
void layer_inbound_end(struct layer_inbound *inbound);

/* outbound.c. A file that a queue signals when a submission completes. */
struct layer_signal {
    struct cup_semaphore_file *file; /* owns an opening */
    uint64_t value;
};
struct layer_queue *layer_queue_find(struct layer_device *device, VkQueue handle);
/* `prepare` returns the semaphore and value that the submission signals, or false if there is none.
 * After the submission, `begin` takes over the signals for that value. */
bool layer_outbound_prepare(struct layer_queue *queue, VkSemaphore *semaphore, uint64_t *value);
bool layer_outbound_begin(struct layer_queue *queue, uint64_t value, struct layer_signal *signals,
                          unsigned count);
/* Delivers completed signals now, without waiting for the thread. */
void layer_outbound_flush(struct layer_device *device);
void layer_outbound_end(struct layer_outbound *outbound);

#endif
