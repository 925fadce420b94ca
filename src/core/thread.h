/* SPDX-License-Identifier: MIT */
/* What the library keeps for each thread of the application: its stack of contexts and the flag
 * that it is inside a host function. */
#ifndef CUP_CORE_THREAD_H
#define CUP_CORE_THREAD_H

#include "core/compiler.h"

#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;

struct cup_thread {
    struct CUctx_st *current; /* top of the stack, or NULL; a reference is held */
    struct CUctx_st **stack;  /* what lies below the top, oldest first; references are held */
    unsigned depth;
    unsigned capacity;
    bool in_host_function;
    uint32_t id; /* small and unique in the process; 0 until asked for */
};

extern CUP_THREAD_LOCAL struct cup_thread cup_thread;

/* A small number that is this thread's alone while it lives. */
uint32_t cup_thread_id(void);

#endif
