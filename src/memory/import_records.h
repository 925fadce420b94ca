/* SPDX-License-Identifier: MIT */
/* Memory out of files that others made, at addresses of ours: what the address map finds there.
 *
 * An area is part of a file, mapped in one piece, in whole chunks of 2 MiB. Records are the ranges
 * in it, as CUDA knows them: the allocations of another process's block, or the one buffer that was
 * mapped. Everything that ends in _locked needs cup_import_lock; look-ups need nothing. */
#ifndef CUP_MEMORY_IMPORT_RECORDS_H
#define CUP_MEMORY_IMPORT_RECORDS_H

#include "memory/map.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_import_area {
    enum cup_range_kind kind;
    uint32_t owner; /* the context it was opened for: cup_object_index */
    struct cup_device *device;
    uint64_t base, size_bytes; /* a multiple of a chunk */
    uint64_t id;
};

struct cup_import_record {
    _Atomic(uint64_t) base, size_bytes;
    _Atomic(uint64_t) buffer_id;
    _Atomic(uint64_t) block_base, block_bytes, block_id;
    _Atomic(struct cup_device *) device;
    _Atomic(uint32_t) kind, owner, flags;
    _Atomic(uint32_t) next; /* in the area */
    uint32_t opened;        /* the area's maker may count here */
};

void cup_import_lock(void);
void cup_import_unlock(void);

/* Maps so many bytes of the file, from the offset on, for reading and writing, and sets base and
 * id; kind, owner, device and size_bytes are set already. False when there is no address space, or
 * the file cannot be mapped so. */
bool cup_import_area_open_locked(struct cup_import_area *area, int fd, uint64_t offset,
                                 uint64_t mapped_bytes);

/* With all its records. */
void cup_import_area_close_locked(struct cup_import_area *area);

/* The area an address is in; NULL when it is in none. */
struct cup_import_area *cup_import_area_at_locked(uint64_t address);

/* One range more; NULL when there are too many. */
struct cup_import_record *cup_import_record_add_locked(const struct cup_import_area *area,
                                                       uint64_t offset, uint64_t size_bytes);

/* The records of an area, one after the other; NULL ends them. */
struct cup_import_record *cup_import_record_first_locked(const struct cup_import_area *area);
struct cup_import_record *cup_import_record_next_locked(const struct cup_import_record *record);

#endif
