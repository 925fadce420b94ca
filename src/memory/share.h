/* SPDX-License-Identifier: MIT */
/* Exporting allocations of a device to other processes, as handles or as files. share_piece.h moves
 * the memory; imported.h is the other side. */
#ifndef CUP_MEMORY_SHARE_H
#define CUP_MEMORY_SHARE_H

#include "memory/map.h"
#include "os/ipc_file.h"

#include <cuda.h>
#include <stdint.h>

/* Names an allocation of a device for other processes: `offset` is its place in the block, `extra`
 * its size. INVALID_VALUE when it was freed meanwhile; OUT_OF_MEMORY or OPERATING_SYSTEM when no
 * file is to be had, NOT_SUPPORTED when part of the block is in use as a file already
 * (cup_share_range). */
CUresult cup_share_block(const struct cup_range *range, struct cup_ipcfile_handle *handle);

/* Whole pages of an allocation as a file of exactly these, with a descriptor that is the caller's.
 * The same pages give the same file again. NOT_SUPPORTED when some of them are in another file that
 * another process has open. */
CUresult cup_share_range(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                         int *fd);

/* The file, and where in it, that pages of an allocation are in now. The descriptor is the
 * caller's. OPERATING_SYSTEM when there are too many. */
CUresult cup_share_file(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                        int *fd, uint64_t *offset);

#endif
