/* SPDX-License-Identifier: MIT */
/* The bytes that a piece of work touches, for CUPIPE_CHECK=streams: ranges for copies and fills;
 * rows, and bitmaps of pages, for kernels. A bitmap has a bit for each word of 4 bytes; a page in
 * which something smaller is touched has one for each byte beside it, so that neighbours of a byte
 * are not touched. Rows become ranges or bitmaps when a set is compared, which most are not. */
#ifndef CUP_CHECK_STREAM_TOUCHED_H
#define CUP_CHECK_STREAM_TOUCHED_H

#include "check/stream/touched_rows.h"
#include "core/checks.h"
#include "core/dynarray.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_TOUCHED_PAGE_BYTES = 4096,
    CUP_TOUCHED_PAGE_WORDS = CUP_TOUCHED_PAGE_BYTES / 4 / 64, /* of the bitmap, 64 bits each */
};

struct cup_touched_table;

/* A bit for each byte of a page. */
struct cup_touched_bytes {
    _Atomic(uint64_t) bytes[CUP_TOUCH_COUNT][CUP_TOUCHED_PAGE_BYTES / 64];
};

struct cup_touched_page {
    struct cup_touched_page *next;  /* in its bucket */
    struct cup_touched_page *older; /* of the whole set */
    uint64_t number;                /* address / CUP_TOUCHED_PAGE_BYTES */
    _Atomic(uint64_t) words[CUP_TOUCH_COUNT][CUP_TOUCHED_PAGE_WORDS];
    _Atomic(struct cup_touched_bytes *) bytes; /* NULL: nothing smaller than a word */
};

struct cup_touched_range {
    uint64_t begin, end;
    enum cup_touch touch;
};

struct cup_touched_list_item {
    struct cup_touched_rows rows;
    uint32_t touches; /* bits of enum cup_touch */
};

struct cup_touched {
    struct {
        CUP_DYNARRAY(struct cup_touched_range, ranges);
    } ranges;
    struct {
        CUP_DYNARRAY(struct cup_touched_list_item, list);
    } rows;
    _Atomic(bool) has_all_rows;      /* further ones are marked in bitmaps */
    uint64_t low, high;              /* once it is sealed: all bytes are between */
    struct cup_touched_table *table; /* finds pages; NULL: no bitmaps, or sealed */
    _Atomic(struct cup_touched_page *) newest;
    size_t page_count;               /* once it is sealed */
    bool is_prepared;                /* to be compared: it has no rows, and all is sorted */
    struct cup_touched_page **pages; /* sorted by number, once it is prepared */
    size_t sorted_count;
};

/* Adds a range of bytes; not for several threads at once. */
void cup_touched_add_range(struct cup_touched *touched, uint64_t address, uint64_t bytes,
                           enum cup_touch touch);

/* Prepares for cup_touched_get_page, also a set that was sealed. Returns false if memory is out. */
bool cup_touched_begin(struct cup_touched *touched);

/* The bitmaps of a page, for any thread; NULL if memory is out. */
struct cup_touched_page *cup_touched_get_page(struct cup_touched *touched, uint64_t number);

/* Marks bytes of one page. */
void cup_touched_mark(struct cup_touched_page *page, uint32_t offset, uint32_t bytes,
                      enum cup_touch touch);

/* Marks bytes anywhere, for any thread. */
void cup_touched_mark_range(struct cup_touched *touched, uint64_t address, uint64_t bytes,
                            enum cup_touch touch);

/* Adds rows, for any thread. touches: bits of enum cup_touch. */
void cup_touched_add_rows(struct cup_touched *touched, const struct cup_touched_rows *rows,
                          uint32_t touches);

/* Marks rows, for any thread. */
void cup_touched_mark_rows(struct cup_touched *touched, const struct cup_touched_rows *rows,
                           uint32_t touches);

/* Nothing is added any more. The functions below are for sealed sets. */
void cup_touched_seal(struct cup_touched *touched);
bool cup_touched_is_empty(const struct cup_touched *touched);
uint64_t cup_touched_memory_bytes(const struct cup_touched *touched);

/* Forgets a range of bytes. */
void cup_touched_forget(struct cup_touched *touched, uint64_t address, uint64_t bytes);

/* The first bytes that two pieces of work touch in conflict. */
struct cup_touched_conflict {
    uint64_t address, bytes;
    enum cup_touch first, second;
};
bool cup_touched_conflicts(struct cup_touched *first, struct cup_touched *second,
                           struct cup_touched_conflict *conflict);

void cup_touched_finish(struct cup_touched *touched);

#endif
