/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies and reductions, mbarriers, and the addresses of clusters. A thread has 16
 * bytes of shared memory as a source, 16 as a destination, and an mbarrier of its own.
 */
#include "variants.h"
#include <stdio.h>
#include <string.h>

/* %r0: the source, %r1: the destination, %r2: the mbarrier, which expects 16 bytes. */
#define SET_UP                                                                                     \
    ".shared .align 16 .b8 sources[2048]; .shared .align 16 .b8 places[2048];\n"                   \
    ".shared .align 8 .b8 barriers[1024]; mov.u32 %%r3, %%tid.x; mov.u32 %%r0, sources;\n"         \
    "mad.lo.u32 %%r0, %%r3, 16, %%r0; mov.u32 %%r1, places; mad.lo.u32 %%r1, %%r3, 16, %%r1;\n"    \
    "mov.u32 %%r2, barriers; mad.lo.u32 %%r2, %%r3, 8, %%r2;\n"                                    \
    "mbarrier.init.shared.b64 [%%r2], 1;\n"
#define FENCE "fence.proxy.async;\n"
#define WAIT "WAIT: mbarrier.try_wait.parity.shared.b64 %%p0, [%%r2], 0; @!%%p0 bra WAIT;\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], " #bytes ";\n"

/* What concerns the memory of a cluster is illegal in a launch without clusters. */
static void in_clusters(struct variant *variant)
{
    variant->lanes = 512;
    variant->cluster = 2;
}

struct operation {
    const char *word, *types;
};

static const char *bits_class(const char *type)
{
    return !strcmp(type, "f16")    ? "f16x2 f16x2"
           : !strcmp(type, "bf16") ? "bf16x2 bf16x2"
           : !strcmp(type, "f32")  ? "f32 f32"
           : !strcmp(type, "f64")  ? "f64 f64"
           : strstr(type, "64")    ? "i64 i64"
                                   : "i32 i32";
}

/* cp.reduce.async.bulk from shared to global memory, where %b stands before. */
static void reductions_to_global(void)
{
    static const struct operation operations[] = {
        {"add", "u32 s32 u64 f32 f64"},
        {"add.noftz", "f16 bf16"},
        {"min", "u32 s32 u64 s64 f16 bf16"},
        {"max", "u32 s32 u64 s64 f16 bf16"},
        {"inc", "u32"},
        {"dec", "u32"},
        {"and", "b32 b64"},
        {"or", "b32 b64"},
        {"xor", "b32 b64"},
    };

    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
        char types[80], *rest = types;
        snprintf(types, sizeof types, "%s", operations[o].types);
        for (char *type; (type = strtok_r(rest, " ", &rest));) {
            int bits = strstr(type, "64") ? 64 : 32;
            char name[100];
            snprintf(name, sizeof name, "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s",
                     operations[o].word, type);
            variant_add("cp.reduce", name, bits == 64 ? "64" : "32", bits_class(type),
                        SET_UP "mov.b64 %%l1, 0; st.shared.v2.b64 [%%r0], {%%l1, %%l1};\n"
                               "st.global.v2.b64 [%%s], {%%l1, %%l1};\n"
                               "st.shared.b%d [%%r0], %%a; st.global.b%d [%%s], %%b;\n" FENCE
                               "%s [%%s], [%%r0], 16; cp.async.bulk.commit_group;\n"
                               "cp.async.bulk.wait_group 0; " FENCE "ld.global.b%d %%d0, [%%s];",
                        bits, bits, name, bits)
                ->lanes = 512;
        }
    }
}

static void reductions_to_shared(void)
{
    static const struct operation operations[] = {
        {"add", "u32 s32 u64"}, {"min", "u32 s32"}, {"max", "u32 s32"}, {"inc", "u32"},
        {"dec", "u32"},         {"and", "b32"},     {"or", "b32"},      {"xor", "b32"},
    };

    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
        char types[80], *rest = types;
        snprintf(types, sizeof types, "%s", operations[o].types);
        for (char *type; (type = strtok_r(rest, " ", &rest));) {
            int bits = strstr(type, "64") ? 64 : 32;
            char name[140];
            snprintf(name, sizeof name,
                     "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                     ".%s.%s",
                     operations[o].word, type);
            in_clusters(variant_add(
                "cp.reduce", name, bits == 64 ? "64" : "32", bits_class(type),
                SET_UP "mov.b64 %%l1, 0; st.shared.v2.b64 [%%r0], {%%l1, %%l1};\n"
                       "st.shared.v2.b64 [%%r1], {%%l1, %%l1};\n"
                       "st.shared.b%d [%%r0], %%a; st.shared.b%d [%%r1], %%b;\n" FENCE EXPECT(
                           16) "%s [%%r1], [%%r0], 16, [%%r2];\n" WAIT
                               "ld.shared.b%d %%d0, [%%r1];",
                bits, bits, name, bits));
            snprintf(name, sizeof name,
                     "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s.%s",
                     operations[o].word, type);
            in_clusters(variant_add("red", name, bits == 64 ? "64" : "32", bits_class(type),
                                    SET_UP "st.shared.b%d [%%r1], %%b;\n"
                                           "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %d;\n"
                                           "mov.u32 %%r4, %%cluster_ctarank;\n"
                                           "mapa.shared::cluster.u32 %%r1, %%r1, %%r4;\n"
                                           "mapa.shared::cluster.u32 %%r5, %%r2, %%r4;\n"
                                           "%s [%%r1], %%a, [%%r5];\n" WAIT
                                           "ld.shared.b%d %%d0, [%%r1];",
                                    bits, bits / 8, name, bits));
        }
    }
}

