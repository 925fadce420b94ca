/* SPDX-License-Identifier: MIT */
/* Sets of multiprocessors: the form in which the application holds them, splitting them by count,
 * and descriptors. On a device with clusters of blocks, multiprocessors are scheduled together in
 * groups of eight or, if the application does not mind, in pairs; on older devices in pairs.
 * resource_split.c has the split into groups that the application describes. */
#include "device/resource.h"

#include "core/driver_version.h"
#include "core/error.h"
#include "core/lock.h"
#include "os/guard.h"

#include <string.h>

enum {
    ALIGNMENT = 8, /* of multiprocessors that can run clusters */
    ALIGNMENT_FINE =
        2,           /* CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, and what a split leaves */
    GROUPS_MAX = 15, /* groups of co-scheduled multiprocessors that the device can have */
};

/* The reserved part of a CUdevResource. */
struct hidden {
    uint64_t bits[CUP_SM_WORDS];
    uint32_t device; /* ordinal */
    uint32_t alignment;
    uint32_t origin;
    uint32_t split;
    uint64_t checksum;
};

_Static_assert(sizeof(struct hidden) <= sizeof(((CUdevResource *)0)->_internal_padding),
               "the set must fit into the reserved bytes");

static struct cup_lock list_lock = CUP_LOCK_INITIALIZER(CUP_RANK_RESOURCE);
static struct CUdevResourceDesc_st *descriptors; /* guarded by list_lock */

void cup_device_resource_register(void)
{
    cup_object_register(CUP_OBJECT_RESOURCE_DESCRIPTOR, sizeof(struct CUdevResourceDesc_st), NULL);
}

bool cup_sm_set_has(const struct cup_sm_set *sms, unsigned sm)
{
    return sms->bits[sm / 64] >> (sm % 64) & 1;
}

void cup_sm_set_add(struct cup_sm_set *sms, unsigned sm)
{
    sms->bits[sm / 64] |= UINT64_C(1) << (sm % 64);
    sms->count++;
}

void cup_sm_set_remove(struct cup_sm_set *sms, unsigned sm)
{
    sms->bits[sm / 64] &= ~(UINT64_C(1) << (sm % 64));
    sms->count--;
}

unsigned cup_sm_alignment(const struct cup_device *device)
{
    int major = cup_device_property(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);

    return major >= 9 ? ALIGNMENT : ALIGNMENT_FINE;
}

