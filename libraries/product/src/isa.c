/* SPDX-License-Identifier: MIT */
/* The choice of the instruction set, once a process. CUPIPE_CPU=plain, avx2 or avx512 takes a
 * lesser one than the processor has, for tests. */
#include "isa.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct product_isa chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
#include <cpuid.h>

enum { LEAF = 7, AVX512_BF16 = 1 << 5, AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24, AMX_INT8 = 1 << 25 };

static void choose_tiles(void)
{
    unsigned a, b, c, d, a1, b1, c1, d1;

    if (!__get_cpuid_count(LEAF, 0, &a, &b, &c, &d) ||
        !__get_cpuid_count(LEAF, 1, &a1, &b1, &c1, &d1))
        return;
    if (a1 & AVX512_BF16)
        chosen.tiles[FORM_BF16] = product_tile_avx512bf16;
    if (a1 & AVX512_BF16)
        chosen.to_bf16 = product_to_bf16_avx512bf16;
    if ((d & AMX_TILE) && (d & AMX_BF16) && (d & AMX_INT8) && product_amx_enable()) {
        chosen.tiles[FORM_BF16] = product_tile_amx_bf16;
        chosen.tiles[FORM_S8] = product_tile_amx_s8;
    }
}

static void choose(void)
{
    const char *most = secure_getenv("CUPIPE_CPU");

    chosen = product_isa_baseline;
    if (most && strcmp(most, "plain") == 0)
        return;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        chosen = product_isa_avx2;
    if (most && strcmp(most, "avx2") == 0)
        return;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        chosen = product_isa_avx512;
        if (!most || strcmp(most, "avx512") != 0)
            choose_tiles();
    }
}
#else
static void choose(void)
{
    chosen = product_isa_baseline;
}
#endif

const struct product_isa *product_isa(void)
{
    pthread_once(&once, choose);
    return &chosen;
}
