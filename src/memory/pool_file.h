/* SPDX-License-Identifier: MIT */
/* The file of a pool that can be exported: all of its memory, a table of the allocations it has
 * exported, and a label. Exporter and importer each map the whole file, as a heap; an exported
 * pointer is an offset in it.
 *
 * The data of an exported pointer holds a random number that is in the table while the allocation
 * lives. So neither invented data nor data of freed memory opens anything. */
#ifndef CUP_MEMORY_POOL_FILE_H
#define CUP_MEMORY_POOL_FILE_H

#include <cuda.h>
#include <stdint.h>

struct cup_heap;
struct cup_pool_file;

/* Creates the file of a new pool; NULL if there is no memory or address space for it. */
struct cup_pool_file *cup_pool_file_create(const CUmemPoolProps *properties, uint64_t memory_bytes);

/* Destroys the file's heap, in which nothing may be allocated. Other processes keep their
 * mappings. */
void cup_pool_file_close(struct cup_pool_file *file);

struct cup_heap *cup_pool_file_heap(const struct cup_pool_file *file);

/* Returns a new descriptor of the file, owned by the caller. */
CUresult cup_pool_file_export(const struct cup_pool_file *file, int *fd);

/* Opens a file that this or another process exported, and reads the properties of its pool. The
 * caller keeps the descriptor. Returns CUDA_ERROR_UNKNOWN if it is not a descriptor of an exported
 * pool. */
CUresult cup_pool_file_import(int fd, struct cup_pool_file **file, CUmemPoolProps *properties);

/* Exports an allocation, which must not end during the call. */
CUresult cup_pool_file_export_pointer(struct cup_pool_file *file, uint64_t address,
                                      uint64_t size_bytes, CUmemPoolPtrExportData *data);

/* Withdraws the export, before the allocation ends. */
void cup_pool_file_forget(struct cup_pool_file *file, uint64_t address);

/* Finds where an allocation of the exporter is mapped in this process. Returns
 * CUDA_ERROR_INVALID_VALUE if the data does not name a live allocation. */
CUresult cup_pool_file_find_pointer(const struct cup_pool_file *file,
                                    const CUmemPoolPtrExportData *data, uint64_t *address,
                                    uint64_t *size_bytes);

#endif
