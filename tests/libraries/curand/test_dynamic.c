/* SPDX-License-Identifier: MIT */
/* The ordering DYNAMIC, whose threads are as many as the device can run: checksums of the numbers
 * of a card of 132 processors. */
#include "curand_test.h"

enum { MANY = 1000000, THREADS = 132 * 512, TURN = 4 * THREADS };

static uint32_t words[MANY];

/* Makes `count` words in memory that was zeros. */
static void make(curandGenerator_t generator, void *memory, size_t count)
{
    check_success(cuMemsetD8((CUdeviceptr)(uintptr_t)memory, 0, count * 4));
    check_done(curandGenerate(generator, memory, count));
    check_success(cuCtxSynchronize());
    fetch(words, memory, count * 4);
}

static curandGenerator_t dynamic(curandRngType_t type, uint64_t offset)
{
    curandGenerator_t generator = create(true, type);

    check_done(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC));
    if (offset)
        check_done(curandSetGeneratorOffset(generator, offset));
    return generator;
}

static uint32_t short_checksum(size_t count)
{
    return (uint32_t)checksum(words, count * 4);
}

TEST(every_block_of_mtgp32_has_parameters_of_its_own)
{
    static const uint32_t sums[] = {0x40b06260, 0xfcce14cf, 0x80ea5b94};
    curandGenerator_t generator;
    void *memory;

    with_context();
    memory = device_memory(sizeof(words));
    generator = dynamic(CURAND_RNG_PSEUDO_MTGP32, 0);
    for (size_t i = 0; i < 3; i++) {
        make(generator, memory, MANY);
        check(short_checksum(MANY) == sums[i]);
    }
}

TEST(blocks_of_mtgp32_follow_from_the_seed)
{
    curandGenerator_t generator;

    with_context();
    generator = dynamic(CURAND_RNG_PSEUDO_MTGP32, 0);
    check_done(curandSetPseudoRandomGeneratorSeed(generator, 12345));
    make(generator, device_memory(sizeof(words)), MANY);
    check(words[0] == 0x6a8fc73b && words[199 * 256] == 0xa5f338ae);
    check(words[200 * 256] == 0x80a2fe61 && words[900 * 256] == 0x51b918a0);
}

/* In the first call behind an offset of two turns or more, the threads stand elsewhere in their
 * turn, and the next calls find them as it has left them. */
TEST(the_first_call_behind_a_long_offset_begins_at_another_thread)
{
    static const struct {
        uint64_t offset;
        size_t counts[5];
        uint32_t sums[5]; /* 0: as any */
    } rows[] = {
        {540672, {1000, 1000, 600000, 300000}, {0x54503864, 0, 0x210cffd5, 0x750cbca1}},
        {540672, {270336}, {0xd0fdbb56}},
        {1000001, {3, 70000, 600000, 5, 300000}, {0, 0, 0x6b42c927, 0, 0x2364c709}},
        {2000004, {600000}, {0x3e6e73b8}},
        {4294967296, {1000, 1000, 600000, 300000}, {0xb66d05e3, 0, 0x8ce1d31a, 0x07649a48}},
        {1099511627776, {600000}, {0xac08544f}},
    };
    void *memory;

    with_context();
    memory = device_memory(sizeof(words));
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        curandGenerator_t generator = dynamic(CURAND_RNG_PSEUDO_PHILOX4_32_10, rows[i].offset);

        for (size_t call = 0; call < 5 && rows[i].counts[call]; call++) {
            make(generator, memory, rows[i].counts[call]);
            check(rows[i].sums[call] == 0 ||
                  short_checksum(rows[i].counts[call]) == rows[i].sums[call]);
        }
    }
}

/* Between one turn and two, some threads write where others do too, and nobody in their place. */
TEST(between_one_turn_and_two_a_part_is_not_written)
{
    enum { BEHIND = 29668, FIRST_SHARED = 35868, UNWRITTEN = TURN - BEHIND };
    curandGenerator_t generator;
    void *memory;

    with_context();
    memory = device_memory(sizeof(words));
    generator = dynamic(CURAND_RNG_PSEUDO_PHILOX4_32_10, TURN + BEHIND);
    make(generator, memory, TURN);
    for (size_t i = UNWRITTEN; i < TURN; i++)
        check(words[i] == 0);
    check(short_checksum(FIRST_SHARED) == 0x68c1e5c8);
    make(generator, memory, TURN);
    check(words[TURN - 1] != 0);
}
