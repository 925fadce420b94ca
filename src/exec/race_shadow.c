/* SPDX-License-Identifier: MIT */
/* The table has a pointer for each 2 MiB of addresses. Both the table and its parts are mappings of
 * which only touched pages take memory. Parts stay: what was there before a launch is long past. */
#include "exec/race_shadow.h"

#include "core/compiler.h"

#include <pthread.h>
#include <sys/mman.h>

enum { ADDRESS_BITS = 48, CHUNK_SHIFT = 21, ARRAYS = 3 };

static const size_t chunk_words = ((size_t)1 << CHUNK_SHIFT) / CUP_RACE_WORD_BYTES;
static _Atomic(void *) *chunks;

static void *map_pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static size_t bytes_of(size_t words)
{
    return ARRAYS * words * sizeof(cup_race_stamp);
}

static struct cup_race_cells cells_in(void *memory, size_t words, size_t at)
{
    _Atomic(cup_race_stamp) *stamps = memory;

    if (!memory)
        return (struct cup_race_cells){NULL, NULL, NULL};
    return (struct cup_race_cells){
        .write = stamps + at, .read = stamps + words + at, .other_read = stamps + 2 * words + at};
}

struct cup_race_cells cup_race_cells_create(size_t words)
{
    return cells_in(words ? map_pages(bytes_of(words)) : NULL, words, 0);
}

void cup_race_cells_destroy(struct cup_race_cells *cells, size_t words)
{
    if (cells->write)
        munmap((void *)cells->write, bytes_of(words));
    *cells = (struct cup_race_cells){NULL, NULL, NULL};
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
