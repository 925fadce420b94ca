/* SPDX-License-Identifier: MIT */
/* Memory without an address: part of a file, with properties. cuMemCreate creates it; cuMemMap maps
 * it at any number of addresses (virtual.h).
 *
 * Device memory comes from the file of the device's heap. Exportable memory has a file of its own,
 * so that it lives as long as any process holds it, whatever happens to its creator; so does host
 * memory. In both cases the memory is charged to its heap; imported memory is charged in the
 * exporting process.
 *
 * The handle is valid while anything holds the memory, even if only a mapping does. */
#ifndef CUP_MEMORY_PHYSICAL_H
#define CUP_MEMORY_PHYSICAL_H

#include "core/object.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_device;
struct cup_heap;
struct cup_multicast;

/* Sizes and offsets are multiples of this. */
enum { CUP_PHYSICAL_CHUNK_BYTES = 2 << 20 };

struct cup_physical {
    struct cup_object base;
    CUmemAllocationProp properties; /* as requested */
    struct cup_device *device;      /* where it lives; NULL: on the host */
    uint64_t size_bytes;
    uint64_t block_id; /* never used twice */
    int fd;            /* the file it is in, and where there */
    uint64_t offset;
    bool has_file;    /* of its own */
    bool is_reserved; /* it occupies chunks of `charged` from here on, even if it moved */
    uint64_t reserved_offset;
    struct cup_heap *charged;   /* where it counts as used; NULL: in another process */
    _Atomic(uint32_t) handles;  /* references the application holds; each is one of base.refs */
    _Atomic(uint64_t) window;   /* where the library maps a file of its own; 0: not yet */
    void *tiles;                /* image tiles (image/tiles.c), freed with it */
    _Atomic(uint32_t) bindings; /* to multicast objects */
    struct cup_multicast *multicast; /* a multicast object, which has no memory; NULL: memory */
    void (*finish)(struct cup_physical *object); /* ends the multicast object */
};

/* The layout of an exported file: the memory from the start of the file, or after a header by which
 * Mesa's software drivers recognise memory that they can import. */
enum cup_physical_form {
    CUP_PHYSICAL_LLVMPIPE,
    CUP_PHYSICAL_PLAIN,
};

void cup_physical_register(void);

/* Creates memory. The properties have been checked; size_bytes is a multiple of a chunk and not 0.
 * The application holds one reference. */
CUresult cup_physical_create(const CUmemAllocationProp *properties, uint64_t size_bytes,
                             struct cup_physical **physical);

/* Creates an object without memory and without a valid handle; NULL if memory is out. */
struct cup_physical *cup_physical_create_multicast(struct cup_multicast *multicast,
                                                   uint64_t size_bytes,
                                                   CUmemAllocationHandleType handle_types,
                                                   void (*finish)(struct cup_physical *object));

/* Returns a new descriptor, owned by the caller. Only for memory that was created exportable. */
CUresult cup_physical_export(struct cup_physical *physical, int *fd);

/* Imports memory that this or another process exported. The caller keeps the descriptor. Returns
 * CUDA_ERROR_UNKNOWN if it is not a descriptor of exported memory. */
CUresult cup_physical_import(int fd, struct cup_physical **physical);

/* Looks up a handle and takes a reference. Returns CUDA_ERROR_INVALID_VALUE if it is no handle. */
CUresult cup_physical_find(CUmemGenericAllocationHandle handle, struct cup_physical **physical);

/* Add and drop a reference of the application. Dropping returns CUDA_ERROR_INVALID_VALUE if it
 * holds none. */
void cup_physical_retain(struct cup_physical *physical);
CUresult cup_physical_release(struct cup_physical *physical);

/* The address at which the library can read and write the bytes, independent of the application's
 * mappings and access rights; valid while the memory is referenced. 0 if there is no address
 * space. */
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
