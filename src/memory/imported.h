/* SPDX-License-Identifier: MIT */
/* Memory of other processes, opened by handle (share.h is the exporting side). A block is mapped
 * once, however many of its allocations are opened, so the distances between its allocations are
 * the same as in the exporter.
 *
 * Opens are counted. A block with no open allocation stays mapped for a while, because it may be
 * opened again: the most recently closed blocks stay while they are few and small and until the
 * exporter frees them. NVIDIA's driver was observed to do the same. */
#ifndef CUP_MEMORY_IMPORTED_H
#define CUP_MEMORY_IMPORTED_H

#include "os/ipc_file.h"

#include <cuda.h>
#include <stdint.h>

struct CUctx_st;

/* Opens an allocation for the context, or counts one more open. Returns CUDA_ERROR_INVALID_CONTEXT
 * if the allocation is this process's own or is open for another context, and
 * CUDA_ERROR_INVALID_VALUE if the handle does not name an existing allocation. */
CUresult cup_imported_open(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                           uint64_t *address);

/* Returns CUDA_ERROR_INVALID_VALUE if no open allocation begins there. */
CUresult cup_imported_close(uint64_t address);

/* Closes all allocations that a context has opened. */
void cup_imported_close_owned(uint32_t owner);

/* True if an open allocation begins at the address; *owner is the context that it is open for. The
 * address map may show another allocation there, if the exporter has freed this one since. */
bool cup_imported_owner(uint64_t address, uint32_t *owner);

#endif
