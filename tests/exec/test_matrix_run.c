/* SPDX-License-Identifier: MIT */
/* Runs of products of warpgroups, with small whole numbers, whose sums are the same in any order:
 * by AMX where the processor has it, and without, with operands that are decoded anew or kept. */
#include "test.h"

#include "exec/matrix/matrix.h"
#include "exec/matrix/mma_amx.h"
#include "ptx/matrix.h"

#include <stdlib.h>

enum { SHARED = 64 << 10, STEPS = CUP_ABI_MATRIX_GROUP_RUN, TILES = 16, LANES = 32, WARPS = 4 };

static struct group {
    uint16_t shared[SHARED / 2] __attribute__((aligned(1024)));
    struct cup_abi_block block;
    struct cup_abi_matrix_run run;
    uint32_t words[STEPS][LANES] __attribute__((aligned(64)));
} group;

static float tiles[TILES][8][16] __attribute__((aligned(64))),
    others[TILES][8][16] __attribute__((aligned(64)));

/* Whole numbers from -4 to 4, everywhere. */
static void write_shared(uint64_t seed)
{
    static const uint16_t numbers[] = {0xc400, 0xc200, 0xc000, 0xbc00, 0,
                                       0x3c00, 0x4000, 0x4200, 0x4400};

    for (unsigned i = 0; i < SHARED / 2; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        group.shared[i] = numbers[(seed >> 33) % 9];
    }
    group.block.shared_version++;
}

/* Descriptors of rows of 128 bytes with this swizzle, 8 rows 1024 bytes apart. */
static void describe(unsigned columns, unsigned swizzle, uint8_t flags, bool counts_writes)
{
    const uint8_t types[4] = {PTX_F16, PTX_F16, PTX_F32, PTX_F32};

    group.block.shared = (uint8_t *)group.shared;
    group.run = (struct cup_abi_matrix_run){
        .call = {.rows = 64,
                 .columns = (uint16_t)columns,
                 .depth = 16,
                 .flags = CUP_ABI_MATRIX_GROUP | CUP_ABI_MATRIX_A_SHARED | flags},
        .count = STEPS,
        .counts_writes = counts_writes};
    memcpy(group.run.call.types, types, sizeof types);
    for (unsigned s = 0; s < STEPS; s++) {
        uint64_t common = (uint64_t)swizzle << 62 | UINT64_C(64) << 32 | UINT64_C(8) << 16;
        struct cup_abi_descriptors descriptors = {
            .a = common | 2 * s, .b = common | (16384 / 16 + 2 * s), .adds = s != 0};

        memcpy(group.words[s], &descriptors, sizeof descriptors);
    }
}

static void multiply(uint32_t warp, bool by_amx, float (*result)[8][16])
{
    cup_mma_amx_allow(by_amx);
    cup_matrix_run(&group.block, warp, &group.run, group.words[0], result[0][0]);
}

static void begin(void)
{
    setenv("CUPIPE_MATH", "fast", 1);
    check_success(cuInit(0));
    group.block.shared_version = 1;
}

static void check_same(unsigned columns)
{
    check(!memcmp(tiles, others, columns / 8 * sizeof(tiles[0])));
}

TEST(products_with_and_without_amx_are_the_same)
{
    begin();
    for (unsigned swizzle = 0; swizzle < 4; swizzle++)
        for (unsigned flags = 0; flags < 4; flags++)
            for (unsigned columns = 8; columns <= 128; columns += 24) {
                describe(columns, swizzle, (uint8_t)(flags * CUP_ABI_MATRIX_A_TRANSPOSED), false);
                write_shared(columns);
                for (uint32_t warp = 0; warp < WARPS; warp++) {
                    multiply(warp, true, tiles);
                    multiply(warp, false, others);
                    check_same(columns);
                }
            }
}

/* What is kept of B by its version is used while nothing is written, and not afterwards. */
TEST(operands_are_kept_until_memory_is_written)
{
    begin();
    for (unsigned round = 0; round < 3; round++) {
        write_shared(round);
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            describe(64, 1, 0, true);
            multiply(warp, true, tiles);
            describe(64, 1, 0, false);
            multiply(warp, round % 2, others);
            check_same(64);
        }
    }
}

/* The steps before one that does not add do not count. */
TEST(a_later_step_may_begin_anew)
{
    struct cup_abi_descriptors descriptors;

    begin();
    write_shared(7);
    describe(64, 1, 0, true);
    memcpy(&descriptors, group.words[2], sizeof descriptors);
    descriptors.adds = 0;
    memcpy(group.words[2], &descriptors, sizeof descriptors);
    multiply(1, true, tiles);
    group.run.count = 2;
    cup_matrix_run(&group.block, 1, &group.run, group.words[2], others[0][0]);
    check_same(64);
}
