/* SPDX-License-Identifier: MIT */
/* Addresses that come from data: sparse matrices, histograms, graphs, neighbours, searching. */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 1 << 18,
    BYTES = 32 << 20,
    NODES = 1 << 18,
    DEGREE = 8,
    ATOMS = 32768,
    NEIGHBOURS = 64,
    TEXT = 16 << 20,
    PATTERN = 10,
};

static struct data starts, columns, values, x, y;
static struct launch launch;

/* Rows of 4 to 28 elements within 2,000 columns of the diagonal. */
static void open_spmv(void)
{
    uint64_t random = 1234567;

    starts = data_create((ROWS + 1) * sizeof(int));
    int *start = starts.host;
    for (int i = 0; i < ROWS; i++)
        start[i + 1] = start[i] + 4 + (int)(bench_random(&random) % 25);
    columns = data_create((size_t)start[ROWS] * sizeof(int));
    for (int i = 0; i < ROWS; i++)
        for (int j = start[i]; j < start[i + 1]; j++)
            ((int *)columns.host)[j] = (int)(i + bench_random(&random) % 2000) % ROWS;
    values = data_of_floats((size_t)start[ROWS], -1, 1);
    x = data_of_floats(ROWS, -1, 1);
    y = data_create(ROWS * sizeof(float));
    data_upload(starts);
    data_upload(columns);
    launch = (struct launch){kernel_named("irregular", "spmv"), {ROWS / 128, 1, 1}, {128, 1, 1}};
}

static void cuda_spmv(void)
{
    static int rows = ROWS;

    RUN(launch, &starts.device, &columns.device, &values.device, &x.device, &y.device, &rows);
}

static void native_spmv(void)
{
    const int *start = starts.host, *column = columns.host;
    const float *value = values.host, *from = x.host;
    float *to = y.host;

#pragma omp parallel for
    for (int row = 0; row < ROWS; row++) {
        float sum = 0;
        for (int i = start[row]; i < start[row + 1]; i++)
            sum += value[i] * from[column[i]];
        to[row] = sum;
    }
}

static bool agree_spmv(void)
{
    return same_floats(y, 1e-5f);
}

static void open_histogram(void)
{
    x = data_of_words(BYTES / 4);
    y = data_create(256 * sizeof(unsigned));
    launch = (struct launch){kernel_named("irregular", "histogram"), {256, 1, 1}, {256, 1, 1}};
}

static void cuda_histogram(void)
{
    static int words = BYTES / 4;

    must(cuMemsetD8Async(y.device, 0, y.bytes, NULL));
    RUN(launch, &x.device, &y.device, &words);
}

static void native_histogram(void)
{
    const uint8_t *from = x.host;
    unsigned *bins = y.host;

    memset(bins, 0, y.bytes);
#pragma omp parallel
    {
        unsigned own[256] = {0};
#pragma omp for nowait
        for (int i = 0; i < BYTES; i++)
            own[from[i]]++;
        for (int i = 0; i < 256; i++)
#pragma omp atomic
            bins[i] += own[i];
    }
}

static bool agree_words(void)
{
    return same_words(y);
}

static struct data edges, fronts[2], count;

static void open_bfs(void)
{
    uint64_t random = 7654321;

    starts = data_create((NODES + 1) * sizeof(int));
    edges = data_create((size_t)NODES * DEGREE * sizeof(int));
    y = data_create(NODES * sizeof(int));
    fronts[0] = data_create(NODES * sizeof(int));
    fronts[1] = data_create(NODES * sizeof(int));
    count = data_create(sizeof(int));
    for (int i = 0; i <= NODES; i++)
        ((int *)starts.host)[i] = i * DEGREE;
    for (int i = 0; i < NODES * DEGREE; i++)
        ((int *)edges.host)[i] = (int)(bench_random(&random) % NODES);
    data_upload(starts);
    data_upload(edges);
    launch = (struct launch){kernel_named("irregular", "bfs"), {1, 1, 1}, {256, 1, 1}};
}

static void cuda_bfs(void)
{
    static const int zero;
    int front_count = 1;

    must(cuMemsetD32Async(y.device, ~0u, NODES, NULL));
    must(cuMemcpyHtoD(y.device, &zero, sizeof zero));
    must(cuMemcpyHtoD(fronts[0].device, &zero, sizeof zero));
    for (int level = 1; front_count > 0; level++) {
        CUdeviceptr *from = &fronts[(level + 1) & 1].device, *to = &fronts[level & 1].device;

        must(cuMemsetD32Async(count.device, 0, 1, NULL));
        launch.grid[0] = (unsigned)(front_count + 255) / 256;
        RUN(launch, &starts.device, &edges.device, &y.device, from, &front_count, to, &count.device,
            &level);
        must(cuMemcpyDtoH(&front_count, count.device, sizeof front_count));
    }
}

