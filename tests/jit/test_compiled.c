/* SPDX-License-Identifier: MIT */
/* kernels.cu compiled for sm_75 and sm_100, run in blocks of many shapes, against plain C. */
#include "../kernels/kernels.h"

static const char *const files[] = {"kernels_sm75.ptx", "kernels_sm100.ptx"};

enum { FILES = sizeof files / sizeof *files, COUNT = 1003 };

static unsigned mixed(unsigned i)
{
    i ^= i >> 16;
    i *= 0x7feb352d;
    i ^= i >> 15;
    i *= 0x846ca68b;
    return i ^ i >> 16;
}

static void finish_and_read(void *to, CUdeviceptr from, size_t size)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(to, from, size));
}

/* kernel(in, out, n), one thread an element. */
static void check_map(const char *name, unsigned range, unsigned (*model)(unsigned))
{
    static const unsigned blocks[] = {32, 64, 100, 128, 37, 1};
    unsigned in[COUNT], out[COUNT];
    int n = COUNT;

    with_context();
    for (unsigned i = 0; i < COUNT; i++)
        in[i] = mixed(i) % range + 1;
    for (int f = 0; f < FILES; f++) {
        CUfunction function = kernel_of(module_from(files[f]), name);

        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            CUdeviceptr from = device_copy_of(in, sizeof in), to = device_zeros(sizeof out);
            void *parameters[] = {&from, &to, &n};

            launch_line(function, (COUNT + blocks[b] - 1) / blocks[b], blocks[b], 0, parameters);
            finish_and_read(out, to, sizeof out);
            for (unsigned i = 0; i < COUNT; i++)
                if (out[i] != model(in[i]))
                    test_fail(__FILE__, __LINE__, "%s, blocks of %u, thread %u: %#x, and not %#x",
                              files[f], blocks[b], i, out[i], model(in[i]));
        }
    }
}

static unsigned model_collatz(unsigned x)
{
    unsigned steps = 0;

    while (x > 1 && steps <= 1000) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        steps++;
    }
    return steps;
}

TEST(loops_of_different_length)
{
    check_map("collatz", 100000, model_collatz);
}

static unsigned model_nested(unsigned in)
{
    int s = 0;

    for (int a = 0; a < (int)(in & 15); a++) {
        for (int b = 0; b < (int)(in >> 4 & 7); b++) {
            if ((a ^ b) & 1) {
                if (b == 5)
                    break;
                s += a * b;
            } else {
                s -= b;
            }
        }
        if (s <= 40)
            s += 3;
    }
    return (unsigned)s;
}

TEST(loops_in_loops_with_break_and_continue)
{
    check_map("nested", 1u << 30, model_nested);
}

static unsigned model_tangle(unsigned x)
{
    unsigned c = 0;
    int at = x & 1 ? 'B' : 'A';

    while (at != 'E') {
        if (at == 'A') {
            c += 3;
            x = x * 5 + 1;
            at = c > 200 ? 'E' : x & 4 ? 'C' : 'B';
        } else if (at == 'B') {
            c += 1;
            x = x * 3 + 7;
            at = c > 200 ? 'E' : x & 8 ? 'A' : 'C';
        } else {
            c += 2;
            x ^= c;
            at = c < 100 ? 'B' : 'E';
        }
    }
    return x + c;
}

TEST(irreducible_flow)
{
    check_map("tangle", 1u << 30, model_tangle);
}

TEST(look_back_between_blocks)
{
    enum { N = 20000, BLOCKS = (N + 255) / 256 };
    static int in[N], out[N];
    int n = N;

    with_context();
    for (int i = 0; i < N; i++)
        in[i] = (int)(mixed((unsigned)i) % 100);
    for (int f = 0; f < FILES; f++) {
        CUdeviceptr from = device_copy_of(in, sizeof in), to = device_zeros(sizeof out);
        CUdeviceptr state = device_zeros(8 * BLOCKS), ticket = device_zeros(4);
        void *parameters[] = {&from, &to, &state, &ticket, &n};
        int sum = 0;

        launch_line(kernel_of(module_from(files[f]), "look_back"), BLOCKS, 256, 0, parameters);
        finish_and_read(out, to, sizeof out);
        for (int i = 0; i < N; i++) {
            sum += in[i];
            check(out[i] == sum);
        }
    }
}

TEST(each_lane_waits_for_the_one_before)
{
    int out[96];

    with_context();
    for (int f = 0; f < FILES; f++) {
        CUdeviceptr flags = device_zeros(sizeof out), to = device_zeros(sizeof out);
        void *parameters[] = {&flags, &to};
        int expected = 1;

        launch_line(kernel_of(module_from(files[f]), "relay"), 1, 96, 0, parameters);
        finish_and_read(out, to, sizeof out);
        for (int i = 0; i < 96; i++) {
            expected = i ? expected * 2 % 1000003 : 1;
            check(out[i] == expected);
        }
    }
}

