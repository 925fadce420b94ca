/* SPDX-License-Identifier: MIT */
/* Splitting and describing sets of multiprocessors. The sizes are those of the emulated device:
 * multiprocessors are scheduled together in groups of eight (clusters of blocks need that) or, if
 * the application does not mind, in pairs. */
#include "device/resource.h"

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
    uint32_t is_part; /* a result of a split, which cannot be split again */
    uint32_t reserved;
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

static bool has(const struct cup_sm_set *sms, unsigned sm)
{
    return sms->bits[sm / 64] >> (sm % 64) & 1;
}

static void add(struct cup_sm_set *sms, unsigned sm)
{
    sms->bits[sm / 64] |= UINT64_C(1) << (sm % 64);
    sms->count++;
}

struct cup_sm_set cup_sm_set_all(const struct cup_device *device)
{
    unsigned count =
        (unsigned)cup_device_property(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    struct cup_sm_set sms = {.alignment = ALIGNMENT};

    for (unsigned sm = 0; sm < count && sm < CUP_SM_MAX; sm++)
        add(&sms, sm);
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

/* A hash of everything but the checksum (FNV-1a). */
static uint64_t checksum_of(const CUdevResource *resource, const struct hidden *hidden)
{
    struct {
        struct hidden hidden;
        CUdevSmResource sm;
        uint32_t type;
    } all;
    const unsigned char *bytes = (const unsigned char *)&all;
    uint64_t hash = UINT64_C(14695981039346656037);

    memset(&all, 0, sizeof(all));
    all.hidden = *hidden;
    all.hidden.checksum = 0;
    all.sm = resource->sm;
    all.type = (uint32_t)resource->type;
    for (size_t i = 0; i < sizeof(all); i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static void write_resource(CUdevResource *resource, const struct cup_device *device,
                           const struct cup_sm_set *sms, bool is_part)
{
    struct hidden hidden = {
        .device = (uint32_t)device->ordinal, .alignment = sms->alignment, .is_part = is_part};

    memset(resource, 0, sizeof(*resource));
    if (sms->count == 0)
        return;
    memcpy(hidden.bits, sms->bits, sizeof(hidden.bits));
    resource->type = CU_DEV_RESOURCE_TYPE_SM;
    resource->sm.smCount = sms->count;
    if (!is_part) {
        resource->sm.minSmPartitionSize = sms->alignment;
        resource->sm.smCoscheduledAlignment = sms->alignment;
    }
    hidden.checksum = checksum_of(resource, &hidden);
    memcpy(resource->_internal_padding, &hidden, sizeof(hidden));
}

struct opened {
    const struct cup_device *device;
    struct cup_sm_set sms;
    bool is_part;
};

struct copied {
    const CUdevResource *from;
    CUdevResource resource;
};

static void copy_resource(void *argument)
{
    struct copied *copied = argument;

    copied->resource = *copied->from;
}

/* The application's pointer may be invalid. */
static CUresult read_resource(const CUdevResource *from, struct opened *opened)
{
    struct copied copied = {.from = from};
    const CUdevResource *resource = &copied.resource;
    struct hidden hidden;

    if (!cup_guard_run(copy_resource, &copied))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the resource at %p cannot be read",
                         (const void *)from);

    if (resource->type != CU_DEV_RESOURCE_TYPE_SM)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_TYPE, "a resource of type %d",
                         (int)resource->type);
    memcpy(&hidden, resource->_internal_padding, sizeof(hidden));
    opened->device = cup_device_get((CUdevice)hidden.device);
    if (hidden.checksum != checksum_of(resource, &hidden) || !opened->device)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "the resource is not one that CUDA returned");
    memcpy(opened->sms.bits, hidden.bits, sizeof(hidden.bits));
    opened->sms.count = resource->sm.smCount;
    opened->sms.alignment = hidden.alignment;
    opened->is_part = hidden.is_part;
    return CUDA_SUCCESS;
}

CUresult cup_device_resource_get(const struct cup_device *device, const struct cup_sm_set *sms,
                                 CUdevResourceType type, CUdevResource *resource)
{
    if (type != CU_DEV_RESOURCE_TYPE_SM)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_TYPE, "no resource of type %d", (int)type);
    write_resource(resource, device, sms, false);
    return CUDA_SUCCESS;
}

/* Moves the first `count` multiprocessors from one set to another. */
static struct cup_sm_set take(struct cup_sm_set *from, unsigned count, unsigned alignment)
{
    struct cup_sm_set taken = {.alignment = alignment};

    for (unsigned sm = 0; sm < CUP_SM_MAX && taken.count < count; sm++) {
        if (has(from, sm)) {
            add(&taken, sm);
            from->bits[sm / 64] &= ~(UINT64_C(1) << (sm % 64));
        }
    }
    from->count -= taken.count;
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
    struct opened whole;
    unsigned size, most;

    if (!count || !input || (flags & both) == both || (parts && *count == 0))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no input, no count, or flags that exclude "
                                                   "each other");
    CUresult result = read_resource(input, &whole);
    if (result == CUDA_SUCCESS && whole.is_part)
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
        struct cup_sm_set part = take(&whole.sms, size, unit);
        write_resource(&parts[i], whole.device, &part, true);
    }
    whole.sms.alignment = ALIGNMENT_FINE;
    if (rest)
        write_resource(rest, whole.device, &whole.sms, true);
    return CUDA_SUCCESS;
}

/* Adds a resource to the set of a descriptor. */
static CUresult gather(const CUdevResource *resource, struct opened *all)
{
    struct opened one;
    CUresult result = read_resource(resource, &one);

    if (result != CUDA_SUCCESS)
        return result;
    if (all->device && one.device != all->device)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, "resources of two devices");
    all->device = one.device;
    for (unsigned word = 0; word < CUP_SM_WORDS; word++)
        all->sms.bits[word] |= one.sms.bits[word];
    all->sms.count += one.sms.count;
    if (!all->sms.alignment || one.sms.alignment < all->sms.alignment)
        all->sms.alignment = one.sms.alignment;
    return CUDA_SUCCESS;
}

/* Makes the bits as many as `count` says: at most the device's, at least the sum of the parts. */
static void complete(struct opened *all)
{
    struct cup_sm_set device = cup_sm_set_all(all->device);
    unsigned wanted = all->sms.count < device.count ? all->sms.count : device.count;

    all->sms.count = 0;
    for (unsigned word = 0; word < CUP_SM_WORDS; word++)
        all->sms.count += (unsigned)__builtin_popcountll(all->sms.bits[word]);
    for (unsigned sm = 0; sm < CUP_SM_MAX && all->sms.count < wanted; sm++) {
        if (has(&device, sm) && !has(&all->sms, sm))
            add(&all->sms, sm);
    }
}

static struct CUdevResourceDesc_st *find_equal_locked(const struct opened *all)
{
    struct CUdevResourceDesc_st *each = descriptors;

    while (each && (each->device != all->device || each->sms.alignment != all->sms.alignment ||
                    memcmp(each->sms.bits, all->sms.bits, sizeof(each->sms.bits))))
        each = each->next;
    return each;
}

CUresult cup_device_resource_describe(const CUdevResource *resources, unsigned count,
                                      struct CUdevResourceDesc_st **descriptor)
{
    struct opened all = {0};
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
