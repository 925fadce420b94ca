/* SPDX-License-Identifier: MIT */
/* What the application has said of managed memory: of every page of a chunk. Pages of which
 * the same is said lie together in segments; advice splits them where it begins and ends, and joins
 * what has become equal. */
#ifndef CUP_MEMORY_ADVICE_H
#define CUP_MEMORY_ADVICE_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Places are as the application named them; type INVALID with the id CU_DEVICE_INVALID is none. */
struct cup_advice {
    CUmemLocation preferred;
    CUmemLocation prefetched; /* where it was prefetched to last */
    uint64_t accessed_by;     /* bit n: the device with ordinal n */
    bool accessed_by_host;
    bool read_mostly;
};

extern const struct cup_advice cup_advice_none;

enum cup_advice_subject {
    CUP_ADVICE_READ_MOSTLY, /* without a place */
    CUP_ADVICE_PREFERRED,
    CUP_ADVICE_ACCESSED_BY, /* a device or the host; each apart */
    CUP_ADVICE_PREFETCHED,
};

struct cup_advice_change {
    enum cup_advice_subject subject;
    bool on;
    CUmemLocation location;
};

struct cup_advice_segment {
    uint64_t end; /* the first page behind it */
    struct cup_advice advice;
};

/* Segments in order, which together cover the pages from 0 on. */
struct cup_advice_list {
    struct cup_advice_segment *segments;
    size_t count, room;
};

/* Nothing is said of any page. False when memory is out. */
bool cup_advice_list_init(struct cup_advice_list *list, uint64_t page_count);
void cup_advice_list_finish(struct cup_advice_list *list);

/* For the pages from `first` to before `end`, of which there is at least one. False when memory is
 * out; then nothing has changed. */
bool cup_advice_list_change(struct cup_advice_list *list, uint64_t first, uint64_t end,
                            const struct cup_advice_change *change);

/* Nothing is said of those pages any more. False when memory is out; then nothing has changed. */
bool cup_advice_list_clear(struct cup_advice_list *list, uint64_t first, uint64_t end);
bool cup_advice_list_is_clear(const struct cup_advice_list *list);

/* What is said of all of those pages alike. The first segment counts with all of its pages, those
 * before `first` included: as many pages at the end are not looked at. NVIDIA's driver was recorded
 * to answer so. */
struct cup_advice cup_advice_list_common(const struct cup_advice_list *list, uint64_t first,
                                         uint64_t end);

#endif
