/* SPDX-License-Identifier: MIT */
/* Behaviour that PTX defines but a compiler may treat as undefined, and forms of operands that
 * NVIDIA's assembler accepts although its manual does not show them. */
#include "kernels.h"

enum { THREADS = 64, OUT_WORDS = 8 * THREADS };

/* Launches kernel(input, output, count) and copies what it leaves. */
static CUresult run(const char *file, const char *name, const uint32_t *input, uint32_t *output)
{
    CUfunction function = kernel_from(file, name);
    CUdeviceptr in = device_copy_of(input, THREADS * sizeof *input),
                out = device_zeros(OUT_WORDS * sizeof *output);
    unsigned count = THREADS;
    void *parameters[] = {&in, &out, &count};
    CUresult result;

    launch_line(function, 1, THREADS, 0, parameters);
    result = cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        check_success(cuMemcpyDtoH(output, out, OUT_WORDS * sizeof *output));
    return result;
}

static void check_output(const uint32_t *output, const uint32_t *expected, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (output[i] != expected[i])
            test_fail(__FILE__, __LINE__, "word %u: %#x, and not %#x", i, output[i], expected[i]);
}

static const uint32_t *numbers(void)
{
    static uint32_t words[THREADS];

    for (unsigned i = 0; i < THREADS; i++)
        words[i] = 0x10001 * (i + 1);
    return words;
}

/* ---- Alignment is that of the lanes that are on ---- */

static void check_copies(const char *name)
{
    uint32_t output[OUT_WORDS];

    check_success(run("defined.ptx", name, numbers(), output));
    check_output(output, numbers(), THREADS);
}

TEST(pairs_of_even_lanes_behind_a_branch)
{
    check_copies("pairs_by_branch");
}

TEST(pairs_of_even_lanes_under_a_guard)
{
    check_copies("pairs_by_guard");
}

TEST(fours_of_every_fourth_lane)
{
    check_copies("fours");
}

TEST(pairs_in_shared_memory)
{
    check_copies("shared_pairs");
}

TEST(pairs_of_odd_lanes_are_misaligned)
{
    uint32_t output[OUT_WORDS];

    check_result(run("defined.ptx", "odd_pairs", numbers(), output), CUDA_ERROR_MISALIGNED_ADDRESS);
}

/* ---- The name of a variable says where it is ---- */

TEST(generic_accesses_to_a_shared_variable)
{
    static const uint32_t expected[] = {7, 8, 7, 117};
    CUfunction function = kernel_from("defined.ptx", "named_shared");
    CUdeviceptr out = device_zeros(16);
    unsigned count = 1;
    uint32_t output[4];
    void *parameters[] = {&out, &out, &count};

    launch_line(function, 1, 1, 0, parameters);
    check_success(cuMemcpyDtoH(output, out, sizeof output));
    check_output(output, expected, 4);
}

TEST(generic_accesses_to_other_variables)
{
    static const uint32_t expected[] = {5, 6, 9, 7};
    CUfunction function = kernel_from("defined.ptx", "named_others");
    CUdeviceptr out = device_zeros(16);
    unsigned count = 1;
    uint32_t output[4];
    void *parameters[] = {&out, &out, &count};

    launch_line(function, 1, 1, 0, parameters);
    check_success(cuMemcpyDtoH(output, out, sizeof output));
    check_output(output, expected, 4);
}

/* ---- An address that the compiler knows to be bad ---- */

