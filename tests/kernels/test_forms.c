/* SPDX-License-Identifier: MIT */
/* Forms of instructions that NVIDIA's assembler takes beyond the PTX manual's lists. They mean what
 * the listed ones mean; no recording has them. */
#include "kernels.h"

static void run(const char *kernel, void *data, size_t size)
{
    CUfunction function = kernel_from("forms.ptx", kernel);
    CUdeviceptr output = device_copy_of(data, size);
    void *parameters[] = {&output};

    launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(data, output, size));
}

static void run_and_compare(const char *kernel, void *data, const void *expected, size_t size)
{
    run(kernel, data, size);
    check(!memcmp(data, expected, size));
}

TEST(arithmetic_of_16_bits_adds_the_carry_flag)
{
    /* 7 + 65535 + 1; 3 - 7; 21 + 65535 + 1; the upper 32 bits of 7 * 65535, + 3 + 1; then without
     * the flag, and the last with signs: those of 7 * -1, + 3 */
    static const uint16_t EXPECTED[8] = {7, 0xfffc, 21, 0 + 3 + 1, 6, 0xfffb, 20, 2};
    uint16_t data[8] = {0};

    run_and_compare("carry_16", data, EXPECTED, sizeof(data));
}

TEST(setp_of_pairs_with_one_destination_compares_the_lower_halves)
{
    static const uint32_t EXPECTED[4] = {1, 0, 1, 0};
    uint32_t data[4] = {0};

    run_and_compare("setp_packed", data, EXPECTED, sizeof(data));
}

TEST(set_gives_one_as_bf16_for_every_type)
{
    enum { ONE = 0x3f80 };
    static const uint16_t EXPECTED[8] = {ONE, ONE, 0, ONE, 0, ONE, 0, ONE};
    uint16_t data[8] = {0};

    run_and_compare("set_bf16", data, EXPECTED, sizeof(data));
}

TEST(vector_atomics_take_minimum_and_maximum)
{
    static const uint16_t EXPECTED[12] = {0x3c00, 0xc000, 0x3800, 0x4200, 0x3c00, 0xc000,
                                          0x3800, 0x7e00, 0xbf80, 0x4000, 0x4040, 0x4080};
    uint16_t data[12] = {0x3c00, 0xc000, 0x3800, 0x7e00, 0,      0,
                         0,      0,      0xc000, 0x3f80, 0x4000, 0x4080};

    run_and_compare("vector_minimum", data, EXPECTED, sizeof(data));
}

TEST(bytes_become_bf16_and_back)
{
    /* -2.75 towards zero and to the nearest, 2.5 down and up, -3 and 253 */
    static const uint16_t EXPECTED[4] = {0xfdfe, 0x0302, 0xc040, 0x437d};
    uint16_t data[4] = {0xc030, 0x4020, 0xfd, 0xfd};

    run_and_compare("bytes_bf16", data, EXPECTED, sizeof(data));
}

TEST(registers_are_indexes_of_arrays)
{
    /* elements 3, 5 and 6 of three arrays; two distances; a float; two of three variables */
    static const uint32_t EXPECTED[8] = {103, 205, 306, 12, 1, 0x3fc00000, 42, 8};
    uint32_t data[8] = {3, 5, 0xffffffff, 2};

    run_and_compare("indexed", data, EXPECTED, sizeof(data));
}

TEST(registers_may_have_another_type_of_their_width)
{
    static const uint32_t EXPECTED[3] = {0x3f80, 0x3f803f80, 77};
    uint32_t data[3] = {0};

    run_and_compare("typed", data, EXPECTED, sizeof(data));
}

TEST(special_registers_are_elements_of_vectors)
{
    static const uint32_t EXPECTED[8] = {4, 2, 5, 3, 5 | 3 << 16, 2, 0, 4};
    struct {
        uint32_t values[8];
        uint64_t clocks[2], before, after;
    } data = {0};
    CUfunction function = kernel_from("forms.ptx", "special_elements");
    CUdeviceptr output = device_copy_of(&data, sizeof(data));
    void *parameters[] = {&output};

    launch_line(function, 3, 5, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&data, output, sizeof(data)));
    check(!memcmp(data.values, EXPECTED, sizeof(EXPECTED)));
    for (int i = 0; i < 2; i++)
        check(data.before <= data.clocks[i] && data.clocks[i] <= data.after);
}
