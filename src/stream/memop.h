/* SPDX-License-Identifier: MIT */
/* Stream memory operations: write a value to memory, combine one with what is there, or block a
 * stream until memory has a value. */
#ifndef CUP_STREAM_MEMOP_H
#define CUP_STREAM_MEMOP_H

#include "stream/job.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;

enum cup_memop_kind {
    CUP_MEMOP_NONE,
    CUP_MEMOP_WRITE,
    CUP_MEMOP_ADD, /* this and the next two: atomic reductions */
    CUP_MEMOP_AND,
    CUP_MEMOP_OR,
    CUP_MEMOP_WAIT_GEQ, /* (stored - value) is not negative, so the counter may wrap around */
    CUP_MEMOP_WAIT_EQ,
    CUP_MEMOP_WAIT_AND, /* (stored & value) is not 0 */
    CUP_MEMOP_WAIT_NOR, /* ~(stored | value) is not 0 */
};

static inline bool cup_memop_is_wait(enum cup_memop_kind kind)
{
    return kind >= CUP_MEMOP_WAIT_GEQ;
}

struct cup_memop {
    enum cup_memop_kind kind;
    unsigned size_bytes; /* 4 or 8; the address is a multiple of it */
    uint64_t address;
    uint64_t value;
};

/* The operation as a job. A stream queues it; a graph node keeps it and runs it repeatedly. */
struct cup_memop_job {
    struct cup_job base;
    struct cup_memop op;
    uint64_t stored;
    bool is_over; /* the wait was satisfied once; the value may have changed since */
};

void cup_memop_job_init(struct cup_memop_job *job, const struct cup_memop *op);

/* Submits the operation. On an idle stream, a write and a wait that is already satisfied complete
 * at once. */
CUresult cup_memop_submit(struct CUstream_st *stream, const struct cup_memop *op);

#endif