struct cup_sm_set cup_sm_set_all(const struct cup_device *device)
{
    unsigned count =
        (unsigned)cup_device_property(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    struct cup_sm_set sms = {.alignment = cup_sm_alignment(device)};

    for (unsigned sm = 0; sm < count && sm < CUP_SM_MAX; sm++)
        cup_sm_set_add(&sms, sm);
    return sms;
}

unsigned cup_sm_set_at(const struct cup_sm_set *sms, unsigned index)
{
    unsigned left = index % sms->count;

    for (unsigned word = 0; word < CUP_SM_WORDS; word++) {
        uint64_t bits = sms->bits[word];
        unsigned here = (unsigned)__builtin_popcountll(bits);
        if (left < here) {
            while (left--)
                bits &= bits - 1;
            return word * 64 + (unsigned)__builtin_ctzll(bits);
        }
        left -= here;
    }
    return 0;
}

/* A hash of everything but the checksum (FNV-1a). Bytes that mean nothing yet in the chosen version
 * of the driver have no part in it. */
static uint64_t checksum_of(const CUdevResource *resource, const struct hidden *hidden)
{
    struct {
        struct hidden hidden;
        uint32_t type;
        CUdevSmResource sm;
    } all;
    const unsigned char *bytes = (const unsigned char *)&all;
    uint64_t hash = UINT64_C(14695981039346656037);

    memset(&all, 0, sizeof(all));
    all.hidden = *hidden;
    all.hidden.checksum = 0;
    all.type = (uint32_t)resource->type;
    all.sm = resource->sm;
    if (!cup_driver_has(13010))
        all.sm.flags = 0;
    if (!cup_driver_has(13040))
        all.sm.localityDomainId = 0;
    for (size_t i = 0; i < sizeof(all); i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

/* A part that cuDevSmResourceSplitByCount() makes does not say how its multiprocessors are
 * scheduled. */
void cup_sm_resource_write(CUdevResource *resource, const struct cup_sm_resource *from)
{
    const struct cup_sm_set *sms = &from->sms;
    struct hidden hidden = {.device = (uint32_t)from->device->ordinal,
                            .alignment = sms->alignment,
                            .origin = from->origin,
                            .split = from->split};

    memset(resource, 0, sizeof(*resource));
    if (sms->count == 0)
        return;
    memcpy(hidden.bits, sms->bits, sizeof(hidden.bits));
    resource->type = CU_DEV_RESOURCE_TYPE_SM;
    resource->sm.smCount = sms->count;
    if (from->origin == CUP_SM_WHOLE || from->split) {
        resource->sm.minSmPartitionSize = sms->alignment;
        resource->sm.smCoscheduledAlignment = sms->alignment;
        resource->sm.flags = sms->flags;
        resource->sm.localityDomainId = sms->locality_domain;
    }
    hidden.checksum = checksum_of(resource, &hidden);
    memcpy(resource->_internal_padding, &hidden, sizeof(hidden));
}

struct copied {
    const CUdevResource *from;
    CUdevResource resource;
};

static void copy_resource(void *argument)
{
    struct copied *copied = argument;

    copied->resource = *copied->from;
}

static CUresult copy_in(const CUdevResource *from, CUdevResource *resource)
{
    struct copied copied = {.from = from};

    if (!cup_guard_run(copy_resource, &copied))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the resource at %p cannot be read",
                         (const void *)from);
    *resource = copied.resource;
    return CUDA_SUCCESS;
}

static CUresult open_sms(const CUdevResource *resource, struct cup_sm_resource *opened)
{
    struct hidden hidden;

    if (resource->type != CU_DEV_RESOURCE_TYPE_SM)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_TYPE, "a resource of type %d",
                         (int)resource->type);
    memcpy(&hidden, resource->_internal_padding, sizeof(hidden));
    opened->device = cup_device_get((CUdevice)hidden.device);
    if (hidden.checksum != checksum_of(resource, &hidden) || !opened->device)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "the resource is not one that CUDA returned");
    opened->sms = (struct cup_sm_set){.count = resource->sm.smCount, .alignment = hidden.alignment};
    memcpy(opened->sms.bits, hidden.bits, sizeof(hidden.bits));
    if (cup_driver_has(13010))
        opened->sms.flags = resource->sm.flags;
    if (cup_driver_has(13040))
        opened->sms.locality_domain = resource->sm.localityDomainId;
    opened->origin = hidden.origin;
    opened->split = hidden.split;
    return CUDA_SUCCESS;
}

CUresult cup_sm_resource_read(const CUdevResource *from, struct cup_sm_resource *resource)
{
    CUdevResource copy;
    CUresult result = copy_in(from, &copy);

    return result == CUDA_SUCCESS ? open_sms(&copy, resource) : result;
}

static CUresult no_such_type(CUdevResourceType type)
{
    return cup_error(CUDA_ERROR_INVALID_RESOURCE_TYPE, "no resource of type %d", (int)type);
}

CUresult cup_device_resource_get(const struct cup_device *device, const struct cup_sm_set *sms,
                                 const struct cup_workqueue *workqueue, CUdevResourceType type,
                                 CUdevResource *resource)
{
    switch (type) {
    case CU_DEV_RESOURCE_TYPE_SM:
        cup_sm_resource_write(resource, &(struct cup_sm_resource){.device = device, .sms = *sms});
        return CUDA_SUCCESS;
    case CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG:
        cup_workqueue_write_config(resource, device, workqueue);
        return CUDA_SUCCESS;
    case CU_DEV_RESOURCE_TYPE_WORKQUEUE:
        cup_workqueue_write(resource, device, workqueue);
        return CUDA_SUCCESS;
    default:
        return no_such_type(type);
    }
}

/* Moves the first `count` multiprocessors from one set to another. */
static struct cup_sm_set take(struct cup_sm_set *from, unsigned count, unsigned alignment)
{
    struct cup_sm_set taken = {.alignment = alignment};

    for (unsigned sm = 0; sm < CUP_SM_MAX && taken.count < count; sm++) {
        if (cup_sm_set_has(from, sm)) {
            cup_sm_set_add(&taken, sm);
            cup_sm_set_remove(from, sm);
        }
    }
    return taken;
}

