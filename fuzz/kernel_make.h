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
    return maker->code->count > CODE_FULL;
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

static inline unsigned new_label(struct maker *maker)
{
    return maker->code->labels++;
}

static inline void put_label(struct maker *maker, unsigned label)
{
    struct instruction *one = emit(maker, OP_LABEL);

    one->target = (uint16_t)label;
    maker->code->places[label] = (uint16_t)(maker->code->count - 1);
}

static inline struct instruction *jump(struct maker *maker, unsigned label)
{
    struct instruction *one = emit(maker, OP_BRA);

    one->target = (uint16_t)label;
    return one;
}

static inline void jump_if(struct maker *maker, unsigned label)
{
    struct instruction *one = jump(maker, label);

    one->guard = (int8_t)below(maker, PREDICATES);
    one->guard_negated = below(maker, 2);
}

/* At most so many instructions in a row. */
void kernel_make_straight(struct maker *maker, unsigned most);
/* A predicate that depends on something recent. */
void kernel_make_condition(struct maker *maker);
void kernel_make_branch(struct maker *maker);
/* Once less, and back if there is something left. keeps: results are stored before the branch. */
void kernel_count_down(struct maker *maker, unsigned counter, unsigned label, bool keeps);

/* Code in which lanes of a warp meet while they are apart. last: at the end of the kernel, where
 * they may exit. */
void kernel_make_apart(struct maker *maker, bool last);

/* Code of matrices, where all threads of a block come by. */
void kernel_make_matrices(struct maker *maker);
/* What a thread does by itself with registers of matrices. */
void kernel_make_matrix_lane(struct maker *maker);
/* The kind of matrices of the kernel, and their elements. */
void kernel_begin_matrices(struct maker *maker);

#endif
