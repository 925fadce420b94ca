/* SPDX-License-Identifier: MIT */
/* Which device may touch which memory. All devices are parts of one address space, so nothing but a
 * question keeps a kernel of one device out of the memory of another. The question must be cheap:
 * every 2 MiB of the address space have a class, one byte, and every context has a table of what it
 * may do with memory of each class (struct cup_access_rights). Compiled kernels look into both
 * before they touch anything; who owns memory names its class.
 *
 * There is none of this where a process sees one device alone.
 *
 * A class never changes its meaning. There is room for as many sets of devices as programs use; one
 * set more than that is CUP_ACCESS_ASK: the address map knows. A kernel that finds nothing in its
 * table asks cup_access_allows, which also knows what was given since its launch. */
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

    CUP_ACCESS_OPEN = 0,         /* the host's, managed, unknown: nobody is kept out */
    CUP_ACCESS_FIRST_DEVICE = 1, /* and 63 more: cuMemAlloc's. Its device's, and its peers' */
    CUP_ACCESS_FIRST_SET = 65,   /* from here on: of those devices that were given access to it */
    CUP_ACCESS_ASK = 255,
};

/* What a context may do with memory of each class: CUP_GRANT_READ, CUP_GRANT_WRITE (abi.h). */
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

/* Called by cuInit, after the devices are there. */
CUresult cup_access_init(void);

/* The class of each page of the address space, from address 0 on; NULL: there is one device. */
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

/* The class of a device's own memory, and that of memory which so many devices may touch; bit n is
 * the device with ordinal n. */
uint8_t cup_access_class_of_device(const struct cup_device *device);
uint8_t cup_access_class_of_set(uint64_t read_by, uint64_t write_by);

/* From now on the memory is of that class. Does nothing where there is one device. Addresses are
 * multiples of a page. */
void cup_access_mark(uint64_t address, uint64_t size_bytes, uint8_t class);

/* The table of a context as it is now, which stays as it is and is never freed; NULL when memory is
 * out. */
const struct cup_access_rights *cup_access_rights_of(struct CUctx_st *context);

/* May work of the context do all of that (CUP_GRANT_READ, CUP_GRANT_WRITE) with memory of the
 * class? Not to be asked of CUP_ACCESS_ASK. */
bool cup_access_allows(struct CUctx_st *context, uint8_t class, unsigned wanted);

/* The device whose own memory the class is; NULL: of none. */
const struct cup_device *cup_access_owner(uint8_t class);

#endif
