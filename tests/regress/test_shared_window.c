/* SPDX-License-Identifier: MIT */
/* Accesses outside the block's shared memory: a large offset reached other memory, and the offsets
 * of a kernel without shared memory were used as addresses. They are CUDA_ERROR_ILLEGAL_ADDRESS,
 * and CUDA_ERROR_ILLEGAL_INSTRUCTION from 16 MiB on, where a device's window for shared addresses
 * ends. Offsets have 32 bits, whatever the register's width. */
#include "test.h"

#include "faulting.h"

#define ILLEGAL CUDA_ERROR_ILLEGAL_ADDRESS
#define BEHIND CUDA_ERROR_ILLEGAL_INSTRUCTION
#define MEMORY .scope = ".shared .align 1024 .b8 s[1024];"
#define LINE(n) "mul.lo.u32 r0, t, " #n "; add.u32 r0, r0, v;"

static void check_body(const char *body, const uint32_t *words, size_t count, CUresult result)
{
    for (size_t i = 0; i < count; i++) {
        struct faulting one = {MEMORY, .body = body, .word = words[i], .result = result};

        if (result == ILLEGAL && words[i] >= 16 << 20)
            one.result = BEHIND;
        check_faulting(&one, 1);
    }
}

static const uint32_t outside[] = {1024,       4096,       0x10000,    0x400000,   0x10000000,
                                   0x7ffffff0, 0x80000000, 0xffff0000, 0xfffffc00, 0xfffffff0};
enum { OUTSIDE = sizeof outside / sizeof *outside };

TEST(stores_outside)
{
    check_body("st.shared.u32 [v], t;", outside, OUTSIDE, ILLEGAL);
}

TEST(loads_outside)
{
    check_body("ld.shared.u32 r1, [v]; st.global.u32 [o], r1;", outside, OUTSIDE, ILLEGAL);
}

TEST(lines_outside)
{
    check_body(LINE(4) "st.shared.u32 [r0], t;", outside, OUTSIDE, ILLEGAL);
}

TEST(scattered_outside)
{
    check_body("and.b32 r1, t, 5; mul.lo.u32 r1, r1, 8; add.u32 r0, r1, v; st.shared.u32 [r0], t;",
               outside, OUTSIDE, ILLEGAL);
}

TEST(vectors_outside)
{
    check_body("st.shared.v4.u32 [v], {t, t, t, t};", outside, OUTSIDE, ILLEGAL);
}

TEST(atomics_outside)
{
    check_body("atom.shared.add.u32 r1, [v], 1;", outside, OUTSIDE, ILLEGAL);
    check_body(LINE(4) "red.shared.max.u32 [r0], t;", outside, OUTSIDE, ILLEGAL);
}

TEST(lanes_of_their_own_outside)
{
    check_body("setp.ne.u32 p, t, 7; @p bra DONE;" LINE(4) "st.shared.u32 [r0], t; DONE:", outside,
               OUTSIDE - 1, ILLEGAL);
    check_body("setp.ne.u32 p, t, 7; @p bra DONE; bar.warp.sync 0x80; ld.shared.u32 r1, [v];"
               "st.global.u32 [o], r1; DONE:",
               outside, OUTSIDE, ILLEGAL);
}

TEST(other_instructions_outside)
{
    check_body("cp.async.ca.shared.global [v], [o], 16;", outside, OUTSIDE, ILLEGAL);
    check_body("mbarrier.init.shared.b64 [v], 1;", outside, OUTSIDE, ILLEGAL);
    check_body("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [v]; st.global.u32 [o], r1;",
               outside, OUTSIDE, ILLEGAL);
    check_body("cvta.shared.u64 d1, s; cvt.u64.u32 d2, v; add.u64 d1, d1, d2; st.u32 [d1], t;",
               outside, OUTSIDE, ILLEGAL);
}

