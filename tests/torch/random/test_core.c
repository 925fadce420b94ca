/* SPDX-License-Identifier: MIT */
/* The numbers that random operators make, without PyTorch: Philox by published answers, the
 * functions of the device by checksums of what an H200 gave. */
#include "test.h"

#include "distribution.h"
#include "dropout.h"
#include "element.h"
#include "jit/lower/sfu_tables.h"
#include "multinomial.h"
#include "permutation.h"
#include "sample.h"
#include "values.h"

#include <inttypes.h>

enum { MULTIPROCESSORS = 132, THREADS = 2048 }; /* of an H200 */

static uint64_t hash_of(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

static void check_equal(uint64_t got, uint64_t expected)
{
    if (got != expected)
        printf("# got %#" PRIx64 ", expected %#" PRIx64 "\n", got, expected);
    check(got == expected);
}

static void check_words(uint64_t seed, uint64_t subsequence, uint64_t block,
                        const uint32_t expected[4])
{
    struct cup_philox generator = {seed, 0};
    uint32_t made[4];
    uint32_t *const words[4] = {&made[0], &made[1], &made[2], &made[3]};

    cup_philox_blocks(&generator, subsequence, block, 1, words);
    for (int i = 0; i < 4; i++)
        check_equal(made[i], expected[i]);
}

/* The answers that the generator's authors publish with their library. */
TEST(philox_gives_the_published_answers)
{
    check_words(0, 0, 0, (uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    check_words(UINT64_MAX, UINT64_MAX, UINT64_MAX,
                (uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    check_words(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88,
                (uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(philox_carries_into_the_upper_half_of_a_subsequence)
{
    struct cup_philox generator = {3, 8};
    uint32_t rows[4][4], one[4];
    uint32_t *const words[4] = {rows[0], rows[1], rows[2], rows[3]};
    uint32_t *const single[4] = {&one[0], &one[1], &one[2], &one[3]};

    cup_philox_blocks(&generator, UINT32_MAX - 1, 5, 4, words);
    for (uint64_t i = 0; i < 4; i++) {
        cup_philox_blocks(&generator, UINT32_MAX - 1 + i, 5, 1, single);
        for (int k = 0; k < 4; k++)
            check_equal(rows[k][i], one[k]);
    }
}

TEST(a_stream_reads_the_words_of_blocks)
{
    struct cup_philox generator = {42, 16};
    struct cup_philox_stream stream;
    uint32_t one[4];
    uint32_t *const words[4] = {&one[0], &one[1], &one[2], &one[3]};

    cup_philox_stream_init(&stream, &generator, 77);
    for (uint64_t block = 0; block < 3; block++) {
        cup_philox_blocks(&generator, 77, block, 1, words);
        for (int k = 0; k < 4; k++)
            check_equal(cup_philox_stream_next(&stream), one[k]);
    }
}

static void check_table(const struct cup_sfu_function *ours, enum jit_sfu_name name)
{
    const struct jit_sfu_function *theirs = &jit_sfu_functions[name];

    check_equal(ours->shift, theirs->shift);
    check_equal((uint64_t)ours->constant, (uint64_t)theirs->constant);
    check_equal(ours->square_shift, theirs->square_shift);
    for (unsigned i = 0; i < theirs->count; i++)
        check(ours->segments[i].c0 == theirs->segments[i].c0 &&
              ours->segments[i].c1 == theirs->segments[i].c1 &&
              ours->segments[i].c2 == theirs->segments[i].c2);
}

TEST(tables_are_those_of_the_compiler)
{
    check_table(&cup_sfu_reciprocal, SFU_RCP);
    check_table(&cup_sfu_rsqrt, SFU_RSQRT);
    check_table(&cup_sfu_log2, SFU_LOG2);
    check_table(&cup_sfu_exp2, SFU_EXP2);
    check_table(&cup_sfu_sine, SFU_SINE);
}

/* Sums over the logarithms of 2^20 floats from `first` on, weighted by the position. */
TEST(logarithms_are_the_cards)
{
    static const struct {
        uint32_t first;
        int64_t sum;
    } blocks[] = {{0x2f000000, -0x5b7847b6811f9e5e},
                  {0x31c00000, -0x36ac2dde7cc9eaa9},
                  {0x37400000, 0x3f6eaa3ae45b5dd4},
                  {0x3cc00000, 0x59327208a683b46f},
                  {0x3f700000, -0x4334becdf6c4799a}};

    for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); b++) {
        uint64_t sum = 0;

        for (uint64_t i = 0; i < 1 << 20; i++) {
            uint32_t bits =
                cup_float_bits(cup_log_float(cup_float_of(blocks[b].first + (uint32_t)i)));

            sum += (uint64_t)(int64_t)(int32_t)bits * (i * 2654435761u | 1);
        }
        check_equal(sum, (uint64_t)blocks[b].sum);
    }
}

static void *fill(const struct cup_distribution *distribution, uint64_t count, uint64_t parts)
{
    struct cup_philox generator = {7, 0};
    struct cup_grid grid =
        cup_grid_of(count, cup_distribution_values(distribution), MULTIPROCESSORS, THREADS);
    uint64_t blocks = grid.threads * grid.blocks;
    void *out = malloc(count * cup_element_size(distribution->element));

    check(out != NULL);
    for (uint64_t i = 0; i < parts; i++)
        cup_distribution_fill(distribution, &generator, &grid, blocks * i / parts,
                              blocks * (i + 1) / parts, out);
    return out;
}

/* Hashes of numbers that an H200 gives for the seed 7. */
TEST(fills_are_the_cards)
{
    static const struct {
        struct cup_distribution distribution;
        uint64_t count, hash;
    } fills[] = {
        {{CUP_UNIFORM, CUP_FLOAT, -10000.0, 30000.0, 0, 0}, 30000, 0x6e6cc8dbb46bfad4},
        {{CUP_UNIFORM, CUP_FLOAT, 0, 1, 0, 0}, 30000, 0x3236a5760747aec4},
        {{CUP_NORMAL, CUP_FLOAT, 0, 1, 0, 0}, 4000003, 0x16e7cd988eaa6ba1},
        {{CUP_UNIFORM, CUP_DOUBLE, -10000.0, 30000.0, 0, 0}, 30000, 0x61ced35f3f544dfe},
        {{CUP_UNIFORM, CUP_DOUBLE, 0, 1, 0, 0}, 30000, 0x29a01aa95c91b9e1},
        {{CUP_NORMAL, CUP_DOUBLE, 0, 1, 0, 0}, 4000003, 0x78f5993d4d30b96f},
        {{CUP_UNIFORM, CUP_HALF, -10000.0, 30000.0, 0, 0}, 30000, 0x8ea74807e9b92341},
        {{CUP_UNIFORM, CUP_HALF, 0, 1, 0, 0}, 30000, 0xceca7fc6f0e96122},
        {{CUP_NORMAL, CUP_HALF, 0, 1, 0, 0}, 4000003, 0x2bd8094f8c48ecbf},
        {{CUP_UNIFORM, CUP_BFLOAT16, -10000.0, 30000.0, 0, 0}, 30000, 0x3338717d68f07f19},
        {{CUP_UNIFORM, CUP_BFLOAT16, 0, 1, 0, 0}, 30000, 0x1b48a38a74af2d91},
        {{CUP_NORMAL, CUP_BFLOAT16, 0, 1, 0, 0}, 4000003, 0xda868b2a7176b872},
        {{CUP_EXPONENTIAL, CUP_FLOAT, 7.3, 0, 0, 0}, 60000, 0xfcd0d43ea43a31db},
        {{CUP_CAUCHY, CUP_FLOAT, 2, 0.3, 0, 0}, 60000, 0xc48259d56d229f1e},
        {{CUP_LOG_NORMAL, CUP_FLOAT, 0, 1.1, 0, 0}, 60000, 0xd996c7d4151ac64b},
        {{CUP_GEOMETRIC, CUP_FLOAT, 0.02, 0, 0, 0}, 3000, 0x1bc0cde04e3eefbe},
        {{CUP_BERNOULLI, CUP_FLOAT, 0.7, 0, 0, 0}, 3000, 0xe603fe4f7ad2ad18},
        {{CUP_EXPONENTIAL, CUP_DOUBLE, 7.3, 0, 0, 0}, 60000, 0x822cd22639ba36e7},
        {{CUP_CAUCHY, CUP_DOUBLE, 2, 0.3, 0, 0}, 60000, 0x769f87c61005d201},
        {{CUP_LOG_NORMAL, CUP_DOUBLE, 0, 1.1, 0, 0}, 60000, 0xb22c6aaaca9df633},
        {{CUP_GEOMETRIC, CUP_DOUBLE, 0.02, 0, 0, 0}, 3000, 0xe4f33bf1c3cf2a43},
        {{CUP_BERNOULLI, CUP_DOUBLE, 0.7, 0, 0, 0}, 3000, 0x90e007fb5632d465},
        {{CUP_POSITIVE, CUP_INT64, 0, 0, 0, 0}, 3000, 0xd56da18c8f5e1d33},
        {{CUP_POSITIVE, CUP_INT32, 0, 0, 0, 0}, 3000, 0x98a33456052daba7},
        {{CUP_POSITIVE, CUP_UINT8, 0, 0, 0, 0}, 3000, 0xd3a1fd5567d2b643},
        {{CUP_POSITIVE, CUP_BOOL, 0, 0, 0, 0}, 3000, 0x9484aadd304993a1},
        {{CUP_POSITIVE, CUP_FLOAT, 0, 0, 0, 0}, 3000, 0xb04a69cd5ba28b2f},
        {{CUP_POSITIVE, CUP_DOUBLE, 0, 0, 0, 0}, 3000, 0x53d81a85c1f782ce},
        {{CUP_POSITIVE, CUP_BFLOAT16, 0, 0, 0, 0}, 3000, 0xff389a1da7a8e531},
        {{CUP_INTEGERS, CUP_INT8, 0, 0, 127, -100}, 3000, 0xfe0eaae89c51b19e},
        {{CUP_INTEGERS, CUP_INT64, 0, 0, 268435455, 0}, 3000, 0x3d03ee14a70c8537},
        {{CUP_INTEGERS, CUP_INT64, 0, 0, 268435456, 0}, 3000, 0x21bfcca8c4e2d8d},
        {{CUP_INTEGERS, CUP_INT64, 0, 0, 0, 0}, 3000, 0x1745236dc853b4b3},
    };

    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
        const struct cup_distribution *d = &fills[i].distribution;
        void *out = fill(d, fills[i].count, 1);

        check_equal(hash_of(out, fills[i].count * cup_element_size(d->element)), fills[i].hash);
        free(out);
    }
}

TEST(a_value_does_not_depend_on_how_work_is_cut)
{
    static const struct cup_distribution normal = {CUP_NORMAL, CUP_HALF, 1, 2, 0, 0};
    uint64_t count = 2000003;
    uint16_t *whole = fill(&normal, count, 1), *parts = fill(&normal, count, 17);

    check(!memcmp(whole, parts, count * sizeof(*whole)));
    free(whole);
    free(parts);
}

TEST(halves_round_to_nearest_even)
{
    for (uint32_t half = 0; half <= 0x7c00; half++) {
        float value = cup_half_value((uint16_t)half), next = cup_half_value((uint16_t)(half + 1));
        float middle = half < 0x7bff ? (value + next) / 2 : 65520;

        check_equal(cup_half_of(value), half);
        check_equal(cup_half_of(-value), half | 0x8000);
        if (half >= 0x7c00)
            continue;
        check_equal(cup_half_of(middle), half + (half & 1));
        check_equal(cup_half_of(nextafterf(middle, 0)), half);
        check_equal(cup_half_of(nextafterf(middle, INFINITY)), half + 1);
    }
    check_equal(cup_half_of(NAN), 0x7fff);
    check_equal(cup_bfloat16_of(NAN), 0x7fff);
}

TEST(a_permutation_has_each_number_once)
{
    enum { COUNT = 5000 };
    struct cup_philox ties = {1, 0};
    static uint64_t keys[COUNT];
    static int64_t order[COUNT];
    static bool seen[COUNT];

    for (int i = 0; i < COUNT; i++)
        keys[i] = (uint64_t)i * 2654435761u % 97; /* many are equal */
    check(cup_permutation_make(&ties, 20, COUNT, keys, order));
    for (int i = 0; i < COUNT; i++) {
        check(order[i] >= 0 && order[i] < COUNT && !seen[order[i]]);
        seen[order[i]] = true;
    }
}

TEST(samples_refuse_wrong_parameters)
{
    struct cup_philox generator = {1, 0};
    float wrong[] = {0.5f, 1.5f}, negative[] = {-1}, out[2];
    float weights[] = {0, 0, 1, -1};
    int64_t choices[3];
    struct cup_multinomial empty = {CUP_FLOAT, 1, 2, 3, 1, weights, choices};
    struct cup_multinomial below = {CUP_FLOAT, 1, 4, 3, 1, weights, choices};
    struct cup_multinomial one = {CUP_FLOAT, 1, 3, 3, 1, weights, choices};

    check(!cup_sample_bernoulli(&generator, CUP_FLOAT, wrong, 0, 2, out));
    check(cup_sample_bernoulli(&generator, CUP_FLOAT, wrong, 0, 1, out));
    check(!cup_sample_poisson(&generator, CUP_FLOAT, negative, 0, 1, out));
    check_equal(cup_multinomial_fill(&empty, &generator, 0, 1), CUP_MULTINOMIAL_EMPTY);
    check_equal(cup_multinomial_fill(&below, &generator, 0, 1), CUP_MULTINOMIAL_NEGATIVE);
    check_equal(cup_multinomial_fill(&one, &generator, 0, 1), CUP_MULTINOMIAL_DONE);
    for (int i = 0; i < 3; i++)
        check_equal((uint64_t)choices[i], 2);
}
