/* SPDX-License-Identifier: MIT */
/* Loads from invalid addresses whose values are unused. The optimiser removed loads that ptxas
 * keeps, so kernels succeeded that end with CUDA_ERROR_ILLEGAL_ADDRESS on a device; and it kept
 * some that ptxas removes. The cases were determined by compiling such kernels with ptxas for
 * sm_90. */
#include "test.h"

#include "faulting.h"

#define ILLEGAL CUDA_ERROR_ILLEGAL_ADDRESS
#define BAD UINT64_C(0xdead00000000)
#define LOAD "ld.global.u32 r1, [w];"
#define USE "st.global.u32 [o], r2;"

static void check_bodies(const char *const *bodies, size_t count, uint64_t word, CUresult result)
{
    for (size_t i = 0; i < count; i++) {
        struct faulting one = {.body = bodies[i], .word = word, .result = result};

        check_faulting(&one, 1);
    }
}

static const char *const needed[] = {
    LOAD "sub.u32 r2, r1, r1;" USE,
    LOAD "min.u32 r2, r1, 0;" USE,
    LOAD "max.u32 r2, r1, -1;" USE,
    LOAD "neg.s32 r2, r1; add.u32 r2, r2, r1;" USE,
    LOAD "setp.ge.u32 p, r1, 0; selp.b32 r2, 3, 4, p;" USE,
    LOAD "setp.lt.u32 p, r1, 0; selp.b32 r2, 3, 4, p;" USE,
    LOAD "rem.u32 r2, r1, 1;" USE,
    "ld.global.u8 r1, [w]; shr.u32 r2, r1, 8;" USE,
    LOAD "prmt.b32 r2, 0, r1, 0x0000;" USE,
    LOAD "lop3.b32 r2, r1, t, t, 0;" USE,
    "ld.global.f32 f1, [w]; mul.f32 f2, f1, 0f00000000; st.global.f32 [o], f2;",
    /* Overwritten by the next store. */
    LOAD "st.global.u32 [o], r1; st.global.u32 [o], t;",
    /* On a way that is not taken. */
    LOAD "setp.gt.u32 p, t, 100; @p st.global.u32 [o], r1;",
    LOAD "setp.gt.u32 p, t, 100; @!p bra DONE; add.u32 r1, r1, 1; st.global.u32 [o], r1; DONE:",
    LOAD "setp.gt.u32 p, t, 100; selp.b32 r2, r1, t, p;" USE,
    /* For an address alone. */
    LOAD "and.b32 r2, r1, 0; sub.u32 r2, r1, r1; cvt.u64.u32 a, r2; add.u64 a, a, o;"
         "st.global.u32 [a], t;",
    /* Only the last lane's value is stored. */
    "setp.eq.u32 p, t, 3; selp.b64 a, w, o, p; ld.global.u32 r1, [a]; st.global.u32 [o], r1;",
    "mov.u32 r3, 0; LOOP:" LOAD "add.u32 r3, r3, 1; setp.lt.u32 p, r3, 4; @p bra LOOP;"
    "sub.u32 r2, r1, r1;" USE,
    "ld.volatile.global.u32 r1, [w];",
    "ld.acquire.gpu.global.u32 r1, [w];",
    "atom.global.add.u32 r1, [w], 1;",
    "atom.global.add.u32 r1, [w], 0;",
    "mov.u32 r2, 0; atom.global.or.b32 r1, [w], r2;",
    "mul.wide.u32 d1, t, 4; add.u64 d1, d1, w; red.global.add.u32 [d1], 0;",
    "atom.global.cas.b32 r1, [w], 0, 0;",
    "red.global.or.b32 [w], 0;",
    "st.global.u32 [w], 1;",
    "ld.u32 r1, [w]; sub.u32 r2, r1, r1;" USE,
    "ld.global.nc.u32 r1, [w]; sub.u32 r2, r1, r1;" USE,
    "ld.global.v4.u32 {r1, r2, r3, r4}, [w]; sub.u32 r2, r3, r3;" USE,
};

TEST(needed_loads_of_a_wild_address_fault)
{
    check_bodies(needed, sizeof needed / sizeof *needed, BAD, ILLEGAL);
}

