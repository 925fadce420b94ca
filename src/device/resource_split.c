/* SPDX-License-Identifier: MIT */
/* cuDevSmResourceSplit(): groups of multiprocessors that the application describes one by one.
 *
 * Multiprocessors that are scheduled together are of one graphics processing cluster (GPC). The
 * layout of the GPCs is the smallest that explains what is recorded of an H200, whose 132
 * multiprocessors make fifteen groups of eight: seven GPCs of at least sixteen and one of fourteen.
 * Which multiprocessors have which number is not known; the groups of eight of
 * cuDevSmResourceSplitByCount() are consecutive numbers of one GPC here. */
#include "device/resource.h"

#include "core/driver_version.h"
#include "core/error.h"
#include "os/guard.h"

#include <stdatomic.h>
#include <string.h>

enum {
    GPC_COUNT = 8,
    GPC_SMS = 16,            /* consecutive multiprocessors of each GPC but the last */
    GPC_LAST_SMS = 14,       /* of the last */
    COSCHEDULED_MIN = 2,     /* a pair, which every device has */
    COSCHEDULED_MAX = 32,    /* on a device with clusters of blocks */
    GROUPS_MAX = CUP_SM_MAX, /* more groups than multiprocessors are always too many */
};

/* One group: what the application asks for, and what it gets. */
struct sm_group {
    CU_DEV_SM_RESOURCE_GROUP_PARAMS wanted;
    struct cup_sm_set sms;
};

static unsigned gpc_of(unsigned sm)
{
    const unsigned first = GPC_SMS * (GPC_COUNT - 1), last = first + GPC_LAST_SMS;

    if (sm < first)
        return sm / GPC_SMS;
    return sm < last ? GPC_COUNT - 1 : (sm - last) / 2 % GPC_COUNT;
}

/* Moves up to `count` multiprocessors from one set to another; of one GPC, or of all. */
static void move(struct cup_sm_set *from, struct cup_sm_set *to, int gpc, unsigned count)
{
    for (unsigned sm = 0; sm < CUP_SM_MAX && count > 0; sm++) {
        if (!cup_sm_set_has(from, sm) || (gpc >= 0 && gpc_of(sm) != (unsigned)gpc))
            continue;
        cup_sm_set_remove(from, sm);
        cup_sm_set_add(to, sm);
        count--;
    }
}

static unsigned count_in(const struct cup_sm_set *sms, unsigned gpc)
{
    unsigned count = 0;

    for (unsigned sm = 0; sm < CUP_SM_MAX; sm++)
        count += cup_sm_set_has(sms, sm) && gpc_of(sm) == gpc;
    return count;
}

/* Moves as many whole units of co-scheduled multiprocessors as there are, until the set has
 * `wanted` multiprocessors. A pair need not be of one GPC here, so that an even number of
 * multiprocessors is always a number of pairs. */
static void move_units(struct cup_sm_set *from, struct cup_sm_set *to, unsigned unit,
                       unsigned wanted)
{
    if (unit == COSCHEDULED_MIN) {
        unsigned missing = wanted - to->count, there = from->count / unit * unit;
        move(from, to, -1, missing < there ? missing : there);
        return;
    }
    for (unsigned gpc = 0; gpc < GPC_COUNT; gpc++) {
        while (to->count + unit <= wanted && count_in(from, gpc) >= unit)
            move(from, to, (int)gpc, unit);
    }
}

static bool is_zero(const unsigned *words, size_t count)
{
    unsigned any = 0;

    for (size_t i = 0; i < count; i++)
        any |= words[i];
    return any == 0;
}

/* Flags and reserved fields, which belong to the version of the driver. */
static CUresult check_fields(const CU_DEV_SM_RESOURCE_GROUP_PARAMS *wanted)
{
    unsigned known = CU_DEV_SM_RESOURCE_GROUP_BACKFILL;

    if (cup_driver_has(13040))
        known |= CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID;
    if (wanted->flags & ~known)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a group with the flags 0x%x", wanted->flags);
    if (!is_zero(wanted->reserved, sizeof(wanted->reserved) / sizeof(wanted->reserved[0])))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the reserved fields of a group are not zero");
    if (wanted->localityDomainId && !(wanted->flags & CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "a group with the locality domain %u and without the flag for it",
                         wanted->localityDomainId);
    return CUDA_SUCCESS;
}

/* The unit in which a group is scheduled, and the larger one that the application prefers. The
 * manual names no error for numbers that are out of range; cuDevSmResourceSplitByCount() answers
 * INVALID_RESOURCE_CONFIGURATION for those. */
static CUresult check_numbers(const CU_DEV_SM_RESOURCE_GROUP_PARAMS *wanted, unsigned alignment,
                              unsigned available)
{
    const CUresult error = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    unsigned most = alignment > COSCHEDULED_MIN ? COSCHEDULED_MAX : COSCHEDULED_MIN;
    unsigned unit = wanted->coscheduledSmCount, larger = wanted->preferredCoscheduledSmCount;
    bool is_hint = wanted->flags & CU_DEV_SM_RESOURCE_GROUP_BACKFILL;

    if (unit % 2 || unit > most || larger % 2 || larger > most || (larger && larger < unit))
        return cup_error(error,
                         "groups of %u, preferably %u co-scheduled multiprocessors; both must be "
                         "even and at most %u",
                         unit, larger, most);
    if (wanted->smCount % 2 || wanted->smCount > available)
        return cup_error(error, "a group of %u multiprocessors; it must be an even number up to %u",
                         wanted->smCount, available);
    if (unit && wanted->smCount % unit && !is_hint)
        return cup_error(error,
                         "%u multiprocessors are no multiple of the %u that are co-scheduled",
                         wanted->smCount, unit);
    if (wanted->localityDomainId)
        return cup_error(error, "there is no locality domain %u: the device has one, number 0",
                         wanted->localityDomainId);
    return CUDA_SUCCESS;
}

/* The alignment that a group has: its unit, if it consists of whole units. */
static unsigned alignment_of(const struct sm_group *group, unsigned unit, unsigned in_units)
{
    if (in_units < group->sms.count && !(group->wanted.flags & CU_DEV_SM_RESOURCE_GROUP_BACKFILL))
        return COSCHEDULED_MIN;
    return unit;
}

/* Assigns multiprocessors to a group: whole units first. A group that asks for no unit is then
 * filled with what is left, and so is one whose unit is a hint, if it has at least one. */
static CUresult assign(struct sm_group *group, struct cup_sm_set *left, unsigned alignment)
{
    const CU_DEV_SM_RESOURCE_GROUP_PARAMS *wanted = &group->wanted;
    bool fills = !wanted->coscheduledSmCount || wanted->flags & CU_DEV_SM_RESOURCE_GROUP_BACKFILL;
    unsigned unit = wanted->coscheduledSmCount ? wanted->coscheduledSmCount : alignment;
    unsigned count = wanted->smCount ? wanted->smCount : left->count / 2 * 2;

    if (wanted->preferredCoscheduledSmCount > unit)
        move_units(left, &group->sms, wanted->preferredCoscheduledSmCount, count);
    move_units(left, &group->sms, unit, count);
    unsigned in_units = group->sms.count;
    if (fills && (in_units || !wanted->coscheduledSmCount))
        move(left, &group->sms, -1, count - in_units);
    group->sms.alignment = alignment_of(group, unit, in_units);
    group->sms.flags = wanted->flags;
    group->sms.locality_domain = wanted->localityDomainId;
    if (wanted->smCount && group->sms.count < wanted->smCount)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "a group of %u multiprocessors in units of %u; %u can be had",
                         wanted->smCount, unit, group->sms.count);
    group->wanted.smCount = group->sms.count;
    return CUDA_SUCCESS;
}

