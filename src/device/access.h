/* SPDX-License-Identifier: MIT */
/* Access rights of devices to memory. All devices share one address space, so only an explicit
 * check keeps a kernel of one device from the memory of another. The check must be cheap: every 2
 * MiB of address space have a class, one byte, and every context has a table of its rights per
 * class (struct cup_access_rights). Compiled kernels consult both before an access. The owner of
 * memory sets its class.
 *
 * Nothing of this exists if the process sees one device only.
 *
 * The meaning of a class never changes. There are enough classes for the sets of devices that
 * programs use; memory of further sets has class CUP_ACCESS_ASK, and the address map decides. A
 * kernel that finds no right in its table calls cup_access_allows(), which also knows the rights
 * granted since its launch. */
#ifndef CUP_DEVICE_ACCESS_H
#define CUP_DEVICE_ACCESS_H

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct cup_device;

enum {
    CUP_ACCESS_PAGE_SHIFT = 21,
    CUP_ACCESS_ADDRESS_BITS = 48,
    CUP_ACCESS_CLASS_COUNT = 256,

    CUP_ACCESS_OPEN = 0, /* host, managed or unknown memory: accessible to all */
    /* and 63 more: memory of cuMemAlloc() on one device, accessible to it and its peers */
    CUP_ACCESS_FIRST_DEVICE = 1,
    CUP_ACCESS_FIRST_SET = 65, /* from here on: memory with an explicit set of devices */
    CUP_ACCESS_ASK = 255,
};

/* The rights of a context for each class: CUP_GRANT_READ, CUP_GRANT_WRITE. Compiled code reads this
 * table (abi/launch.h). */
struct cup_access_rights {
    uint8_t of_class[CUP_ACCESS_CLASS_COUNT];
    const struct cup_device *device;
    uint64_t peers; /* as in struct CUctx_st */
    struct cup_access_rights *next;
};

enum {
    CUP_GRANT_READ = 1,
    CUP_GRANT_WRITE = 2,
};

/* Called by cuInit() after the devices are created. */
CUresult cup_access_init(void);

/* The class of each page, indexed from address 0; NULL: there is one device only. */
extern _Atomic(uint8_t) *cup_access_classes;

static inline bool cup_access_is_limited(void)
{
    return cup_access_classes != 0;
}

static inline uint8_t cup_access_class_at(uint64_t address)
{
    uint64_t mask = (UINT64_C(1) << (CUP_ACCESS_ADDRESS_BITS - CUP_ACCESS_PAGE_SHIFT)) - 1;

    return atomic_load_explicit(&cup_access_classes[address >> CUP_ACCESS_PAGE_SHIFT & mask],
                                memory_order_relaxed);
}

/* Return the class of a device's own memory, and of memory that these devices may access; bit n is
 * the device with ordinal n. */
uint8_t cup_access_class_of_device(const struct cup_device *device);
uint8_t cup_access_class_of_set(uint64_t read_by, uint64_t write_by);

/* Sets the class of a range. Does nothing if there is one device only. Addresses are multiples of
 * the page size of 2 MiB. */
void cup_access_mark(uint64_t address, uint64_t size_bytes, uint8_t class);

/* Returns the current table of a context. Tables are immutable and never freed. NULL if memory is
 * out. */
const struct cup_access_rights *cup_access_rights_of(struct CUctx_st *context);

/* True if work of the context has all the rights `wanted` for memory of the class. Not for
 * CUP_ACCESS_ASK. */
bool cup_access_allows(struct CUctx_st *context, uint8_t class, unsigned wanted);

/* Returns the device whose own memory has this class, or NULL. */
const struct cup_device *cup_access_owner(uint8_t class);

#endif
