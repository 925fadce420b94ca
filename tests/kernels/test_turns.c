/* SPDX-License-Identifier: MIT */
/* Kernels whose warps wait for each other at barriers of the whole block: in loops, with threads
 * that leave, with lanes that go another way, and with everything a thread may keep while it waits;
 * and loops without barriers.
 * Each has a model in plain C that goes from barrier to barrier. */
#include "kernels.h"

#include <math.h>

enum { THREADS_MAX = 1024, GRID = 3 };

/* Blocks of all kinds: rows of whole warps, lines, two rows a warp, anything. */
static const unsigned shapes[][3] = {{1, 1, 1},    {64, 1, 1},  {70, 1, 1}, {256, 1, 1},
                                     {32, 8, 1},   {16, 9, 1},  {5, 7, 3},  {9, 100, 1},
                                     {1000, 1, 1}, {1024, 1, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef void model(uint32_t *x, unsigned n, unsigned rounds, unsigned block);

static uint32_t word_of(uint32_t i)
{
    i = (i + 1) * 2654435761u;
    return i ^ i >> 15;
}

/* Runs the kernel in blocks of a shape and compares with the model, which gets the words of a block
 * and leaves what the kernel is to write. */
static void check_shape(CUfunction function, const unsigned *shape, unsigned rounds, model *expect)
{
    unsigned n = shape[0] * shape[1] * shape[2], count = GRID * n;
    uint32_t *in = calloc(count, 4), *out = calloc(count, 4);

    for (unsigned i = 0; i < count; i++)
        in[i] = word_of(i);
    CUdeviceptr device_in = device_copy_of(in, count * 4), device_out = device_zeros(count * 4);
    void *parameters[] = {&device_out, &device_in, &rounds};
    check_success(cuLaunchKernel(function, GRID, 1, 1, shape[0], shape[1], shape[2], 0, NULL,
                                 parameters, NULL));
    check_success(cuMemcpyDtoH(out, device_out, count * 4));
    for (unsigned block = 0; block < GRID; block++)
        expect(in + block * n, n, rounds, block);
    for (unsigned i = 0; i < count; i++)
        if (out[i] != in[i])
            test_fail(__FILE__, __LINE__, "%u x %u x %u, thread %u of block %u: %#x, and not %#x",
                      shape[0], shape[1], shape[2], i % n, i / n, out[i], in[i]);
    check_success(cuMemFree(device_in));
    check_success(cuMemFree(device_out));
    free(in);
    free(out);
}

static void check_shapes(const char *file, const char *kernel, unsigned rounds, model *expect)
{
    CUfunction function = kernel_from(file, kernel);

    for (unsigned s = 0; s < SHAPES; s++)
        check_shape(function, shapes[s], rounds, expect);
}

static void check_lines(const char *kernel, unsigned rounds, model *expect)
{
    CUfunction function = kernel_from("kept.ptx", kernel);

    for (unsigned s = 0; s < SHAPES; s++)
        if (shapes[s][1] == 1)
            check_shape(function, shapes[s], rounds, expect);
}

static void nested(uint32_t *x, unsigned n, unsigned rounds, unsigned block)
{
    uint32_t shown[THREADS_MAX];

    (void)block;
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned j = 0; j < i + 2; j++) {
            memcpy(shown, x, n * 4);
            for (unsigned t = 0; t < n; t++)
                x[t] = x[t] * 31 + shown[(t + i + j + 1) % n];
        }
}

TEST(barriers_in_nested_loops)
{
    check_shapes("turns.ptx", "nested", 4, nested);
}

static void leaving(uint32_t *x, unsigned n, unsigned rounds, unsigned block)
{
    uint32_t shown[THREADS_MAX], result[THREADS_MAX];
    bool gone[THREADS_MAX] = {false};

    (void)block;
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned t = 0; t < n; t++) {
            if (gone[t])
                continue;
            gone[t] = (x[t] >> 7) % 11 == r || (t / 32) % 5 == r;
            if (gone[t])
                result[t] = x[t] + r;
            else
                shown[t] = 0;
        }
        for (unsigned t = 0; t < n; t++)
            if (!gone[t])
                shown[x[t] % n] += x[t];
        for (unsigned t = 0; t < n; t++)
            if (!gone[t])
                x[t] = x[t] * 5 + shown[t];
    }
    for (unsigned t = 0; t < n; t++)
        x[t] = gone[t] ? result[t] : x[t] ^ 1;
}

