/* SPDX-License-Identifier: MIT */
/* Each instruction is compiled by src/jit's lowering over 1, 4 and 32 lanes and run over special
 * and random values; what comes out must be what a model in plain C gives. */
#ifndef LOWER_HARNESS_H
#define LOWER_HARNESS_H

#include "ptx/program.h"

/* The model: sources and results are the bits of their types. */
typedef void lower_model(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r);
/* Is `got` good enough an answer? For approximations. */
typedef bool lower_judge(const struct ptx_instruction *i, const uint64_t *s, uint64_t got);

struct lower_row {
    const char *text; /* "add.rn.ftz.f32": opcode and dot-words. Then, after blanks, "lut=0xca",
                         "q" for a second result, selectors "a.b1", "d.h0" and "-c" */
    unsigned source_count; /* as written in PTX */
    lower_model *model;
    lower_judge *judge; /* in place of the model */
};

/* Tables, each ended by a row without text. */
extern const struct lower_row integer_rows[], bits_rows[], float_rows[], half_rows[],
    compare_rows[], convert_rows[], approximate_rows[], video_rows[];

struct ptx_instruction read_instruction(const struct lower_row *row);
uint64_t make_value(enum ptx_type type); /* the next one of so many */
uint64_t next_random(void);

/* For models. */
float as_float(uint64_t bits);
double as_double(uint64_t bits);
uint64_t float_bits(float value);
uint64_t double_bits(double value);
int64_t sign_extend(uint64_t value, unsigned bits);
unsigned model_bits(enum ptx_type type);
bool model_signed(enum ptx_type type);
uint64_t mask_bits(uint64_t value, unsigned bits);

#endif