/* The size of each part: whole groups, or all multiprocessors. */
static CUresult part_size(const struct cup_sm_set *sms, unsigned at_least, unsigned unit,
                          unsigned *size)
{
    if (at_least > sms->count)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "parts of %u multiprocessors; there are %u", at_least, sms->count);
    *size = at_least ? (at_least + unit - 1) / unit * unit : unit;
    if (*size > sms->count)
        *size = sms->count;
    return CUDA_SUCCESS;
}

CUresult cup_device_resource_split(CUdevResource *parts, unsigned *count,
                                   const CUdevResource *input, CUdevResource *rest, unsigned flags,
                                   unsigned at_least)
{
    const unsigned fine = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
    const unsigned both = fine | CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
    struct cup_sm_resource whole;
    unsigned size, most;

    if (!count || !input || (flags & both) == both || (parts && *count == 0))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no input, no count, or flags that exclude "
                                                   "each other");
    CUresult result = cup_sm_resource_read(input, &whole);
    if (result == CUDA_SUCCESS && whole.origin != CUP_SM_WHOLE)
        result = cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                           "a part cannot be split before a context is made of it");
    if (result != CUDA_SUCCESS)
        return result;
    unsigned unit = flags & fine ? ALIGNMENT_FINE : whole.sms.alignment;
    result = part_size(&whole.sms, at_least, unit, &size);
    if (result != CUDA_SUCCESS)
        return result;
    most = whole.sms.count / size;
    if (unit == ALIGNMENT && most > GROUPS_MAX)
        most = GROUPS_MAX;
    if (!parts || *count > most)
        *count = most;
    if (!parts)
        return CUDA_SUCCESS;
    for (unsigned i = 0; i < *count; i++) {
        struct cup_sm_resource part = {.device = whole.device, .origin = CUP_SM_PART};
        part.sms = take(&whole.sms, size, unit);
        cup_sm_resource_write(&parts[i], &part);
    }
    whole.sms.alignment = ALIGNMENT_FINE;
    whole.origin = CUP_SM_REMAINDER;
    if (rest)
        cup_sm_resource_write(rest, &whole);
    return CUDA_SUCCESS;
}

/* What the resources of a descriptor are so far. */
struct gathered {
    const struct cup_device *device;
    struct cup_sm_set sms;
    struct cup_workqueue workqueue;
    bool has_workqueue;
    struct cup_sm_resource first; /* resource of multiprocessors */
    unsigned first_alignment;     /* as the first one says it */
};

/* NVIDIA's manual permits the outputs of one split together, if they are scheduled alike. Driver
 * 580 (CUDA 13.0) does not check it, so the outputs of cuDevSmResourceSplitByCount() may be mixed.
 */
static CUresult check_alike(const struct gathered *all, const struct cup_sm_resource *one,
                            unsigned alignment)
{
    const struct cup_sm_resource *first = &all->first;

    if (!first->device || !cup_driver_has(13010))
        return CUDA_SUCCESS;
    if (alignment != all->first_alignment)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "multiprocessors that are scheduled in groups of %u and of %u",
                         all->first_alignment, alignment);
    if (first->sms.locality_domain != one->sms.locality_domain)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "multiprocessors of the locality domains %u and %u",
                         first->sms.locality_domain, one->sms.locality_domain);
    if (first->split != one->split)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "the resources are not the outputs of one split");
    return CUDA_SUCCESS;
}

static CUresult gather_sms(const CUdevResource *resource, struct gathered *all,
                           const struct cup_device **device)
{
    struct cup_sm_resource one;
    CUresult result = open_sms(resource, &one);

    if (result == CUDA_SUCCESS)
        result = check_alike(all, &one, resource->sm.smCoscheduledAlignment);
    if (result != CUDA_SUCCESS)
        return result;
    if (!all->first.device) {
        all->first = one;
        all->first_alignment = resource->sm.smCoscheduledAlignment;
    }
    for (unsigned word = 0; word < CUP_SM_WORDS; word++)
        all->sms.bits[word] |= one.sms.bits[word];
    all->sms.count += one.sms.count;
    all->sms.flags |= one.sms.flags;
    all->sms.locality_domain = one.sms.locality_domain;
    if (!all->sms.alignment || one.sms.alignment < all->sms.alignment)
        all->sms.alignment = one.sms.alignment;
    *device = one.device;
    return CUDA_SUCCESS;
}