TEST(barriers_with_threads_that_leave)
{
    check_shapes("turns.ptx", "leaving", 7, leaving);
}

static void mixed(uint32_t *x, unsigned n, unsigned rounds, unsigned block)
{
    uint32_t shown[THREADS_MAX];

    (void)block;
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned t = 0; t < n; t++) {
            bool odd = (t ^ r) & 1;
            for (unsigned k = 0; !odd && k < (t & 7); k++)
                x[t] = x[t] * 7 + k;
            shown[t] = odd ? x[t] * 3 : x[t];
        }
        for (unsigned t = 0; t < n; t++) {
            if ((t ^ r) & 1)
                x[t] += shown[n - 1 - t];
            else
                x[t] ^= shown[(t + 1) % n];
        }
        memcpy(shown, x, n * 4);
        for (unsigned t = 0; t < n; t++)
            x[t] += shown[(t + r) % n] >> 3;
    }
}

TEST(barriers_of_all_and_of_parts_of_warps)
{
    check_shapes("turns.ptx", "mixed", 5, mixed);
}

/* One barrier with a reduction; the result is of those that have not left. */
static unsigned vote(const bool *gone, const bool *says, unsigned n, bool *all)
{
    unsigned count = 0;

    *all = true;
    for (unsigned t = 0; t < n; t++) {
        count += !gone[t] && says[t];
        *all &= gone[t] || says[t];
    }
    return count;
}

static void voting(uint32_t *x, unsigned n, unsigned rounds, unsigned block)
{
    bool gone[THREADS_MAX] = {false}, says[THREADS_MAX] = {false}, all, ignored;

    (void)block;
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned t = 0; t < n; t++) {
            gone[t] |= x[t] % 17 == 3 && t % 32 > 20;
            says[t] = x[t] & 4;
        }
        unsigned count = vote(gone, says, n, &ignored);
        for (unsigned t = 0; t < n; t++) {
            x[t] = gone[t] ? x[t] : x[t] * 3 + count;
            says[t] = x[t] > 1000 + r;
        }
        vote(gone, says, n, &all);
        for (unsigned t = 0; t < n; t++)
            says[t] = x[t] % 64 == r;
        unsigned any = vote(gone, says, n, &ignored) != 0;
        for (unsigned t = 0; t < n; t++)
            x[t] += gone[t] ? 0 : (unsigned)all * 2 + any;
    }
}

TEST(barriers_that_vote)
{
    check_shapes("turns.ptx", "voting", 6, voting);
}

static void locals(uint32_t *x, unsigned n, unsigned rounds, unsigned block)
{
    static uint32_t mine[THREADS_MAX][16];
    uint32_t shown[THREADS_MAX];

    (void)block;
    for (unsigned t = 0; t < n; t++)
        for (unsigned i = 0; i < 16; i++)
            mine[t][i] = x[t] + i * i;
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned t = 0; t < n; t++)
            shown[t] = mine[t][(x[t] + r) % 16];
        for (unsigned t = 0; t < n; t++) {
            mine[t][x[t] % 16] += shown[(t + 3 * r) % n];
            x[t] = x[t] * 9 + mine[t][(x[t] >> 4) % 16];
        }
    }
    for (unsigned t = 0; t < n; t++)
        for (unsigned i = 0; i < 16; i++)
            x[t] = x[t] * 3 + mine[t][i];
}

