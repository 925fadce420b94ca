/* SPDX-License-Identifier: MIT */
/* Instructions in which the threads of a warp or block cooperate: shuffles, votes, matches,
 * reductions, barriers that reduce; also by a part of the warp, named in the mask. */
#include "variants.h"
#include <stdio.h>
#include <string.h>

static void shuffles(void)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const struct {
        const char *name, *clamp;
    } clamps[] = {{"", ""},
                  {"-0", "0"},
                  {"-31", "31"},
                  {"-width8", "0x181f"},
                  {"-width16-up", "0x1000"},
                  {"-width2", "0x1e1f"},
                  {"-7", "7"}};
    char name[80];

    for (int m = 0; m < 4; m++) {
        for (int c = 0; c < 7; c++) {
            /* Every lane with a lane number of its own, then all with the same. */
            snprintf(name, sizeof name, "shfl.sync.%s.b32%s", modes[m], clamps[c].name);
            variant_add("shfl", name, "32 8", "i32 lane lane",
                        "shfl.sync.%s.b32 %%d0|%%p0, %%a, %%b, %s, -1; selp.u16 %%d1, 1, 0, %%p0;",
                        modes[m], c ? clamps[c].clamp : "%c")
                ->lanes = 256;
        }
        for (int delta = 1; delta <= 16; delta *= 4) {
            snprintf(name, sizeof name, "shfl.sync.%s.b32-by-%d", modes[m], delta);
            variant_add("shfl", name, "32 8", "i32",
                        "shfl.sync.%s.b32 %%d0|%%p0, %%a, %d, %d, -1; selp.u16 %%d1, 1, 0, %%p0;",
                        modes[m], delta, m ? 31 : 0)
                ->lanes = 128;
        }
        /* Half of the warp alone; a lane that takes no part is not asked for. */
        snprintf(name, sizeof name, "shfl.sync.%s.b32-half", modes[m]);
        variant_add("shfl", name, "32", "i32",
                    "mov.u32 %%r0, %%laneid; and.b32 %%r1, %%r0, 1; setp.eq.u32 %%p0, %%r1, 1;\n"
                    "mov.u32 %%d0, %%a; @%%p0 bra done; shfl.sync.%s.b32 %%d0, %%a, %s, %d, "
                    "0x55555555;\ndone:",
                    modes[m], m == 3 ? "6" : "2", m ? 31 : 0)
            ->lanes = 128;
    }
}

static void votes(void)
{
    variant_add(
        "vote", "vote.sync", "32 32", "bool few",
        "setp.ne.u32 %%p0, %%a, 0; vote.sync.ballot.b32 %%d0, %%p0, -1;\n"
        "setp.lt.u32 %%p1, %%b, 4; vote.sync.all.pred %%p2, %%p1, -1; mov.u32 %%d1, 0;\n"
        "@%%p2 or.b32 %%d1, %%d1, 1; vote.sync.any.pred %%p2, %%p1, -1;\n"
        "@%%p2 or.b32 %%d1, %%d1, 2; vote.sync.uni.pred %%p2, %%p1, -1;\n"
        "@%%p2 or.b32 %%d1, %%d1, 4; vote.sync.all.pred %%p2, %%p0, -1;\n"
        "@%%p2 or.b32 %%d1, %%d1, 8; vote.sync.any.pred %%p2, !%%p1, -1;\n"
        "@%%p2 or.b32 %%d1, %%d1, 16; vote.sync.uni.pred %%p2, %%p0, -1;\n"
        "@%%p2 or.b32 %%d1, %%d1, 32; vote.sync.ballot.b32 %%r0, !%%p0, -1;\n"
        "xor.b32 %%r0, %%r0, %%d0; setp.eq.u32 %%p2, %%r0, -1; @%%p2 or.b32 %%d1, %%d1, 64;");
    variant_add(
        "vote", "vote.sync-half", "32 32", "bool",
        "mov.u32 %%r0, %%laneid; setp.lt.u32 %%p0, %%r0, 12; mov.u32 %%d0, 0; mov.u32 %%d1, 0;\n"
        "setp.ne.u32 %%p1, %%a, 0; @%%p0 bra low;\n"
        "vote.sync.ballot.b32 %%d0, %%p1, 0xfffff000; vote.sync.any.pred %%p2, %%p1, "
        "0xfffff000;\n"
        "selp.u32 %%d1, 1, 0, %%p2; bra done;\n"
        "low: vote.sync.ballot.b32 %%d0, %%p1, 0x00000fff; vote.sync.all.pred %%p2, %%p1, "
        "0xfff;\n"
        "selp.u32 %%d1, 2, 0, %%p2;\ndone:");
    variant_add("vote", "vote.ballot-without-sync", "32", "bool",
                "setp.ne.u32 %%p0, %%a, 0; vote.ballot.b32 %%d0, %%p0;");
    variant_add("activemask", "activemask.b32", "32 32", "few",
                "activemask.b32 %%d0; setp.eq.u32 %%p0, %%a, 1; @!%%p0 bra other;\n"
                "bar.warp.sync -1; bra done; other: bar.warp.sync -1; done: activemask.b32 %%r0;\n"
                "mov.u32 %%r1, %%laneid; shr.u32 %%r0, %%r0, %%r1; and.b32 %%d1, %%r0, 1;")
        ->lanes = 128;
}

