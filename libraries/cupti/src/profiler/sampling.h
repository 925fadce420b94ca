/* SPDX-License-Identifier: MIT */
/* Sampling of program counters. A sample is taken of every 2^period-th instruction that warps
 * execute, in the order of the program, so samples follow from exact counts and are the same in
 * each run. A program counter is 16 times the position of an instruction in the PTX of its
 * function. */
#ifndef CUPTI_SAMPLING_H
#define CUPTI_SAMPLING_H

#include "profiling/metrics.h"

#include <cuda.h>
#include <cupipe.h>
#include <cupti_pcsampling.h>

enum { SAMPLING_PC_BYTES = 16 };

/* An instruction; places live as long as the process. */
struct sampling_place {
    struct sampling_place *next;
    const char *function; /* texts of tool_text() */
    uint32_t position;
    uint32_t function_number;
    const char *file; /* NULL: not known */
    uint32_t line;
    size_t last_sample; /* where its last sample stands; of sampling.c, and only a hint */
};

/* sampling_places.c: NULL if memory is out; find() makes none. */
struct sampling_place *sampling_place_of(const struct cupipe_instruction_count *row);
const struct sampling_place *sampling_place_find(const char *function, uint32_t position);

/* The image that stands for the machine code of modules, which they do not have. */
const void *sampling_cubin(size_t *bytes);
uint64_t sampling_cubin_crc(void);

/* For observe.c. */
bool sampling_is_on(void);
void sampling_count_kernel(const struct cupipe_activity *work);

#endif
