/* SPDX-License-Identifier: MIT */
/* Sets of bytes, filled by many threads. Pages are found in a hash table whose lists only grow, so
 * that no lock is needed. */
#include "stream/touched.h"

#include <pthread.h>
#include <string.h>

enum { BYTE_WORDS = CUP_TOUCHED_PAGE_BYTES / 64, BUCKETS = 1 << 16, UNUSED_PAGES_MAX = 1 << 18 };

/* Tables are large, and used again by later launches; those that are not in use are empty. */
struct cup_touched_table {
    struct cup_touched_table *next; /* that is not in use */
    _Atomic(struct cup_touched_page *) buckets[BUCKETS];
};

/* Leaf mutex: guards tables and pages of bitmaps that are not in use. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_touched_table *unused;      /* guarded by lock, as those below */
static struct cup_touched_page *unused_pages; /* linked by `older` */
static size_t unused_page_count;

struct cup_touched_bytes {
    _Atomic(uint64_t) bytes[CUP_TOUCH_COUNT][BYTE_WORDS];
};

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

bool cup_touched_begin(struct cup_touched *touched)
{
    pthread_mutex_lock(&lock);
    touched->table = unused;
    if (unused)
        unused = unused->next;
    pthread_mutex_unlock(&lock);
    if (!touched->table)
        touched->table = calloc(1, sizeof(*touched->table));
    return touched->table != NULL;
}

