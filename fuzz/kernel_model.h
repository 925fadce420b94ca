/* SPDX-License-Identifier: MIT */
/* What the model runs: threads, and the memory of a launch. */
#ifndef KERNEL_MODEL_H
#define KERNEL_MODEL_H

#include "kernel_program.h"

struct thread {
    uint32_t r[REGISTERS_ALL], f[FLOATS];
    uint64_t d[WIDE];
    uint16_t h[SHORT];
    bool p[PREDICATES], carry;
    unsigned at, steps;
    uint32_t local[LOCAL_WORDS];
    unsigned number; /* in the grid */
    uint32_t m[MATRIX_REGISTERS];
};

struct run {
    const struct kernel *kernel;
    uint32_t *memory, *counters;
    uint32_t *scratch; /* of the block's warps, in shared memory */
};

static inline uint64_t get(const struct thread *thread, char class, const struct source *source)
{
    if (source->is_immediate)
        return source->immediate;
    switch (class) {
    case 'r':
        return (uint32_t)(thread->r[source->index] + source->immediate);
    case 'd':
        return thread->d[source->index] + source->immediate;
    case 'h':
        return (uint16_t)(thread->h[source->index] + source->immediate);
    case 'p':
        return thread->p[source->index];
    default:
        return thread->f[source->index];
    }
}

static inline void set(struct thread *thread, char class, unsigned index, uint64_t value)
{
    switch (class) {
    case 'r':
        thread->r[index] = (uint32_t)value;
        break;
    case 'd':
        thread->d[index] = value;
        break;
    case 'h':
        thread->h[index] = (uint16_t)value;
        break;
    case 'p':
        thread->p[index] = value & 1;
        break;
    default:
        thread->f[index] = (uint32_t)value;
    }
}

static inline bool is_on(const struct thread *thread, const struct instruction *one)
{
    return one->guard < 0 || thread->p[one->guard] != one->guard_negated;
}

/* Lets lanes that wait for each other go on. False when none can. */
bool kernel_model_apart(const struct run *run, struct thread *warp, unsigned count);
/* What a warp does with matrices, which has this number in its block, and what a thread does. */
void kernel_model_matrix(const struct run *run, struct thread *warp, const struct instruction *one,
                         unsigned number);
void kernel_model_matrix_lane(const struct kernel *kernel, struct thread *thread,
                              const struct instruction *one);

#endif