static int native_level(const int *from, int from_count, int *to, int level)
{
    const int *start = starts.host, *edge = edges.host;
    int *distances = y.host, to_count = 0;

#pragma omp parallel for schedule(dynamic, 256)
    for (int i = 0; i < from_count; i++)
        for (int j = start[from[i]]; j < start[from[i] + 1]; j++) {
            int other = edge[j], unseen = -1;
            if (__atomic_load_n(&distances[other], __ATOMIC_RELAXED) == -1 &&
                __atomic_compare_exchange_n(&distances[other], &unseen, level, false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                to[__atomic_fetch_add(&to_count, 1, __ATOMIC_RELAXED)] = other;
        }
    return to_count;
}

static void native_bfs(void)
{
    int front_count = 1;

    memset(y.host, 0xff, y.bytes);
    ((int *)y.host)[0] = 0;
    ((int *)fronts[0].host)[0] = 0;
    for (int level = 1; front_count > 0; level++)
        front_count =
            native_level(fronts[(level + 1) & 1].host, front_count, fronts[level & 1].host, level);
}

static struct data by_atom;

/* Atoms of a lattice, each a little beside its place; neighbours are around it in memory, too. */
static void open_molecules(void)
{
    uint64_t random = 13579;

    x = data_of_floats(4 * ATOMS, 0, 0.4f);
    y = data_create(4 * ATOMS * sizeof(float));
    columns = data_create((size_t)ATOMS * NEIGHBOURS * sizeof(int));
    by_atom = data_create(columns.bytes);
    for (int i = 0; i < ATOMS; i++) {
        float *place = (float *)x.host + 4 * i;
        place[0] += (float)(i & 31);
        place[1] += (float)(i >> 5 & 31);
        place[2] += (float)(i >> 10);
        for (int j = 0; j < NEIGHBOURS; j++) {
            int step = (int)(bench_random(&random) % 5) - 2 +
                       32 * ((int)(bench_random(&random) % 5) - 2) +
                       1024 * ((int)(bench_random(&random) % 5) - 2);
            int other = (i + (step ? step : 1) + ATOMS) % ATOMS;
            ((int *)columns.host)[j * ATOMS + i] = other;
            ((int *)by_atom.host)[i * NEIGHBOURS + j] = other;
        }
    }
    data_upload(x);
    data_upload(columns);
    launch =
        (struct launch){kernel_named("irregular", "molecules"), {ATOMS / 128, 1, 1}, {128, 1, 1}};
}

static float cut = 4;

static void cuda_molecules(void)
{
    static int atoms = ATOMS, neighbours = NEIGHBOURS;

    RUN(launch, &x.device, &columns.device, &y.device, &atoms, &neighbours, &cut);
}

static void native_molecules(void)
{
    const float *place = x.host;
    float *force = y.host;
    const int *list = by_atom.host;

#pragma omp parallel for
    for (int i = 0; i < ATOMS; i++) {
        float sums[3] = {0}, own[3] = {place[4 * i], place[4 * i + 1], place[4 * i + 2]};

        for (int j = 0; j < NEIGHBOURS; j++) {
            const float *other = place + 4 * list[i * NEIGHBOURS + j];
            float dx = own[0] - other[0], dy = own[1] - other[1], dz = own[2] - other[2];
            float square = dx * dx + dy * dy + dz * dz;
            if (square < cut) {
                float inverse = 1.0f / square, sixth = inverse * inverse * inverse;
                float pull = inverse * sixth * (1.5f * sixth - 2.0f);
                sums[0] += dx * pull;
                sums[1] += dy * pull;
                sums[2] += dz * pull;
            }
        }
        memcpy(force + 4 * i, sums, sizeof sums);
    }
}

static bool agree_molecules(void)
{
    return same_floats(y, 1e-3f);
}

static char pattern[32];

static void open_search(void)
{
    x = data_of_words(TEXT / 4);
    y = data_create(sizeof(unsigned));
    char *text = x.host;
    for (int i = 0; i < TEXT; i++)
        text[i] = "acgt"[text[i] & 3];
    memcpy(pattern, text + TEXT / 2, PATTERN);
    data_upload(x);
    set_constant("irregular", "pattern", pattern, sizeof pattern);
    launch = (struct launch){kernel_named("irregular", "search"), {TEXT / 256, 1, 1}, {256, 1, 1}};
}

static void cuda_search(void)
{
    static int bytes = TEXT, pattern_bytes = PATTERN;

    must(cuMemsetD8Async(y.device, 0, y.bytes, NULL));
    RUN(launch, &x.device, &bytes, &pattern_bytes, &y.device);
}

static void native_search(void)
{
    const char *text = x.host;
    unsigned found = 0;

#pragma omp parallel for reduction(+ : found)
    for (int i = 0; i <= TEXT - PATTERN; i++) {
        int same = 0;
        while (same < PATTERN && text[i + same] == pattern[same])
            same++;
        found += same == PATTERN;
    }
    *(unsigned *)y.host = found;
}

const struct kind irregular_kinds[] = {
    {"sparse matrix (CSR), a row a thread", open_spmv, cuda_spmv, native_spmv, agree_spmv},
    {"histogram of 32 MiB", open_histogram, cuda_histogram, native_histogram, agree_words},
    {"breadth-first search, 2^18 nodes", open_bfs, cuda_bfs, native_bfs, agree_words},
    {"molecules, 64 neighbours each", open_molecules, cuda_molecules, native_molecules,
     agree_molecules},
    {"string search in 16 MiB", open_search, cuda_search, native_search, agree_words},
    {.name = NULL},
};
