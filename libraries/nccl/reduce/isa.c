/* SPDX-License-Identifier: MIT */
/* The choice of the instruction set for reductions, once a process. */
#include "isa.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct nccl_reduce_isa *chosen = &nccl_reduce_baseline;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose(void)
{
#if defined(__x86_64__)
    const char *most = secure_getenv("CUPIPE_CPU");

    if (most && strcmp(most, "plain") == 0)
        return;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
        chosen = &nccl_reduce_avx2;
    if (most && strcmp(most, "avx2") == 0)
        return;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        chosen = &nccl_reduce_avx512;
#endif
}

const struct nccl_reduce_isa *nccl_reduce_isa(void)
{
    pthread_once(&once, choose);
    return chosen;
}
