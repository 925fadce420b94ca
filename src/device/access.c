/* SPDX-License-Identifier: MIT */
/* A table depends only on the device and the context's peers, so there is one per such pair,
 * independent of the number of contexts and launches. Tables and sets only grow, under one lock: a
 * new set is added to every table before any memory can have its class. Readers take no lock. */
#include "device/access.h"

#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/context.h"
#include "device/device.h"
#include "os/reserve.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { SETS_MAX = CUP_ACCESS_ASK - CUP_ACCESS_FIRST_SET };

_Static_assert(CUP_ACCESS_FIRST_DEVICE + CUP_MAX_DEVICES == CUP_ACCESS_FIRST_SET,
               "a class for each device");

struct set {
    uint64_t read_by, write_by;
};

_Atomic(uint8_t) *cup_access_classes;

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_ACCESS);
static struct set sets[SETS_MAX];        /* entries below set_count never change */
static _Atomic(unsigned) set_count;      /* written under lock */
static struct cup_access_rights *tables; /* guarded by lock */
static uint64_t all_devices;             /* one bit per device; set once by cuInit() */

CUresult cup_access_init(void)
{
    size_t bytes = (size_t)1 << (CUP_ACCESS_ADDRESS_BITS - CUP_ACCESS_PAGE_SHIFT);

    if (cup_device_count() < 2 || cup_access_classes)
        return CUDA_SUCCESS;
    cup_access_classes = cup_reserve_private(bytes, 4096);
    if (!cup_access_classes)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY,
                         "no address space for the table of access classes");
    all_devices = ~UINT64_C(0) >> (64 - cup_device_count());
    return CUDA_SUCCESS;
}

void cup_access_mark(uint64_t address, uint64_t size_bytes, uint8_t class)
{
    uint64_t first = address >> CUP_ACCESS_PAGE_SHIFT;

    if (!cup_access_is_limited())
        return;
    for (uint64_t page = first; page < first + (size_bytes >> CUP_ACCESS_PAGE_SHIFT); page++)
        atomic_store_explicit(&cup_access_classes[page], class, memory_order_relaxed);
}

uint8_t cup_access_class_of_device(const struct cup_device *device)
{
    return (uint8_t)(CUP_ACCESS_FIRST_DEVICE + device->ordinal);
}

const struct cup_device *cup_access_owner(uint8_t class)
{
    if (class < CUP_ACCESS_FIRST_DEVICE || class >= CUP_ACCESS_FIRST_SET)
        return NULL;
    return cup_device_get(class - CUP_ACCESS_FIRST_DEVICE);
}

static uint8_t rights_in_set(const struct cup_device *device, struct set set)
{
    return (uint8_t)((set.read_by >> device->ordinal & 1 ? CUP_GRANT_READ : 0) |
                     (set.write_by >> device->ordinal & 1 ? CUP_GRANT_WRITE : 0));
}

static unsigned set_find(struct set wanted, unsigned count)
{
    unsigned at = 0;

    while (at < count &&
           (sets[at].read_by != wanted.read_by || sets[at].write_by != wanted.write_by))
        at++;
    return at;
}

static void set_add_locked(struct set added, unsigned at)
{
    cup_lock_assert_held(&lock);
    sets[at] = added;
    for (struct cup_access_rights *table = tables; table; table = table->next)
        table->of_class[CUP_ACCESS_FIRST_SET + at] = rights_in_set(table->device, added);
    atomic_store_explicit(&set_count, at + 1, memory_order_release);
}

uint8_t cup_access_class_of_set(uint64_t read_by, uint64_t write_by)
{
    struct set wanted = {read_by & all_devices, write_by & all_devices};
    unsigned count = atomic_load_explicit(&set_count, memory_order_acquire);

    if (!cup_access_is_limited() || (wanted.read_by & wanted.write_by) == all_devices)
        return CUP_ACCESS_OPEN;
    unsigned at = set_find(wanted, count);
    if (at == count) {
        cup_lock_acquire(&lock);
        count = atomic_load_explicit(&set_count, memory_order_relaxed);
        at = set_find(wanted, count);
        if (at == count && count < SETS_MAX)
            set_add_locked(wanted, at);
        cup_lock_release(&lock);
    }
    return (uint8_t)(CUP_ACCESS_FIRST_SET + at); /* SETS_MAX yields CUP_ACCESS_ASK */
}

static bool is_for(const struct cup_access_rights *table, const struct cup_device *device,
                   uint64_t peers)
{
    return table->device == device && table->peers == peers;
}

static struct cup_access_rights *table_add_locked(const struct cup_device *device, uint64_t peers)
{
    cup_lock_assert_held(&lock);
    struct cup_access_rights *table = calloc(1, sizeof(*table));
    uint8_t all = CUP_GRANT_READ | CUP_GRANT_WRITE;

    if (!table)
        return NULL;
    table->device = device;
    table->peers = peers;
    table->of_class[CUP_ACCESS_OPEN] = all;
    for (unsigned i = 0; i < cup_device_count(); i++) {
        const struct cup_device *other = cup_device_get((CUdevice)i);
        if (other == device || peers >> other->physical & 1)
            table->of_class[CUP_ACCESS_FIRST_DEVICE + i] = all;
    }
    for (unsigned i = 0; i < atomic_load_explicit(&set_count, memory_order_relaxed); i++)
        table->of_class[CUP_ACCESS_FIRST_SET + i] = rights_in_set(device, sets[i]);
    table->next = tables;
    tables = table;
    return table;
}

const struct cup_access_rights *cup_access_rights_of(struct CUctx_st *context)
{
    uint64_t peers = atomic_load(&context->peers);
    struct cup_access_rights *table =
        atomic_load_explicit(&context->access_rights, memory_order_acquire);

    if (cup_likely(table && is_for(table, context->device, peers)))
        return table;
    cup_lock_acquire(&lock);
    for (table = tables; table && !is_for(table, context->device, peers);)
        table = table->next;
    if (!table)
        table = table_add_locked(context->device, peers);
    cup_lock_release(&lock);
    atomic_store_explicit(&context->access_rights, table, memory_order_release);
    return table;
}

bool cup_access_allows(struct CUctx_st *context, uint8_t class, unsigned wanted)
{
    const struct cup_device *owner = cup_access_owner(class);

    if (class == CUP_ACCESS_OPEN)
        return true;
    if (owner)
        return cup_context_may_access(context, owner);
    /* The class is that of existing memory, so its set was added before. */
    return (rights_in_set(context->device, sets[class - CUP_ACCESS_FIRST_SET]) & wanted) == wanted;
}
