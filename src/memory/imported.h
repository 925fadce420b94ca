/* SPDX-License-Identifier: MIT */
/* Memory of other processes, opened by handle (share.h is the other side). A block is mapped once,
 * however many of its allocations are opened, so these lie towards each other as they do at home.
 *
 * Closing counts. What is closed as often as it was opened stays mapped for a while, for it may be
 * opened again: the blocks closed last, as long as they are few and small, and until their maker
 * frees them. This is what NVIDIA's driver is seen to do. */
#ifndef CUP_MEMORY_IMPORTED_H
#define CUP_MEMORY_IMPORTED_H

#include "os/ipc_file.h"

#include <cuda.h>
#include <stdint.h>

struct CUctx_st;

/* Opens an allocation for the context, once more if it is open there already. INVALID_CONTEXT when
 * it is this process's own, or open for another context; INVALID_VALUE when the handle does not
 * name an allocation that is there. */
CUresult cup_imported_open(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                           uint64_t *address);

/* INVALID_VALUE when no open allocation begins there. */
CUresult cup_imported_close(uint64_t address);

/* Everything a context has opened. */
void cup_imported_close_owned(uint32_t owner);

/* Does memory that is open begin there? */
bool cup_imported_is_open(uint64_t address);

#endif
