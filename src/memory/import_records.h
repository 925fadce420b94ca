/* SPDX-License-Identifier: MIT */
/* Mapped memory of files that other processes or drivers created, as the address map finds it.
 *
 * An area is part of a file, mapped contiguously in whole chunks of 2 MiB. Records are the ranges
 * in it as CUDA knows them: the allocations of another process's block, or the one buffer that was
 * mapped. Functions with the suffix _locked need cup_import_lock; look-ups need no lock. */
#ifndef CUP_MEMORY_IMPORT_RECORDS_H
#define CUP_MEMORY_IMPORT_RECORDS_H

#include "core/lock.h"
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
    _Atomic(uint32_t) next; /* next record in the area */
    uint32_t opened;        /* use count for the creator of the area */
};

extern struct cup_lock cup_import_lock;

/* Maps the file from the offset on for reading and writing, and sets base and id. The caller has
 * set kind, owner, device and size_bytes. Returns false if there is no address space or the file
 * cannot be mapped. */
bool cup_import_area_open_locked(struct cup_import_area *area, int fd, uint64_t offset,
                                 uint64_t mapped_bytes);

/* Closes an area and removes all its records. */
void cup_import_area_close_locked(struct cup_import_area *area);

/* The area that contains the address; NULL if none. */
struct cup_import_area *cup_import_area_at_locked(uint64_t address);

/* Adds a record; NULL if there are too many. */
struct cup_import_record *cup_import_record_add_locked(const struct cup_import_area *area,
                                                       uint64_t offset, uint64_t size_bytes);

/* Makes it the record that is found where others overlap it. Those describe memory that the
 * exporter has freed. */
void cup_import_record_raise_locked(const struct cup_import_area *area,
                                    struct cup_import_record *record);

/* Iterate over the records of an area, the one raised or added last first; NULL ends the list. */
struct cup_import_record *cup_import_record_first_locked(const struct cup_import_area *area);
struct cup_import_record *cup_import_record_next_locked(const struct cup_import_record *record);

#endif
