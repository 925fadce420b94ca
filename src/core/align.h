/* SPDX-License-Identifier: MIT */
/* Rounding and bounds of sizes and addresses. Alignments are powers of two, or 0 for no alignment;
 * steps are any number but 0. Sums wrap on overflow: callers validate sizes from the application.
 */
#ifndef CUP_CORE_ALIGN_H
#define CUP_CORE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t cup_align_up(uint64_t value, uint64_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) & ~(alignment - 1) : value;
}

static inline uint64_t cup_align_down(uint64_t value, uint64_t alignment)
{
    return alignment > 1 ? value & ~(alignment - 1) : value;
}

static inline bool cup_is_aligned(uint64_t value, uint64_t alignment)
{
    return cup_align_down(value, alignment) == value;
}

/* For counts: the quotient, rounded up. */
static inline uint32_t cup_divide_up(uint32_t value, uint32_t step)
{
    return value / step + (value % step != 0);
}

static inline uint64_t cup_align_to_step(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static inline uint64_t cup_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t cup_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
