/* SPDX-License-Identifier: MIT */
/* The address map: which memory does an address belong to? One map for the process and for every
 * kind of memory; everything that takes a pointer begins here.
 *
 * The address space is cut into slots of 256 MiB. A slot belongs to one region, or to none: a heap,
 * reserved addresses, memory of other processes, or the pages of memory the application brought
 * itself. A look-up is a load from the table of slots and a look into the region. It takes no lock
 * and waits for nobody; its cost does not depend on how many ranges there are. */
#ifndef CUP_MEMORY_MAP_H
#define CUP_MEMORY_MAP_H

#include "core/compiler.h"
#include "core/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_device;

enum cup_range_kind {
    CUP_RANGE_DEVICE,     /* cuMemAlloc and its like */
    CUP_RANGE_PINNED,     /* cuMemHostAlloc */
    CUP_RANGE_REGISTERED, /* the application's own, by cuMemHostRegister */
    CUP_RANGE_VIRTUAL,    /* cuMemCreate's, at an address by cuMemMap */
    CUP_RANGE_MANAGED,    /* cuMemAllocManaged */
    CUP_RANGE_IPC,        /* another process's, by cuIpcOpenMemHandle */
    CUP_RANGE_EXTERNAL,   /* another driver's, by cuExternalMemoryGetMappedBuffer */
    CUP_RANGE_GRAPHICS,   /* a graphics driver's buffer, by cuGraphicsMapResources */
    CUP_RANGE_GRAPH,      /* what an allocation node of a graph has allocated */
};

/* What may be said of a range while it lives; kept beside the flags of the call that made it. */
enum {
    CUP_RANGE_VARIABLE = 1 << 6,     /* of a module, which alone frees it */
    CUP_RANGE_EXPORTED = 1 << 7,     /* other processes may know of it: they are told of its end */
    CUP_RANGE_POOL = 1 << 8,         /* out of a memory pool, which is its owner, not a context */
    CUP_RANGE_HIDDEN = 1 << 9,       /* the driver's own: no look-up finds it */
    CUP_RANGE_SYNC_MEMOPS = 1 << 10, /* synchronous operations on it always wait */
    CUP_RANGE_FLAG_BITS = 11,

    /* Of CUP_RANGE_VIRTUAL alone; a heap has no room for them. */
    CUP_RANGE_ON_HOST = 1 << 11,    /* host memory */
    CUP_RANGE_NO_READ = 1 << 12,    /* nobody may read it */
    CUP_RANGE_NO_WRITE = 1 << 13,   /* nobody may write it; of CUP_RANGE_REGISTERED too */
    CUP_RANGE_RDMA = 1 << 14,       /* made for gpuDirectRDMACapable */
    CUP_RANGE_DECOMPRESS = 1 << 15, /* made for CU_MEM_CREATE_USAGE_HW_DECOMPRESS */
    CUP_RANGE_HOST_READ = 1 << 16,  /* the host was given access */
    CUP_RANGE_HOST_WRITE = 1 << 17,

    /* Of CUP_RANGE_GRAPHICS alone: the graphics driver has it back, and nobody may touch it. */
    CUP_RANGE_UNMAPPED = 1 << 18,
};

/* The owner of memory that is no context's. */
#define CUP_OWNER_NONE UINT32_MAX

/* What most calls want to know, as it was at one moment: found with one or two loads. */
struct cup_span {
    uint64_t base;
    uint64_t size_bytes; /* as asked for, not as rounded */
    enum cup_range_kind kind;
    unsigned flags; /* those of the call that made it, and CUP_RANGE_ flags */
};

/* All that is known. */
struct cup_range {
    uint64_t base;
    uint64_t size_bytes;
    enum cup_range_kind kind;
    unsigned flags;
    uint32_t owner;            /* the context it was made in: cup_object_index */
    uint64_t buffer_id;        /* never used twice */
    struct cup_device *device; /* where it lives, or for host memory where its context lives; NULL
                                  for CUP_RANGE_VIRTUAL on the host, which has neither */
    uint64_t block_base;       /* the mapping it is part of */
    uint64_t block_bytes;
    uint64_t block_id;

    /* Of CUP_RANGE_VIRTUAL alone. Bit n is the device with ordinal n. */
    uint64_t read_by, write_by;
    unsigned handle_types; /* as what it can be exported */
};

