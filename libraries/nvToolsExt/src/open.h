/* SPDX-License-Identifier: MIT */
/* Ranges that are open, and names that were given. A debugger reads these structures from the
 * memory of the process (tools/gdb/cupipe-gdb.py), so all fields have eight bytes, and a change of
 * those above the line in a structure needs another version. */
#ifndef NVTOOLSEXT_OPEN_H
#define NVTOOLSEXT_OPEN_H

#include "nvtx.h"

struct nvtx_range {
    struct nvtx_range *next;
    const char *name; /* NULL: none, as with the other texts */
    const char *domain;
    const char *category;
    const char *payload;
    uint64_t start_ns; /* of CLOCK_MONOTONIC */
    uint64_t id;       /* 0: it was pushed */
    uint64_t thread;   /* the thread of the system that began it */
    /* ---- */
    struct nvtx_domain *owner;
    char *own_name, *own_payload; /* to be freed */
    int depth;                    /* of pushed ranges of the domain below it */
    uint32_t color, category_number;
    bool has_color;
    int32_t payload_type; /* 0: none, or one with a layout */
    uint64_t payload_value;
    uint32_t number; /* of all ranges and marks */
};

struct nvtx_thread {
    struct nvtx_thread *next;
    uint64_t id;
    struct nvtx_range *pushed; /* the newest first; changed by its thread only */
};

struct nvtx_name {
    struct nvtx_name *next;
    uint64_t kind;   /* enum cupipe_object_kind */
    uint64_t object; /* handle or number */
    const char *name;
    const char *domain;
    /* ---- */
    bool is_told;
};

enum { NVTX_LISTING_VERSION = 1, NVTX_BUCKETS = 1024 };

struct nvtx_listing {
    uint64_t version;
    struct nvtx_thread *threads;
    struct nvtx_name *names;
    uint64_t bucket_count;
    struct nvtx_range *started[NVTX_BUCKETS]; /* by their ids */
};

extern struct nvtx_listing cupipe_nvtx_listing; /* guarded by the library's lock */

/* The calling thread's entry; NULL without memory. */
struct nvtx_thread *nvtx_thread_self(void);
void nvtx_range_free(struct nvtx_range *range); /* NULL: does nothing */
void nvtx_add_started(struct nvtx_range *range);
struct nvtx_range *nvtx_take_started(uint64_t id); /* NULL: there is none */

/* Names an object, or renames it. NULL takes the name away. Returns the entry, which stays; NULL:
 * there is none. */
struct nvtx_name *nvtx_name_object(uint64_t kind, uint64_t object, const char *domain,
                                   const char *name);

#endif
