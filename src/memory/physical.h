/* SPDX-License-Identifier: MIT */
/* Memory without an address: part of a file, with properties. cuMemCreate makes it, cuMemMap gives
 * it addresses, as many as wanted (virtual.h).
 *
 * A device's memory comes out of the file of its heap. What may be exported has a file of its own,
 * so that it lives for as long as any process holds it, whatever becomes of the one that made it;
 * host memory has one, too. Either way it counts as used in its heap; what was imported counts
 * where it came from.
 *
 * The handle is valid while anything holds the memory, a mapping alone, too. */
#ifndef CUP_MEMORY_PHYSICAL_H
#define CUP_MEMORY_PHYSICAL_H

#include "core/object.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_device;
struct cup_heap;

/* Sizes and places are multiples of this. */
enum { CUP_PHYSICAL_CHUNK_BYTES = 2 << 20 };

struct cup_physical {
    struct cup_object base;
    CUmemAllocationProp properties; /* as asked for */
    struct cup_device *device;      /* where it lives; NULL: on the host */
    uint64_t size_bytes;
    uint64_t block_id; /* never used twice */
    int fd;            /* the file it is in, and where there */
    uint64_t offset;
    bool has_file;    /* of its own */
    bool is_reserved; /* it takes chunks of `charged`, from here on, even if it moved */
    uint64_t reserved_offset;
    struct cup_heap *charged;  /* where it counts as used; NULL: in another process */
    _Atomic(uint32_t) handles; /* references the application holds; each is one of base.refs */
    _Atomic(uint64_t) window;  /* where the library itself sees a file of its own; 0: not yet */
    void *tiles;               /* what images keep about it (image/tiles.c): freed with it */
};

/* What a file for export looks like: the memory from the beginning on, or behind a header by which
 * Mesa's software drivers know it as memory they can import. */
enum cup_physical_form {
    CUP_PHYSICAL_LLVMPIPE,
    CUP_PHYSICAL_PLAIN,
};

void cup_physical_register(void);

/* The properties have been checked; size_bytes is a multiple of a chunk and not 0. The application
 * holds one reference. */
CUresult cup_physical_create(const CUmemAllocationProp *properties, uint64_t size_bytes,
                             struct cup_physical **physical);

/* A new descriptor, the caller's own. Only of what was made to be exported. */
CUresult cup_physical_export(struct cup_physical *physical, int *fd);

/* What another process exported, or this one. The descriptor stays the caller's. UNKNOWN when it is
 * not that of exported memory. */
CUresult cup_physical_import(int fd, struct cup_physical **physical);

/* Takes a reference; INVALID_VALUE when it is no handle. */
CUresult cup_physical_find(CUmemGenericAllocationHandle handle, struct cup_physical **physical);

/* One more reference for the application, and one fewer: INVALID_VALUE when it holds none. */
void cup_physical_retain(struct cup_physical *physical);
CUresult cup_physical_release(struct cup_physical *physical);

/* Where the library can read and write the bytes, wherever they are mapped and whoever may access
 * them; good for as long as the memory is referenced. 0 when there is no address space. */
uint64_t cup_physical_address(struct cup_physical *physical);

static inline CUmemGenericAllocationHandle cup_physical_handle(const struct cup_physical *physical)
{
    return (CUmemGenericAllocationHandle)(uintptr_t)physical;
}

static inline void cup_physical_ref(struct cup_physical *physical)
{
    cup_object_ref(&physical->base);
}

static inline void cup_physical_unref(struct cup_physical *physical)
{
    cup_object_unref(&physical->base);
}

#endif
