/* SPDX-License-Identifier: MIT */
/* Misaligned accesses were reported at the end of a block, and the log named no instruction. It
 * names kernel, block, lanes, size, address and statement; addresses of inactive lanes do not
 * matter. */
#include "test.h"

#include "faulting.h"

#define MISALIGNED CUDA_ERROR_MISALIGNED_ADDRESS
#define AT(bytes) .word = (bytes), .relative = true
/* d0: w + n * t; the lanes whose number's low bit is set go away. */
#define STEP(n) "mul.wide.u32 d0, t, " #n "; add.u64 d0, d0, w;"
#define EVEN "and.b32 r0, t, 1; setp.ne.u32 p, r0, 0; @p bra DONE;"
#define DONE "DONE:"

TEST(misaligned_accesses_are_refused)
{
    static const struct faulting cases[] = {
        {.body = "ld.global.u32 r1, [w]; st.global.u32 [o], r1;", AT(2), .result = MISALIGNED},
        {.body = "ld.global.u16 h1, [w]; st.global.u16 [o], h1;", AT(1), .result = MISALIGNED},
        {.body = "ld.global.v2.u32 {r1, r2}, [w]; st.global.v2.u32 [o], {r1, r2};",
         AT(4),
         .result = MISALIGNED},
        {.body = "ld.global.v4.f32 {f1, f2, f3, f4}, [w]; st.global.v4.f32 [o], {f1, f2, f3, f4};",
         AT(8),
         .result = MISALIGNED},
        {.body = "ld.global.u64 d1, [w+4]; st.global.u64 [o], d1;", AT(0), .result = MISALIGNED},
        {.body = "ld.volatile.global.u32 r1, [w];", AT(1), .result = MISALIGNED},
        {.body = "st.global.u32 [w], 7;", AT(3), .result = MISALIGNED},
        {.body = "st.u64 [w], w;", AT(4), .result = MISALIGNED},
        {.body = "st.global.v4.u32 [w], {t, t, t, t};", AT(4), .result = MISALIGNED},
        {.body = "atom.global.add.u32 r1, [w], 1;", AT(2), .result = MISALIGNED},
        {.body = "red.global.add.u64 [w], 1;", AT(4), .result = MISALIGNED},
        {.body = STEP(2) "st.global.u32 [d0], 7;", AT(0), .result = MISALIGNED},
        {.body = STEP(6) "ld.global.u32 r1, [d0]; st.global.u32 [o], r1;",
         AT(0),
         .result = MISALIGNED},
        {.body = EVEN STEP(2) "st.global.u32 [d0], 7;" DONE, AT(2), .result = MISALIGNED},
        {.body = EVEN STEP(1) "st.global.u32 [d0], 7;" DONE, AT(0), .result = MISALIGNED},
        {.scope = ".shared .align 16 .b8 s[256];",
         .body = "st.shared.u32 [v], t;",
         .word = 2,
         .result = MISALIGNED},
        {.scope = ".shared .align 16 .b8 s[256];",
         .body = "ld.shared.v2.u32 {r1, r2}, [v+8]; st.global.v2.u32 [o], {r1, r2};",
         .word = 4,
         .result = MISALIGNED},
        {.body = ".local .align 8 .b8 l[64]; mov.u64 a, l; add.u64 a, a, w; st.local.u32 [a], t;"
                 "ld.local.u32 r1, [l]; st.global.u32 [o], r1;",
         .word = 1,
         .result = MISALIGNED},
        {.scope = ".shared .align 16 .b8 s[256];",
         .body = "cp.async.ca.shared.global [v], [o], 8;",
         .word = 4,
         .result = MISALIGNED},
        /* One register, several offsets and sizes: the first is right and the second is not. */
        {.body = "ld.global.u32 r1, [w]; ld.global.u32 r2, [w+2]; add.u32 r1, r1, r2;"
                 "st.global.u32 [o], r1;",
         AT(0),
         .result = MISALIGNED},
        {.body = "ld.global.u32 r1, [w]; ld.global.u64 d1, [w+8]; st.global.u32 [o], r1;"
                 "st.global.u64 [o+8], d1;",
         AT(4),
         .result = MISALIGNED},
        {.body = "st.global.u32 [w], 1; add.u64 w, w, 1; st.global.u32 [w], 2;",
         AT(0),
         .result = MISALIGNED},
        {.body = "mov.u32 r1, 0; LOOP: st.global.u32 [w], 1; add.u64 w, w, 2; add.u32 r1, r1, 1;"
                 "setp.lt.u32 p, r1, 4; @p bra LOOP;",
         AT(0),
         .result = MISALIGNED},
    };

    CHECK_FAULTING(cases);
}

