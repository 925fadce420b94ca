/* SPDX-License-Identifier: MIT */
/* Pieces of a device's memory that were moved to files of their own, for other processes. A heap is
 * one file whose freed pages go back to the system, but a peer must keep what it has mapped when
 * the memory is freed here or this process dies. So memory that is to be shared first moves to a
 * file of its own, which is mapped in place of the heap's: the address stays. When the memory goes
 * back to the heap, the heap's file takes its place again; the other file lives while a peer has
 * it. */
#ifndef CUP_MEMORY_SHARE_PIECE_H
#define CUP_MEMORY_SHARE_PIECE_H

#include "memory/granule.h"
#include "memory/map.h"
#include "os/ipc_file.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The file that memory is in as long as it is not shared. */
struct cup_share_backing {
    int fd;
    uint64_t base; /* the address at which the file's beginning is mapped */
    const CUuuid *device_uuid;
};

/* The label of a shared block: read by peers, written only by the process that made it. */
struct cup_share_label {
    char magic[8];
    uint64_t size_bytes;
    CUuuid device_uuid;
    struct cup_ipcfile_key key;
    /* A bit a granule, set where an allocation begins whose handle was asked for and that is not
     * freed. In a block of one allocation only the first is used. */
    _Atomic(uint64_t) live[CUP_CHUNK_GRANULES / 64];
};

/* Is this the label of a block of so many bytes? */
bool cup_share_is_label(const struct cup_share_label *label, uint64_t size_bytes);
bool cup_share_is_live(const struct cup_share_label *label, uint64_t offset);

/* cup_share_block, cup_share_range and cup_share_file (share.h) for memory with this backing. */
CUresult cup_share_piece_block(const struct cup_share_backing *backing,
                               const struct cup_range *range, struct cup_ipcfile_handle *handle);
CUresult cup_share_piece_range(const struct cup_share_backing *backing,
                               const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                               int *fd);
CUresult cup_share_piece_file(const struct cup_share_backing *backing, uint64_t address,
                              uint64_t size_bytes, int *fd, uint64_t *offset);

/* Moves memory of a file that is mapped elsewhere, in one place, to a file of exactly its size,
 * while others use it. Returns that file, or -1 when the system refuses. */
int cup_share_move_out(uint64_t address, uint64_t size_bytes, bool readable, bool writable,
                       int from, uint64_t from_offset);

/* An allocation with CUP_RANGE_EXPORTED has ended; peers cannot open it any more. To be called
 * before the memory is used again. */
void cup_share_freed(uint64_t address);

/* Memory goes back to its heap: pieces of it are the backing file's again. *was_shared tells
 * whether there were any. False: the file cannot be mapped there, and the memory must not be used
 * again. */
bool cup_share_drop(const struct cup_share_backing *backing, uint64_t address, uint64_t size_bytes,
                    bool *was_shared);

#endif
