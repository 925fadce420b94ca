/* SPDX-License-Identifier: MIT */
/* Rounding of sizes and addresses. Alignments are powers of two, or 0 for no alignment; steps are
 * any number but 0. Sums wrap on overflow: callers validate sizes from the application. */
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

static inline uint64_t cup_align_to_step(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

#endif
