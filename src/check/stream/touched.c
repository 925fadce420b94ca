/* SPDX-License-Identifier: MIT */
/* Sets of bytes, filled by many threads. Pages are found in a hash table whose lists only grow, so
 * that no lock is needed. */
#include "check/stream/touched.h"

#include <pthread.h>
#include <string.h>

enum {
    BUCKETS = 1 << 16,
    UNUSED_PAGES_MAX = 1 << 18,
    ROWS_MAX = 1 << 14, /* of a set; what is more becomes bitmaps */
    JOINED_MAX = 32,    /* of the newest rows, with which others are joined */
};

/* Tables are large, and used again by later launches; those that are not in use are empty. */
struct cup_touched_table {
    struct cup_touched_table *next; /* that is not in use */
    _Atomic(struct cup_touched_page *) buckets[BUCKETS];
};

/* Leaf mutex: guards unused tables and pages, and rows of sets that are being filled. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_touched_table *unused;      /* guarded by lock, as those below */
static struct cup_touched_page *unused_pages; /* linked by `older` */
static size_t unused_page_count;

void cup_touched_add_range(struct cup_touched *touched, uint64_t address, uint64_t bytes,
                           enum cup_touch touch)
{
    struct cup_touched_range *last =
        touched->ranges.count ? &touched->ranges.ranges[touched->ranges.count - 1] : NULL;

    if (bytes == 0)
        return;
    if (last && last->touch == touch && last->end == address) {
        last->end += bytes;
        return;
    }
    struct cup_touched_range *range =
        cup_dynarray_add(&touched->ranges.array, sizeof(*touched->ranges.ranges));
    if (range)
        *range = (struct cup_touched_range){address, address + bytes, touch};
}