static void stores(void)
{
    static const char *const types[] = {"b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"};

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int count = 1; count <= 4; count *= 2) {
            int bits = strstr(types[t], "64") ? 64 : 32;
            const char *list = bits == 64   ? count == 1 ? "%a" : "{%a, %b}"
                               : count == 1 ? "%r6"
                               : count == 2 ? "{%r6, %r7}"
                                            : "{%r6, %r7, %r8, %r9}";
            char name[120];
            if (bits * count > 128)
                continue;
            snprintf(name, sizeof name,
                     "st.async.shared::cluster.mbarrier::complete_tx::bytes%s.%s",
                     count == 1   ? ""
                     : count == 2 ? ".v2"
                                  : ".v4",
                     types[t]);
            in_clusters(variant_add("st", name, "64 64", "i64 i64",
                                    SET_UP "mov.b64 {%%r6, %%r7}, %%a; mov.b64 {%%r8, %%r9}, %%b;\n"
                                           "mov.b64 %%l1, 0x1122334455667788;\n"
                                           "st.shared.v2.b64 [%%r1], {%%l1, %%l1};\n"
                                           "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %d;\n"
                                           "mov.u32 %%r4, %%cluster_ctarank;\n"
                                           "mapa.shared::cluster.u32 %%r5, %%r2, %%r4;\n"
                                           "mapa.shared::cluster.u32 %%r1, %%r1, %%r4;\n"
                                           "%s [%%r1], %s, [%%r5];\n" WAIT
                                           "ld.shared.v2.b64 {%%d0, %%d1}, [%%r1];",
                                    bits * count / 8, name, list));
        }
}

static void copies(void)
{
    static const struct {
        const char *name, *text;
    } list[] = {
        {"shared::cluster.global.mbarrier::complete_tx::bytes",
         "st.global.v2.b64 [%%s], {%%a, %%b};\n" FENCE EXPECT(
             16) "%s [%%r1], [%%s], 16, [%%r2];\n" WAIT "ld.shared.v2.b64 {%%d0, %%d1}, [%%r1];"},
        {"shared::cta.global.mbarrier::complete_tx::bytes",
         "st.global.v2.b64 [%%s], {%%a, %%b};\n" FENCE EXPECT(
             16) "%s [%%r1], [%%s], 16, [%%r2];\n" WAIT "ld.shared.v2.b64 {%%d0, %%d1}, [%%r1];"},
        {"shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
         "st.global.v2.b64 [%%s], {%%a, %%b};\n" FENCE EXPECT(
             16) "mov.u16 %%h0, 1; %s [%%r1], [%%s], 16, [%%r2], %%h0;\n" WAIT
                 "ld.shared.v2.b64 {%%d0, %%d1}, [%%r1];"},
        {"shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
         "st.shared.v2.b64 [%%r0], {%%a, %%b};\n" FENCE EXPECT(
             16) "%s [%%r1], [%%r0], 16, [%%r2];\n" WAIT "ld.shared.v2.b64 {%%d0, %%d1}, [%%r1];"},
        {"global.shared::cta.bulk_group",
         "st.shared.v2.b64 [%%r0], {%%a, %%b};\n" FENCE
         "%s [%%s], [%%r0], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
         "cp.async.bulk.wait_group 0; " FENCE "ld.global.v2.b64 {%%d0, %%d1}, [%%s];"},
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[140], text[2000];
        snprintf(name, sizeof name, "cp.async.bulk.%s", list[i].name);
        snprintf(text, sizeof text, list[i].text, name);
        struct variant *variant = variant_add("cp", name, "64 64", "i64 i64", SET_UP "%s", text);
        variant->lanes = 128;
        if (strstr(name, "cluster.shared::cta"))
            in_clusters(variant);
    }
}

