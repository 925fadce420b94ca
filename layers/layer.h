/* SPDX-License-Identifier: MIT */
/* VK_LAYER_CUPIPE_external_semaphore: gives Vulkan drivers without it the export and import of
 * semaphores as file descriptors, binary and timeline, in the form of interop/semaphore_file.h.
 *
 * An exported semaphore lives in its file; the driver below knows nothing of it. Host operations go
 * to the file directly. A submission that waits for one waits for a timeline semaphore of the
 * driver's instead, which a thread signals when the file says so (inbound.c). A submission that
 * signals some signals a timeline semaphore of the queue's instead, and a thread writes to the
 * files when that is reached (outbound.c). What the driver can export itself passes untouched. */
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
    VkSemaphore handle;                   /* the driver's, which it never gets to see in use */
    unsigned refs;                        /* guarded by the device's lock */
    struct cup_semaphore_file *file;      /* NULL: the driver's own, but for a temporary import */
    struct cup_semaphore_file *temporary; /* until the next wait; guarded by the device's lock */
    struct layer_inbound *inbound;        /* made when first needed; guarded by the device's lock */
};

/* A queue that has signalled such semaphores. */
struct layer_queue {
    struct layer_queue *next; /* never leaves the list of its device */
    struct layer_device *device;
    VkQueue handle;
    struct layer_outbound *outbound;
};

/* A timeline semaphore of the driver's, lent to one wait at a time. */
struct layer_ticket {
    struct layer_ticket *next;
    VkSemaphore semaphore;
    uint64_t value; /* what is waited for; it was never signalled that high */
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

    _Atomic(unsigned) semaphore_count; /* 0: everything passes */
    pthread_mutex_t lock;
    struct layer_semaphore *semaphores; /* guarded by lock */
    struct layer_queue *queues;         /* guarded by lock */
    struct layer_ticket *tickets;       /* those free; guarded by lock */
};

/* By a dispatchable handle: a physical device or an instance; a device or a queue. */
struct layer_instance *layer_instance_of(const void *handle);
struct layer_device *layer_device_of(const void *handle);

/* What the driver of a physical device lacks. */
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

/* With a reference; NULL for a semaphore of the driver's own. */
struct layer_semaphore *layer_semaphore_find(struct layer_device *device, VkSemaphore handle);
void layer_semaphore_unref(struct layer_semaphore *semaphore);

/* What a wait or a signal goes to, with an opening to close; a wait ends a temporary import. */
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

/* inbound.c. A ticket for a wait; NULL when memory is out. Once the submission that waits for it is
 * on its way, `begin` watches the file, which it takes over with the ticket, and signals. */
struct layer_ticket *layer_ticket_take(struct layer_device *device);
void layer_ticket_give(struct layer_device *device, struct layer_ticket *ticket);
void layer_inbound_begin(struct layer_semaphore *semaphore, struct cup_semaphore_file *file,
                         uint64_t value, struct layer_ticket *ticket);
bool layer_inbound_is_waiting(struct layer_semaphore *semaphore);
/* Wakes whatever waits, and ends the thread. */
void layer_inbound_end(struct layer_inbound *inbound);

/* outbound.c. What a queue signals when it gets somewhere. */
struct layer_signal {
    struct cup_semaphore_file *file; /* an opening of its own */
    uint64_t value;
};
struct layer_queue *layer_queue_find(struct layer_device *device, VkQueue handle);
/* The semaphore to signal with the submission, and the value; false when there is none to be had.
 * Then, once it is on its way, the signals it stands for; they are taken over. */
bool layer_outbound_prepare(struct layer_queue *queue, VkSemaphore *semaphore, uint64_t *value);
bool layer_outbound_begin(struct layer_queue *queue, uint64_t value, struct layer_signal *signals,
                          unsigned count);
/* Does now what the thread would do in a moment. */
void layer_outbound_flush(struct layer_device *device);
void layer_outbound_end(struct layer_outbound *outbound);

#endif