static void matches(void)
{
    variant_add("match", "match.any.sync.b32", "32", "few", "match.any.sync.b32 %%d0, %%a, -1;");
    variant_add("match", "match.any.sync.b64", "32", "few64", "match.any.sync.b64 %%d0, %%a, -1;");
    variant_add("match", "match.all.sync.b32", "32 32 32", "few",
                "match.all.sync.b32 %%d0|%%p0, %%a, -1; selp.u32 %%d1, 1, 0, %%p0;\n"
                "match.all.sync.b32 %%r0|%%p1, 5, -1; selp.u32 %%d2, %%r0, 0, %%p1;");
    variant_add(
        "match", "match.all.sync.b64", "32 32 32", "few64",
        "match.all.sync.b64 %%d0|%%p0, %%a, -1; selp.u32 %%d1, 1, 0, %%p0; mov.u64 %%l0, 7;\n"
        "match.all.sync.b64 %%r0|%%p1, %%l0, -1; selp.u32 %%d2, %%r0, 0, %%p1;");
    variant_add(
        "match", "match.any.sync.b32-half", "32", "few",
        "mov.u32 %%r0, %%laneid; setp.ge.u32 %%p0, %%r0, 20; mov.u32 %%d0, 0; @%%p0 bra done;\n"
        "match.any.sync.b32 %%d0, %%a, 0x000fffff;\ndone:");
}

static void reductions(void)
{
    static const char *const arithmetic[] = {"add", "min", "max"};
    static const char *const bitwise[] = {"and", "or", "xor"};

    for (int i = 0; i < 3; i++) {
        variant_add("redux",
                    i == 0   ? "redux.sync.add.u32"
                    : i == 1 ? "redux.sync.min.u32"
                             : "redux.sync.max.u32",
                    "32", "i32", "redux.sync.%s.u32 %%d0, %%a, -1;", arithmetic[i]);
        variant_add("redux",
                    i == 0   ? "redux.sync.add.s32"
                    : i == 1 ? "redux.sync.min.s32"
                             : "redux.sync.max.s32",
                    "32", "i32", "redux.sync.%s.s32 %%d0, %%a, -1;", arithmetic[i]);
        variant_add("redux",
                    i == 0   ? "redux.sync.and.b32"
                    : i == 1 ? "redux.sync.or.b32"
                             : "redux.sync.xor.b32",
                    "32", "i32", "redux.sync.%s.b32 %%d0, %%a, -1;", bitwise[i]);
    }
    variant_add(
        "redux", "redux.sync.add.u32-half", "32", "i32",
        "mov.u32 %%r0, %%laneid; setp.ge.u32 %%p0, %%r0, 20; mov.u32 %%d0, 0; @%%p0 bra done;\n"
        "redux.sync.add.u32 %%d0, %%a, 0x000fffff;\ndone:");
    variant_add("elect", "elect.sync", "32 32", "few",
                "elect.sync %%d0|%%p0, -1; selp.u32 %%d1, 1, 0, %%p0;")
        ->lanes = 128;
    variant_add(
        "elect", "elect.sync-half", "32 32", "few",
        "mov.u32 %%r0, %%laneid; setp.lt.u32 %%p1, %%r0, 5; mov.u32 %%d0, 99; mov.u32 %%d1, 0;\n"
        "@%%p1 bra done; elect.sync %%d0|%%p0, 0xffffffe0; selp.u32 %%d1, 1, 0, %%p0;\ndone:")
        ->lanes = 128;
}

