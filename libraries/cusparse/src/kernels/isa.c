/* SPDX-License-Identifier: MIT */
/* The choice of the instruction set, once a process. CUPIPE_CPU=plain or avx2 takes a lesser one
 * than the processor has, for tests. */
#include "isa.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct sparse_pair *chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose(void)
{
    chosen = sparse_pairs_baseline;
#if defined(__x86_64__)
    const char *most = secure_getenv("CUPIPE_CPU");

    if (most && strcmp(most, "plain") == 0)
        return;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        chosen = sparse_pairs_avx2;
    if (most && strcmp(most, "avx2") == 0)
        return;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        chosen = sparse_pairs_avx512;
#endif
}

const struct sparse_pair *sparse_pair(cudaDataType stored, cudaDataType computed)
{
    pthread_once(&once, choose);
    for (int i = 0; i < SPARSE_PAIRS; i++)
        if (chosen[i].stored == stored && chosen[i].computed == computed)
            return &chosen[i];
    return NULL;
}