static _Atomic(struct cup_touched_page *) *bucket_of(const struct cup_touched *touched,
                                                     uint64_t number)
{
    return &touched->table->buckets[(number * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS];
}

bool cup_touched_begin(struct cup_touched *touched)
{
    pthread_mutex_lock(&lock);
    touched->table = unused;
    if (unused)
        unused = unused->next;
    pthread_mutex_unlock(&lock);
    if (!touched->table)
        touched->table = calloc(1, sizeof(*touched->table));
    for (struct cup_touched_page *page = atomic_load(&touched->newest); touched->table && page;
         page = page->older) {
        page->next = atomic_load_explicit(bucket_of(touched, page->number), memory_order_relaxed);
        atomic_store_explicit(bucket_of(touched, page->number), page, memory_order_relaxed);
    }
    return touched->table != NULL;
}

/* Empties the table, whose pages the set knows, for the next launch. */
static void give_table_back(struct cup_touched *touched)
{
    if (!touched->table)
        return;
    for (const struct cup_touched_page *page = atomic_load(&touched->newest); page;
         page = page->older)
        atomic_store_explicit(bucket_of(touched, page->number), NULL, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    touched->table->next = unused;
    unused = touched->table;
    pthread_mutex_unlock(&lock);
    touched->table = NULL;
}

static struct cup_touched_page *find(struct cup_touched_page *list, uint64_t number)
{
    while (list && list->number != number)
        list = list->next;
    return list;
}

/* Pages are used again, because memory that the system has to clear first costs more than the
 * bitmaps themselves. */
static struct cup_touched_page *page_create(uint64_t number)
{
    struct cup_touched_page *page;

    pthread_mutex_lock(&lock);
    page = unused_pages;
    if (page) {
        unused_pages = page->older;
        unused_page_count--;
    }
    pthread_mutex_unlock(&lock);
    if (page)
        memset(page, 0, sizeof(*page));
    else
        page = calloc(1, sizeof(*page));
    if (page)
        page->number = number;
    return page;
}

static void pages_free(struct cup_touched_page *newest)
{
    struct cup_touched_page *older;

    pthread_mutex_lock(&lock);
    for (; newest; newest = older) {
        older = newest->older;
        free(atomic_load(&newest->bytes));
        if (unused_page_count == UNUSED_PAGES_MAX) {
            free(newest);
            continue;
        }
        newest->older = unused_pages;
        unused_pages = newest;
        unused_page_count++;
    }
    pthread_mutex_unlock(&lock);
}

struct cup_touched_page *cup_touched_get_page(struct cup_touched *touched, uint64_t number)
{
    _Atomic(struct cup_touched_page *) *bucket = bucket_of(touched, number);
    struct cup_touched_page *head = atomic_load_explicit(bucket, memory_order_acquire), *made;
    struct cup_touched_page *page = find(head, number);

    if (page)
        return page;
    made = page_create(number);
    if (!made)
        return NULL;
    do {
        page = find(head, number);
        if (page) {
            made->older = NULL;
            pages_free(made);
            return page;
        }
        made->next = head;
    } while (!atomic_compare_exchange_weak(bucket, &head, made));
    made->older = atomic_load_explicit(&touched->newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&touched->newest, &made->older, made))
        ;
    return made;
}

/* Sets bits that are mostly set already, or set by this thread alone. */
static void set_bits(_Atomic(uint64_t) *word, uint64_t bits)
{
    if ((atomic_load_explicit(word, memory_order_relaxed) & bits) != bits)
        atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
}

/* Sets `count` bits from bit `first` on. */
static void set_run(_Atomic(uint64_t) *words, uint32_t first, uint32_t count)
{
    while (count) {
        uint32_t bit = first % 64, here = 64 - bit < count ? 64 - bit : count;
        uint64_t bits = here == 64 ? UINT64_MAX : ((UINT64_C(1) << here) - 1) << bit;

        set_bits(&words[first / 64], bits);
        first += here;
        count -= here;
    }
}

static struct cup_touched_bytes *bytes_of(struct cup_touched_page *page)
{
    struct cup_touched_bytes *bytes = atomic_load(&page->bytes), *made;

    if (bytes || !(made = calloc(1, sizeof(*made))))
        return bytes;
    if (atomic_compare_exchange_strong(&page->bytes, &bytes, made))
        return made;
    free(made);
    return bytes;
}

void cup_touched_mark(struct cup_touched_page *page, uint32_t offset, uint32_t bytes,
                      enum cup_touch touch)
{
    struct cup_touched_bytes *exact;

    if ((offset | bytes) % 4 == 0)
        set_run(page->words[touch], offset / 4, bytes / 4);
    else if ((exact = bytes_of(page)))
        set_run(exact->bytes[touch], offset, bytes);
}

void cup_touched_mark_range(struct cup_touched *touched, uint64_t address, uint64_t bytes,
                            enum cup_touch touch)
{
    while (bytes) {
        uint32_t offset = (uint32_t)(address % CUP_TOUCHED_PAGE_BYTES);
        uint64_t here =
            CUP_TOUCHED_PAGE_BYTES - offset < bytes ? CUP_TOUCHED_PAGE_BYTES - offset : bytes;
        struct cup_touched_page *page =
            cup_touched_get_page(touched, address / CUP_TOUCHED_PAGE_BYTES);

        if (page)
            cup_touched_mark(page, offset, (uint32_t)here, touch);
        address += here;
        bytes -= here;
    }
}

/* Takes from the newest rows of the set one that can be joined with these, and joins it. */
static bool join(struct cup_touched *touched, struct cup_touched_list_item *added,
                 bool (*joins)(struct cup_touched_rows *, const struct cup_touched_rows *))
{
    struct cup_touched_list_item *list = touched->rows.list;
    size_t count = touched->rows.count, from = count > JOINED_MAX ? count - JOINED_MAX : 0;

    for (size_t i = count; i-- > from;) {
        if (list[i].touches != added->touches || !joins(&list[i].rows, &added->rows))
            continue;
        added->rows = list[i].rows;
        list[i] = list[count - 1];
        touched->rows.count--;
        return true;
    }
    return false;
}

/* Workers report the rows of each part of a grid, in any order; those of all parts are mostly few.
 */
static bool keep_rows(struct cup_touched *touched, struct cup_touched_list_item added)
{
    struct cup_touched_list_item *item;

    while (join(touched, &added, cup_touched_rows_widen) ||
           join(touched, &added, cup_touched_rows_extend))
        ;
    if (touched->rows.count == ROWS_MAX)
        return false;
    item = cup_dynarray_add(&touched->rows.array, sizeof(*item));
    if (item)
        *item = added;
    return item != NULL;
}

void cup_touched_add_rows(struct cup_touched *touched, const struct cup_touched_rows *rows,
                          uint32_t touches)
{
    bool kept = false;

    if (!atomic_load_explicit(&touched->has_all_rows, memory_order_relaxed)) {
        pthread_mutex_lock(&lock);
        kept = keep_rows(touched, (struct cup_touched_list_item){*rows, touches});
        if (!kept)
            atomic_store_explicit(&touched->has_all_rows, true, memory_order_relaxed);
        pthread_mutex_unlock(&lock);
    }
    if (!kept)
        cup_touched_mark_rows(touched, rows, touches);
}

void cup_touched_mark_rows(struct cup_touched *touched, const struct cup_touched_rows *rows,
                           uint32_t touches)
{
    for (unsigned touch = 0; touch < CUP_TOUCH_COUNT; touch++) {
        for (uint64_t i = 0; (touches >> touch & 1) && i < rows->count; i++)
            cup_touched_mark_range(touched, rows->first + i * rows->step, rows->bytes,
                                   (enum cup_touch)touch);
    }
}

static void include(struct cup_touched *touched, uint64_t begin, uint64_t end)
{
    touched->low = begin < touched->low ? begin : touched->low;
    touched->high = end > touched->high ? end : touched->high;
}

void cup_touched_seal(struct cup_touched *touched)
{
    touched->low = UINT64_MAX;
    touched->high = 0;
    touched->page_count = 0;
    for (const struct cup_touched_page *page = atomic_load(&touched->newest); page;
         page = page->older) {
        touched->page_count++;
        include(touched, page->number * CUP_TOUCHED_PAGE_BYTES,
                (page->number + 1) * CUP_TOUCHED_PAGE_BYTES);
    }
    for (size_t i = 0; i < touched->ranges.count; i++)
        include(touched, touched->ranges.ranges[i].begin, touched->ranges.ranges[i].end);
    for (size_t i = 0; i < touched->rows.count; i++)
        include(touched, touched->rows.list[i].rows.first,
                cup_touched_rows_end(&touched->rows.list[i].rows));
    give_table_back(touched);
}

bool cup_touched_is_empty(const struct cup_touched *touched)
{
    return touched->ranges.count == 0 && touched->rows.count == 0 && touched->page_count == 0;
}

uint64_t cup_touched_memory_bytes(const struct cup_touched *touched)
{
    return touched->ranges.count * sizeof(*touched->ranges.ranges) +
           touched->rows.count * sizeof(*touched->rows.list) +
           touched->page_count * (sizeof(struct cup_touched_page) + sizeof(void *));
}

void cup_touched_finish(struct cup_touched *touched)
{
    if (touched->table)
        cup_touched_seal(touched);
    pages_free(atomic_load(&touched->newest));
    free(touched->pages);
    free(touched->ranges.ranges);
    free(touched->rows.list);
    *touched = (struct cup_touched){.page_count = 0};
}
