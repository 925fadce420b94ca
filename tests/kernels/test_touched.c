/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=streams knows exactly which bytes a kernel touches, in loops of all kinds. A kernel
 * runs in one stream; another stream writes each byte by itself, without an order. There must be a
 * report for every byte that the model of the kernel touches, and none for any other. */
#include "kernels.h"

#include "checks.h"

#include <sched.h>

enum { WORDS = 1 << 14, FOUND_AT = 37 };

typedef uint32_t word;

/* One thread of the model. */
static struct {
    int column, row, width, height, block, grid;
} now;
static word memory[WORDS];
static bool touched[4 * WORDS];

static void touch(int byte, int count)
{
    check(byte >= 0 && byte + count <= 4 * WORDS);
    memset(touched + byte, true, (size_t)count);
}

static word get(int i)
{
    touch(4 * i, 4);
    return memory[i];
}

static void put(int i, word value)
{
    touch(4 * i, 4);
    memory[i] = value;
}

static word get_byte(int i)
{
    touch(i, 1);
    return ((const unsigned char *)memory)[i];
}

#define KERNEL(name) static void name(int a, int b, int c)
#define GET(i) get(i)
#define PUT(i, value) put(i, value)
#define BYTE(i) get_byte(i)
#define ADD(i) touch(4 * (i), 4)
#define KEEP(value) (void)(value)
#define WAIT
#define NO_UNROLL
#define COLUMN now.column
#define ROW now.row
#define WIDTH now.width
#define BLOCK now.block
#define GRID now.grid
#define THREADS (now.width * now.height)
#define THREAD (now.column + now.width * now.row)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "touched.inc"
#pragma GCC diagnostic pop

struct program {
    const char *name;
    void (*model)(int a, int b, int c);
    int grid, width, height, a, b, c;
};

static struct program program;
static unsigned unit; /* bytes that are written at a time */

static void run_model(void)
{
    memset(memory, 0, sizeof memory);
    memset(touched, 0, sizeof touched);
    memory[FOUND_AT] = 7;
    for (now.block = 0; now.block < now.grid; now.block++)
        for (now.row = 0; now.row < now.height; now.row++)
            for (now.column = 0; now.column < now.width; now.column++)
                program.model(program.a, program.b, program.c);
}

/* Waits for a stream in a way that orders nothing, so that there is a report for each write: of
 * tasks that end before the kernel only some are reported. */
