/* SPDX-License-Identifier: MIT */
/* Writing a value to memory as work of a stream, and holding a stream until memory has a value. */
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
    CUP_MEMOP_WAIT_GEQ, /* (stored - value) is not negative: the counter may wrap around */
    CUP_MEMOP_WAIT_EQ,
    CUP_MEMOP_WAIT_AND, /* a bit of the value is stored */
    CUP_MEMOP_WAIT_NOR, /* a bit is in neither */
};

struct cup_memop {
    enum cup_memop_kind kind;
    unsigned size_bytes; /* 4 or 8; the address is a multiple of it */
    uint64_t address;
    uint64_t value;
};

/* The operation as work: a stream queues it, a graph keeps it. */
struct cup_memop_job {
    struct cup_job base;
    struct cup_memop op;
    uint64_t stored;
    bool is_over; /* the wait has been over once: the value may have gone on since */
};

void cup_memop_job_init(struct cup_memop_job *job, const struct cup_memop *op);

/* A write to an idle stream, and a wait there that is over already, are done on the spot. */
CUresult cup_memop_submit(struct CUstream_st *stream, const struct cup_memop *op);

#endif
