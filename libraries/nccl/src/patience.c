/* SPDX-License-Identifier: MIT */
#include "patience.h"

#include <stdlib.h>
#include <time.h>

/* That of PyTorch's process groups. */
enum { USUAL_SECONDS = 600 };

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

unsigned nccl_patience_seconds(void)
{
    const char *text = secure_getenv("CUPIPE_NCCL_TIMEOUT");
    char *end = NULL;
    unsigned long seconds = text ? strtoul(text, &end, 10) : USUAL_SECONDS;

    if (text && (end == text || *end || seconds > UINT32_MAX))
        return USUAL_SECONDS;
    return (unsigned)seconds;
}

void nccl_patience_begin(struct nccl_patience *patience)
{
    uint64_t seconds = nccl_patience_seconds();

    patience->deadline_ns = seconds ? now_ns() + seconds * 1000000000 : 0;
}

ncclResult_t nccl_patience_check(const struct nccl_patience *patience)
{
    if (atomic_load(&patience->is_cancelled))
        return ncclInternalError;
    if (patience->deadline_ns && now_ns() >= patience->deadline_ns)
        return ncclRemoteError;
    return ncclSuccess;
}
