/* SPDX-License-Identifier: MIT */
/*
 * The table of instruction variants: every opcode with every type, modifier and rounding, each as a
 * small kernel that loads its operands by thread index, executes the instruction and stores the
 * bits of the results. The recorder and the test make the same table, the same kernels and the same
 * inputs, so that only outputs have to be kept.
 *
 * A variant's text uses these registers: operands %a %b %c %e, results %d0 %d1 …, each as wide as
 * the variant says; %i the thread's index; %s the address (global) of 64 bytes of its own; for
 * temporary use %p0-%p7 (predicates), %h0-%h7 (16 bits), %r0-%r15 (32), %l0-%l7 (64).
 */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_OPERANDS = 4, MAX_RESULTS = 24, BLOCK_THREADS = 128 };

/* What values an operand takes. */
enum class {
    CLASS_NONE,
    I8,
    I16,
    I32,
    I64,
    I16X2,
    F16,
    BF16,
    F16X2,
    BF16X2,
    F32,
    F64,
    SHIFT, /* 32 bits: small numbers, and some far beyond any width */
    FEW,   /* 32 bits: 0 to 3 */
    FEW64,
    LANE, /* 32 bits: what shfl takes as lane and as clamp */
    BOOL, /* 32 bits: 0 or 1 */
    CLASS_COUNT
};

/* For approximations: the function, and how far a result may lie from the truth if CUPIPE_MATH is
 * fast. */
enum function { EXACT, RCP, DIV, SQRT, RSQRT, SIN, COS, LG2, EX2, TANH };
enum format { FORMAT_F32, FORMAT_F16, FORMAT_BF16, FORMAT_F64 };
struct tolerance {
    enum function function;
    enum format format;
    double ulp, relative, absolute;
    int flushes; /* denormal results may be zero */
};

/* How the kernel is launched: blocks of 128 threads in a row, or in three dimensions. */
enum shape { LINE, BOX };

struct variant {
    const char *opcode, *name;
    const char *text;
    enum class operands[MAX_OPERANDS];
    int operand_count;
    int result_bits[MAX_RESULTS];
    int result_count;
    unsigned lanes;
    enum shape shape;
    unsigned cluster; /* blocks of a cluster; 0: not launched in clusters */
    struct tolerance tolerance;
    const char *prologue; /* of the module: variables, functions; or NULL */
    bool accelerated;     /* needs sm_90a; others are for sm_90 */
    uint64_t hash;        /* of everything that the results depend on */
};

/* The table, made at the first call. */
const struct variant *variants_table(size_t *count);
/* Bytes of results a lane and in all. */
size_t variant_lane_bytes(const struct variant *variant);
size_t variant_bytes(const struct variant *variant);
/* The kernel's name, and its text; modules begin with variant_head(). */
void variant_kernel_name(const struct variant *variant, char *name, size_t size);
const char *variant_head(const struct variant *variant);
char *variant_kernel(const struct variant *variant);

/* Adding to the table. Operands and results are lists of words ("f32 f32", "32 64"); the text is a
 * format. Returns the variant for settings that few need. */
struct variant *variant_add(const char *opcode, const char *name, const char *results,
                            const char *operands, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* A variant that is one instruction "name %d0, %a, %b, …". */
struct variant *variant_one(const char *opcode, const char *results, const char *operands,
                            const char *name_format, ...) __attribute__((format(printf, 4, 5)));

/* The chapters of the table. */
void variants_integer(void);
void variants_logic(void);
void variants_float(void);
void variants_half(void);
void variants_approximate(void);
void variants_compare(void);
void variants_convert(void);
void variants_video(void);
void variants_memory(void);
void variants_atomic(void);
void variants_async(void);
void variants_warp(void);
void variants_matrix(void);
void variants_group(void);
void variants_edges(void);
void variants_special(void);
void variants_small(void);
void variants_loops(void);
void variants_contraction(void);
void variants_group_sparse(void);
void variants_fragments(void);
void variants_video_mixed(void);
void variants_video_whole(void);
void variants_smallest(void);
void variants_products(void);

/* The value of a variant's operand, and its bytes in memory. */
uint64_t input_value(const struct variant *variant, int operand, unsigned lane);
int input_bytes(enum class class);

/* Whether the result is right where the recorded one is: equal, or within the tolerance. */
int result_agrees(const struct variant *variant, int result, unsigned lane, uint64_t recorded,
                  uint64_t got);

#endif
