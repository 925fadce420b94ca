/* SPDX-License-Identifier: MIT */
/* Parts of a device's memory that other processes may have, too. A heap is one file whose freed
 * pages go back to the system, but a peer is to keep what it has mapped when the memory is freed
 * here or this process dies. So what is shared first moves to a file of its own, mapped in the
 * place of the heap's: the address stays, nobody notices. When the memory goes back to the heap,
 * the heap's file takes its place again; the other lives for as long as a peer has it. */
#ifndef CUP_MEMORY_SHARE_H
#define CUP_MEMORY_SHARE_H

#include "memory/heap.h"
#include "memory/map.h"
#include "os/ipc_file.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/* What the label of a shared block says: read by peers, written by its maker alone. */
struct cup_share_label {
    char magic[8];
    uint64_t size_bytes;
    CUuuid device_uuid;
    struct cup_ipcfile_key key;
    /* A bit a granule, set where an allocation begins whose handle was asked for and that is not
     * freed. In a block of one allocation only the first. */
    _Atomic(uint64_t) live[CUP_CHUNK_GRANULES / 64];
};

/* Is this the label of a block of so many bytes? */
bool cup_share_is_label(const struct cup_share_label *label, uint64_t size_bytes);
bool cup_share_is_live(const struct cup_share_label *label, uint64_t offset);

/* Names an allocation of a device for other processes: `offset` is its place in the block, `extra`
 * its size. INVALID_VALUE when it was freed meanwhile; OUT_OF_MEMORY or OPERATING_SYSTEM when no
 * file is to be had, NOT_SUPPORTED when part of the block is in use as a file already
 * (cup_share_range). */
CUresult cup_share_block(const struct cup_range *range, struct cup_ipcfile_handle *handle);

/* Whole pages of an allocation as a file of exactly these, with a descriptor that is the caller's.
 * The same pages give the same file again. NOT_SUPPORTED when some of them are in another file that
 * somebody else has open. */
CUresult cup_share_range(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                         int *fd);

/* The file, and where in it, that pages of an allocation are in now. The descriptor is the
 * caller's; -1 when there are too many. */
CUresult cup_share_file(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                        int *fd, uint64_t *offset);

/* For memory of a heap's file that is mapped elsewhere, in one place: moves it to a file of exactly
 * its size, under those who use it there. That file, or -1 when the system refuses. */
int cup_share_move_out(uint64_t address, uint64_t size_bytes, bool readable, bool writable,
                       int from, uint64_t from_offset);

/* For the heap. An allocation with CUP_RANGE_EXPORTED has ended; the lock it ends under is held. */
void cup_share_freed(struct cup_heap *heap, uint64_t address);

/* For the heap: memory goes back to its space. What is shared of it is the heap's own again.
 * *was_shared says if any was. False: it cannot be put back, and must not be used again. */
bool cup_share_drop(struct cup_heap *heap, uint64_t address, uint64_t size_bytes, bool *was_shared);

#endif