static _Atomic(struct cup_touched_page *) *bucket_of(const struct cup_touched *touched,
                                                     uint64_t number)
{
    return &touched->table->buckets[(number * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS];
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

static int by_number(const void *a, const void *b)
{
    const struct cup_touched_page *first = *(struct cup_touched_page *const *)a;
    const struct cup_touched_page *second = *(struct cup_touched_page *const *)b;

    return first->number < second->number ? -1 : first->number > second->number;
}

static int by_begin(const void *a, const void *b)
{
    const struct cup_touched_range *first = a, *second = b;

    return first->begin < second->begin ? -1 : first->begin > second->begin;
}

void cup_touched_seal(struct cup_touched *touched)
{
    if (touched->ranges.count > 1)
        qsort(touched->ranges.ranges, touched->ranges.count, sizeof(*touched->ranges.ranges),
              by_begin);
    touched->page_count = 0;
    for (const struct cup_touched_page *page = atomic_load(&touched->newest); page;
         page = page->older)
        touched->page_count++;
    give_table_back(touched);
}

/* Most sets are never compared, so their pages are sorted when one is. */
static void sort_pages(struct cup_touched *touched)
{
    if (touched->pages || touched->page_count == 0)
        return;
    touched->pages = malloc(touched->page_count * sizeof(*touched->pages));
    for (struct cup_touched_page *page = atomic_load(&touched->newest); touched->pages && page;
         page = page->older)
        touched->pages[touched->sorted_count++] = page;
    if (touched->pages)
        qsort(touched->pages, touched->sorted_count, sizeof(*touched->pages), by_number);
}

bool cup_touched_is_empty(const struct cup_touched *touched)
{
    return touched->ranges.count == 0 && touched->page_count == 0;
}

uint64_t cup_touched_memory_bytes(const struct cup_touched *touched)
{
    return touched->ranges.count * sizeof(*touched->ranges.ranges) +
           touched->page_count * (sizeof(struct cup_touched_page) + sizeof(void *));
}

void cup_touched_finish(struct cup_touched *touched)
{
    if (touched->table)
        cup_touched_seal(touched);
    pages_free(atomic_load(&touched->newest));
    free(touched->pages);
    free(touched->ranges.ranges);
    *touched = (struct cup_touched){.page_count = 0};
}

/* Forgetting. */

static void clear_run(_Atomic(uint64_t) *words, uint32_t first, uint32_t end)
{
    for (; first < end; first++)
        words[first / 64] &= ~(UINT64_C(1) << first % 64);
}

static void forget_in_page(struct cup_touched_page *page, uint32_t from, uint32_t to)
{
    struct cup_touched_bytes *bytes = atomic_load(&page->bytes);

    for (int touch = 0; touch < CUP_TOUCH_COUNT; touch++) {
        clear_run(page->words[touch], from / 4, (to + 3) / 4);
        if (bytes)
            clear_run(bytes->bytes[touch], from, to);
    }
}

static void forget_in_ranges(struct cup_touched *touched, uint64_t begin, uint64_t end)
{
    size_t count = touched->ranges.count;

    for (size_t i = 0; i < count; i++) {
        struct cup_touched_range range = touched->ranges.ranges[i];

        if (range.end <= begin || range.begin >= end)
            continue;
        touched->ranges.ranges[i].end = range.begin < begin ? begin : range.begin;
        if (range.end > end)
            cup_touched_add_range(touched, end, range.end - end, range.touch);
    }
    if (count)
        qsort(touched->ranges.ranges, touched->ranges.count, sizeof(*touched->ranges.ranges),
              by_begin);
}

/* The index of the first page from this number on. */
static size_t first_page(const struct cup_touched *touched, uint64_t number)
{
    size_t low = 0, high = touched->sorted_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (touched->pages[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void cup_touched_forget(struct cup_touched *touched, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;

    forget_in_ranges(touched, address, end);
    sort_pages(touched);
    for (size_t i = first_page(touched, address / CUP_TOUCHED_PAGE_BYTES);
         i < touched->sorted_count && touched->pages[i]->number * CUP_TOUCHED_PAGE_BYTES < end;
         i++) {
        uint64_t base = touched->pages[i]->number * CUP_TOUCHED_PAGE_BYTES;
        uint64_t from = address > base ? address - base : 0, to = end - base;

        forget_in_page(touched->pages[i], (uint32_t)from,
                       to < CUP_TOUCHED_PAGE_BYTES ? (uint32_t)to : CUP_TOUCHED_PAGE_BYTES);
    }
}

/* Conflicts. */

static bool writes(enum cup_touch touch)
{
    return touch == CUP_TOUCH_WRITE || touch == CUP_TOUCH_STRONG_WRITE;
}

static bool is_strong(enum cup_touch touch)
{
    return touch == CUP_TOUCH_STRONG_READ || touch == CUP_TOUCH_STRONG_WRITE;
}

static bool is_conflict(enum cup_touch first, enum cup_touch second)
{
    return (writes(first) || writes(second)) && !(is_strong(first) && is_strong(second));
}

/* Keeps the conflict with the lowest address. */
static void note(struct cup_touched_conflict *best, bool *any, uint64_t begin, uint64_t end,
                 enum cup_touch first, enum cup_touch second)
{
    if (*any && best->address == begin && end - begin > best->bytes)
        best->bytes = end - begin;
    if (*any && best->address <= begin)
        return;
    *any = true;
    *best = (struct cup_touched_conflict){begin, end - begin, first, second};
}

static void compare_ranges(const struct cup_touched *first, const struct cup_touched *second,
                           struct cup_touched_conflict *best, bool *any)
{
    size_t passed = 0; /* of the second: they end before what is left of the first */

    for (size_t i = 0; i < first->ranges.count; i++) {
        const struct cup_touched_range *a = &first->ranges.ranges[i];

        while (passed < second->ranges.count && second->ranges.ranges[passed].end <= a->begin)
            passed++;
        for (size_t j = passed; j < second->ranges.count; j++) {
            const struct cup_touched_range *b = &second->ranges.ranges[j];
            uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
            uint64_t end = a->end < b->end ? a->end : b->end;

            if (b->begin >= a->end)
                break;
            if (begin < end && is_conflict(a->touch, b->touch))
                note(best, any, begin, end, a->touch, b->touch);
        }
    }
}

/* The bytes of a page that are touched in a way, as 64 words of bits. */
static void expand(const struct cup_touched_page *page, enum cup_touch touch,
                   uint64_t bytes[BYTE_WORDS])
{
    const struct cup_touched_bytes *exact = atomic_load(&page->bytes);

    for (int i = 0; i < BYTE_WORDS; i++) {
        uint64_t words = page->words[touch][i / 4] >> i % 4 * 16 & 0xffff, spread = 0;

        for (int bit = 0; words && bit < 16; bit++)
            spread |= (words >> bit & 1) * (UINT64_C(0xf) << bit * 4);
        bytes[i] = spread | (exact ? exact->bytes[touch][i] : 0);
    }
}

/* The first run of set bits. Returns false if there is none. */
static bool first_run(const uint64_t bits[BYTE_WORDS], uint32_t *begin, uint32_t *end)
{
    uint32_t i = 0;

    while (i < CUP_TOUCHED_PAGE_BYTES && !(bits[i / 64] >> i % 64 & 1))
        i = bits[i / 64] >> i % 64 ? i + (uint32_t)__builtin_ctzll(bits[i / 64] >> i % 64)
                                   : (i / 64 + 1) * 64;
    *begin = i;
    while (i < CUP_TOUCHED_PAGE_BYTES && (bits[i / 64] >> i % 64 & 1))
        i++;
    *end = i;
    return *begin < *end;
}

/* Which of the ways to touch occur in a page at all. */
static bool page_has(const struct cup_touched_page *page, enum cup_touch touch)
{
    uint64_t any = 0;

    if (atomic_load(&page->bytes))
        return true;
    for (int i = 0; i < CUP_TOUCHED_PAGE_WORDS; i++)
        any |= page->words[touch][i];
    return any != 0;
}

static void compare_page(const struct cup_touched_page *first,
                         const struct cup_touched_page *second, struct cup_touched_conflict *best,
                         bool *any)
{
    uint64_t a[BYTE_WORDS], b[BYTE_WORDS], base = first->number * CUP_TOUCHED_PAGE_BYTES;
    uint32_t begin, end;

    for (int i = 0; i < CUP_TOUCH_COUNT; i++) {
        for (int j = 0; j < CUP_TOUCH_COUNT; j++) {
            if (!is_conflict((enum cup_touch)i, (enum cup_touch)j) ||
                !page_has(first, (enum cup_touch)i) || !page_has(second, (enum cup_touch)j))
                continue;
            expand(first, (enum cup_touch)i, a);
            expand(second, (enum cup_touch)j, b);
            for (int k = 0; k < BYTE_WORDS; k++)
                a[k] &= b[k];
            if (first_run(a, &begin, &end))
                note(best, any, base + begin, base + end, (enum cup_touch)i, (enum cup_touch)j);
        }
    }
}

static void compare_pages(const struct cup_touched *first, const struct cup_touched *second,
                          struct cup_touched_conflict *best, bool *any)
{
    size_t i = 0, j = 0;

    while (!*any && i < first->sorted_count && j < second->sorted_count) {
        const struct cup_touched_page *a = first->pages[i], *b = second->pages[j];

        if (a->number == b->number)
            compare_page(a, b, best, any);
        i += a->number <= b->number;
        j += b->number <= a->number;
    }
}

/* A page and a part of a range. swapped: the range is of the first. */
static void compare_part(const struct cup_touched_page *page, const struct cup_touched_range *range,
                         bool swapped, struct cup_touched_conflict *best, bool *any)
{
    uint64_t base = page->number * CUP_TOUCHED_PAGE_BYTES, bits[BYTE_WORDS];
    uint32_t begin, end;

    for (int i = 0; i < CUP_TOUCH_COUNT; i++) {
        if (!is_conflict((enum cup_touch)i, range->touch) || !page_has(page, (enum cup_touch)i))
            continue;
        expand(page, (enum cup_touch)i, bits);
        for (uint32_t k = 0; k < CUP_TOUCHED_PAGE_BYTES; k++) {
            if (base + k < range->begin || base + k >= range->end)
                bits[k / 64] &= ~(UINT64_C(1) << k % 64);
        }
        if (first_run(bits, &begin, &end))
            note(best, any, base + begin, base + end, swapped ? range->touch : (enum cup_touch)i,
                 swapped ? (enum cup_touch)i : range->touch);
    }
}

static void compare_pages_and_ranges(const struct cup_touched *with_pages,
                                     const struct cup_touched *with_ranges, bool swapped,
                                     struct cup_touched_conflict *best, bool *any)
{
    for (size_t r = 0; r < with_ranges->ranges.count; r++) {
        const struct cup_touched_range *range = &with_ranges->ranges.ranges[r];
        bool found = false;

        for (size_t i = first_page(with_pages, range->begin / CUP_TOUCHED_PAGE_BYTES);
             !found && i < with_pages->sorted_count &&
             with_pages->pages[i]->number * CUP_TOUCHED_PAGE_BYTES < range->end;
             i++) {
            struct cup_touched_conflict one;

            compare_part(with_pages->pages[i], range, swapped, &one, &found);
            if (found)
                note(best, any, one.address, one.address + one.bytes, one.first, one.second);
        }
    }
}

bool cup_touched_conflicts(struct cup_touched *first, struct cup_touched *second,
                           struct cup_touched_conflict *conflict)
{
    bool any = false, in_pages = false;
    struct cup_touched_conflict pages;

    sort_pages(first);
    sort_pages(second);
    compare_ranges(first, second, conflict, &any);
    compare_pages_and_ranges(first, second, false, conflict, &any);
    compare_pages_and_ranges(second, first, true, conflict, &any);
    compare_pages(first, second, &pages, &in_pages);
    if (in_pages)
        note(conflict, &any, pages.address, pages.address + pages.bytes, pages.first, pages.second);
    return any;
}
