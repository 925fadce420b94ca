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

/* The file of a new pool; NULL when there is no memory or address space for it. */
struct cup_pool_file *cup_pool_file_create(const CUmemPoolProps *properties, uint64_t memory_bytes);

/* Nothing in its heap is allocated any more: the heap ends. Other processes keep theirs. */
void cup_pool_file_close(struct cup_pool_file *file);

struct cup_heap *cup_pool_file_heap(const struct cup_pool_file *file);

/* A new descriptor of the file, the caller's own. */
CUresult cup_pool_file_export(const struct cup_pool_file *file, int *fd);

/* What another process exported, or this one, and the properties of its pool. The descriptor stays
 * the caller's. UNKNOWN when it is not that of an exported pool. */
CUresult cup_pool_file_import(int fd, struct cup_pool_file **file, CUmemPoolProps *properties);

/* Names an allocation for other processes; it must not end meanwhile. */
CUresult cup_pool_file_export_pointer(struct cup_pool_file *file, uint64_t address,
                                      uint64_t size_bytes, CUmemPoolPtrExportData *data);

/* Ends that, before the allocation ends. */
void cup_pool_file_forget(struct cup_pool_file *file, uint64_t address);

/* Where an allocation of the exporter lies here. INVALID_VALUE when the data is not that of one
 * that lives. */
CUresult cup_pool_file_find_pointer(const struct cup_pool_file *file,
                                    const CUmemPoolPtrExportData *data, uint64_t *address,
                                    uint64_t *size_bytes);

#endif
