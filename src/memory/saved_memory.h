/* SPDX-License-Identifier: MIT */
/* Moves the memory of all devices to the host and back, for checkpoints. Addresses, allocations and
 * mappings stay; only the pages behind them go. Memory that other processes can have open stays
 * where it is, and so do managed and pinned memory, which are the host's. */
#ifndef CUP_MEMORY_SAVED_MEMORY_H
#define CUP_MEMORY_SAVED_MEMORY_H

#include <cuda.h>

/* No work may run and no call be under way. CUDA_ERROR_OUT_OF_MEMORY leaves the memory on the
 * devices. */
CUresult cup_saved_memory_take(void);

/* CUDA_ERROR_OUT_OF_MEMORY keeps what is still on the host; it may be tried again. */
CUresult cup_saved_memory_put_back(void);

#endif