static CUresult gather_workqueue(const CUdevResource *resource, struct gathered *all,
                                 const struct cup_device **device)
{
    if (all->has_workqueue)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "a green context has one workqueue, and the resources name two");
    all->has_workqueue = true;
    return cup_workqueue_read(resource, &all->workqueue, device);
}

/* Adds a resource to the descriptor. */
static CUresult gather(const CUdevResource *from, struct gathered *all)
{
    const struct cup_device *device = NULL;
    CUdevResource resource;
    CUresult result = copy_in(from, &resource);

    if (result != CUDA_SUCCESS)
        return result;
    if (cup_driver_has(13010) && (resource.type == CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG ||
                                  resource.type == CU_DEV_RESOURCE_TYPE_WORKQUEUE))
        result = gather_workqueue(&resource, all, &device);
    else
        result = gather_sms(&resource, all, &device);
    if (result != CUDA_SUCCESS)
        return result;
    if (all->device && device != all->device)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, "resources of two devices");
    all->device = device;
    return CUDA_SUCCESS;
}

/* Makes the bits as many as `count` says: at most the device's, at least the sum of the parts.
 * Without a resource of multiprocessors: all of the device. */
static void complete(struct gathered *all)
{
    struct cup_sm_set device = cup_sm_set_all(all->device);
    unsigned wanted = all->sms.count < device.count ? all->sms.count : device.count;

    if (!all->has_workqueue)
        all->workqueue = cup_workqueue_default();
    if (!all->first.device) {
        all->sms = device;
        return;
    }
    all->sms.count = 0;
    for (unsigned word = 0; word < CUP_SM_WORDS; word++)
        all->sms.count += (unsigned)__builtin_popcountll(all->sms.bits[word]);
    for (unsigned sm = 0; sm < CUP_SM_MAX && all->sms.count < wanted; sm++) {
        if (cup_sm_set_has(&device, sm) && !cup_sm_set_has(&all->sms, sm))
            cup_sm_set_add(&all->sms, sm);
    }
}

static bool is_equal(const struct CUdevResourceDesc_st *one, const struct gathered *all)
{
    return one->device == all->device && one->sms.alignment == all->sms.alignment &&
           one->sms.flags == all->sms.flags &&
           one->sms.locality_domain == all->sms.locality_domain &&
           one->workqueue.id == all->workqueue.id &&
           one->workqueue.concurrency == all->workqueue.concurrency &&
           one->workqueue.scope == all->workqueue.scope &&
           memcmp(one->sms.bits, all->sms.bits, sizeof(one->sms.bits)) == 0;
}

static struct CUdevResourceDesc_st *find_equal_locked(const struct gathered *all)
{
    cup_lock_assert_held(&list_lock);
    struct CUdevResourceDesc_st *each = descriptors;

    while (each && !is_equal(each, all))
        each = each->next;
    return each;
}

CUresult cup_device_resource_describe(const CUdevResource *resources, unsigned count,
                                      struct CUdevResourceDesc_st **descriptor)
{
    struct gathered all = {0};
    struct cup_object *object;

    if (count == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no resources");
    for (unsigned i = 0; i < count; i++) {
        CUresult result = gather(&resources[i], &all);
        if (result != CUDA_SUCCESS)
            return result;
    }
    complete(&all);
    cup_lock_acquire(&list_lock);
    struct CUdevResourceDesc_st *found = find_equal_locked(&all);
    if (!found && (object = cup_object_create(CUP_OBJECT_RESOURCE_DESCRIPTOR))) {
        found = (struct CUdevResourceDesc_st *)object;
        found->device = all.device;
        found->sms = all.sms;
        found->workqueue = all.workqueue;
        found->next = descriptors;
        descriptors = found;
        cup_object_publish(object);
    }
    cup_lock_release(&list_lock);
    if (!found)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a descriptor");
    *descriptor = found;
    return CUDA_SUCCESS;
}

CUresult cup_device_resource_find(CUdevResourceDesc handle,
                                  struct CUdevResourceDesc_st **descriptor)
{
    struct cup_object *object;

    if (cup_object_find(CUP_OBJECT_RESOURCE_DESCRIPTOR, handle, &object) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is no descriptor", (void *)handle);
    cup_object_unref(object);
    *descriptor = (struct CUdevResourceDesc_st *)object;
    return CUDA_SUCCESS;
}