static void barriers(void)
{
    static const char *const spellings[] = {"bar.red", "barrier.cta.red", "barrier.red"};

    for (int i = 0; i < 3; i++) {
        char name[40];
        const char *b = spellings[i];
        snprintf(name, sizeof name, "%s", b);
        variant_add("bar", name, "32 32", "bool few",
                    "setp.ne.u32 %%p0, %%a, 0; setp.lt.u32 %%p1, %%b, 4;\n"
                    "%s.popc.u32 %%d0, 0, %%p0; mov.u32 %%d1, 0;\n"
                    "%s.and.pred %%p2, 0, %%p0; @%%p2 or.b32 %%d1, %%d1, 1;\n"
                    "%s.or.pred %%p2, 0, %%p0; @%%p2 or.b32 %%d1, %%d1, 2;\n"
                    "%s.and.pred %%p2, 1, %%p1; @%%p2 or.b32 %%d1, %%d1, 4;\n"
                    "%s.or.pred %%p2, 1, !%%p1; @%%p2 or.b32 %%d1, %%d1, 8;\n"
                    "%s.popc.u32 %%r0, 2, 128, !%%p0; shl.b32 %%r0, %%r0, 8; or.b32 %%d1, %%d1, "
                    "%%r0;",
                    b, b, b, b, b, b);
    }
    variant_add("bar", "bar.red-part", "32", "bool",
                "setp.ne.u32 %%p0, %%a, 0; mov.u32 %%r0, %%tid.x; setp.lt.u32 %%p1, %%r0, 64;\n"
                "@!%%p1 bra high; bar.red.popc.u32 %%d0, 3, 64, %%p0; bra done;\n"
                "high: bar.red.popc.u32 %%d0, 4, 64, !%%p0;\ndone:");
    static const char *const forms[] = {"bar.sync 0;",
                                        "bar.sync 0, 128;",
                                        "barrier.sync 0;",
                                        "barrier.sync 5, 128;",
                                        "barrier.cta.sync 15;",
                                        "barrier.sync.aligned 1;",
                                        "barrier.cta.sync.aligned 0, 128;"};
    for (int i = 0; i < 7; i++) {
        char name[60];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(forms[i], ";"), forms[i]);
        /* What the neighbour on the other side of the block wrote. */
        variant_add(
            "bar", name, "32", "i32",
            ".shared .align 4 .b32 words[128]; mov.u32 %%r0, %%tid.x; shl.b32 %%r1, %%r0, 2;\n"
            "mov.u32 %%r2, words; add.u32 %%r3, %%r2, %%r1; st.shared.u32 [%%r3], %%a; %s\n"
            "sub.u32 %%r0, 127, %%r0; shl.b32 %%r1, %%r0, 2; add.u32 %%r3, %%r2, %%r1;\n"
            "ld.shared.u32 %%d0, [%%r3];",
            forms[i])
            ->lanes = 256;
    }
}

void variants_warp(void)
{
    shuffles();
    votes();
    matches();
    reductions();
    barriers();
}
