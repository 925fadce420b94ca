/* SPDX-License-Identifier: MIT */
/* A PTX function of a unit and what the analyses have found of it. Emitting code changes nothing
 * here. */
#ifndef CUP_JIT_ANALYSIS_FUNCTION_H
#define CUP_JIT_ANALYSIS_FUNCTION_H

#include "jit/analysis/cfg.h"

struct jit_uniformity;
struct jit_unit;

/* Arrays of two are for the uniform and the divergent variant. */
struct jit_function {
    struct jit_unit *unit;
    const struct ptx_function *ptx;
    struct jit_cfg cfg;
    uint32_t index;
    uint32_t first_site; /* of its instructions: abi/check.h */
    bool is_kernel;
    bool has_uniform;                     /* it is emitted in both variants */
    bool has_matrices;                    /* it multiplies matrices */
    struct jit_uniformity *uniformity[2]; /* per register: uniformity.h */
    bool *raw;                            /* per register: may hold the CPU's NaNs: lower.h */
    uint32_t *writers;                    /* per register: constants.h */
    uint32_t *tile_places;                /* per register: accumulator_tiles.h; NULL: none */
    unsigned tile_count;
    /* Of the kernel's own variables: offsets in the parameters, in a lane's local memory. */
    uint64_t *variable_offsets;
};

/* Makes the function; its uniformity and tiles are not analysed yet. */
struct jit_function *jit_function_make(struct jit_unit *unit, uint32_t index);

/* The distance between the lanes of a function's own variable: the size, rounded up so that all
 * lanes are aligned. */
static inline uint64_t jit_variable_stride(const struct ptx_variable *variable)
{
    uint64_t align = variable->space == PTX_LOCAL && variable->align ? variable->align : 1;

    return (variable->size_bytes + align - 1) / align * align;
}

/* The number of elements of an operand, and one of them; an operand that is no vector has one. */
static inline unsigned jit_operand_part_count(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VECTOR ? operand->count : 1;
}

static inline const struct ptx_operand *jit_operand_part(const struct jit_function *function,
                                                         const struct ptx_operand *operand,
                                                         unsigned part)
{
    return operand->kind == PTX_OPERAND_VECTOR ? &function->ptx->elements[operand->index + part]
                                               : operand;
}

#endif