static void check_fails(const char *name)
{
    uint32_t output[OUT_WORDS];

    check_result(run("defined.ptx", name, numbers(), output), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(load_of_address_0)
{
    check_fails("load_null");
}

TEST(store_to_address_0)
{
    check_fails("store_null");
}

TEST(store_to_a_small_address)
{
    check_fails("store_far");
}

TEST(atomic_on_address_0)
{
    check_fails("atom_null");
}

TEST(store_behind_one_to_address_0_that_no_lane_does)
{
    uint32_t output[OUT_WORDS];

    check_success(run("defined.ptx", "maybe_null", numbers(), output));
    for (unsigned i = 0; i < THREADS; i++)
        check(output[i] == 7);
}

TEST(store_to_address_0_of_one_lane)
{
    uint32_t input[THREADS] = {[5] = 99}, output[OUT_WORDS];

    check_result(run("defined.ptx", "maybe_null", input, output), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* ---- The carry flag: set where a subtraction borrows nothing ---- */

static void check_carries(uint32_t x, uint32_t y)
{
    uint64_t sum = (uint64_t)x + y;
    bool carry = sum >> 32, even = x >= y;
    /* sub.cc, then subc.cc, addc.cc and subc, each with the flag of the one before. */
    uint64_t less = (uint64_t)x - y - !even, more = sum + !(less >> 63), input[THREADS / 2] = {0};
    uint32_t output[OUT_WORDS],
        expected[8] = {carry, carry ? 0 : UINT32_MAX, even,           even ? 0 : UINT32_MAX,
                       even,  carry ? 0 : UINT32_MAX, (uint32_t)more, x - y - !(more >> 32)};

    input[0] = (uint64_t)y << 32 | x;
    check_success(run("defined.ptx", "carries", (const uint32_t *)input, output));
    check_output(output, expected, 8);
}

TEST(carry_between_sums_and_differences)
{
    static const uint32_t edges[] = {0, 1, 5, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};

    for (unsigned a = 0; a < sizeof edges / sizeof *edges; a++)
        for (unsigned b = 0; b < sizeof edges / sizeof *edges; b++)
            check_carries(edges[a], edges[b]);
}

/* ---- Forms of operands ---- */

TEST(register_and_number_as_source)
{
    uint32_t output[OUT_WORDS], input[THREADS], expected[OUT_WORDS];

    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t x = input[i] = i < 32 ? i : 0xffffffe0 + i - 32, y = x + 5, *e = &expected[8 * i];
        uint64_t wide = (uint64_t)(x + 0x80000000) + (UINT64_C(1) << 32);

        e[0] = y;
        e[1] = (x + 1) * (y + 2);
        e[2] = x - 1 > 3 ? x + 6 : y;
        e[3] = x - 1;
        e[4] = (uint32_t)wide;
        e[5] = (uint32_t)(wide >> 32);
        e[6] = (uint16_t)(x + 0x7fff);
        e[7] = (x == 4 ? 1 : 2) + 40;
    }
    check_success(run("defined.ptx", "sums", input, output));
    check_output(output, expected, OUT_WORDS);
}

/* Of a number only 16 bits count; a register is clamped as it should be. */
TEST(amounts_of_short_shifts)
{
    uint32_t output[OUT_WORDS], input[THREADS], expected[OUT_WORDS];

    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t x = input[i] = (i * 40503u + 1) & 0xffff, *e = &expected[8 * i];
        uint32_t sign = x & 0x8000 ? 0xffff : 0;

        e[0] = x << 1 & 0xffff;
        e[1] = x >> 1;
        e[2] = (x >> 3 | sign << 13) & 0xffff;
        e[3] = 0;
        e[4] = e[5] = e[7] = 0;
        e[6] = sign;
    }
    check_success(run("defined.ptx", "amounts", input, output));
    check_output(output, expected, OUT_WORDS);
}

TEST(vector_registers_of_calls)
{
    uint32_t output[OUT_WORDS], expected[OUT_WORDS];

    for (uint32_t i = 0; i < THREADS; i++) {
        float scaled[4] = {(float)(i * i), 2.0f * (float)i, 3.0f * (float)i, 100};
        uint32_t *e = &expected[8 * i];

        e[0] = e[3] = i % 2 ? 1 : i + 100;
        e[1] = e[2] = i % 2 ? 2 : i;
        memcpy(&e[4], scaled, sizeof scaled);
    }
    check_success(run("defined.ptx", "vectors", numbers(), output));
    check_output(output, expected, OUT_WORDS);
}

TEST(parameters_named_like_their_functions)
{
    uint32_t output[OUT_WORDS], expected[2 * THREADS];

    for (uint32_t i = 0; i < THREADS; i++) {
        expected[2 * i] = 2 * i;
        expected[2 * i + 1] = 3 * i;
    }
    check_success(run("names.ptx", "own_names", numbers(), output));
    check_output(output, expected, 2 * THREADS);
}

static uint32_t judge(uint32_t v, bool p)
{
    return (p ? v : 7) + (v < 40 ? v & 3 : 0);
}

TEST(predicates_of_calls)
{
    uint32_t output[OUT_WORDS], expected[2 * THREADS];

    for (uint32_t i = 0; i < THREADS; i++) {
        bool less = i < 40, odd = i & 1;

        expected[2 * i] = odd ? judge(i, odd) : judge(judge(i, odd), less);
        expected[2 * i + 1] = less ? 100 + (odd ? 2000 : 1000) : 5;
    }
    check_success(run("predicates.ptx", "predicates", numbers(), output));
    check_output(output, expected, 2 * THREADS);
}

TEST(choice_between_equal_values)
{
    uint32_t output[OUT_WORDS];

    check_success(run("defined.ptx", "choice_of_equals", numbers(), output));
    check_output(output, numbers(), THREADS);
}

/* A NaN of .f64 keeps its sign and is quiet afterwards. */
TEST(signs_of_nans_in_a_loop)
{
    enum { ROUNDS_MAX = 3 };
    static const uint64_t nans[] = {0x7ff8000000000011, 0xfff8000000000012};
    CUfunction function = kernel_from("defined.ptx", "signs_in_a_loop");
    CUdeviceptr words = device_zeros(32 * ROUNDS_MAX);
    uint64_t data[ROUNDS_MAX][4];
    void *parameters[] = {&words};

    for (unsigned i = 0; i < ROUNDS_MAX; i++) {
        data[i][0] = nans[i % 2];
        data[i][1] = i == 2 ? 0x7ff0000000000013 : nans[!(i % 2)];
    }
    check_success(cuMemcpyHtoD(words, data, sizeof data));
    launch_line(function, 1, ROUNDS_MAX, 0, parameters);
    check_success(cuMemcpyDtoH(data, words, sizeof data));
    for (unsigned i = 0; i < ROUNDS_MAX; i++) {
        check(data[i][2] == data[i][0]);
        check(data[i][3] == (data[i][1] | UINT64_C(1) << 51));
    }
}