TEST(wide_registers_count_by_their_lower_half)
{
    static const struct faulting cases[] = {
        {MEMORY, .body = "st.shared.u32 [w], t;", .word = UINT64_C(0x100000010)},
        {MEMORY, .body = "st.shared.u32 [w], t;", .word = UINT64_C(0x7000000000f0)},
        {MEMORY, .body = "mul.wide.u32 d1, t, 4; add.u64 d1, d1, w; st.shared.u32 [d1], t;",
         .word = UINT64_C(0x7000000000f0)},
        {MEMORY, .body = "st.shared.u32 [w], t;", .word = UINT64_C(0x700000010000),
         .result = ILLEGAL},
        {MEMORY, .body = "ld.shared.u32 r1, [w]; st.global.u32 [o], r1;",
         .word = UINT64_C(0x700000010000), .result = ILLEGAL},
        {MEMORY, .body = "mul.wide.u32 d1, t, 4; add.u64 d1, d1, w; st.shared.u32 [d1], t;",
         .word = UINT64_C(0x7000ffff0000), .result = BEHIND},
    };

    CHECK_FAULTING(cases);
}

TEST(lines_that_leave_in_the_middle)
{
    static const struct faulting cases[] = {
        {MEMORY, .body = LINE(4) "st.shared.u32 [r0], t;", .word = 1024 - 64, .result = ILLEGAL},
        {MEMORY, .body = LINE(4) "st.shared.u32 [r0], t;", .word = 0xffffffc0, .result = BEHIND},
        {MEMORY, .body = "mul.lo.u32 r0, t, 4; sub.u32 r0, v, r0; st.shared.u32 [r0], t;",
         .word = 64, .result = BEHIND},
        {MEMORY, .body = "mul.lo.u32 r0, t, 4; sub.u32 r0, v, r0; red.shared.add.u32 [r0], t;",
         .word = 64, .result = BEHIND},
        /* All that is inside, and lanes that are off where it is not. */
        {MEMORY, .body = LINE(4) "st.shared.u32 [r0], t;", .word = 1024 - 128},
        {MEMORY, .body = "mul.lo.u32 r0, t, 4; sub.u32 r0, v, r0; st.shared.u32 [r0], t;",
         .word = 124},
        {MEMORY,
         .body = "setp.lt.u32 p, t, 16; @p bra DONE;" LINE(4) "st.shared.u32 [r0], t; DONE:",
         .word = 0xffffffc0},
        {MEMORY,
         .body =
             "setp.lt.u32 p, t, 16; @p bra DONE;" LINE(4) "atom.shared.add.u32 r1, [r0], t; DONE:",
         .word = 0xffffffc0},
        {MEMORY,
         .body = "setp.ge.u32 p, t, 16; @p bra DONE;" LINE(4) "st.shared.u32 [r0], t; DONE:",
         .word = 1024 - 64},
        {MEMORY, .body = "setp.gt.u32 p, t, 64; @p st.shared.u32 [v], t;", .word = 0x10000000},
        {MEMORY, .body = "st.shared.u32 [v+-64], t;", .word = 64},
        {MEMORY, .body = "st.shared.u32 [v+-64], t;", .word = 32, .result = BEHIND},
    };

    CHECK_FAULTING(cases);
}

TEST(kernel_without_shared_memory)
{
    static const uint32_t words[] = {0, 16, 4096, 0x400000, 0x10000000, 0xfffffff0};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct faulting cases[] = {
            {.body = "st.shared.u32 [v], t;", .word = words[i], .result = ILLEGAL},
            {.body = "ld.shared.u32 r1, [v]; st.global.u32 [o], r1;",
             .word = words[i],
             .result = ILLEGAL},
            {.body = "atom.shared.add.u32 r1, [v], t;", .word = words[i], .result = ILLEGAL},
        };

        CHECK_FAULTING(cases);
    }
}

TEST(dynamic_memory_is_part_of_it)
{
    static const struct faulting cases[] = {
        {MEMORY, .body = "st.shared.u32 [v], t;", .word = 2044, .shared = 1024},
        {MEMORY, .body = "st.shared.u32 [v], t;", .word = 2048, .shared = 1024, .result = ILLEGAL},
        {.body = "st.shared.u32 [v], t;", .word = 65532, .shared = 65536},
        {.body = "st.shared.u32 [v], t;", .word = 65536, .shared = 65536, .result = ILLEGAL},
    };

    CHECK_FAULTING(cases);
}