/* The part of it that the quick look-up answers. */
static inline struct cup_span cup_range_span(const struct cup_range *range)
{
    return (struct cup_span){range->base, range->size_bytes, range->kind, range->flags};
}

enum { CUP_MAP_SLOT_SHIFT = 28 };
#define CUP_MAP_SLOT_BYTES (UINT64_C(1) << CUP_MAP_SLOT_SHIFT)

/* Part of the address space with a way to look into it. Its functions may be called a while after
 * it was taken away, so it is never freed; they stay the same. */
struct cup_region {
    uint64_t base;
    uint64_t size_bytes;
    bool (*find)(struct cup_region *region, uint64_t address, struct cup_span *span);
    bool (*describe)(struct cup_region *region, uint64_t address, struct cup_range *range);
    bool (*set_flag)(struct cup_region *region, uint64_t address, unsigned flag, bool on);
};

/* Base and size must be multiples of a slot, and the slots free. */
void cup_map_add(struct cup_region *region);

/* The slots are free again. Look-ups that began before may still be at work in the region. */
void cup_map_remove(struct cup_region *region);

/* Is it the region of that slot? Asked by a look-up at work in a region that may be taken away:
 * what it wrote before is seen by whoever took the region away before the answer, and the other way
 * round. */
bool cup_map_has(const struct cup_region *region, uint64_t address);

/* Are slots free? Where the application once registered memory of its own, a slot stays taken after
 * that memory is gone. */
bool cup_map_is_free(uint64_t base, uint64_t size_bytes);

/* The region a slot belongs to, or NULL. */
struct cup_region *cup_map_region(uint64_t address);

/* False when the address belongs to no range; the output is then undefined. */
bool cup_map_find(uint64_t address, struct cup_span *span);
bool cup_map_describe(uint64_t address, struct cup_range *range);

/* Does what was found at the address hold so many bytes from there on, and is none of it forbidden,
 * that is, has none of these flags? Mappings that lie side by side hold them together. */
bool cup_map_holds_beyond(const struct cup_span *span, uint64_t address, uint64_t size_bytes,
                          unsigned forbidden);

static inline bool cup_map_holds(const struct cup_span *span, uint64_t address, uint64_t size_bytes,
                                 unsigned forbidden)
{
    if (cup_unlikely(span->kind == CUP_RANGE_VIRTUAL))
        return cup_map_holds_beyond(span, address, size_bytes, forbidden);
    return size_bytes <= span->size_bytes - (address - span->base) &&
           !(span->flags & (CUP_RANGE_UNMAPPED | forbidden));
}

/* Is it memory of a device, or the host's? Managed memory counts as a device's, wherever it is. */
static inline bool cup_range_on_device(enum cup_range_kind kind, unsigned flags)
{
    return kind == CUP_RANGE_DEVICE || kind == CUP_RANGE_MANAGED || kind == CUP_RANGE_IPC ||
           kind == CUP_RANGE_EXTERNAL || kind == CUP_RANGE_GRAPHICS || kind == CUP_RANGE_GRAPH ||
           (kind == CUP_RANGE_VIRTUAL && !(flags & CUP_RANGE_ON_HOST));
}

/* May it be used for decompression? Memory of cuMemCreate and of pools must have been made for it,
 * wherever it is. The flags must be those of cup_map_describe, which asks the pool. */
static inline bool cup_range_decompresses(enum cup_range_kind kind, unsigned flags)
{
    if (kind == CUP_RANGE_VIRTUAL || (flags & CUP_RANGE_POOL))
        return (flags & CUP_RANGE_DECOMPRESS) && kind != CUP_RANGE_MANAGED;
    return kind == CUP_RANGE_DEVICE;
}

/* Sets or clears one of the CUP_RANGE_ flags; false when the address belongs to no range. */
bool cup_map_set_flag(uint64_t address, unsigned flag, bool on);

/* Gives the calling thread buffer ids. */
void cup_map_reserve_ids(struct cup_thread *self);

/* The next buffer id. Ids come to a thread in batches: threads do not contend, and a program with
 * one thread has consecutive ids. */
static inline uint64_t cup_map_next_id(void)
{
    struct cup_thread *self = cup_thread_self();

    if (cup_unlikely(self->ids_left == 0))
        cup_map_reserve_ids(self);
    self->ids_left--;
    return self->next_id++;
}

/* The next id of a block. */
uint64_t cup_map_next_block_id(void);

#endif
