/* SPDX-License-Identifier: MIT */
/* Exports allocations of a device to other processes, as handles or as files. share_piece.h moves
 * the memory; imported.h is the importing side. */
#ifndef CUP_MEMORY_SHARE_H
#define CUP_MEMORY_SHARE_H

#include "memory/map.h"
#include "os/ipc_file.h"

#include <cuda.h>
#include <stdint.h>

/* Creates the handle of an allocation: `offset` is its offset in the block, `extra` its size.
 * Returns CUDA_ERROR_INVALID_VALUE if it was freed meanwhile, CUDA_ERROR_OUT_OF_MEMORY or
 * CUDA_ERROR_OPERATING_SYSTEM if no file can be created, and CUDA_ERROR_NOT_SUPPORTED if part of
 * the block is already in use as a file (cup_share_range). */
CUresult cup_share_block(const struct cup_range *range, struct cup_ipcfile_handle *handle);

/* Exports whole pages of an allocation as a file of exactly these pages, with a descriptor owned by
 * the caller. The same pages give the same file again. Returns CUDA_ERROR_NOT_SUPPORTED if some of
 * them are in another file that another process has open. */
CUresult cup_share_range(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                         int *fd);

/* Finds the file, and the offset in it, that holds pages of an allocation now. The caller owns the
 * descriptor. Returns CUDA_ERROR_OPERATING_SYSTEM if too many descriptors are open. */
CUresult cup_share_file(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                        int *fd, uint64_t *offset);

/* The same without a new descriptor: *fd is the owner's and stays open as long as the memory
 * lives. */
CUresult cup_share_place(const struct cup_range *range, uint64_t address, uint64_t size_bytes,
                         int *fd, uint64_t *offset);

#endif
