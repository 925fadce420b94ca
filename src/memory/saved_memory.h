/* SPDX-License-Identifier: MIT */
/* Moves the memory of all devices away and back, for checkpoints. Addresses, allocations and
 * mappings stay; only the pages behind them go. Memory that other processes can have open stays
 * where it is, and so do managed and pinned memory, which are the host's.
 *
 * The memory goes to the host, or to one file a device, which another process reads and stores
 * wherever it likes. Such memory comes back through files, too, which the other process fills. */
#ifndef CUP_MEMORY_SAVED_MEMORY_H
#define CUP_MEMORY_SAVED_MEMORY_H

#include <cuda.h>
#include <stdint.h>

/* No work may run and no call be under way. CUDA_ERROR_OUT_OF_MEMORY leaves the memory on the
 * devices. */
CUresult cup_saved_memory_take(void);

/* Puts back what is on the host or in files. CUDA_ERROR_OUT_OF_MEMORY keeps what is still there; it
 * may be tried again. CUDA_ERROR_ILLEGAL_STATE if the memory was stored elsewhere. */
CUresult cup_saved_memory_put_back(void);

/* Moves the memory to files with this label; as cup_saved_memory_take(). */
CUresult cup_saved_memory_store(uint64_t label);

/* Closes the files: their contents are stored elsewhere. */
void cup_saved_memory_drop_files(void);

/* Makes the files again, empty. CUDA_ERROR_ILLEGAL_STATE if the memory is on the host. */
CUresult cup_saved_memory_load(uint64_t label);

/* The file of a device, or -1 if the device has no memory in one. */
int cup_saved_memory_file(int device, uint64_t *size_bytes);

#endif
