/* SPDX-License-Identifier: MIT */
/* What is written once for each instruction set: conversion of lines of elements, packing, and the
 * innermost loops of a product.
 *
 * A panel has units of 4 bytes: one f32, two bf16 or s16, four s8, consecutive along k. A panel of
 * the left operand has `rows` units for each unit of k: [k][rows]. A panel of the right operand is
 * cut into chunks of 16 units of k: [chunk][columns][16]. What is beyond the matrix is zero. */
#ifndef PRODUCT_ISA_H
#define PRODUCT_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHUNK_UNITS = 16, CHUNK_BYTES = 64, TILE_SIDE_MOST = 64 };

/* How elements of panels are kept. */
enum product_form { FORM_F32, FORM_BF16, FORM_S16, FORM_S8, FORMS };

/* Writes the product of two panels to a tile of sums, f32 or s32, in columns of `ld`; or adds it.
 */
typedef void product_kernel(size_t units, const void *left, const void *right, void *sums,
                            size_t ld, bool adds);

struct product_tile {
    product_kernel *run; /* NULL: this processor has none */
    size_t rows, columns;
    void (*begin)(void), (*end)(void); /* around calls of `run` in a thread; may be NULL */
};

struct product_isa {
    const char *name;
    /* Lines of elements into f32, and f32 into lines. */
    void (*from_f16)(float *out, const uint16_t *in, size_t count);
    void (*from_bf16)(float *out, const uint16_t *in, size_t count);
    void (*from_s8)(float *out, const int8_t *in, size_t count);
    void (*from_s32)(float *out, const int32_t *in, size_t count);
    void (*from_e4m3)(float *out, const uint8_t *in, size_t count);
    void (*from_e5m2)(float *out, const uint8_t *in, size_t count);
    void (*to_f16)(uint16_t *out, const float *in, size_t count);
    void (*to_bf16)(uint16_t *out, const float *in, size_t count);
    void (*to_s8)(int8_t *out, const float *in, size_t count);
    void (*to_tf32)(float *out, const float *in, size_t count);
    /* Lines of small elements into units: out[i] has in[0][i], in[1][i] ... */
    void (*interleave2)(uint32_t *out, const uint16_t *lines, size_t pitch, size_t count);
    void (*interleave4)(uint32_t *out, const uint8_t *lines, size_t pitch, size_t count);
    /* out[j][i] = in[i][j] for `rows` x 16 units, whose rows lie `pitch` bytes apart; and the
     * reverse, without gaps. */
    void (*transpose_to)(uint32_t *out, const void *in, size_t pitch, size_t rows);
    void (*transpose_from)(uint32_t *out, const uint32_t *in, size_t rows);
    /* Parts of the epilogue on a column: x = x * factor, x += y * factor, and the activations. */
    void (*scale)(float *x, float factor, size_t count);
    void (*multiply)(float *x, const float *y, float factor, size_t count);
    void (*add_scaled)(float *x, const float *y, float factor, size_t count);
    void (*multiply_s32)(uint32_t *out, const uint32_t *in, uint32_t factor, size_t count);
    void (*relu)(float *x, size_t count);
    void (*gelu)(float *x, size_t count);
    void (*gelu_gradient)(float *x, const float *before, size_t count);
    float (*largest)(const float *x, float most, size_t count);
    struct product_tile tiles[FORMS];
};

/* The best that this processor has. */
const struct product_isa *product_isa(void);

extern const struct product_isa product_isa_baseline, product_isa_avx2, product_isa_avx512;
/* to_bf16 by the processor's own conversion. Numbers below f32's normal range become 0. */
void product_to_bf16_avx512bf16(uint16_t *out, const float *in, size_t count);

extern const struct product_tile product_tile_avx512bf16, product_tile_amx_bf16,
    product_tile_amx_s8;

/* Asks the system for the use of tiles; false if there is none. */
bool product_amx_enable(void);

#endif
