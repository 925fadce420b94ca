/* SPDX-License-Identifier: MIT */
/* Writing a value to memory as work of a stream, and holding a stream until memory has a value. */
#ifndef CUP_STREAM_MEMORY_OP_H
#define CUP_STREAM_MEMORY_OP_H

#include <cuda.h>
#include <stdint.h>

struct CUstream_st;

enum cup_memory_op_kind {
    CUP_MEMORY_OP_NONE,
    CUP_MEMORY_OP_WRITE,
    CUP_MEMORY_OP_WAIT_GEQ, /* (stored - value) is not negative: the counter may wrap around */
    CUP_MEMORY_OP_WAIT_EQ,
    CUP_MEMORY_OP_WAIT_AND, /* a bit of the value is stored */
    CUP_MEMORY_OP_WAIT_NOR, /* a bit is in neither */
};

struct cup_memory_op {
    enum cup_memory_op_kind kind;
    unsigned size_bytes; /* 4 or 8; the address is a multiple of it */
    uint64_t address;
    uint64_t value;
};

/* A write to an idle stream, and a wait there that is over already, are done on the spot. */
CUresult cup_memory_op_submit(struct CUstream_st *stream, const struct cup_memory_op *op);

#endif
