/* SPDX-License-Identifier: MIT */
/* A block of memory that the address map knows costs one look-up. Of other memory, and of blocks
 * that reach beyond an allocation, one byte of each page is touched. */
#include "stream/operand_access.h"

#include "core/compiler.h"
#include "core/error.h"
#include "os/page.h"
#include "stream/operand.h"
#include "stream/upcalls.h"

#include <stdbool.h>

/* Touches a byte as the work will. Sanitizers must not look at the address first: the program gave
 * it. Nothing is changed: the host may write the byte meanwhile. */
__attribute__((no_sanitize("address", "undefined", "thread"))) static void touch(uint64_t address,
                                                                                 bool written)
{
    char none = 0;

    __asm__("" : "+r"(none)); /* clang leaves out a store that it sees to change nothing */
    if (written)
        __atomic_fetch_or((volatile char *)(uintptr_t)address, none, __ATOMIC_RELAXED);
    else
        (void)*(const volatile char *)(uintptr_t)address;
}

/* The first and the last byte. */
static void touch_ends(void *argument)
{
    const struct cupipe_range *block = argument;

    touch(block->address, false);
    touch(block->address + cup_operand_extent(block) - 1, false);
}

/* One byte of each page that a row touches. Rows that overlap or are short may share pages. */
static void touch_pages(void *argument)
{
    const struct cupipe_range *block = argument;
    uint64_t page_bytes = cup_page_bytes(), next = 0;

    for (uint64_t row = 0; row < cup_operand_rows(block); row++) {
        uint64_t at = block->address + row * block->pitch, end = at + block->bytes;

        if (at < next && block->pitch <= INT64_MAX)
            at = next;
        for (; at < end; at = next) {
            touch(at, block->written);
            next = (at / page_bytes + 1) * page_bytes;
        }
    }
}

/* What a block may leave out need not be there, but for its ends. */
static bool is_accessible(struct cupipe_range *block)
{
    uint64_t extent = cup_operand_extent(block);

    if (extent == 0 ||
        cup_stream_upcalls.is_known_memory(block->address, extent, block->written != 0))
        return true;
    /* The ends first: touching memory that nothing has used yet takes some of the system's. */
    return cup_guard_run(touch_ends, block) && (block->partly || cup_guard_run(touch_pages, block));
}

static bool are_accessible(const struct cupipe_range *range)
{
    for (uint64_t k = 0; k < cup_operand_blocks(range); k++) {
        struct cupipe_range block = cup_operand_block(range, k);

        if (cup_unlikely(!is_accessible(&block)))
            return false;
    }
    return true;
}

CUresult cup_operand_check_access(const struct cupipe_work *work)
{
    if (!work->checks_access)
        return CUDA_SUCCESS;
    for (size_t i = 0; i < work->range_count; i++)
        if (cup_unlikely(!are_accessible(&work->ranges[i])))
            return cup_error(CUDA_ERROR_ILLEGAL_ADDRESS,
                             "operand %zu of %s, at 0x%llx, is not accessible", i, work->name,
                             (unsigned long long)work->ranges[i].address);
    return CUDA_SUCCESS;
}