TEST(lock_between_lanes_and_blocks)
{
    with_context();
    for (int f = 0; f < FILES; f++) {
        CUdeviceptr words = device_zeros(8), count = words + 4;
        void *parameters[] = {&words, &count};
        int result;

        launch_line(kernel_of(module_from(files[f]), "lock"), 4, 96, 0, parameters);
        finish_and_read(&result, count, sizeof result);
        check(result == 4 * 96);
    }
}

TEST(barrier_in_both_branches)
{
    int out[64];

    with_context();
    for (int f = 0; f < FILES; f++) {
        CUdeviceptr to = device_zeros(sizeof out);
        void *parameters[] = {&to};

        launch_line(kernel_of(module_from(files[f]), "two_barriers"), 1, 64, 0, parameters);
        finish_and_read(out, to, sizeof out);
        for (int t = 0; t < 64; t++) {
            int from = (t + 1) % 64;

            check(out[t] == (from & 1 ? from * 10 : from * 100));
        }
    }
}

static float at(const float *a, int x, int y, int n)
{
    return x < 0 || y < 0 || x >= n || y >= n ? 0 : a[y * n + x];
}

TEST(two_rows_of_sixteen_in_a_warp)
{
    enum { N = 64 };
    static float a[N * N], b[N * N];
    int n = N;

    with_context();
    for (unsigned i = 0; i < N * N; i++)
        a[i] = (float)(mixed(i) % 100);
    for (int f = 0; f < FILES; f++) {
        CUdeviceptr from = device_copy_of(a, sizeof a), to = device_zeros(sizeof b);
        void *parameters[] = {&from, &to, &n, &n};

        check_success(cuLaunchKernel(kernel_of(module_from(files[f]), "stencil"), N / 16, N / 16, 1,
                                     16, 16, 1, 0, NULL, parameters, NULL));
        finish_and_read(b, to, sizeof b);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                check(b[y * N + x] == at(a, x, y, N) * 4 - at(a, x - 1, y, N) - at(a, x + 1, y, N) -
                                          at(a, x, y - 1, N) - at(a, x, y + 1, N));
    }
}

TEST(matrix_product_in_blocks_of_any_shape)
{
    enum { N = 50 };
    static const unsigned shapes[][3] = {{32, 8, 1}, {16, 16, 1}, {8, 8, 1},  {24, 3, 1},
                                         {5, 7, 1},  {64, 2, 1},  {16, 3, 1}, {50, 1, 1}};
    static float a[N * N], b[N * N], c[N * N];
    int n = N;

    with_context();
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 13 - 6);
        b[i] = (float)(i % 7 - 3);
    }
    for (int f = 0; f < FILES; f++) {
        CUfunction function = kernel_of(module_from(files[f]), "product");

        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            CUdeviceptr from[2] = {device_copy_of(a, sizeof a), device_copy_of(b, sizeof b)};
            CUdeviceptr to = device_zeros(sizeof c);
            void *parameters[] = {&from[0], &from[1], &to, &n};
            const unsigned *shape = shapes[s];

            check_success(cuLaunchKernel(function, (N + shape[0] - 1) / shape[0],
                                         (N + shape[1] - 1) / shape[1], 1, shape[0], shape[1],
                                         shape[2], 0, NULL, parameters, NULL));
            finish_and_read(c, to, sizeof c);
            for (int i = 0; i < N * N; i++) {
                float sum = 0;

                for (int k = 0; k < N; k++)
                    sum += a[i / N * N + k] * b[k * N + i % N];
                check(c[i] == sum);
            }
        }
    }
}

TEST(index_wraps_within_a_warp)
{
    static const unsigned bases[] = {0xfffffff0u, 0xffffffe0u, 0xfffffffbu, 5};
    unsigned out[64];

    with_context();
    for (int f = 0; f < FILES; f++) {
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
            unsigned base = bases[b];
            CUdeviceptr to = device_zeros(sizeof out);
            void *parameters[] = {&base, &to};

            launch_line(kernel_of(module_from(files[f]), "wrap"), 1, 64, 0, parameters);
            finish_and_read(out, to, sizeof out);
            for (unsigned i = 0; i < 64; i++)
                check(out[i] == ((base + i) >> 4) + (base + i < 100));
        }
    }
}

TEST(recursion_of_different_depth)
{
    int out[256], fib[15] = {0, 1};

    with_context();
    for (int i = 2; i < 15; i++)
        fib[i] = fib[i - 1] + fib[i - 2];
    for (int f = 0; f < FILES; f++) {
        CUdeviceptr to = device_zeros(sizeof out);
        void *parameters[] = {&to};

        launch_line(kernel_of(module_from(files[f]), "recurse"), 2, 128, 0, parameters);
        finish_and_read(out, to, sizeof out);
        for (int t = 0; t < 256; t++)
            check(out[t] == fib[t % 15]);
    }
}
