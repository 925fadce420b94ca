/* SPDX-License-Identifier: MIT */
#include "permutation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cup_permutation_bits(int64_t count)
{
    double n = (double)count;
    double bits = ceil(log2(n - (6 * n * n + 1) / (12 * log(0.9))));

    return bits < 64 ? (int)bits : 64;
}

/* Sorts by 16 bits of the keys and keeps the order of equal ones. */
static void sort_step(int shift, int64_t count, const uint64_t *keys, const int64_t *order,
                      uint64_t *sorted_keys, int64_t *sorted, int64_t *places)
{
    memset(places, 0, 65536 * sizeof(*places));
    for (int64_t i = 0; i < count; i++)
        places[keys[i] >> shift & 0xffff]++;
    for (int64_t i = 0, sum = 0; i < 65536; i++) {
        int64_t here = places[i];

        places[i] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t place = places[keys[i] >> shift & 0xffff]++;

        sorted_keys[place] = keys[i];
        sorted[place] = order[i];
    }
}

static int sort(int bits, int64_t count, uint64_t *keys, int64_t *order)
{
    uint64_t *other_keys = malloc((size_t)count * sizeof(*other_keys));
    int64_t *other = malloc((size_t)count * sizeof(*other));
    int64_t *places = malloc(65536 * sizeof(*places));
    int done = other_keys && other && places;

    for (int shift = 0; done && shift < bits; shift += 16) {
        sort_step(shift, count, keys, order, other_keys, other, places);
        memcpy(keys, other_keys, (size_t)count * sizeof(*keys));
        memcpy(order, other, (size_t)count * sizeof(*order));
    }
    free(places);
    free(other);
    free(other_keys);
    return done;
}

/* Fisher and Yates' shuffle of the `size` numbers whose keys equal that of the first. */
static void shuffle(const struct cup_philox *ties, int64_t first, int64_t size, int64_t *order)
{
    struct cup_philox_stream stream;

    cup_philox_stream_init(&stream, ties, (uint64_t)first);
    for (int64_t i = size - 1; i > 0; i--) {
        int64_t j = cup_philox_stream_next(&stream) % (uint32_t)(i + 1), moved = order[first + i];

        order[first + i] = order[first + j];
        order[first + j] = moved;
    }
}

int cup_permutation_make(const struct cup_philox *ties, int bits, int64_t count, uint64_t *keys,
                         int64_t *order)
{
    uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    /* All bits make a signed number, which sorts as an unsigned one with the other sign. */
    uint64_t sign = bits == 32 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;

    for (int64_t i = 0; i < count; i++) {
        keys[i] = (keys[i] & mask) ^ sign;
        order[i] = i;
    }
    if (!sort(bits, count, keys, order))
        return 0;
    for (int64_t i = 0, size; i < count; i += size) {
        for (size = 1; i + size < count && keys[i + size] == keys[i]; size++)
            ;
        if (size > 1)
            shuffle(ties, i, size, order);
    }
    return 1;
}