TEST(local_memory_across_barriers)
{
    check_shapes("turns.ptx", "locals", 5, locals);
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t types_of_one(uint32_t x, unsigned t, unsigned block, unsigned rounds)
{
    bool p = x & 1;
    uint16_t h = (uint16_t)(x >> 3);
    uint32_t w = x * 2654435761u;
    uint64_t d = x * UINT64_C(0x9E3779B97F4A7C15), low = d, high = d ^ w;
    float f = (float)(x & 0xffff);
    double g = x;

    for (unsigned r = 0; r < rounds; r++) {
        if (((x >> 5) + r) % 4 == 1 && t < 70) {
            w += 3;
            p = !p;
            f += 0.5f;
        }
        h = (uint16_t)(h + block * 7);
        w = w * 5 + h + (p ? 9 : 0);
        d += w;
        f += 1;
        g += 1;
    }
    w ^= x >> 31;
    w ^= (uint32_t)d ^ (uint32_t)(d >> 32) ^ h ^ (p ? 0x10000 : 0) ^ (block & 1 ? 0x20000 : 0);
    w ^= bits_of_float(f) ^ (uint32_t)bits_of_double(g) ^ (uint32_t)(bits_of_double(g) >> 32);
    return w ^ (t * 4 + block) ^ (uint32_t)low ^ (uint32_t)(high >> 32);
}

static void types(uint32_t *x, unsigned n, unsigned rounds, unsigned block)
{
    for (unsigned t = 0; t < n; t++)
        x[t] = types_of_one(x[t], t, block, rounds);
}

TEST(registers_of_all_types_across_barriers)
{
    check_lines("types", 5, types);
}

static void apart(uint32_t *x, unsigned n, unsigned rounds, unsigned block)
{
    (void)block;
    for (unsigned t = 0; t < n; t++) {
        uint32_t sum = 0;
        for (unsigned r = 0; r < rounds; r++)
            sum = t < r * 5 ? sum * 3 + 2 + t + 100 + 4 + 6 + t + 100 + 2 + 4 + 7
                            : sum * 3 + 1 + t + 3 + 5 + t + 1 + 2;
        x[t] = sum;
    }
}

TEST(registers_that_lanes_no_longer_have_in_common)
{
    check_lines("apart", 30, apart);
}

TEST(what_is_printed_before_a_barrier_comes_first)
{
    enum { BLOCKS = 4, BLOCK = 150 };
    CUfunction function = kernel_from("turns.ptx", "printing");
    CUdeviceptr out = device_zeros(BLOCKS * BLOCK * 4);
    unsigned rounds = 0, firsts[BLOCKS] = {0}, seconds[BLOCKS] = {0}, block, t;
    void *parameters[] = {&out, &out, &rounds};
    FILE *captured = tmpfile();
    int saved = dup(STDOUT_FILENO);
    char line[80];

    fflush(stdout);
    check(captured && dup2(fileno(captured), STDOUT_FILENO) == STDOUT_FILENO);
    launch_line(function, BLOCKS, BLOCK, 0, parameters);
    check_success(cuCtxSynchronize());
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    rewind(captured);
    while (fgets(line, sizeof line, captured)) {
        if (sscanf(line, "first %u %u", &block, &t) == 2) {
            check(block < BLOCKS && t % 3 == 0 && seconds[block] == 0);
            firsts[block]++;
        } else {
            check(sscanf(line, "second %u %u", &block, &t) == 2);
            check(block < BLOCKS && t % 5 == 0 && firsts[block] == BLOCK / 3);
            seconds[block]++;
        }
    }
    for (unsigned b = 0; b < BLOCKS; b++)
        check(firsts[b] == BLOCK / 3 && seconds[b] == BLOCK / 5);
    fclose(captured);
}

/* A thread in the middle of a block fails between two barriers. */
static void check_fails(const char *kernel, CUresult error)
{
    CUfunction function = kernel_from("turns.ptx", kernel);
    uint64_t wild = 0xdead00000000u;
    CUdeviceptr out = device_zeros(4096), in = device_copy_of(&wild, sizeof wild);
    unsigned rounds = 0;
    void *parameters[] = {&out, &in, &rounds};

    launch_line(function, 20, 128, 0, parameters);
    check_result(cuCtxSynchronize(), error);
    check_result(cuCtxSynchronize(), error);
}

TEST(trap_between_barriers)
{
    check_fails("trapping", CUDA_ERROR_LAUNCH_FAILED);
}

TEST(wild_address_between_barriers)
{
    check_fails("straying", CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* Sums as the kernel forms them, so that they are the same to the last bit. */
static float striding(const float *in, unsigned count, unsigned block, unsigned blocks, unsigned n)
{
    float partial[THREADS_MAX];

    for (unsigned t = 0; t < n; t++) {
        partial[t] = 0;
        for (unsigned i = block * n + t; i < count; i += blocks * n)
            partial[t] += in[i];
    }
    for (unsigned half = 512; half > 0; half /= 2)
        for (unsigned t = 0; t < half && t + half < n; t++)
            partial[t] += partial[t + half];
    return partial[0];
}

TEST(loops_in_the_steps_of_a_grid)
{
    static const unsigned sizes[][2] = {{1, 32},  {4, 64},  {3, 100},  {16, 256},
                                        {7, 512}, {2, 999}, {5, 1024}, {40, 256}};
    enum { COUNT = 1000003 };
    CUfunction function = kernel_from("turns.ptx", "striding");
    float *in = malloc(COUNT * sizeof *in), out[64];

    for (unsigned i = 0; i < COUNT; i++)
        in[i] = (float)(word_of(i) >> 8) / 65536.0f - 100;
    CUdeviceptr device_in = device_copy_of(in, COUNT * sizeof *in),
                device_out = device_zeros(sizeof out);
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (unsigned count = 5; count <= COUNT; count = count == COUNT ? COUNT + 1 : COUNT) {
            void *parameters[] = {&device_out, &device_in, &count};
            launch_line(function, sizes[s][0], sizes[s][1], 0, parameters);
            check_success(cuMemcpyDtoH(out, device_out, sizeof out));
            for (unsigned b = 0; b < sizes[s][0]; b++)
                check(out[b] == striding(in, count, b, sizes[s][0], sizes[s][1]));
        }
    free(in);
}

static void rows(uint32_t *x, unsigned n, unsigned rounds, unsigned block)
{
    uint32_t first = x[0];

    (void)block;
    for (unsigned t = 0; t < n; t++) {
        uint32_t sum = 0;

        for (unsigned r = 0; r < rounds; r++)
            sum = (sum * 31 + x[t]) ^ (first + r);
        x[t] = sum;
    }
}

TEST(loops_that_all_threads_leave_together)
{
    static const unsigned narrow[][3] = {{16, 16, 1}, {16, 2, 3}, {8, 8, 2}};
    CUfunction function = kernel_from("rows.ptx", "rows");

    for (unsigned s = 0; s < sizeof narrow / sizeof *narrow; s++)
        check_shape(function, narrow[s], 9, rows);
    check_shapes("rows.ptx", "rows", 9, rows);
}

TEST(loops_that_some_warps_leave_first)
{
    enum { COUNT = 1 << 20 };
    CUfunction function = kernel_from("turns.ptx", "stairs");
    uint32_t *in = malloc(COUNT * sizeof *in), sum[THREADS_MAX], shown[THREADS_MAX],
             out[THREADS_MAX];

    for (unsigned i = 0; i < COUNT; i++)
        in[i] = word_of(i);
    CUdeviceptr device_in = device_copy_of(in, COUNT * sizeof *in),
                device_out = device_zeros(sizeof out);
    for (unsigned n = 96; n <= THREADS_MAX;
         n = n * 2 > THREADS_MAX && n < THREADS_MAX ? 1024 : n * 2) {
        unsigned count = COUNT;
        void *parameters[] = {&device_out, &device_in, &count};
        launch_line(function, 1, n, 0, parameters);
        check_success(cuMemcpyDtoH(out, device_out, n * 4));
        memset(sum, 0, sizeof sum);
        for (unsigned k = 0; k < 3; k++) {
            for (unsigned t = 0; t < n; t++) {
                for (unsigned i = t; i < COUNT / 8 * ((t / 32 + k) % 9); i += n)
                    sum[t] += in[i];
                shown[t] = sum[t];
            }
            for (unsigned t = 0; t < n; t++)
                sum[t] = sum[t] * 3 + shown[(t + 33) % n];
        }
        check(memcmp(out, sum, n * 4) == 0);
    }
    free(in);
}
