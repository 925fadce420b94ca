/* SPDX-License-Identifier: MIT */
/* The address map: finds the memory that an address belongs to. One map serves the process and
 * every kind of memory; everything that takes a pointer begins here.
 *
 * The address space is divided into slots of 256 MiB. A slot belongs to at most one region: a heap,
 * reserved addresses, memory of other processes, or the pages of the application's own memory. A
 * look-up loads the slot's entry and searches the region. It takes no lock and never waits; its
 * cost does not depend on the number of ranges. */
#ifndef CUP_MEMORY_MAP_H
#define CUP_MEMORY_MAP_H

#include "core/compiler.h"
#include "core/thread.h"

#include <cupipe.h>
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

/* Properties of a range that may change while it lives; stored with the flags of the call that
 * created it. */
enum {
    CUP_RANGE_VARIABLE = 1 << 6,     /* of a module, which alone frees it */
    CUP_RANGE_EXPORTED = 1 << 7,     /* exported: other processes are told when it ends */
    CUP_RANGE_POOL = 1 << 8,         /* out of a memory pool, which is its owner, not a context */
    CUP_RANGE_HIDDEN = 1 << 9,       /* the driver's own: no look-up finds it */
    CUP_RANGE_SYNC_MEMOPS = 1 << 10, /* synchronous operations on it always wait */
    CUP_RANGE_FLAG_BITS = 11,

    /* For CUP_RANGE_VIRTUAL only; a heap has no room for them. */
    CUP_RANGE_ON_HOST = 1 << 11,    /* host memory */
    CUP_RANGE_NO_READ = 1 << 12,    /* no one has read access */
    CUP_RANGE_NO_WRITE = 1 << 13,   /* no one has write access; also for CUP_RANGE_REGISTERED */
    CUP_RANGE_RDMA = 1 << 14,       /* made for gpuDirectRDMACapable */
    CUP_RANGE_DECOMPRESS = 1 << 15, /* made for CU_MEM_CREATE_USAGE_HW_DECOMPRESS */
    CUP_RANGE_HOST_READ = 1 << 16,  /* the host was given access */
    CUP_RANGE_HOST_WRITE = 1 << 17,

    /* For CUP_RANGE_GRAPHICS only: the graphics driver owns it again, and CUDA may not access
     * it. */
    CUP_RANGE_UNMAPPED = 1 << 18,

    /* For CUP_RANGE_VIRTUAL only: a multicast object, whose addresses have no memory
     * (multicast.h). */
    CUP_RANGE_MULTICAST = 1 << 19,
};

/* The owner of memory that belongs to no context. */
#define CUP_OWNER_NONE UINT32_MAX

/* The properties that most calls need, consistent at one moment; found with one or two loads. */
struct cup_span {
    uint64_t base;
    uint64_t size_bytes; /* as requested, not rounded */
    enum cup_range_kind kind;
    unsigned flags; /* those of the call that made it, and CUP_RANGE_ flags */
};

/* Everything that is known about a range. */
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

    /* For CUP_RANGE_VIRTUAL only. Bit n is the device with ordinal n. */
    uint64_t read_by, write_by;
    unsigned handle_types; /* handle types to which it can be exported */
};

/* The part that the quick look-up returns. */
static inline struct cup_span cup_range_span(const struct cup_range *range)
{
    return (struct cup_span){range->base, range->size_bytes, range->kind, range->flags};
}

enum { CUP_MAP_SLOT_SHIFT = 28 };
#define CUP_MAP_SLOT_BYTES (UINT64_C(1) << CUP_MAP_SLOT_SHIFT)

/* A part of the address space with its look-up functions. They may still be called after the region
 * was removed, so a region is never freed and its functions never change. */
struct cup_region {
    uint64_t base;
    uint64_t size_bytes;
    bool (*find)(struct cup_region *region, uint64_t address, struct cup_span *span);
    bool (*describe)(struct cup_region *region, uint64_t address, struct cup_range *range);
    bool (*set_flag)(struct cup_region *region, uint64_t address, unsigned flag, bool on);
};

/* Adds a region. Base and size must be multiples of a slot, and the slots must be free. */
void cup_map_add(struct cup_region *region);

/* Removes a region and frees its slots. Look-ups that began before may still be inside the
 * region. */
