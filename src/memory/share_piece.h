/* SPDX-License-Identifier: MIT */
/* Pieces of a device's memory that were moved to files of their own, for other processes. A heap is
 * one file whose freed pages go back to the system, but a peer must keep its mapping when the
 * memory is freed here or this process dies. So memory first moves to its own file, which is mapped
 * in place of the heap's; the address does not change. When the memory returns to the heap, the
 * heap's file is mapped again; the other file lives while a peer has it open. */
#ifndef CUP_MEMORY_SHARE_PIECE_H
#define CUP_MEMORY_SHARE_PIECE_H

#include "memory/granule.h"
#include "memory/map.h"
#include "os/ipc_file.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The file that holds the memory while it is not shared. */
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
    /* One bit per granule, set where an exported allocation begins that is not freed. A block with
     * one allocation uses only the first bit. */
    _Atomic(uint64_t) live[CUP_CHUNK_GRANULES / 64];
};

/* True if this is a valid label of a block of that size. */
bool cup_share_is_label(const struct cup_share_label *label, uint64_t size_bytes);
bool cup_share_is_live(const struct cup_share_label *label, uint64_t offset);

/* cup_share_block, cup_share_range, cup_share_file and cup_share_place (share.h) for memory with
 * this backing. */
CUresult cup_share_piece_block(const struct cup_share_backing *backing,
                               const struct cup_range *range, struct cup_ipcfile_handle *handle);
CUresult cup_share_piece_range(const struct cup_share_backing *backing,
                               const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                               int *fd);
CUresult cup_share_piece_file(const struct cup_share_backing *backing, uint64_t address,
                              uint64_t size_bytes, int *fd, uint64_t *offset);
CUresult cup_share_piece_place(const struct cup_share_backing *backing, uint64_t address,
                               uint64_t size_bytes, int *fd, uint64_t *offset);

/* Moves memory of a file that is mapped at one place to a file of exactly its size, while others
 * use it. Returns that file, or -1 if the system refuses. */
int cup_share_move_out(uint64_t address, uint64_t size_bytes, bool readable, bool writable,
                       int from, uint64_t from_offset);

/* Called when an allocation with CUP_RANGE_EXPORTED has ended, before the memory is used again.
 * Peers can no longer open it. */
void cup_share_freed(uint64_t address);

/* Moves shared pieces of memory that returns to its heap back to the backing file. *was_shared says
 * whether there were any. Returns false if the file cannot be mapped there; the memory must then
 * not be used again. */
bool cup_share_drop(const struct cup_share_backing *backing, uint64_t address, uint64_t size_bytes,
                    bool *was_shared);

#endif
