/* SPDX-License-Identifier: MIT */
/* Sorting and prefix sums. */
#include "kinds.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEYS = 1 << 20,
    TILE = 2048, /* keys of a block in radix_count and radix_scatter */
    DIGITS = 16,
    NUMBERS = 16 << 20,
    SCAN_TILE = 1024, /* numbers of a block of 256 threads */
    PIECE = 1024,
    MOST_THREADS = 256,
};

static struct data in, out, other, counts;
static struct launch first, second, third;

static void open_radix(void)
{
    in = data_of_words(KEYS);
    out = data_create(KEYS * sizeof(unsigned));
    other = data_create(KEYS * sizeof(unsigned));
    counts = data_create(KEYS / TILE * DIGITS * sizeof(unsigned));
    first =
        (struct launch){kernel_named("sorting", "radix_count"), {KEYS / TILE, 1, 1}, {256, 1, 1}};
    second = (struct launch){kernel_named("sorting", "scan_counts"), {1, 1, 1}, {1024, 1, 1}};
    third =
        (struct launch){kernel_named("sorting", "radix_scatter"), {KEYS / TILE, 1, 1}, {256, 1, 1}};
}

static void cuda_radix(void)
{
    static int count = KEYS / TILE * DIGITS;

    for (int shift = 0; shift < 32; shift += 4) {
        CUdeviceptr *from = shift == 0  ? &in.device
                            : shift & 4 ? &other.device
                                        : &out.device,
                    *to = shift & 4 ? &out.device : &other.device;

        RUN(first, from, &counts.device, &shift);
        RUN(second, &counts.device, &count);
        RUN(third, from, to, &counts.device, &shift);
    }
}

/* A pass over 8 bits: each thread counts its part and then places it. */
static void radix_pass(const unsigned *from, unsigned *to, int shift)
{
    static unsigned places[MOST_THREADS][256];

#pragma omp parallel num_threads(omp_get_max_threads() < MOST_THREADS ? omp_get_max_threads()      \
                                                                      : MOST_THREADS)
    {
        int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        size_t start = (size_t)KEYS * thread / threads, end = (size_t)KEYS * (thread + 1) / threads;
        unsigned *own = places[thread], sum = 0;

        memset(own, 0, sizeof places[0]);
        for (size_t i = start; i < end; i++)
            own[from[i] >> shift & 255]++;
#pragma omp barrier
#pragma omp single
        for (int digit = 0; digit < 256; digit++)
            for (int i = 0; i < threads; i++) {
                unsigned count = places[i][digit];
                places[i][digit] = sum;
                sum += count;
            }
        for (size_t i = start; i < end; i++)
            to[own[from[i] >> shift & 255]++] = from[i];
    }
}

static void native_radix(void)
{
    radix_pass(in.host, other.host, 0);
    radix_pass(other.host, out.host, 8);
    radix_pass(out.host, other.host, 16);
    radix_pass(other.host, out.host, 24);
}

static bool agree(void)
{
    return same_words(out);
}

static void open_scan(void)
{
    in = data_of_words(NUMBERS);
    out = data_create((size_t)NUMBERS * sizeof(unsigned));
    counts = data_create(NUMBERS / SCAN_TILE * sizeof(unsigned));
    first = (struct launch){
        kernel_named("sorting", "scan_sums"), {NUMBERS / SCAN_TILE, 1, 1}, {256, 1, 1}};
    second = (struct launch){kernel_named("sorting", "scan_counts"), {1, 1, 1}, {1024, 1, 1}};
    third = (struct launch){
        kernel_named("sorting", "scan_write"), {NUMBERS / SCAN_TILE, 1, 1}, {256, 1, 1}};
}

static void cuda_scan(void)
{
    static int count = NUMBERS / SCAN_TILE;

    RUN(first, &in.device, &counts.device);
    RUN(second, &counts.device, &count);
    RUN(third, &in.device, &counts.device, &out.device);
}

static void native_scan(void)
{
    static unsigned sums[MOST_THREADS];
    const unsigned *from = in.host;
    unsigned *to = out.host;

#pragma omp parallel num_threads(omp_get_max_threads() < MOST_THREADS ? omp_get_max_threads()      \
                                                                      : MOST_THREADS)
    {
        int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        size_t start = (size_t)NUMBERS * thread / threads,
               end = (size_t)NUMBERS * (thread + 1) / threads;
        unsigned sum = 0;

        for (size_t i = start; i < end; i++)
            sum += from[i];
        sums[thread] = sum;
#pragma omp barrier
        sum = 0;
        for (int i = 0; i < thread; i++)
            sum += sums[i];
        for (size_t i = start; i < end; i++)
            to[i] = sum += from[i];
    }
}

static void open_bitonic(void)
{
    in = data_of_words(KEYS);
    out = data_create(KEYS * sizeof(unsigned));
    first = (struct launch){
        kernel_named("sorting", "bitonic"), {KEYS / PIECE, 1, 1}, {PIECE / 2, 1, 1}};
}

static void cuda_bitonic(void)
{
    RUN(first, &in.device, &out.device);
}

static void sort_few(unsigned *keys, int count)
{
    for (int i = 1; i < count; i++) {
        unsigned key = keys[i];
        int j = i;
        for (; j > 0 && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

static void quick_sort(unsigned *keys, int count)
{
    while (count > 16) {
        unsigned a = keys[0], b = keys[count / 2], c = keys[count - 1];
        unsigned middle = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        int low = 0, high = count - 1;

        while (low <= high) {
            while (keys[low] < middle)
                low++;
            while (keys[high] > middle)
                high--;
            if (low <= high) {
                unsigned key = keys[low];
                keys[low++] = keys[high];
                keys[high--] = key;
            }
        }
        quick_sort(keys + low, count - low);
        count = high + 1;
    }
    sort_few(keys, count);
}

static void native_pieces(void)
{
    const unsigned *from = in.host;
    unsigned *to = out.host;

#pragma omp parallel for
    for (int i = 0; i < KEYS / PIECE; i++) {
        memcpy(to + i * PIECE, from + i * PIECE, PIECE * sizeof(unsigned));
        quick_sort(to + i * PIECE, PIECE);
    }
}

const struct kind sorting_kinds[] = {
    {"radix sort of 2^20 keys", open_radix, cuda_radix, native_radix, agree},
    {"prefix sums of 2^24 numbers", open_scan, cuda_scan, native_scan, agree},
    {"bitonic sort in shared memory", open_bitonic, cuda_bitonic, native_pieces, agree},
    {.name = NULL},
};
