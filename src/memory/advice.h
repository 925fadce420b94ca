/* SPDX-License-Identifier: MIT */
/* The advice on managed memory, kept per page of a chunk. Adjacent pages with equal advice form a
 * segment. A change splits segments at its ends and merges neighbours that become equal. */
#ifndef CUP_MEMORY_ADVICE_H
#define CUP_MEMORY_ADVICE_H

#include "core/dynarray.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Locations are stored as the application passed them. Type INVALID with id CU_DEVICE_INVALID means
 * none. */
struct cup_advice {
    CUmemLocation preferred;
    CUmemLocation prefetched; /* location of the last prefetch */
    uint64_t accessed_by;     /* bit n: the device with ordinal n */
    bool accessed_by_host;
    bool read_mostly;
};

extern const struct cup_advice cup_advice_none;

enum cup_advice_subject {
    CUP_ADVICE_READ_MOSTLY, /* takes no location */
    CUP_ADVICE_PREFERRED,
    CUP_ADVICE_ACCESSED_BY, /* a device or the host, each kept separately */
    CUP_ADVICE_PREFETCHED,
};

struct cup_advice_change {
    enum cup_advice_subject subject;
    bool on;
    CUmemLocation location;
};

struct cup_advice_segment {
    uint64_t end; /* one past the last page */
    struct cup_advice advice;
};

/* Sorted segments that together cover all pages from 0 on. */
struct cup_advice_list {
    CUP_DYNARRAY(struct cup_advice_segment, segments);
};

/* Starts with no advice on any page. Returns false if out of memory. */
bool cup_advice_list_init(struct cup_advice_list *list, uint64_t page_count);
void cup_advice_list_finish(struct cup_advice_list *list);

/* Changes the advice on pages [first, end), which must not be empty. Returns false, and changes
 * nothing, if out of memory. */
bool cup_advice_list_change(struct cup_advice_list *list, uint64_t first, uint64_t end,
                            const struct cup_advice_change *change);

/* Clears the advice on those pages. Returns false, and changes nothing, if out of memory. */
bool cup_advice_list_clear(struct cup_advice_list *list, uint64_t first, uint64_t end);
bool cup_advice_list_is_clear(const struct cup_advice_list *list);

/* The advice that all of those pages have in common. The first segment counts with all of its
 * pages, including those before `first`, and as many pages at the end are ignored. NVIDIA's driver
 * was recorded to answer this way. */
struct cup_advice cup_advice_list_common(const struct cup_advice_list *list, uint64_t first,
                                         uint64_t end);

#endif
