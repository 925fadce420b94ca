/* SPDX-License-Identifier: MIT */
/* Which pages of the process's address space have memory behind them. */
#ifndef CUP_OS_PAGE_RESIDENCY_H
#define CUP_OS_PAGE_RESIDENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

/* Sets bit 0 of a byte for each page that has memory. The address is a multiple of the page size.
 * Returns false if part of the range is not mapped. */
static inline bool cup_page_residency(uint64_t address, uint64_t size_bytes, unsigned char *pages)
{
    return mincore((void *)(uintptr_t)address, size_bytes, pages) == 0;
}

#endif