TEST(needed_loads_of_address_zero_fault)
{
    check_bodies(needed, sizeof needed / sizeof *needed, 0, ILLEGAL);
}

TEST(needed_loads_of_a_number_fault)
{
    static const char *const bodies[] = {
        "mov.u64 a, 0; ld.global.u32 r1, [a]; sub.u32 r2, r1, r1;" USE,
        "mov.u64 a, 0; ld.global.u32 r1, [a];" USE "st.global.u32 [o], r1;",
        "mov.u64 a, 16; ld.u32 r1, [a+4]; min.u32 r2, r1, 0;" USE,
        "mov.u64 a, 0; st.global.u32 [a], 5;" USE,
        "mov.u64 a, 0; atom.global.add.u32 r1, [a], 5;" USE,
    };

    check_bodies(bodies, sizeof bodies / sizeof *bodies, 0, ILLEGAL);
}

TEST(loads_that_nothing_needs_do_not_happen)
{
    static const char *const bodies[] = {
        LOAD,
        LOAD "add.u32 r1, r1, 1;",
        LOAD "and.b32 r2, r1, 0;" USE,
        LOAD "or.b32 r2, r1, -1;" USE,
        LOAD "xor.b32 r2, r1, r1;" USE,
        LOAD "mul.lo.u32 r2, r1, 0;" USE,
        LOAD "mov.u32 r3, 0; mul.hi.u32 r2, r1, r3;" USE,
        LOAD "mad.lo.u32 r2, r1, 0, t;" USE,
        LOAD "shl.b32 r2, r1, 32;" USE,
        LOAD "shr.u32 r2, r1, 40;" USE,
        LOAD "bfe.u32 r2, r1, 3, 0;" USE,
        LOAD "setp.eq.u32 p, r1, 5; selp.b32 r2, 3, 3, p;" USE,
        LOAD "mov.u32 r1, t; st.global.u32 [o], r1;",
        LOAD "mul.wide.u32 a, r1, 4; add.u64 a, a, o; ld.global.u32 r2, [a];",
        "mov.u32 r3, 0; LOOP:" LOAD "add.u32 r4, r4, r1; add.u32 r3, r3, 1;"
        "setp.lt.u32 p, r3, 4; @p bra LOOP;",
        LOAD "shfl.sync.idx.b32 r2, r1, 0, 31, -1;",
        "ld.relaxed.gpu.global.u32 r1, [w];",
        "ld.global.nc.u32 r1, [w];",
        "cvt.u32.u64 r1, w; ld.shared.u32 r2, [r1];",
        "setp.eq.u32 p, t, 3; selp.b64 a, w, o, p; ld.global.u32 r1, [a];",
    };

    check_bodies(bodies, sizeof bodies / sizeof *bodies, BAD, CUDA_SUCCESS);
}

/* Nothing is loaded earlier than the program says. */
TEST(loads_that_are_not_reached_do_not_happen)
{
    static const char *const bodies[] = {
        "setp.gt.u32 p, t, 100; @p ld.global.u32 r1, [w]; st.global.u32 [o], t;",
        "mov.u32 r1, 7; setp.gt.u32 p, t, 100; @p ld.global.u32 r1, [w]; st.global.u32 [o], r1;",
        "mov.u32 r2, 5; setp.gt.u32 p, t, 100; @!p bra DONE;" LOAD "sub.u32 r2, r1, r1; DONE:" USE,
        ("mov.u32 r2, 0; mov.u32 r3, 200; LOOP: setp.gt.u32 p, r3, t; @p bra DONE;" LOAD
         "add.u32 r2, r2, r1; add.u32 r3, r3, 1; bra LOOP; DONE:" USE),
        "setp.eq.u32 p, t, 100; selp.b64 a, w, o, p; ld.global.u32 r2, [a];" USE,
    };

    check_bodies(bodies, sizeof bodies / sizeof *bodies, BAD, CUDA_SUCCESS);
    check_bodies(bodies, sizeof bodies / sizeof *bodies, 0, CUDA_SUCCESS);
}
