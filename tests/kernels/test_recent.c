/* SPDX-License-Identifier: MIT */
/* Instructions that came with PTX ISA 9.1 to 9.4. What they do is what the manual says; a driver of
 * CUDA 13.0 does not read them. */
#include "kernels.h"

static CUfunction recent_kernel(const char *name)
{
    with_context();
    only_cupipe();
    return kernel_of(module_from("recent.ptx"), name);
}

static void multiply_carryless(const uint64_t factors[3], uint64_t result[2])
{
    unsigned __int128 product = 0;

    for (unsigned i = 0; i < 64; i++)
        if (factors[0] >> i & 1)
            product ^= (unsigned __int128)factors[1] << i;
    result[0] = (uint64_t)product ^ factors[2];
    result[1] = (uint64_t)(product >> 64) ^ factors[2];
}

TEST(products_without_carries)
{
    enum { COUNT = 64 };
    static const uint64_t corners[] = {0, 1, 2, 3, 1ull << 63, ~0ull, 0x8000000000000001};
    CUfunction function = recent_kernel("carryless");
    uint64_t in[COUNT][3], got[COUNT][2], wanted[2], seed = 1;
    CUdeviceptr out = device_zeros(sizeof got), from;
    void *parameters[] = {&out, &from};

    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            in[i][k] = i < 49 && k < 2 ? corners[k ? i / 7 : i % 7] : seed;
        }
    from = device_copy_of(in, sizeof in);
    launch_line(function, 1, COUNT, 0, parameters);
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < COUNT; i++) {
        multiply_carryless(in[i], wanted);
        if (got[i][0] != wanted[0] || got[i][1] != wanted[1])
            test_fail(__FILE__, __LINE__, "%#llx times %#llx: %#llx %#llx, not %#llx %#llx",
                      (unsigned long long)in[i][0], (unsigned long long)in[i][1],
                      (unsigned long long)got[i][0], (unsigned long long)got[i][1],
                      (unsigned long long)wanted[0], (unsigned long long)wanted[1]);
    }
}

/* The layouts of two mbarriers; whether the phase of one is complete, with what was reported. */
TEST(layouts_and_reports_of_mbarriers)
{
    static const uint32_t wanted[13] = {1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 3};
    CUfunction function = recent_kernel("layouts");
    uint32_t got[13];
    CUdeviceptr out = device_zeros(sizeof got);
    void *parameters[] = {&out};

    launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < 13; i++)
        if (got[i] != wanted[i])
            test_fail(__FILE__, __LINE__, "answer %u: %u, and not %u", i, got[i], wanted[i]);
}

/* The last bytes of the copy are behind the allocation. */
TEST(bulk_copies_that_ignore_their_ends)
{
    enum { LEFT = 3, RIGHT = 5, SIZE = 48 };
    CUfunction function = recent_kernel("copies");
    uint32_t words[SIZE / 4], left = LEFT, right = RIGHT;
    uint8_t in[SIZE], got[112];
    float floats[4];
    CUdeviceptr out = device_zeros(sizeof got), from;
    void *parameters[] = {&out, &from, &left, &right};

    for (unsigned i = 0; i < SIZE; i++)
        in[i] = (uint8_t)(i * 5 + 1);
    from = device_copy_of(in, SIZE - RIGHT);
    launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = LEFT; i < SIZE - RIGHT; i++)
        check(got[i] == in[i]);
    check(memcmp(got + 48, in, 32) == 0);
    memcpy(words, in, sizeof words);
    check(memcmp(got + 80, words, 16) == 0);
    memcpy(floats, in, sizeof floats);
    for (unsigned i = 0; i < 4; i++)
        floats[i] += 0;
    check(memcmp(got + 96, floats, 16) == 0);
}

TEST(copies_and_stores_in_a_cluster)
{
    CUfunction function = recent_kernel("cluster");
    uint64_t got[2][6];
    uint32_t in[8];
    CUdeviceptr out = device_zeros(sizeof got), from;
    void *parameters[] = {&out, &from};
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                   .value.clusterDim = {2, 1, 1}};
    CUlaunchConfig config = {.gridDimX = 2,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = 1};

    for (unsigned i = 0; i < 8; i++)
        in[i] = i * 1000 + 7;
    from = device_copy_of(in, sizeof in);
    check_success(cuLaunchKernelEx(&config, function, parameters, NULL));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned rank = 0; rank < 2; rank++) {
        uint64_t sent = 0x1122334455667700 + (rank ^ 1);

        check(memcmp(got[rank], in, sizeof in) == 0);
        check(got[rank][4] == sent && got[rank][5] == ~sent);
    }
}

/* The first sum is flushed to zero, those with .noftz are not. */
TEST(sums_of_subnormals)
{
    static const uint32_t cells[10] = {5, 5, 5, 5, 5, 6, 7, 8};
    static const uint32_t wanted[10] = {0, 8, 8, 8, 8, 9, 10, 11, 5, 5};
    CUfunction function = recent_kernel("subnormals");
    uint32_t got[10], value = 3;
    CUdeviceptr memory = device_copy_of(cells, sizeof cells);
    void *parameters[] = {&memory, &value};

    launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, memory, sizeof got));
    for (unsigned i = 0; i < 10; i++)
        if (got[i] != wanted[i])
            test_fail(__FILE__, __LINE__, "cell %u: %u, and not %u", i, got[i], wanted[i]);
}

static uint32_t three_times_and_one(uint32_t index)
{
    return index * 3 + 1;
}

/* Blocks have no global memory of their own: its size is 0, as the manual allows. */
TEST(volatile_local_memory)
{
    check_words_in_shapes(recent_kernel("local"), three_times_and_one);
}

/* Element `column` of a row of 4-bit numbers. */
static int8_t element(const uint8_t *row, unsigned column)
{
    int value = row[column / 2] >> 4 * (column % 2) & 15;

    return (int8_t)(value < 8 ? value : value - 16);
}

TEST(matrices_of_four_bits)
{
    enum { LANES = 32, LOADS = 7 };
    static const unsigned matrices[LOADS] = {0, 0, 1, 0, 1, 2, 3};
    CUfunction function = recent_kernel("extend");
    uint8_t in[LANES][8];
    int8_t got[LANES][LOADS][4];
    CUdeviceptr out = device_zeros(sizeof got), from;
    void *parameters[] = {&out, &from};

    for (unsigned i = 0; i < sizeof in; i++)
        ((uint8_t *)in)[i] = (uint8_t)(i * 37 + 11);
    from = device_copy_of(in, sizeof in);
    launch_line(function, 1, LANES, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned k = 0; k < LOADS; k++)
            for (unsigned e = 0; e < 4; e++)
                check(got[lane][k][e] == element(in[8 * matrices[k] + lane / 4], lane % 4 * 4 + e));
}