struct parameter_copy {
    CU_DEV_SM_RESOURCE_GROUP_PARAMS *parameters;
    struct sm_group *groups;
    unsigned count;
};

static void copy_in(void *argument)
{
    struct parameter_copy *copy = argument;

    for (unsigned i = 0; i < copy->count; i++)
        copy->groups[i].wanted = copy->parameters[i];
}

/* Checks all groups, then assigns multiprocessors to them in their order. */
static CUresult assign_all(struct sm_group *groups, unsigned count, const struct cup_device *device,
                           struct cup_sm_set *left)
{
    unsigned alignment = cup_sm_alignment(device), available = left->count;

    for (unsigned i = 0; i < count; i++) {
        CUresult result = check_fields(&groups[i].wanted);
        if (result == CUDA_SUCCESS)
            result = check_numbers(&groups[i].wanted, alignment, available);
        if (result != CUDA_SUCCESS)
            return result;
    }
    for (unsigned i = 0; i < count; i++) {
        CUresult result = assign(&groups[i], left, alignment);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

static CUresult read_input(const CUdevResource *input, struct cup_sm_resource *whole)
{
    CUresult result = cup_sm_resource_read(input, whole);

    if (result == CUDA_SUCCESS && whole->origin == CUP_SM_PART)
        result = cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                           "a part cannot be split before a context is made of it");
    return result;
}

/* Writes the parts and what is left of the input. */
static void write_parts(CUdevResource *parts, const struct sm_group *groups, unsigned count,
                        CUdevResource *rest, const struct cup_sm_resource *left)
{
    static _Atomic(uint32_t) splits;
    struct cup_sm_resource part = {.device = left->device, .origin = CUP_SM_PART};

    do
        part.split = atomic_fetch_add(&splits, 1) + 1;
    while (part.split == 0);
    for (unsigned i = 0; i < count; i++) {
        part.sms = groups[i].sms;
        cup_sm_resource_write(&parts[i], &part);
    }
    if (!rest)
        return;
    part.sms = left->sms;
    part.sms.alignment = COSCHEDULED_MIN;
    part.sms.flags = part.sms.locality_domain = 0;
    part.origin = CUP_SM_REMAINDER;
    cup_sm_resource_write(rest, &part);
}

CUresult cup_device_resource_split_groups(CUdevResource *parts, unsigned count,
                                          const CUdevResource *input, CUdevResource *rest,
                                          CU_DEV_SM_RESOURCE_GROUP_PARAMS *parameters)
{
    struct sm_group groups[GROUPS_MAX];
    struct cup_sm_resource whole;
    CUresult result = read_input(input, &whole);

    if (result != CUDA_SUCCESS)
        return result;
    if (count > GROUPS_MAX)
        return cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                         "%u groups of %u multiprocessors", count, whole.sms.count);
    memset(groups, 0, count * sizeof(groups[0]));
    if (!cup_guard_run(copy_in, &(struct parameter_copy){parameters, groups, count}))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the %u groups at %p cannot be read", count,
                         (const void *)parameters);
    result = assign_all(groups, count, whole.device, &whole.sms);
    for (unsigned i = 0; result == CUDA_SUCCESS && parts && i < count; i++) {
        if (groups[i].sms.count == 0 || groups[i].sms.count < groups[i].wanted.coscheduledSmCount)
            result = cup_error(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                               "no multiprocessors are left for group %u", i);
    }
    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned i = 0; i < count; i++)
        parameters[i].smCount = groups[i].wanted.smCount;
    if (parts)
        write_parts(parts, groups, count, rest, &whole);
    return CUDA_SUCCESS;
}