void cup_map_remove(struct cup_region *region);

/* True if the slot belongs to this region. A look-up inside a region that may be removed checks
 * this: its earlier writes are visible to a thread that removed the region before the check, and
 * vice versa. */
bool cup_map_has(const struct cup_region *region, uint64_t address);

/* True if the slots are free. A slot in which the application once registered memory stays taken
 * after that memory is unregistered. */
bool cup_map_is_free(uint64_t base, uint64_t size_bytes);

/* The region of a slot, or NULL. */
struct cup_region *cup_map_region(uint64_t address);

/* Look up an address. Return false if it belongs to no range; the output is then undefined. */
bool cup_map_find(uint64_t address, struct cup_span *span);
bool cup_map_describe(uint64_t address, struct cup_range *range);

/* True if the memory found at the address covers that many bytes from there on and no part has any
 * of the forbidden flags. Adjacent mappings count as one. */
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

/* True if all these bytes belong to one range, or to adjacent mappings, and may be read, or
 * written. */
bool cup_map_allows(uint64_t address, uint64_t size_bytes, bool written);

/* The distance from the last address that is aligned so. An address in a graphics driver's buffer
 * counts from the buffer's start: that is a multiple of 512 on a card, but graphics drivers that
 * run on the CPU align their buffers to less. */
uint64_t cup_map_misalignment(uint64_t address, uint64_t alignment);

/* True for memory of a device. Managed memory counts as a device's, wherever it is. */
static inline bool cup_range_on_device(enum cup_range_kind kind, unsigned flags)
{
    return kind == CUP_RANGE_DEVICE || kind == CUP_RANGE_MANAGED || kind == CUP_RANGE_IPC ||
           kind == CUP_RANGE_EXTERNAL || kind == CUP_RANGE_GRAPHICS || kind == CUP_RANGE_GRAPH ||
           (kind == CUP_RANGE_VIRTUAL && !(flags & CUP_RANGE_ON_HOST));
}

/* The kind that an observer is told (cupipe.h). */
static inline enum cupipe_memory_kind cup_range_memory_kind(enum cup_range_kind kind,
                                                            unsigned flags)
{
    if (kind == CUP_RANGE_MANAGED)
        return CUPIPE_MEMORY_MANAGED;
    return cup_range_on_device(kind, flags) ? CUPIPE_MEMORY_DEVICE : CUPIPE_MEMORY_PINNED;
}

/* True if a synchronous operation on the memory waits until it is done: the host may read host
 * memory as soon as the call returns, and CU_POINTER_ATTRIBUTE_SYNC_MEMOPS asks for it. */
static inline bool cup_span_waits(const struct cup_span *span)
{
    return !cup_range_on_device(span->kind, span->flags) || (span->flags & CUP_RANGE_SYNC_MEMOPS);
}

/* True if the memory may be used for decompression. Memory of cuMemCreate and of pools must have
 * been created for it, wherever it is. The flags must come from cup_map_describe, which asks the
 * pool. */
static inline bool cup_range_decompresses(enum cup_range_kind kind, unsigned flags)
{
    if (kind == CUP_RANGE_VIRTUAL || (flags & CUP_RANGE_POOL))
        return (flags & CUP_RANGE_DECOMPRESS) && kind != CUP_RANGE_MANAGED;
    return kind == CUP_RANGE_DEVICE;
}

/* Sets or clears one of the CUP_RANGE_ flags. Returns false if the address belongs to no range. */
bool cup_map_set_flag(uint64_t address, unsigned flag, bool on);

/* The buffer ids that a thread may assign. */
struct cup_map_ids {
    uint64_t next, left;
};

CUP_THREAD_STATE(buffer_ids, struct cup_map_ids);

/* Assigns a batch of buffer ids. */
void cup_map_reserve_ids(struct cup_map_ids *ids);

/* The next buffer id. Threads get ids in batches, so they do not contend, and a program with one
 * thread has consecutive ids. */
static inline uint64_t cup_map_next_id(void)
{
    struct cup_map_ids *ids = cup_thread_buffer_ids(cup_thread_self());

    if (cup_unlikely(ids->left == 0))
        cup_map_reserve_ids(ids);
    ids->left--;
    return ids->next++;
}

/* The next block id. */
uint64_t cup_map_next_block_id(void);

#endif