TEST(aligned_accesses_are_no_error)
{
    static const struct faulting cases[] = {
        {.body = "ld.global.u32 r1, [w]; st.global.u32 [o], r1;", AT(4)},
        {.body = "ld.global.v2.u32 {r1, r2}, [w]; st.global.u32 [o], r2;", AT(8)},
        {.body = STEP(4) "st.global.u32 [d0], 7;", AT(4)},
        {.body = STEP(12) "st.global.u32 [d0+4], 7;", AT(0)},
        /* The lanes that are on are aligned, those that are off would not be. */
        {.body = EVEN STEP(2) "st.global.u32 [d0], 7;" DONE, AT(0)},
        {.body = EVEN STEP(4) "ld.global.v2.f32 {f1, f2}, [d0]; st.global.f32 [o], f2;" DONE,
         AT(0)},
        {.body = EVEN STEP(4) "st.global.v2.u32 [d0], {t, t};" DONE, AT(0), .threads = 1024},
        {.body = "and.b32 r0, t, 1; setp.eq.u32 p, r0, 1;" STEP(2) "@p st.global.u32 [d0], 7;",
         AT(2)},
        {.body = EVEN STEP(4) "atom.global.add.u64 d1, [d0], 1;" DONE, AT(0)},
        /* Not at all: the branch is not taken, the predicate is false. */
        {.body = "setp.gt.u32 p, t, 100; @p st.global.u32 [w], 7;", AT(1)},
        {.body = "setp.gt.u32 p, t, 100; @!p bra DONE; ld.global.u64 d1, [w];"
                 "st.global.u64 [o], d1; DONE:",
         AT(1)},
        {.body = "setp.gt.u32 p, t, 100; @p atom.global.add.u32 r1, [w], 7;", AT(1)},
        /* Bytes have no alignment. */
        {.body = STEP(1) "ld.global.u8 h1, [d0]; st.global.u8 [d0], h1;", AT(1)},
    };

    CHECK_FAULTING(cases);
}

static void check_log(const struct faulting *f, const char *wanted[])
{
    struct outcome outcome;

    faulting_outcome(f, &outcome);
    check_result(outcome.result, MISALIGNED);
    for (; *wanted; wanted++)
        if (!strstr(outcome.log, *wanted))
            test_fail(__FILE__, __LINE__, "\"%s\" is not in: %s", *wanted, outcome.log);
}

TEST(log_names_the_instruction)
{
    {
        struct faulting load = {
            .body = "ld.global.v2.u32 {r1, r2}, [w+8];\nst.global.v2.u32 [o], {r1, r2};", AT(4)};

        check_log(&load, (const char *[]){"kernel k", "block (0,0,0)", "lanes 0x", "8 bytes",
                                          "ld.global.v2.u32", "[w+8]", NULL});
    }
    struct faulting one = {
        .body = "setp.ne.u32 p, t, 5;\n@p bra DONE;\nst.global.u32 [w], t;\nDONE:", AT(1)};

    check_log(&one, (const char *[]){"lanes 0x00000020", "4 bytes", "st.global.u32", "[w]", NULL});
    struct faulting third = {.body =
                                 STEP(4) "\nsetp.eq.u32 p, t, 3;\nselp.b64 d1, 2, 0, p;\n"
                                         "add.u64 d0, d0, d1;\natom.global.add.u32 r1, [d0], 1;",
                             AT(0)};

    check_log(&third, (const char *[]){"lanes 0x00000008", "atom.global.add.u32", NULL});
}
