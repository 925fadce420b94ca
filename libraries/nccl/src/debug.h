/* SPDX-License-Identifier: MIT */
/* What NCCL_DEBUG shows: a level, and subsystems for the lines of INFO, on standard output or in
 * NCCL_DEBUG_FILE. The variables are read with the first line, and anew after
 * ncclResetDebugInit(). */
#ifndef NCCL_DEBUG_H
#define NCCL_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

enum nccl_debug_level {
    NCCL_DEBUG_NONE,
    NCCL_DEBUG_VERSION,
    NCCL_DEBUG_WARN,
    NCCL_DEBUG_INFO,
    NCCL_DEBUG_TRACE,
};

/* Bits: a line may belong to several, and is shown if one of them is. */
enum {
    NCCL_DEBUG_INIT = 1 << 0,
    NCCL_DEBUG_COLL = 1 << 1,
    NCCL_DEBUG_P2P = 1 << 2,
    NCCL_DEBUG_NET = 1 << 3,
    NCCL_DEBUG_ENV = 1 << 4,
    NCCL_DEBUG_BOOTSTRAP = 1 << 5,
    NCCL_DEBUG_REG = 1 << 6,
    NCCL_DEBUG_OTHERS = 1 << 7, /* subsystems that have no lines here */
    NCCL_DEBUG_ALL = (1 << 8) - 1,
};

/* A line of INFO. Where it is not shown this costs the reading of two words. */
__attribute__((format(printf, 2, 3))) void nccl_info(uint32_t subsystems, const char *format, ...);

/* A line of WARN. */
void nccl_warn(const char *text);

/* What is written once for a process, with its first communicator: the version, by the process of
 * rank 0 or with INFO by all; with INFO the variables that are set. */
void nccl_debug_begin(int rank);

#endif