/* What a barrier's owner sees of counts, phases and bytes. The words of a state are the device's
 * own, so only mbarrier.pending_count reads them. */
static void mbarriers(void)
{
    static const struct {
        const char *name, *text;
    } list[] = {
        {"arrive", "mbarrier.init.shared.b64 [%r2], 3; mbarrier.arrive.shared.b64 %l1, [%r2];\n"
                   "mbarrier.pending_count.b64 %d0, %l1; mbarrier.arrive.shared.b64 %l2, [%r2];\n"
                   "mbarrier.pending_count.b64 %d1, %l2;\n"
                   "mbarrier.test_wait.shared.b64 %p0, [%r2], %l1; selp.u32 %d2, 1, 0, %p0;\n"
                   "mbarrier.arrive.shared.b64 %l3, [%r2]; mbarrier.pending_count.b64 %d3, %l3;\n"
                   "mbarrier.test_wait.shared.b64 %p0, [%r2], %l1; selp.u32 %d4, 1, 0, %p0;\n"
                   "mbarrier.test_wait.parity.shared.b64 %p0, [%r2], 0; selp.u32 %d5, 1, 0, %p0;"},
        {"arrive-count",
         "mbarrier.init.shared.b64 [%r2], 7; mbarrier.arrive.shared.b64 %l1, [%r2], 4;\n"
         "mbarrier.pending_count.b64 %d0, %l1; mbarrier.arrive.noComplete.shared.b64 %l2, [%r2], "
         "2;\n"
         "mbarrier.pending_count.b64 %d1, %l2; mbarrier.arrive.release.cta.shared.b64 %l3, [%r2];\n"
         "mbarrier.pending_count.b64 %d2, %l3;\n"
         "mbarrier.test_wait.acquire.cta.shared.b64 %p0, [%r2], %l3; selp.u32 %d3, 1, 0, %p0;\n"
         "mbarrier.try_wait.parity.shared.b64 %p0, [%r2], 1; selp.u32 %d4, 1, 0, %p0;\n"
         "mbarrier.arrive.shared.b64 %l4, [%r2]; mbarrier.pending_count.b64 %d5, %l4;"},
        {"arrive_drop",
         "mbarrier.init.shared.b64 [%r2], 5; mbarrier.arrive_drop.noComplete.shared.b64 %l4, "
         "[%r2], 2;\n"
         "mbarrier.arrive_drop.shared.b64 %l1, [%r2];\n"
         "mbarrier.pending_count.b64 %d0, %l1; mbarrier.arrive.shared.b64 %l2, [%r2], 2;\n"
         "mbarrier.pending_count.b64 %d1, %l2; mbarrier.arrive.shared.b64 %l3, [%r2];\n"
         "mbarrier.pending_count.b64 %d2, %l3; mbarrier.test_wait.parity.shared.b64 "
         "%p1, [%r2], 0;\n"
         "mbarrier.test_wait.shared.b64 %p0, [%r2], %l3; selp.u32 %d3, 1, 0, %p0;\n"
         "mbarrier.arrive_drop.release.cta.shared.b64 %l5, [%r2]; mbarrier.pending_count.b64 %d4, "
         "%l5;\n"
         "mbarrier.arrive.shared.b64 %l6, [%r2]; mbarrier.pending_count.b64 %d5, %l6;"},
        {"expect_tx",
         "mbarrier.init.shared.b64 [%r2], 2; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r2], "
         "100;\n"
         "mbarrier.arrive.shared.b64 %l1, [%r2], 2; mbarrier.pending_count.b64 %d0, %l1;\n"
         "mbarrier.test_wait.shared.b64 %p0, [%r2], %l1; selp.u32 %d1, 1, 0, %p0;\n"
         "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r2], 60;\n"
         "mbarrier.test_wait.shared.b64 %p0, [%r2], %l1; selp.u32 %d2, 1, 0, %p0;\n"
         "mbarrier.complete_tx.shared.b64 [%r2], 40;\n"
         "mbarrier.test_wait.shared.b64 %p0, [%r2], %l1; selp.u32 %d3, 1, 0, %p0;\n"
         "mbarrier.complete_tx.shared.b64 [%r2], 8; mbarrier.arrive.expect_tx.shared.b64 %l2, "
         "[%r2], 8;\n"
         "mbarrier.pending_count.b64 %d4, %l2; mbarrier.arrive_drop.expect_tx.shared.b64 %l3, "
         "[%r2], 0;\n"
         "mbarrier.test_wait.parity.shared.b64 %p0, [%r2], 1; selp.u32 %d5, 1, 0, %p0;"},
        {"cluster", "mbarrier.init.shared.b64 [%r2], 2; fence.mbarrier_init.release.cluster;\n"
                    "mov.u32 %r4, %cluster_ctarank; mapa.shared::cluster.u32 %r5, %r2, %r4;\n"
                    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];\n"
                    "mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %p0, [%r2], 0;\n"
                    "selp.u32 %d0, 1, 0, %p0; "
                    "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%r5], 24;\n"
                    "mbarrier.test_wait.parity.shared.b64 %p0, [%r2], 0; selp.u32 %d1, 1, 0, %p0;\n"
                    "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r5], 24;\n"
                    "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [%r2], 0, 100;\n"
                    "selp.u32 %d2, 1, 0, %p0; "
                    "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r5], 2;\n"
                    "mbarrier.test_wait.parity.shared.b64 %p0, [%r2], 1; selp.u32 %d3, 1, 0, %p0;\n"
                    "mbarrier.inval.shared.b64 [%r2]; mov.u32 %d4, 0; mov.u32 %d5, 0;"},
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[60];
        snprintf(name, sizeof name, "mbarrier-%s", list[i].name);
        variant_add("mbarrier", name, "32 32 32 32 32 32", "i32", SET_UP "%s", list[i].text)
            ->lanes = 128;
    }
}

