/* SPDX-License-Identifier: MIT */
/* What draws instructions: random numbers, and the list that is filled. */
#ifndef KERNEL_MAKE_H
#define KERNEL_MAKE_H

#include "kernel_program.h"

#include <string.h>

static const unsigned class_sizes[256] = {
    ['r'] = REGISTERS, ['d'] = WIDE, ['h'] = SHORT, ['p'] = PREDICATES, ['f'] = FLOATS};

struct maker {
    struct kernel *kernel;
    struct code *code;
    uint64_t state;
    bool is_function;
};

static inline unsigned below(struct maker *maker, unsigned limit)
{
    maker->state ^= maker->state << 13;
    maker->state ^= maker->state >> 7;
    maker->state ^= maker->state << 17;
    return (unsigned)((maker->state * UINT64_C(0x2545f4914f6cdd1d) >> 33) % limit);
}

static inline uint32_t number(struct maker *maker)
{
    static const uint32_t edges[] = {0,          1,          2,          31,         32,
                                     33,         0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0,
                                     0xffffffc0, 0x10000,    0xff,       0x8000};

    if (below(maker, 2))
        return below(maker, 40);
    if (below(maker, 3) == 0)
        return below(maker, 1u << 31) * 2 + below(maker, 2);
    return edges[below(maker, sizeof(edges) / sizeof(edges[0]))];
}

static inline bool is_full(const struct maker *maker)
{
    return maker->code->count > CODE_MAX - 100;
}

static inline struct instruction *emit(struct maker *maker, enum op op)
{
    struct instruction *one = &maker->code->list[maker->code->count++];

    memset(one, 0, sizeof(*one));
    one->op = op;
    one->guard = -1;
    return one;
}

static inline struct source draw_source(struct maker *maker, char class)
{
    struct source source = {0};

    source.index = (uint8_t)below(maker, class_sizes[(unsigned char)class]);
    return source;
}

static inline struct source immediate(uint64_t value)
{
    return (struct source){.is_immediate = true, .immediate = value};
}

static inline struct source fixed(unsigned index)
{
    return (struct source){.index = (uint8_t)index};
}

static inline void draw_guard(struct maker *maker, struct instruction *one)
{
    if (below(maker, 6))
        return;
    one->guard = (int8_t)below(maker, PREDICATES);
    one->guard_negated = below(maker, 2);
}

/* Code of matrices, where all threads of a block come by. */
void kernel_make_matrices(struct maker *maker);
/* What a thread does by itself with registers of matrices. */
void kernel_make_matrix_lane(struct maker *maker);
/* The kind of matrices of the kernel, and their elements. */
void kernel_begin_matrices(struct maker *maker);

#endif
