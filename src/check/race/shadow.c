/* SPDX-License-Identifier: MIT */
/* The table has a pointer for each 2 MiB of addresses. Both the table and its parts are mappings of
 * which only touched pages take memory. Parts stay: what was there before a launch is long past. */
#include "check/race/shadow.h"

#include "abi/check.h"
#include "core/compiler.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

enum { ADDRESS_BITS = 48, CHUNK_SHIFT = CUP_ABI_RACE_CHUNK_SHIFT, ARRAYS = 3 };

_Static_assert(sizeof(struct cup_race_line) == CUP_ABI_RACE_LINE_BYTES &&
                   offsetof(struct cup_race_line, read) == CUP_ABI_RACE_READ_OFFSET &&
                   offsetof(struct cup_race_line, tag) == CUP_ABI_RACE_TAG_OFFSET &&
                   offsetof(struct cup_race_line, read_words) == CUP_ABI_RACE_WORDS_OFFSET &&
                   (int)CUP_RACE_SITE_BITS == (int)CUP_ABI_RACE_SITE_BITS &&
                   CUP_RACE_LINE_WORDS * CUP_RACE_WORD_BYTES == 1 << CUP_ABI_RACE_LINE_SHIFT,
               "compiled code knows the layout");

static const size_t chunk_words = ((size_t)1 << CHUNK_SHIFT) / CUP_RACE_WORD_BYTES;
static _Atomic(void *) *chunks;

static void *map_pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* Lines are first, then the stamps of words. */
static size_t bytes_of(size_t words)
{
    return words / CUP_RACE_LINE_WORDS * sizeof(struct cup_race_line) +
           ARRAYS * words * sizeof(cup_race_stamp);
}

static struct cup_race_cells cells_in(void *memory, size_t words, size_t at)
{
    struct cup_race_line *lines = memory;
    _Atomic(cup_race_stamp) *stamps = (void *)(lines + words / CUP_RACE_LINE_WORDS);

    if (!memory)
        return (struct cup_race_cells){.write = NULL};
    return (struct cup_race_cells){.write = stamps + at,
                                   .read = stamps + words + at,
                                   .other_read = stamps + 2 * words + at,
                                   .line = lines + at / CUP_RACE_LINE_WORDS,
                                   .in_line = at % CUP_RACE_LINE_WORDS};
}

struct cup_race_cells cup_race_cells_create(size_t words)
{
    return cells_in(words ? map_pages(bytes_of(words)) : NULL, words, 0);
}

void cup_race_cells_destroy(struct cup_race_cells *cells, size_t words)
{
    if (cells->write)
        munmap((void *)cells->line, bytes_of(words));
    *cells = (struct cup_race_cells){.write = NULL};
}

static void create_table(void)
{
    chunks = map_pages(sizeof(*chunks) << (ADDRESS_BITS - CHUNK_SHIFT));
}

static void *create_chunk(_Atomic(void *) *place)
{
    void *memory = map_pages(bytes_of(chunk_words)), *present = NULL;

    if (memory && !atomic_compare_exchange_strong(place, &present, memory)) {
        munmap(memory, bytes_of(chunk_words));
        memory = present;
    }
    return memory;
}

static void copy_to_words(cup_race_stamp line, uint32_t which, _Atomic(cup_race_stamp) *words)
{
    bool several = cup_race_stamp_several(line);
    uint32_t shift = several ? 31 : cup_race_stamp_bytes(line);

    if (!several || !line)
        which = line ? UINT32_MAX : 0;
    line |= UINT64_C(15) << CUP_RACE_BYTES_SHIFT;
    for (uint64_t i = 0; i < CUP_RACE_LINE_WORDS; i++)
        atomic_store_explicit(&words[i],
                              which >> i & 1 ? line + (i >> shift << CUP_RACE_LANE_SHIFT) : 0,
                              memory_order_relaxed);
}

/* Words of a line that was never used are 0. Compiled code adds words to the line's read only. */
static void copy_line(const struct cup_race_cells *cells, size_t i, cup_race_stamp write)
{
    struct cup_race_line *line = &cells->line[i];
    cup_race_stamp read = atomic_load_explicit(&line->read, memory_order_relaxed),
                   other = atomic_load_explicit(&line->other_read, memory_order_relaxed);
    ptrdiff_t first = (ptrdiff_t)(i * CUP_RACE_LINE_WORDS) - cells->in_line;

    if (!(write | read | other))
        return;
    copy_to_words(write, 0, cells->write + first);
    copy_to_words(read, atomic_load_explicit(&line->read_words, memory_order_relaxed),
                  cells->read + first);
    copy_to_words(other, 0, cells->other_read + first);
    atomic_store_explicit(&line->read, 0, memory_order_relaxed);
}

static void use_words(const struct cup_race_cells *cells, size_t i)
{
    _Atomic(cup_race_stamp) *write = &cells->line[i].write;
    cup_race_stamp present = atomic_load(write);

    while (present < CUP_RACE_LINE_BUSY)
        if (atomic_compare_exchange_weak(write, &present, CUP_RACE_LINE_BUSY)) {
            copy_line(cells, i, present);
            atomic_store(write, CUP_RACE_LINE_IN_WORDS);
            return;
        }
    while (atomic_load(write) == CUP_RACE_LINE_BUSY)
        sched_yield();
}

void cup_race_cells_use_words(const struct cup_race_cells *cells, size_t words)
{
    size_t count = (cells->in_line + words + CUP_RACE_LINE_WORDS - 1) / CUP_RACE_LINE_WORDS;

    for (size_t i = 0; i < count; i++)
        if (cup_unlikely(atomic_load_explicit(&cells->line[i].write, memory_order_acquire) !=
                         CUP_RACE_LINE_IN_WORDS))
            use_words(cells, i);
}

const void *const *cup_race_shadow_table(void)
{
    return (const void *const *)chunks;
}

bool cup_race_shadow_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, create_table);
    return chunks != NULL;
}

struct cup_race_cells cup_race_shadow_at(uint64_t address, size_t *words)
{
    size_t at = (address & ((1u << CHUNK_SHIFT) - 1)) / CUP_RACE_WORD_BYTES;
    _Atomic(void *) *place;
    void *memory;

    *words = chunk_words - at;
    if (address >> ADDRESS_BITS)
        return cells_in(NULL, 0, 0);
    place = &chunks[address >> CHUNK_SHIFT];
    memory = atomic_load_explicit(place, memory_order_acquire);
    if (cup_unlikely(!memory))
        memory = create_chunk(place);
    return cells_in(memory, chunk_words, at);
}