/* The same copy in a launch without clusters, which the device refuses. */
static void copies_without_clusters(void)
{
    variant_add(
        "cp", "cp.async.bulk.shared::cluster.shared::cta-no-cluster", "32", "i32",
        SET_UP FENCE EXPECT(
            16) "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%%r1], "
                "[%%r0], 16, [%%r2];\n" WAIT "mov.b32 %%d0, %%a;")
        ->lanes = 128;
    variant_add(
        "st", "st.async-no-cluster", "32", "i32",
        SET_UP EXPECT(4) "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%%r1], "
                         "%%a, [%%r2];\n" WAIT "ld.shared.u32 %%d0, [%%r1];")
        ->lanes = 128;
}

/* mapa, getctarank and the spaces of their addresses. */
static void clusters(void)
{
    variant_add("mapa", "mapa-own", "32 32 32 32 32 32", "i32",
                SET_UP
                "mov.u32 %%r4, %%cluster_ctarank; st.shared.u32 [%%r1], %%a;\n"
                "mapa.shared::cluster.u32 %%r5, %%r1, %%r4; ld.shared::cluster.u32 %%d0, [%%r5];\n"
                "getctarank.shared::cluster.u32 %%d1, %%r5;\n"
                "cvt.u64.u32 %%l1, %%r1; cvta.shared.u64 %%l1, %%l1; mapa.u64 %%l2, %%l1, %%r4;\n"
                "ld.u32 %%d2, [%%l2]; getctarank.u64 %%d3, %%l1;\n"
                "isspacep.shared::cluster %%p0, %%l2; isspacep.shared %%p1, %%l2;\n"
                "selp.u32 %%d4, 1, 0, %%p0; selp.u32 %%d5, 1, 0, %%p1;")
        ->lanes = 128;
    variant_add("barrier", "barrier.cluster.arrive.wait", "32", "i32",
                "barrier.cluster.arrive; barrier.cluster.wait;\n"
                "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
                "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;\n"
                "mov.b32 %%d0, %%a;")
        ->lanes = 128;
    variant_add("elect", "elect.sync-members", "32 32", "i32",
                "mov.u32 %%r0, %%laneid; mov.u32 %%d0, 99; mov.u32 %%d1, 99;\n"
                "setp.lt.u32 %%p0, %%r0, 5; @%%p0 bra OUT;\n"
                "elect.sync %%d0|%%p1, 0xffffffe0; selp.u32 %%d1, 1, 0, %%p1;\nOUT:\n")
        ->lanes = 128;
    variant_add("elect", "elect.sync-all", "32 32", "i32",
                "elect.sync %%d0|%%p1, -1; selp.u32 %%d1, 1, 0, %%p1;")
        ->lanes = 128;
    variant_add("fence", "fence-asynchronous", "32", "i32",
                "fence.proxy.async; fence.proxy.async.global; fence.proxy.async.shared::cta;\n"
                "fence.proxy.async.shared::cluster; fence.proxy.alias;\n"
                "fence.proxy.tensormap::generic.release.gpu;\n"
                "and.b64 %%l1, %%s, -128; fence.proxy.tensormap::generic.acquire.gpu [%%l1], 128;\n"
                "fence.acquire.sync_restrict::shared::cluster.cluster;\n"
                "fence.release.sync_restrict::shared::cta.cluster;\n"
                "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n"
                "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
                "mov.b32 %%d0, %%a;")
        ->lanes = 128;
}

void variants_async(void)
{
    copies();
    reductions_to_global();
    reductions_to_shared();
    stores();
    copies_without_clusters();
    mbarriers();
    clusters();
}
