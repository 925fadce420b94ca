/* SPDX-License-Identifier: MIT */
/* The shadow of whole words is stored, as compiled code does it. That of parts of words is changed
 * by atomic operations, since other threads may write the other bytes of the word. */
#include "check/memory/uninitialised.h"

#include "core/align.h"
#include "core/log.h"
#include "memory/map.h"
#include "os/page.h"
#include "os/reserve.h"

#include <pthread.h>
#include <string.h>

_Static_assert((int)CUP_UNWRITTEN_SLOT_SHIFT == (int)CUP_MAP_SLOT_SHIFT, "the same slots");

enum {
    WORD = CUP_UNWRITTEN_WORD_BYTES,
    DISCARDED_BYTES_MIN = 256 << 10,
    BEHIND_BYTES = 64 << 10, /* for accesses that leave the space, before they fault */
};

_Atomic(uint64_t) *cup_unwritten_slots;

/* Leaf mutex: one thread adds a space. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool cup_unwritten_start(void)
{
    if (cup_unwritten_slots)
        return true;
    cup_unwritten_slots =
        cup_reserve_private(CUP_UNWRITTEN_SLOTS * sizeof(*cup_unwritten_slots), cup_page_bytes());
    if (!cup_unwritten_slots)
        cup_log(CUP_LOG_WARNING, "CUPIPE_CHECK=init: no address space for its table");
    return cup_unwritten_slots != NULL;
}

void cup_unwritten_add_space(uint64_t base, uint64_t size_bytes)
{
    _Atomic(uint64_t) *first = &cup_unwritten_slots[base >> CUP_UNWRITTEN_SLOT_SHIFT];

    if (atomic_load_explicit(first, memory_order_acquire))
        return;
    pthread_mutex_lock(&lock);
    if (!atomic_load(first)) {
        uint64_t shadow = (uint64_t)(uintptr_t)cup_reserve_private(size_bytes / WORD + BEHIND_BYTES,
                                                                   cup_page_bytes());

        if (!shadow)
            cup_log(CUP_LOG_WARNING, "CUPIPE_CHECK=init: no address space for a shadow");
        for (uint64_t slot = 0; shadow && slot < size_bytes >> CUP_UNWRITTEN_SLOT_SHIFT; slot++)
            atomic_store_explicit(&first[slot], shadow - base / WORD, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

/* Whole pages are returned to the system: their zeros mean that nothing is written. */
static void clear(uint8_t *shadow, uint64_t size_bytes)
{
    uint64_t begin = (uint64_t)(uintptr_t)shadow, end = begin + size_bytes;
    uint64_t first = cup_align_up(begin, cup_page_bytes()),
             last = cup_align_down(end, cup_page_bytes());

    if (size_bytes < DISCARDED_BYTES_MIN) {
        memset(shadow, 0, size_bytes);
        return;
    }
    memset(shadow, 0, first - begin);
    cup_reserve_discard_private((void *)(uintptr_t)first, last - first);
    memset((void *)(uintptr_t)last, 0, end - last);
}

void cup_unwritten_begin(uint64_t address, uint64_t size_bytes)
{
    uint8_t *shadow = cup_unwritten_shadow(address);

    if (shadow)
        clear(shadow, (size_bytes + WORD - 1) / WORD);
}

/* The bits of bytes [first, end) of a word. */
static uint8_t bits_of(uint64_t first, uint64_t end)
{
    return (uint8_t)((1u << end) - (1u << first));
}

static void set_bits(uint8_t *shadow, uint8_t bits)
{
    __atomic_fetch_or(shadow, bits, __ATOMIC_RELAXED);
}

void cup_unwritten_set(uint8_t *shadow, uint64_t offset, uint64_t size_bytes)
{
    uint64_t head = -offset % WORD;

    head = head < size_bytes ? head : size_bytes;
    shadow += offset / WORD;
    if (head) {
        set_bits(shadow++, bits_of(offset % WORD, offset % WORD + head));
        size_bytes -= head;
    }
    memset(shadow, CUP_UNWRITTEN_NONE, size_bytes / WORD);
    if (size_bytes % WORD)
        set_bits(shadow + size_bytes / WORD, bits_of(0, size_bytes % WORD));
}

static bool is_set(const uint8_t *shadow, uint64_t offset)
{
    return shadow[offset / WORD] >> offset % WORD & 1;
}

uint64_t cup_unwritten_count(const uint8_t *shadow, uint64_t offset, uint64_t size_bytes)
{
    const uint64_t eight = CUP_UNWRITTEN_NONE * UINT64_C(0x0101010101010101);
    uint64_t at = offset, end = offset + size_bytes, words;

    while (at < end) {
        if (at % WORD == 0 && end - at >= 8 * WORD) {
            memcpy(&words, shadow + at / WORD, sizeof(words));
            if (words == eight) {
                at += 8 * WORD;
                continue;
            }
        }
        if (at % WORD == 0 && end - at >= WORD && shadow[at / WORD] == CUP_UNWRITTEN_NONE) {
            at += WORD;
            continue;
        }
        if (!is_set(shadow, at))
            break;
        at++;
    }
    return at - offset;
}

void cup_unwritten_end(uint64_t address, uint64_t size_bytes)
{
    uint8_t *shadow = cup_unwritten_shadow(address);

    if (shadow)
        cup_unwritten_set(shadow, address % WORD, size_bytes);
}

uint64_t cup_unwritten_find(uint64_t address, uint64_t size_bytes)
{
    const uint8_t *shadow = cup_unwritten_shadow(address);

    return shadow ? cup_unwritten_count(shadow, address % WORD, size_bytes) : size_bytes;
}

static void copy_byte(uint8_t *to, uint64_t to_offset, const uint8_t *from, uint64_t from_offset)
{
    uint8_t bit = (uint8_t)(1u << to_offset % WORD);

    if (is_set(from, from_offset))
        set_bits(to + to_offset / WORD, bit);
    else
        __atomic_fetch_and(to + to_offset / WORD, (uint8_t)~bit, __ATOMIC_RELAXED);
}

static void copy_bytes(uint8_t *written, uint64_t to_offset, const uint8_t *read,
                       uint64_t from_offset, uint64_t size_bytes, bool upwards)
{
    for (uint64_t i = 0; i < size_bytes; i++) {
        uint64_t at = upwards ? i : size_bytes - 1 - i;

        copy_byte(written, to_offset + at, read, from_offset + at);
    }
}

/* Memory may overlap: a copy upwards in memory begins with the last bytes. */
void cup_unwritten_copy(uint64_t to, uint64_t from, uint64_t size_bytes)
{
    uint8_t *written = cup_unwritten_shadow(to);
    const uint8_t *read = cup_unwritten_shadow(from);
    uint64_t words = to % WORD == 0 && from % WORD == 0 ? size_bytes / WORD : 0;
    uint64_t done = words * WORD, left = size_bytes - done;

    if (!written)
        return;
    if (!read) {
        cup_unwritten_set(written, to % WORD, size_bytes);
        return;
    }
    if (to > from)
        copy_bytes(written, to % WORD + done, read, from % WORD + done, left, false);
    memmove(written, read, words);
    if (to <= from)
        copy_bytes(written, to % WORD + done, read, from % WORD + done, left, true);
}
