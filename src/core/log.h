/* SPDX-License-Identifier: MIT */
/* The log (CUPIPE_LOG), written line by line to stderr or a file. A message that is disabled costs
 * one load and one branch. */
#ifndef CUP_CORE_LOG_H
#define CUP_CORE_LOG_H

#include "core/compiler.h"

#include <stdatomic.h>

enum cup_log_level {
    CUP_LOG_NONE,
    CUP_LOG_ERROR,
    CUP_LOG_WARNING,
    CUP_LOG_INFO,
    CUP_LOG_DEBUG,
};

extern _Atomic(int) cup_log_threshold; /* messages above this level are dropped */

static inline int cup_log_enabled(enum cup_log_level level)
{
    return cup_unlikely((int)level <=
                        atomic_load_explicit(&cup_log_threshold, memory_order_relaxed));
}

void cup_log_write(enum cup_log_level level, const char *file, int line, const char *format, ...)
    CUP_PRINTF(4, 5);

#define cup_log(level, ...)                                                                        \
    (cup_log_enabled(level) ? cup_log_write(level, __FILE__, __LINE__, __VA_ARGS__) : (void)0)

#endif
