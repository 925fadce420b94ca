/* SPDX-License-Identifier: MIT */
/* The page size. sysconf() is a libc call, so the value is cached. */
#ifndef CUP_OS_PAGE_H
#define CUP_OS_PAGE_H

#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

static inline uint64_t cup_page_bytes(void)
{
    static _Atomic(uint64_t) known;
    uint64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);

    if (bytes == 0) {
        bytes = (uint64_t)sysconf(_SC_PAGESIZE);
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}

#endif
