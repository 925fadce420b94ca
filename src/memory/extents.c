/* SPDX-License-Identifier: MIT */
#include "memory/extents.h"

#include "core/align.h"

#include <assert.h>
#include <string.h>

void cup_extents_init(struct cup_extents *extents, struct cup_extent_node *nodes,
                      uint64_t *first_bits, uint64_t *last_bits)
{
    memset(extents, 0, sizeof(*extents));
    memset(extents->heads, 0xff, sizeof(extents->heads));
    extents->nodes = nodes;
    extents->first_bits = first_bits;
    extents->last_bits = last_bits;
}

/* The class of extents of this length. */
static unsigned class_of(uint32_t length)
{
    if (length < 16)
        return length;
    unsigned top = 31 - (unsigned)__builtin_clz(length);
    return 16 + (top - 4) * 8 + ((length >> (top - 3)) & 7);
}

static void set_bit(uint64_t *bits, uint32_t index)
{
    bits[index / 64] |= UINT64_C(1) << (index % 64);
}

static void clear_bit(uint64_t *bits, uint32_t index)
{
    bits[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

static bool test_bit(const uint64_t *bits, uint32_t index)
{
    return bits[index / 64] >> (index % 64) & 1;
}

static void insert(struct cup_extents *extents, uint32_t first, uint32_t length)
{
    struct cup_extent_node *node = &extents->nodes[first];
    unsigned class = class_of(length);
    uint32_t head = extents->heads[class];

    node->length = length;
    node->next = head;
    node->previous = CUP_EXTENT_NONE;
    if (head != CUP_EXTENT_NONE)
        extents->nodes[head].previous = first;
    extents->heads[class] = first;
    extents->occupied[class / 64] |= UINT64_C(1) << (class % 64);
    extents->nodes[first + length - 1].length = length;
    set_bit(extents->first_bits, first);
    set_bit(extents->last_bits, first + length - 1);
}

void cup_extents_remove(struct cup_extents *extents, uint32_t first)
{
    struct cup_extent_node *node = &extents->nodes[first];
    unsigned class = class_of(node->length);

    if (node->previous != CUP_EXTENT_NONE)
        extents->nodes[node->previous].next = node->next;
    else
        extents->heads[class] = node->next;
    if (node->next != CUP_EXTENT_NONE)
        extents->nodes[node->next].previous = node->previous;
    if (extents->heads[class] == CUP_EXTENT_NONE)
        extents->occupied[class / 64] &= ~(UINT64_C(1) << (class % 64));
    clear_bit(extents->first_bits, first);
    clear_bit(extents->last_bits, first + node->length - 1);
}

/* The first occupied class from `class` on, or CUP_EXTENT_CLASSES. */
static unsigned occupied_from(const struct cup_extents *extents, unsigned class)
{
    for (unsigned word = class / 64; word < sizeof(extents->occupied) / 8; word++) {
        uint64_t bits = extents->occupied[word];
        if (word == class / 64)
            bits &= ~UINT64_C(0) << (class % 64);
        if (bits)
            return word * 64 + (unsigned)__builtin_ctzll(bits);
    }
    return CUP_EXTENT_CLASSES;
}

/* An extent in the class just below may still be long enough: search it before giving up, so that
 * no usable memory is missed. */
static uint32_t search_class(const struct cup_extents *extents, unsigned class, uint32_t count)
{
    uint32_t at = extents->heads[class];

    while (at != CUP_EXTENT_NONE && extents->nodes[at].length < count)
        at = extents->nodes[at].next;
    return at;
}

uint32_t cup_extents_take(struct cup_extents *extents, uint32_t count)
{
    /* All extents of the classes above that of count - 1 are long enough. */
    unsigned class = occupied_from(extents, class_of(count - 1) + 1);
    uint32_t first = class < CUP_EXTENT_CLASSES ? extents->heads[class]
                                                : search_class(extents, class_of(count), count);

    if (first == CUP_EXTENT_NONE)
        return CUP_EXTENT_NONE;
    uint32_t length = extents->nodes[first].length;
    assert(length >= count);
    cup_extents_remove(extents, first);
    if (length > count)
        insert(extents, first + count, length - count);
    return first;
}

uint32_t cup_extents_take_aligned(struct cup_extents *extents, uint32_t count, uint32_t align,
                                  uint32_t high)
{
    uint32_t longer = count + align - 1, unused, first = cup_extents_take(extents, longer);

    if (first == CUP_EXTENT_NONE)
        return CUP_EXTENT_NONE;
    uint32_t start = (uint32_t)cup_align_up(first, align), end = start + count;
    if (start > first)
        cup_extents_give(extents, first, start - first, 0, high, &unused);
    if (first + longer > end)
        cup_extents_give(extents, end, first + longer - end, 0, high, &unused);
    return start;
}

/* The free extent that begins nearest before the granule, or at it. */
static uint32_t extent_before(const struct cup_extents *extents, uint32_t granule)
{
    uint32_t word = granule / 64;
    uint64_t bits = extents->first_bits[word] & (~UINT64_C(0) >> (63 - granule % 64));

    while (!bits) {
        if (word == 0)
            return CUP_EXTENT_NONE;
        bits = extents->first_bits[--word];
    }
    return word * 64 + 63 - (uint32_t)__builtin_clzll(bits);
}

bool cup_extents_take_at(struct cup_extents *extents, uint32_t start, uint32_t count)
{
    uint32_t first = extent_before(extents, start);

    if (first == CUP_EXTENT_NONE)
        return false;
    uint32_t length = extents->nodes[first].length, before = start - first;
    if (before >= length || count > length - before)
        return false;
    cup_extents_remove(extents, first);
    if (before)
        insert(extents, first, before);
    if (length - before > count)
        insert(extents, start + count, length - before - count);
    return true;
}

uint32_t cup_extents_give(struct cup_extents *extents, uint32_t start, uint32_t count, uint32_t low,
                          uint32_t high, uint32_t *first)
{
    uint32_t end = start + count;

    if (start > low && test_bit(extents->last_bits, start - 1)) {
        uint32_t before = start - extents->nodes[start - 1].length;
        cup_extents_remove(extents, before);
        start = before;
    }
    if (end < high && test_bit(extents->first_bits, end)) {
        uint32_t length = extents->nodes[end].length;
        cup_extents_remove(extents, end);
        end += length;
    }
    insert(extents, start, end - start);
    *first = start;
    return end - start;
}

uint32_t cup_extents_free_before(const struct cup_extents *extents, uint32_t granule)
{
    if (granule == 0 || !test_bit(extents->last_bits, granule - 1))
        return 0;
    return extents->nodes[granule - 1].length;
}