static void wait_unseen(CUstream stream)
{
    uint32_t *flag;
    CUdeviceptr device_flag;

    check_success(cuMemHostAlloc((void **)&flag, sizeof *flag, CU_MEMHOSTALLOC_DEVICEMAP));
    *flag = 0;
    check_success(cuMemHostGetDevicePointer(&device_flag, flag, 0));
    check_success(cuStreamWriteValue32(stream, device_flag, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void run_kernel(void)
{
    CUdeviceptr device;
    CUstream streams[2];

    with_check("streams");
    CUfunction kernel = kernel_of(module_from("touched.ptx"), program.name);
    device = device_zeros(sizeof memory);
    check_success(cuMemsetD32(device + 4 * FOUND_AT, 7, 1));
    check_success(cuCtxSynchronize());
    for (int i = 0; i < 2; i++)
        check_success(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    void *parameters[] = {&device, &program.a, &program.b, &program.c};
    check_success(cuLaunchKernel(kernel, (unsigned)program.grid, 1, 1, (unsigned)program.width,
                                 (unsigned)program.height, 1, 0, streams[0], parameters, NULL));
    wait_unseen(streams[0]);
    for (unsigned i = 0; i < sizeof memory; i += unit)
        check_success(unit == 1 ? cuMemsetD8Async(device + i, 0, 1, streams[1])
                                : cuMemsetD32Async(device + i, 0, 1, streams[1]));
    check_success(cuCtxSynchronize());
}

/* The number of reports: "found: streams 2, and 1,023 of the same". */
static unsigned number_of_reports(const struct told *told)
{
    const char *at = strstr(told->text, "CUPIPE_CHECK found: streams ");
    unsigned sum = 0, number = 0;

    for (; at && *at && *at != '\n'; at++) {
        if (*at >= '0' && *at <= '9')
            number = 10 * number + (unsigned)(*at - '0');
        else if (*at != ',' || at[1] == ' ') {
            sum += number;
            number = 0;
        }
    }
    return sum + number;
}

/* Whether the reports begin with the first byte that the model touches. */
static void check_first(const struct told *told, unsigned first)
{
    char words[64];

    snprintf(words, sizeof words, "%u bytes into the %zu bytes", first, sizeof memory);
    check_says(told, words);
}

static void check_program(struct program wanted)
{
    unsigned expected = 0, first = 0;

    program = wanted;
    now.grid = program.grid;
    now.width = program.width;
    now.height = program.height;
    run_model();
    unit = program.model == bytes ? 1 : 4;
    for (unsigned i = 0; i < sizeof memory; i += unit) {
        first = expected == 0 ? i : first;
        expected += touched[i];
    }
    struct told *told = told_well_by(run_kernel);
    if (number_of_reports(told) != expected)
        test_fail(__FILE__, __LINE__, "%s (%d, %d, %d) touches %u, and %u are reported:\n%.2000s",
                  program.name, program.a, program.b, program.c, expected, number_of_reports(told),
                  told->text);
    if (expected)
        check_first(told, first);
    free(told);
}

#define RUN(name, ...) check_program((struct program){#name, name, __VA_ARGS__})

TEST(addresses_that_advance)
{
    RUN(walk, 1, 64, 1, 100, 64, 100);
    RUN(walk, 1, 32, 1, 12000, -96, 50);
    RUN(walk, 1, 70, 1, 100, 256, 33);
    RUN(walk, 1, 64, 1, 100, 3, 50);
    RUN(walk, 1, 32, 1, 100, 0, 5);
    RUN(same, 3, 64, 1, 100, 8, 50);
    RUN(same, 1, 32, 1, 100, -2, 20);
}

TEST(loops_without_iterations_touch_nothing)
{
    RUN(walk, 1, 64, 1, 100, 64, 0);
    RUN(walk, 1, 64, 1, 100, 64, 1);
    RUN(same, 2, 64, 1, 100, 64, 0);
    RUN(rolled, 2, 64, 1, 100, 64, 0);
}

TEST(loops_over_the_whole_grid)
{
    RUN(grid, 7, 128, 1, 9000, 0, 6000);
    RUN(rolled, 2, 64, 1, 0, 512, 30);
    RUN(rolled, 1, 96, 1, 15900, -512, 30);
}

TEST(lanes_that_leave_one_by_one)
{
    RUN(apart, 1, 128, 1, 64, 0, 0);
    RUN(returns, 1, 32, 1, 0, 10, 20);
    RUN(returns, 2, 64, 1, 0, 0, 3);
}

TEST(accesses_of_some_lanes)
{
    RUN(some, 1, 64, 1, 0, 0, 40);
    RUN(fan, 1, 64, 1, 0, 0, 40);
}

TEST(loops_in_loops)
{
    RUN(nested, 1, 64, 1, 1000, 6, 5);
    RUN(growing, 1, 32, 1, 0, 0, 20);
}

TEST(loops_that_are_left_in_the_middle)
{
    RUN(found, 1, 64, 1, 1024, 0, 100);
    RUN(found, 1, 64, 1, 1024, 0, 20);
}

TEST(single_bytes)
{
    RUN(bytes, 1, 32, 1, 3, 37, 100);
    RUN(bytes, 1, 32, 1, 1000, -3, 100);
}

TEST(rows_of_matrices)
{
    RUN(matrix, 4, 32, 8, 0, 0, 64);
    RUN(matrix, 4, 16, 16, 0, 2048, 64);
    RUN(matrix, 5, 24, 4, 0, 2048, 61);
}

TEST(lanes_with_gaps_between_them)
{
    RUN(spread, 5, 64, 1, 0, 5000, 0);
    RUN(spread, 3, 64, 1, 0, 5000, 9);
    RUN(spread, 4, 16, 4, 0, 5000, 2);
    RUN(spread, 1, 77, 1, 0, 5000, 7);
}

TEST(warps_that_take_turns)
{
    RUN(turns, 1, 128, 1, 1024, 0, 15000);
    RUN(turns, 2, 160, 1, 1024, 0, 7600);
}

/* The kernel copies its first word to the second when all its launches are done. */
static unsigned probed_word;

static void run_copy(void)
{
    unsigned number = 3;
    CUstream streams[2];

    with_check("streams");
    CUfunction kernel = kernel_of(module_from("launches.ptx"), "repeat");
    CUdeviceptr words = device_zeros(16);
    void *parameters[] = {&words, &number};
    for (int i = 0; i < 2; i++)
        check_success(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, streams[0], parameters, NULL));
    wait_unseen(streams[0]);
    check_success(cuMemsetD32Async(words + 4 * probed_word, 0, 1, streams[1]));
    check_success(cuCtxSynchronize());
}

TEST(copies_of_kernels)
{
    for (probed_word = 0; probed_word < 3; probed_word++) {
        struct told *told = told_well_by(run_copy);

        check(number_of_reports(told) == (probed_word < 2));
        free(told);
    }
}

TEST(atomic_operations)
{
    RUN(atomics, 1, 64, 1, 100, 200, 30);
    RUN(atomics, 1, 64, 1, 9000, -17, 30);
}
